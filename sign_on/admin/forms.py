"""The forms of a provider and of a mail domain; the client secret is written and never shown."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from accounts.admin.rows import OrganizationForm
from sign_on.admin.saml import SamlFields, check_address_of_provider, fault
from sign_on.domains import domain_name
from sign_on.models import LONGEST_ISSUER, IdentityProvider, MailDomain

MOST_ADMIN_GROUPS, LONGEST_GROUP_NAME = 50, 300
OF_OIDC_ROW = ("issuer", "client_id", "secret")
OF_SAML_ROW = ("issuer", "sso_url", "certificates", "subject_attribute", "email_attribute")
OF_BOTH_ROW = ("groups_claim", "admin_groups", "is_active", "is_enforced")


class GroupLines(forms.CharField):
    """A list, shown and written as a name a line."""

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        lines = [one.strip() for one in (super().to_python(value) or "").splitlines()]
        groups = list(dict.fromkeys(filter(None, lines)))
        if len(groups) > MOST_ADMIN_GROUPS or any(len(one) > LONGEST_GROUP_NAME for one in groups):
            raise ValidationError(_("At most 50 groups, each of 300 characters."))
        return groups

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != (initial or []))


class ProviderForm(SamlFields):
    issuer = forms.CharField(
        label=_("Issuer"),
        required=False,
        max_length=LONGEST_ISSUER,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "url", "autocomplete": "off"}),
        help_text=_("The address by which the provider names itself, to the letter; it begins with https://."),
    )
    secret = forms.CharField(
        label=_("Client secret"),
        required=False,
        max_length=1_000,
        strip=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text=_("It is kept encrypted and never shown. Empty: the one that is kept stays."),
    )
    admin_groups = GroupLines(
        label=_("Groups of admins"),
        required=False,
        max_length=20_000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_(
            "One a line. At each sign-in who is in one of them becomes an admin, and everybody else a member. Empty: "
            "roles are given here."
        ),
    )

    class Meta:
        model = IdentityProvider
        fields = (
            "protocol", "issuer", "client_id", "sso_url", "certificates", "subject_attribute", "email_attribute",
            "groups_claim", "admin_groups", "is_active", "is_enforced",
        )  # fmt: skip
        help_texts = {
            "groups_claim": _("What the provider calls the list of a person's groups (a claim, or an attribute)."),
            "is_enforced": _(
                "People with an address of a proven domain come through the provider alone: their passwords no longer "
                "open this organization. API keys go on working."
            ),
        }

    def clean_issuer(self) -> str:
        issuer = str(self.cleaned_data["issuer"])
        if self.is_saml:
            return issuer
        if not issuer:
            raise ValidationError(self.fields["issuer"].error_messages["required"], code="required")
        if issuer != self.instance.issuer:  # one that may no more be asked can be switched off
            check_address_of_provider(issuer)
        if "?" in issuer:
            raise ValidationError(fault("no_url"))
        return issuer

    def clean_client_id(self) -> str:
        client_id = str(self.cleaned_data["client_id"])
        if not client_id and not self.is_saml:
            raise ValidationError(self.fields["client_id"].error_messages["required"], code="required")
        return client_id

    def clean_secret(self) -> str:
        secret = str(self.cleaned_data["secret"])
        if not self.is_saml and not secret and (self.instance._state.adding or "issuer" in self.changed_data):
            raise ValidationError(_("Enter the secret that the provider gave for this client."))
        return secret

    def written(self, is_change: bool) -> dict[str, Any]:
        """What is to be kept, of the row's protocol; of a change what has changed."""
        names = [*OF_SAML_ROW, *OF_BOTH_ROW] if self.is_saml else [*OF_OIDC_ROW, *OF_BOTH_ROW]
        told = {name: self.cleaned_data[name] for name in names if name in self.cleaned_data}
        if not is_change:
            return told | {"protocol": self.instance.protocol}
        return {name: value for name, value in told.items() if name in self.changed_data or name in self.from_metadata}


class DomainForm(OrganizationForm):
    name = forms.CharField(
        label=_("Domain"),
        max_length=253,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text=_("What stands behind the @ of your people's addresses. Of its subdomains each is one of its own."),
    )

    class Meta:
        model = MailDomain
        fields = ("name",)

    def clean_name(self) -> str:
        try:
            return domain_name(self.cleaned_data["name"])
        except ValueError:
            raise ValidationError(_("This is no domain.")) from None
