"""The installation's switches, for platform operators alone: one row, of which an empty field asks the environment."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from accounts.admin.rows import RowForm
from accounts.admin.scope import SuperuserAdmin, is_operator
from retrieval.flags import environment_flags
from retrieval.models import Flags
from retrieval.spaces.admin import SpaceStateAdmin

__all__ = ["FlagsAdmin", "SpaceStateAdmin"]


class FlagsForm(RowForm):
    """Each field's help says what the environment has; the switch offers it as a third choice."""

    class Meta:
        model = Flags
        fields = ("rag_enabled", "rag_min_confidence", "rag_max_documents")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        default = environment_flags()
        texts = {
            "rag_enabled": (
                _("Off: no agent answers from corpora, whatever its own setting."),
                _("on") if default.rag_enabled else _("off"),
            ),
            "rag_min_confidence": (
                _("Below it a retrieval is not sufficient. 0.6 is MEDIUM, 0.8 is HIGH; agents may set their own."),
                default.min_confidence,
            ),
            "rag_max_documents": (_("Passages of an answer; agents may set their own."), default.max_documents),
        }
        for name, (text, value) in texts.items():
            if field := self.fields.get(name):
                empty = _("Empty: as the environment has it, %(value)s.") % {"value": value}
                field.help_text = format_lazy("{} {}", text, empty)
        if isinstance(switch := self.fields.get("rag_enabled"), forms.NullBooleanField):
            choices = [("unknown", _("as in the environment")), ("true", _("on")), ("false", _("off"))]
            switch.widget.choices = choices


@admin.register(Flags)
class FlagsAdmin(SuperuserAdmin):
    """The list leads to the one row, or to making it; counts from the next answer on, in every process."""

    form = FlagsForm
    fields = ("rag_enabled", "rag_min_confidence", "rag_max_documents")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and not Flags.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_operator(request)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        if not is_operator(request):
            return super().changelist_view(request, extra_context)
        row = Flags.objects.first()
        page, args = ("change", [row.pk]) if row else ("add", [])
        return redirect(reverse(f"admin:retrieval_flags_{page}", args=args))
