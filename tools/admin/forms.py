"""The form of a data source: credentials are written and never shown, files come in several at once."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminPasswordWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from accounts.admin.rows import OrganizationForm
from corpora.admin.forms import SeveralFilesField, SeveralFilesInput
from tools.api.serializers import SourceEditSerializer
from tools.models import DataSource
from tools.services.described import MOST_CHARACTERS, MOST_MAPPING

WRITTEN = (
    "name", "kind", "host", "port", "database", "encryption", "is_active", "username", "password", "openapi", "mapping",
)  # fmt: skip


class SourceForm(OrganizationForm):
    """What is wrong with it, the API's own rules say."""

    username = forms.CharField(
        label=_("User name"),
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text=_("It is kept with the password and not shown. Empty: the one that is kept stays."),
    )
    password = forms.CharField(
        label=_("Password"),
        required=False,
        max_length=1_000,
        strip=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text=_("It is kept encrypted and never shown. Empty: the one that is kept stays."),
    )
    openapi = forms.CharField(
        label=_("OpenAPI description"),
        required=False,
        max_length=MOST_CHARACTERS,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=_("OpenAPI 3 as JSON or YAML. Empty: what was read of it stays."),
    )
    mapping = forms.CharField(
        label=_("mapping"),
        required=False,
        max_length=MOST_MAPPING,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=_("Which of its GET operations are entities, as YAML; written together with the description."),
    )
    new_files = SeveralFilesField(
        label=_("Add files"),
        required=False,
        widget=SeveralFilesInput(attrs={"class": " ".join(INPUT_CLASSES)}),
        help_text=_(
            "CSV, TSV and Parquet, each a table by its name; XLSX, a table for each sheet that is not hidden; or one "
            "SQLite file. One of the same name is replaced."
        ),
    )

    class Meta:
        model = DataSource
        fields = ("name", "kind", "host", "port", "database", "encryption", "is_active")

    said: dict[str, Any]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        is_new = self.instance._state.adding
        asked = [name for name in WRITTEN if name in cleaned and (is_new or name in self.changed_data)]
        written = {name: cleaned[name] for name in asked}
        if is_new:
            written = {name: value for name, value in written.items() if value not in ("", None)}
        rules = SourceEditSerializer(None if is_new else self.instance, data=written, partial=not is_new)
        rules.is_valid()
        for name, reasons in rules.errors.items():
            if not self.has_error(name):
                self.add_error(name if name in self.fields else None, [str(one) for one in reasons])
        self.said = dict(rules.validated_data)
        return cleaned
