"""Forms of the corpus and document pages: several files at once, tags as words between commas."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from accounts.admin.rows import OrganizationForm, RowForm
from corpora.media_types import MEDIA_TYPES
from corpora.models import Corpus, Document
from corpora.pages.description_forms import MetaFormField, TagsFormField
from corpora.uploads.intake import accepted_files


class SeveralFilesInput(forms.ClearableFileInput):
    """A plain file input, which says how many files are chosen; unfold's shows the first name only."""

    allow_multiple_selected = True
    template_name = "django/forms/widgets/file.html"

    def render(self, *args: Any, **kwargs: Any) -> SafeString:
        """Unfold's script writes a file's name into a text field three levels up; it finds a hidden one."""
        file_input = super().render(*args, **kwargs)
        return format_html('<div><input type="text" hidden disabled><p><span>{}</span></p></div>', file_input)


class SeveralFilesField(forms.FileField):
    """A list of uploaded files; empty when none was chosen."""

    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        return [file for file in data or [] if file]


class CorpusAdminForm(OrganizationForm):
    new_documents = SeveralFilesField(
        label=_("Upload documents"),
        required=False,
        widget=SeveralFilesInput(attrs={"accept": ",".join(sorted(MEDIA_TYPES)), "class": " ".join(INPUT_CLASSES)}),
    )

    is_course = forms.BooleanField(
        label=_("This is a course"),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text=_("Its documents are units, read in their order with a tutor beside them."),
    )

    class Meta:
        model = Corpus
        fields = ("name", "description", "is_active", "is_course")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if field := self.fields.get("new_documents"):
            together = _("A form takes as much in all; the corpus's own page sends any number of files one by one.")
            field.help_text = f"{accepted_files()} {together}"


class DocumentForm(RowForm):
    meta = MetaFormField(
        label=_("Free metadata"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("Names of your own: name=value, each on a line."),
    )
    tags = TagsFormField(
        label=_("Tags"),
        required=False,
        help_text=_("Words between commas."),
        widget=UnfoldAdminTextInputWidget(),
    )

    class Meta:
        model = Document
        fields = (
            "title", "summary", "content_type", "unit", "topic", "difficulty", "language", "course", "tags",
            "meta", "source_date", "source_reference",
        )  # fmt: skip
