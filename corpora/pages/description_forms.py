"""Forms of what is said of a document: at its upload, and later in the reader."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import Membership
from corpora.descriptions import describe
from corpora.metadata.free import MAX_KEYS, MAX_TEXT, parse_pairs, spell
from corpora.models import Document

MAX_TAGS = 20
MAX_TAG_LENGTH = 50
METADATA = ("content_type", "difficulty", "unit", "topic", "course", "language", "tags", "meta", "source_date")


class TagsFormField(forms.CharField):
    """A JSON list of words, written with commas between them."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        words = value if isinstance(value, list) else (value or "").split(",")
        return list(dict.fromkeys(word.strip() for word in words if word.strip()))

    def validate(self, value: Any) -> None:
        if len(value) > MAX_TAGS or any(len(word) > MAX_TAG_LENGTH for word in value):
            raise forms.ValidationError(
                _("At most %(count)d tags of up to %(length)d characters each."),
                params={"count": MAX_TAGS, "length": MAX_TAG_LENGTH},
            )

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != (initial or []))


class MetaFormField(forms.CharField):
    """Names and values of one's own, each on a line: name=value."""

    widget = forms.Textarea(attrs={"rows": 2})

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return "\n".join(f"{name}={spell(said)}" for name, said in value.items())

    def to_python(self, value: Any) -> Any:
        if isinstance(value, dict):
            return value
        try:
            return parse_pairs(line for line in (value or "").splitlines() if line.strip())
        except ValueError as error:
            raise forms.ValidationError(
                _("Up to %(count)d lines of name=value, with at most %(length)d characters of value (%(reason)s)."),
                params={"count": MAX_KEYS, "length": MAX_TEXT, "reason": error},
            ) from None

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.to_python(data) != (initial or {}))
        except forms.ValidationError:
            return True


class MetadataForm(forms.ModelForm[Document]):
    """The metadata of SPEC §4. On the upload form it is only drawn: the API checks what is sent."""

    tags = TagsFormField(label=_("Tags"), required=False, help_text=_("Words between commas."))
    meta = MetaFormField(
        label=_("Free metadata"), required=False, help_text=_("Names of your own: name=value, each on a line.")
    )
    language = forms.RegexField(
        r"^[a-z]{2,3}$", label=_("Language"), required=False, help_text=_("es, en, …; empty: found out from the text.")
    )

    class Meta:
        model = Document
        fields: tuple[str, ...] = METADATA
        widgets: dict[str, forms.Widget] = {"source_date": forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})}


class BulkForm(MetadataForm):
    """Of several documents at once: what is left empty stays as each of them has it."""

    tags = TagsFormField(
        label=_("Tags"), required=False, help_text=_("Words between commas. They replace what is there.")
    )
    language = forms.RegexField(r"^[a-z]{2,3}$", label=_("Language"), required=False, help_text=_("es, en, …"))
    meta = None  # type: ignore[assignment]  # what each has of its own stays its own

    class Meta(MetadataForm.Meta):
        fields = ("content_type", "unit", "topic", "difficulty", "language", "course", "tags")

    @property
    def said(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if value}


class DescriptionForm(MetadataForm):
    class Meta(MetadataForm.Meta):
        fields = ("title", "summary", *METADATA, "source_reference")
        widgets = {**MetadataForm.Meta.widgets, "summary": forms.Textarea(attrs={"rows": 3})}

    def save_by(self, membership: Membership) -> None:
        """Keep what was changed, and nothing else of the row."""
        changed = {name: self.cleaned_data[name] for name in self.changed_data}
        self.instance.refresh_from_db(fields=list(changed))  # validation has written the form's values into it
        describe(self.instance, membership, **changed)
