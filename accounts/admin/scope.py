"""Who sees and changes what in the admin: an organization's admins their organization, operators everything.

Django's permissions play no part: an organization's admin is neither staff nor has any. Every ModelAdmin is
either an `OrganizationAdmin`, which asks the active membership, or a `SuperuserAdmin`; a test lists them.
"""

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import ForeignKey, Model, QuerySet
from django.http import HttpRequest

from accounts import audit
from accounts.admin.rows import BaseTabular, DiscreetAdmin, OrganizationForm, RowForm, is_column, timestamps
from accounts.http.principal import membership_of_session
from accounts.models import Membership, Organization, User
from accounts.tenancy.scope import system_scope


def is_operator(request: HttpRequest) -> bool:
    """A platform operator: an active superuser."""
    return request.user.is_active and request.user.is_superuser


def admin_membership(request: HttpRequest) -> Membership | None:
    """The active membership when it is an admin's, else None."""
    membership = membership_of_session(request)
    return membership if membership and membership.is_admin else None


def acting_membership(request: HttpRequest, organization: Organization) -> Membership:
    """In whose name a service acts on a row of `organization`.

    Operators act as an admin of any organization, through a membership that is never saved.
    """
    membership = admin_membership(request)
    if membership and membership.organization_id == organization.pk:
        return membership
    if not is_operator(request):
        raise PermissionDenied
    return Membership(user=cast(User, request.user), organization=organization, role=Membership.Role.ADMIN)


def choices_of(model: type[Model], site: admin.AdminSite, request: HttpRequest) -> QuerySet[Any]:
    """What a relation may point to: the rows that the related admin shows. No admin, no choices."""
    if site.is_registered(model):
        related = site.get_model_admin(model)
        if isinstance(related, OrganizationAdmin | SuperuserAdmin):
            return related.get_queryset(request)
    return model._default_manager.none()


class OrganizationAdmin(DiscreetAdmin):
    """Rows of the admin's organization. `organization_path` is the lookup from a row to its organization."""

    organization_path = "organization"
    writes: frozenset[str] = frozenset()  # of "add", "change", "delete"; nothing unless a subclass says so
    audited_flags: tuple[str, ...] = ()  # fields whose new value the audit log keeps; of the others only the name

    def organization_id_of(self, obj: Any) -> UUID:
        *steps, last = self.organization_path.split("__")
        for step in steps:
            obj = getattr(obj, step)
        return cast(UUID, getattr(obj, f"{last}_id"))

    def by(self, request: HttpRequest, obj: Any) -> Membership:
        """In whose name this request acts on a row."""
        return acting_membership(request, Organization.objects.get(pk=self.organization_id_of(obj)))

    def admits(self, request: HttpRequest, obj: Any = None) -> bool:
        if is_operator(request):
            return True
        membership = admin_membership(request)
        if membership is None or obj is None:
            return membership is not None
        return isinstance(obj, self.model) and self.organization_id_of(obj) == membership.organization_id

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.admits(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admits(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return "add" in self.writes and self.admits(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "change" in self.writes and self.admits(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "delete" in self.writes and self.admits(request, obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if is_operator(request):
            return rows
        membership = admin_membership(request)
        return rows.filter(**{self.organization_path: membership.organization_id}) if membership else rows.none()

    def formfield_for_foreignkey(self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        kwargs.setdefault("queryset", choices_of(db_field.remote_field.model, self.admin_site, request))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs.setdefault("queryset", choices_of(db_field.remote_field.model, self.admin_site, request))
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        membership = admin_membership(request)
        if is_operator(request) or membership is None or not issubclass(form, OrganizationForm):
            return form
        own: dict[str, Any] = {"organization": membership.organization}
        return type(form.__name__, (form,), own)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Operators choose the organization of a new row."""
        fieldsets = super().get_fieldsets(request, obj)
        if "add" in self.writes and is_operator(request):
            return [(None, {"fields": ("organization",)}), *fieldsets]
        return fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """A row never moves to another organization (RELIABILITY R5)."""
        fields = super().get_readonly_fields(request, obj)
        return (*fields, "organization") if obj and "add" in self.writes else fields

    def get_list_display(self, request: HttpRequest) -> Any:
        shown = super().get_list_display(request)
        return (*shown, self.organization_path) if is_operator(request) else shown

    def get_list_filter(self, request: HttpRequest) -> Any:
        filters = super().get_list_filter(request)
        of_organization = (self.organization_path, admin.RelatedOnlyFieldListFilter)
        return (*filters, of_organization) if is_operator(request) else filters

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Write what the form changed and nothing else: a worker may be writing the row's other columns."""
        changed = [name for name in form.changed_data if is_column(obj, name)]
        if not change:
            obj.save(force_insert=True)
        elif changed:
            obj.save(update_fields=[*changed, *timestamps(obj)])
        if changed or not change:
            self.audit(request, obj, "changed" if change else "created", changed)

    def audit(self, request: HttpRequest, obj: Any, action: str, fields: Sequence[str] = ()) -> None:
        """RELIABILITY R27: names of fields, values of flags, no text."""
        changes: dict[str, Any] = {name: getattr(obj, name) for name in self.audited_flags if name in fields}
        if fields:
            changes["fields"] = sorted(fields)
        audit.record(self.by(request, obj), action, obj, **changes)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self.audit(request, obj, "deleted")
        with system_scope():  # what goes with it may be other people's
            obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for obj in queryset:
            self.delete_model(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """The chosen rows and counts of what goes with them. Django would print every related row by name,
        among them other people's conversations."""
        chosen = list(objs)
        counts = {str(self.opts.verbose_name_plural): len(chosen), **self.goes_with(chosen)}
        return [str(obj) for obj in chosen], counts, set(), []

    def goes_with(self, chosen: Sequence[Any]) -> dict[str, int]:
        """Counts, by name, of what is deleted together with the chosen rows."""
        return {}


class SuperuserAdmin(DiscreetAdmin):
    """For platform operators alone; for everybody else there are no rows and no pages."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_operator(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_operator(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return rows if is_operator(request) else rows.none()


class OrganizationInline(BaseTabular):
    """Rows inside a page that `OrganizationAdmin` has already admitted; by default they are only shown."""

    form = RowForm
    extra = 0
    writes: frozenset[str] = frozenset()

    def admits(self, request: HttpRequest) -> bool:
        return is_operator(request) or admin_membership(request) is not None

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admits(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "add" in self.writes and self.admits(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "change" in self.writes and self.admits(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return "delete" in self.writes and self.admits(request)

    def formfield_for_foreignkey(self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        kwargs.setdefault("queryset", choices_of(db_field.remote_field.model, self.admin_site, request))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Each field says what it is: in a table its head does, and no label."""
        formset = super().get_formset(request, obj, **kwargs)
        for field in formset.form.base_fields.values():
            field.widget.attrs.setdefault("aria-label", field.label)  # lazily: some forms are shared by languages
        return formset
