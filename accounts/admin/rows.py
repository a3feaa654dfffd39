"""What admin pages share: unfold's classes with types, forms of new rows, problems shown as messages."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import display_for_value
from django.core.exceptions import (
    NON_FIELD_ERRORS,
    BadRequest,
    ObjectDoesNotExist,
    PermissionDenied,
    ValidationError,
)
from django.db import DataError, transaction
from django.db.models import Field, Model
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.html import escape
from django.utils.translation import gettext as _
from unfold import admin as unfold_admin
from unfold.decorators import display as unfold_display

from accounts.admin.lookups import offered_lookups
from accounts.models import Organization
from accounts.problems import Problem

if TYPE_CHECKING:  # unfold ships no type information: for the type checker its classes are Django's
    BaseAdmin = admin.ModelAdmin[Any]
    BaseTabular = admin.TabularInline[Any, Any]
    BaseForm = forms.ModelForm[Any]
else:
    BaseAdmin = unfold_admin.ModelAdmin
    BaseTabular = unfold_admin.TabularInline
    BaseForm = forms.ModelForm

UNNAMED = "…"

Display = TypeVar("Display", bound=Callable[..., Any])


class Labelled(tuple[str, str]):
    """`(value, text)`, of which lists make a coloured label; the page of a row shows the text."""

    __slots__ = ()

    def __html__(self) -> str:
        return escape(str(self[1]))


def label_display(description: Any, colours: Mapping[str, str], ordering: str) -> Callable[[Display], Display]:
    """A column of a list and a field of a row's page; the method returns `(value, text)`."""
    shown = unfold_display(description=description, label=dict(colours), ordering=ordering)

    def labelled(method: Display) -> Display:
        @wraps(method)
        def told(*args: Any) -> Labelled:
            return Labelled(method(*args))

        return cast(Display, shown(told))

    return labelled


def moment_display(
    description: Any, ordering: str | None = None
) -> Callable[[Callable[[Any, Any], datetime | None]], Any]:
    """The same of a method that returns a moment, shown as the reader's language writes it; "–" for none."""

    def shown(method: Callable[[Any, Any], datetime | None]) -> Any:
        @admin.display(description=description, ordering=ordering)
        @wraps(method)
        def told(page: Any, obj: Any) -> str:
            return str(display_for_value(method(page, obj), "–"))

        return told

    return shown


def related_text(field: str, description: Any) -> Callable[[Any, Any], str]:
    """A method that shows what a relation points to as text. Django would link to its page, which only
    operators can open. Who has left the organization is not shown."""

    @admin.display(description=description, ordering=field)
    def shown(_admin: Any, obj: Any) -> str:
        try:
            return str(getattr(obj, field) or "–")
        except ObjectDoesNotExist:
            return "–"

    return shown


MOST_WORDS = 20  # of a search in a list


class RowForm(BaseForm):
    """Lines end as they do in the database: browsers send texts with CR LF (HTML, "constructing the entry list"), and
    one that nobody touched would count as changed."""

    def _widget_data_value(self, widget: Any, html_name: str) -> Any:
        sent = super()._widget_data_value(widget, html_name)  # type: ignore[misc]  # not in the stubs
        return sent.replace("\r\n", "\n") if isinstance(sent, str) else sent


class OrganizationForm(RowForm):
    """A form whose new rows belong to the admin's organization, also while constraints are validated."""

    organization: Organization | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.organization and self.instance._state.adding:
            self.instance.organization = self.organization

    def _update_errors(self, errors: ValidationError) -> None:
        """What is there once in an organization is said so: Django would name the organization as a field."""
        for error in getattr(errors, "error_dict", {}).get(NON_FIELD_ERRORS, ()):
            fields = [name for name in (error.params or {}).get("unique_check", ()) if name != "organization"]
            if error.code == "unique_together" and fields:
                labels = [str(self.instance._meta.get_field(name).verbose_name) for name in fields]
                error.message = _("The organization has one with the same already: %(fields)s.")
                error.params = {"fields": ", ".join(labels)}
        super()._update_errors(errors)  # type: ignore[misc]  # not in the stubs

    def _get_validation_exclusions(self) -> set[str]:
        """Django leaves out what is not in the form, and with it what is unique in an organization."""
        excluded: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]  # not in the stubs
        return excluded if "organization" in self.fields else excluded - {"organization"}


class DiscreetAdmin(BaseAdmin):
    """A problem that a service raises undoes the request's work and becomes a message; what the caller may
    not have is not found, like what never was (SPEC §2.5)."""

    form = RowForm
    view_on_site = False  # Django's redirect to a row's own page knows no organizations

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Nothing that the list does not offer; Django answers the rest with 400."""
        return lookup in offered_lookups(self, request)

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> Any:
        """Each word is a condition on every column that is searched: a database takes some hundreds."""
        return super().get_search_results(request, queryset, " ".join(search_term.split()[:MOST_WORDS]))

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        return self.shown(request, super().changeform_view, object_id, form_url, extra_context)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> Any:
        return self.shown(request, super().add_view, form_url, extra_context)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        return self.shown(request, super().changelist_view, extra_context)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        return self.shown(request, super().delete_view, object_id, extra_context)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        return self.shown(request, super().history_view, object_id, extra_context)

    def shown(self, request: HttpRequest, view: Callable[..., HttpResponse], *args: Any) -> HttpResponseBase:
        try:
            if request.method != "POST":
                return view(request, *args)
            with transaction.atomic():
                return view(request, *args)
        except PermissionDenied:
            raise Http404 from None
        except (OverflowError, DataError) as error:  # a day in the address that no calendar or database has
            raise BadRequest from error
        except Problem as problem:
            self.message_user(request, str(problem.detail), messages.ERROR)
            return redirect(request.get_full_path())

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """Rows of an inline without their names: those would stay in this row's history when what they name is
        erased. Which corpora an agent got, the audit log knows by their ids."""
        said: list[dict[str, dict[str, Any]]] = super().construct_change_message(request, form, formsets, add)
        for what in (what for one in said for what in one.values() if "object" in what):
            what["object"] = UNNAMED
        return said

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> Any:
        """Django would redirect to the front page with a message."""
        raise Http404


def is_column(obj: Model, name: str) -> bool:
    return any(field.name == name for field in obj._meta.concrete_fields)


def timestamps(obj: Model) -> list[str]:
    """Columns that Django sets on every save, which `update_fields` would otherwise leave behind."""
    fields: list[Field[Any, Any]] = list(obj._meta.concrete_fields)
    return [field.name for field in fields if getattr(field, "auto_now", False)]
