"""The part of a provider's form that is SAML's: its metadata, or what stands in it one by one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from accounts.admin.rows import OrganizationForm
from sign_on.models import LONGEST_ADDRESS, LONGEST_ISSUER, IdentityProvider
from sign_on.problems import SignOnRefused
from sign_on.provider.fetching import check_provider_address
from sign_on.reasons import told_admin
from sign_on.saml.certificates import LONGEST_CERTIFICATES, as_pem, certificates_of

MOST_METADATA = 256 * 1024  # bytes; as `sign_on.saml.entities` reads


def fault(reason: str) -> str:
    """A reason as the sentence of a form."""
    return f"{capfirst(str(told_admin(reason)))}."


def check_address_of_provider(url: str, *, is_for_browsers: bool = False) -> None:
    try:
        check_provider_address(url, is_for_browsers=is_for_browsers)
    except SignOnRefused as error:
        raise ValidationError(fault(error.reason)) from None


class SamlFields(OrganizationForm):
    """`metadata`, pasted or as a file, fills in the three after it. All of them may be left out while it is switched
    off: some providers want our addresses first."""

    from_metadata: frozenset[str] = frozenset()

    metadata = forms.CharField(
        label=_("Metadata of the provider"),
        required=False,
        max_length=MOST_METADATA,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4, "autocomplete": "off"}),
        help_text=_("The XML that the provider offers. It fills in entity ID, sign-in address and certificates."),
    )
    metadata_file = forms.FileField(
        label=_("Metadata as a file"), required=False, widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".xml"})
    )
    entity_id = forms.CharField(
        label=_("Entity ID of the provider"),
        required=False,
        max_length=LONGEST_ISSUER,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text=_("The name by which the provider calls itself, to the letter."),
    )
    sso_url = forms.CharField(
        label=_("Sign-in address"),
        required=False,
        max_length=LONGEST_ADDRESS,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "url", "autocomplete": "off"}),
        help_text=_("Where browsers are sent to (SingleSignOnService, HTTP-Redirect)."),
    )
    certificates = forms.CharField(
        label=_("Certificates"),
        required=False,
        max_length=LONGEST_CERTIFICATES,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false"}),
        help_text=_(
            "Those that the provider signs with, as PEM, at most five: the next one may be entered before it is used."
        ),
    )
    subject_attribute = forms.CharField(
        label=_("Attribute that says who somebody is"),
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text=_("One that never changes and is never given to somebody else. Empty: the NameID."),
    )
    email_attribute = forms.CharField(
        label=_("Attribute with the email address"),
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text=_("Empty: email, mail, and the names that Microsoft and others have for it, or the NameID."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "entity_id" in self.fields:
            self.fields["entity_id"].initial = self.instance.issuer
        if "protocol" in self.fields:
            self.fields["protocol"].required = False

    @property
    def is_saml(self) -> bool:
        return self._protocol() == IdentityProvider.Protocol.SAML

    def _protocol(self) -> str:
        """It stays what it was."""
        if not self.instance._state.adding:
            return str(self.instance.protocol)
        return str(self.cleaned_data.get("protocol") or IdentityProvider.Protocol.OIDC)

    def clean_protocol(self) -> str:
        return self._protocol()

    def clean_sso_url(self) -> str:
        url = str(self.cleaned_data["sso_url"])
        if url and self.is_saml:
            check_address_of_provider(url, is_for_browsers=True)
        return url

    def clean_entity_id(self) -> str:
        named = str(self.cleaned_data["entity_id"])
        if not named.isprintable():
            raise ValidationError(fault("no_entity"))
        return named

    def clean_certificates(self) -> str:
        written = str(self.cleaned_data["certificates"])
        try:
            return as_pem(certificates_of(written)) if written else ""
        except ValueError:
            raise ValidationError(
                _("These are no certificates with an RSA key of 2048 bits or more, or one of the usual curves.")
            ) from None

    def clean(self) -> dict[str, Any]:
        told = super().clean() or self.cleaned_data
        if self.is_saml and not self.errors:
            told["issuer"] = told.get("entity_id", "")
            self._read_metadata(told)
            self._check_whole(told)
        return told

    def _read_metadata(self, told: dict[str, Any]) -> None:
        file, written = told.get("metadata_file"), told.get("metadata", "")
        if file is not None and file.size > MOST_METADATA:
            raise ValidationError({"metadata_file": fault("too_much")})
        written = file.read().decode(errors="replace") if file is not None else written
        if not written:
            return
        from sign_on.saml.entities import provider_entity  # lxml

        try:
            entity = provider_entity(written.strip())
            check_provider_address(entity.sso_url, is_for_browsers=True)
        except SignOnRefused as error:
            raise ValidationError({"metadata": fault(error.reason)}) from None
        if (
            len(entity.issuer) > LONGEST_ISSUER
            or not entity.issuer.isprintable()
            or len(entity.sso_url) > LONGEST_ADDRESS
        ):
            raise ValidationError({"metadata": fault("no_entity")})
        told.update(entity._asdict())

    def _check_whole(self, told: dict[str, Any]) -> None:
        read = ("issuer", "sso_url", "certificates")
        if told.get("is_active") and not all(told.get(name) for name in read):
            raise ValidationError({"is_active": fault("incomplete")})
        changed = [name for name in read if told.get(name) != getattr(self.instance, name)]
        self.from_metadata = frozenset(changed)
