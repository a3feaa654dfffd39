"""The form of a tool server: its credential is written and never shown."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextInputWidget

from accounts.admin.rows import OrganizationForm
from foreign.admin.outcomes import reading_in_words
from foreign.conversing import check_server_address
from foreign.models import LONGEST_URL, ToolServer
from tools.engines.cells import visible
from tools.hosts import HostRefused

WRITTEN = ("name", "url", "header", "is_active")
LONGEST_CREDENTIAL = 4_000
HEADER = re.compile(r"[A-Za-z0-9-]{1,60}")
OURS = frozenset({
    "host", "content-length", "content-type", "connection", "transfer-encoding", "accept", "accept-encoding",
    "user-agent", "upgrade", "mcp-session-id", "mcp-protocol-version",
})  # fmt: skip


class ServerForm(OrganizationForm):
    url = forms.CharField(
        label=_("Address"),
        max_length=LONGEST_URL,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "url", "autocomplete": "off"}),
        help_text=_("https://, unless the installation allows plain HTTP, and of a host that it allows."),
    )
    credential = forms.CharField(
        label=_("Credential"),
        required=False,
        max_length=LONGEST_CREDENTIAL,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text=_(
            "Sent as “Authorization: Bearer …”, or as it is in another header. It is kept encrypted and never shown. "
            "Empty: the one that is kept stays."
        ),
    )

    class Meta:
        model = ToolServer
        fields = WRITTEN

    said: dict[str, Any]

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if visible(name) != name:
            raise forms.ValidationError(_("Write it without characters that are not seen."))
        return name

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        if url != self.instance.url or self.instance._state.adding:
            try:
                check_server_address(url)
            except HostRefused as error:
                raise forms.ValidationError(f"{capfirst(reading_in_words(error.reason))}.") from None
        return url

    def clean_header(self) -> str:
        header = str(self.cleaned_data["header"])
        if not HEADER.fullmatch(header) or header.lower() in OURS:
            raise forms.ValidationError(_("This is no header that a credential can be sent in."))
        return header

    def clean_credential(self) -> str:
        credential = str(self.cleaned_data["credential"])
        if not (credential.isascii() and (credential.isprintable())):
            raise forms.ValidationError(_("Only letters, digits and signs of ASCII can be sent in a header."))
        return credential

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        is_new = self.instance._state.adding
        self.said = {
            name: cleaned[name] for name in WRITTEN if name in cleaned and (is_new or name in self.changed_data)
        }
        if cleaned.get("credential"):
            self.said["credential"] = cleaned["credential"]
        elif self._leads_elsewhere() and self.instance.sealed_credential:
            self.add_error("credential", _("It is not sent to a server that it was not written for: write it anew."))
        return cleaned

    def _leads_elsewhere(self) -> bool:
        """Whether another server than before is meant, or another header."""
        if self.instance._state.adding:
            return False
        before, now = urlsplit(str(self.initial.get("url", ""))), urlsplit(str(self.cleaned_data.get("url", "")))
        return (before.scheme, before.netloc) != (now.scheme, now.netloc) or "header" in self.changed_data
