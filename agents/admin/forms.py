"""The form of an agent: defaults named where a field may be empty, metadata conditions as a field for each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from unfold.widgets import INPUT_CLASSES

from accounts.admin.rows import OrganizationForm
from agents.llm import resolve
from agents.models import Agent
from corpora.metadata.conditions import CHOICES, CONDITION_FIELDS, checked_conditions
from corpora.metadata.free import conditions_of_words, split_conditions
from corpora.metadata.names import FREE_FIELD
from corpora.models import Document
from retrieval.flags import effective_flags

WRITTEN_AS = {"source_date": ("2024", "2023-09..2024-06", "..2020"), FREE_FIELD: ("author=Ana", "edition=3")}
PARTS = (*CONDITION_FIELDS, FREE_FIELD)


class ConditionsInput(forms.MultiWidget):
    """A text input for each metadata field, with its values between commas."""

    template_name = "admin/agents/_conditions.html"

    def __init__(self) -> None:
        attrs = {"class": " ".join(INPUT_CLASSES)}
        super().__init__({name: forms.TextInput(attrs) for name in PARTS})

    def decompress(self, value: Any) -> list[str]:
        conditions = value if isinstance(value, Mapping) else {}
        fixed, words = split_conditions(conditions)
        return [", ".join(fixed.get(name) or ()) for name in CONDITION_FIELDS] + [", ".join(words)]

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> SafeString:
        """With the site's templates: the renderer of forms knows only those of installed apps."""
        return render_to_string(template_name, context)

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        for field, part in zip(PARTS, context["widget"]["subwidgets"], strict=True):
            part["label"] = Document._meta.get_field(field).verbose_name  # type: ignore[union-attr]  # a column
            part["known"] = ", ".join(CHOICES.get(field, WRITTEN_AS.get(field, ())))
        return context


class ConditionsField(forms.MultiValueField):
    """Values by metadata field, as `Agent.filters` and `Agent.preferences` keep them."""

    def __init__(self, *, label: Any, help_text: Any) -> None:
        parts = tuple(forms.CharField(required=False) for _name in PARTS)
        super().__init__(
            parts,
            require_all_fields=False,
            required=False,
            label=label,
            help_text=help_text,
            widget=ConditionsInput(),
        )

    def compress(self, texts: list[str]) -> dict[str, list[str]]:
        words = {
            name: [word.strip() for word in text.split(",") if word.strip()]
            for name, text in zip(PARTS, texts, strict=False)
        }
        try:
            free = conditions_of_words(words.pop(FREE_FIELD, ()))
            return checked_conditions({name: values for name, values in words.items() if values} | free)
        except ValidationError as error:
            raise forms.ValidationError(error.messages) from None

    def has_changed(self, initial: Any, data: Any) -> bool:
        before = self.widget.decompress(initial)
        return [text.strip() for text in before] != [(text or "").strip() for text in data or before]


class AgentForm(OrganizationForm):
    """The agent's fields; help names what an empty field means in this installation."""

    filters = ConditionsField(
        label=_("Required metadata"),
        help_text=_("Only documents that match all of these are read. Values between commas: any of them."),
    )
    preferences = ConditionsField(
        label=_("Preferred metadata"), help_text=_("Documents that match come first; the others are still read.")
    )

    class Meta:
        model = Agent
        fields = "__all__"  # narrowed by the admin's fieldsets

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        flags, (provider, name) = effective_flags(), resolve("")
        self.name_default("model", name if provider == name else f"{provider}:{name}")
        self.name_default("top_k", flags.max_documents)
        self.name_default("min_confidence", flags.min_confidence)

    def name_default(self, field_name: str, default: Any) -> None:
        if field := self.fields.get(field_name):
            named = _("The default here is %(default)s.") % {"default": default}
            field.help_text = format_lazy("{} {}", field.help_text, named)
