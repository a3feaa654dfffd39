"""How an organization's people sign in elsewhere: its provider (OpenID Connect or SAML), its mail domains, and who is
who there."""

import secrets
from typing import Any, Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization, User
from tools import sealing

LONGEST_ISSUER = 300
LONGEST_ADDRESS = 1_000  # where a browser is sent to
LONGEST_SUBJECT = 255  # OpenID Connect Core, 2: "It MUST NOT exceed 255 ASCII characters in length"
RECORD = "_acervo"  # the label under a domain whose TXT record proves it


class OfOrganizations(models.QuerySet[Any]):
    def in_organization_of(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id)


class IdentityProvider(Identified):
    """Where an organization's people sign in. Its client secret is sealed (`tools.sealing`) and never shown. The issuer
    is an entity ID in SAML; which protocol it is never changes, because its subjects are others."""

    class Protocol(models.TextChoices):
        OIDC = "oidc", "OpenID Connect"
        SAML = "saml", "SAML 2.0"

    organization = models.OneToOneField(Organization, models.CASCADE, related_name="identity_provider")
    protocol = models.CharField(
        _("protocol"), max_length=10, choices=Protocol.choices, default=Protocol.OIDC, db_default=Protocol.OIDC
    )
    issuer = models.CharField(_("issuer"), max_length=LONGEST_ISSUER)
    client_id = models.CharField(_("client ID"), max_length=200, blank=True)
    sealed_secret = models.TextField(editable=False)
    sso_url = models.CharField(_("sign-in address"), max_length=LONGEST_ADDRESS, blank=True, default="", db_default="")
    certificates = models.TextField(_("certificates"), blank=True, default="", db_default="")
    subject_attribute = models.CharField(
        _("attribute with the subject"), max_length=200, blank=True, default="", db_default=""
    )
    email_attribute = models.CharField(
        _("attribute with the email address"), max_length=200, blank=True, default="", db_default=""
    )
    groups_claim = models.CharField(_("claim with the groups"), max_length=100, blank=True, default="groups")
    admin_groups = models.JSONField(_("groups of admins"), default=list, blank=True)
    is_active = models.BooleanField(_("active"), default=True)
    is_enforced = models.BooleanField(_("enforced"), default=False)
    checked_at = models.DateTimeField(_("last checked"), null=True, editable=False)
    check_outcome = models.CharField(max_length=40, blank=True, editable=False)
    failed_at = models.DateTimeField(_("last refused"), null=True, editable=False)
    failure = models.CharField(max_length=40, blank=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    objects = OfOrganizations.as_manager()

    class Meta:
        verbose_name = _("organization sign-in")
        verbose_name_plural = _("organization sign-in")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.issuer or str(self._meta.verbose_name)

    @property
    def is_saml(self) -> bool:
        return self.protocol == self.Protocol.SAML

    def keep_secret(self, secret: str) -> None:
        self.sealed_secret = sealing.seal_json(secret)

    def open_secret(self) -> str:
        """Raises SealLost."""
        return str(sealing.unseal_json(self.sealed_secret))

    def note_failure(self, reason: str) -> None:
        """So that an admin can see why somebody did not get in: the reason's name, nothing that the provider said."""
        self.failed_at, self.failure = timezone.now(), reason[:40]
        self.save(update_fields=["failed_at", "failure"])


class MailDomain(Identified):
    """A domain that an organization says is its own. It counts from `proved_at` on, and while the record is there."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="mail_domains")
    name = models.CharField(_("domain"), max_length=253)
    token = models.CharField(max_length=64, editable=False, default=secrets.token_urlsafe)
    proved_at = models.DateTimeField(_("proved"), null=True, editable=False)
    checked_at = models.DateTimeField(_("last checked"), null=True, editable=False)
    check_outcome = models.CharField(_("outcome"), max_length=40, blank=True, editable=False)
    missing_since = models.DateTimeField(_("record missing since"), null=True, editable=False)
    objects = OfOrganizations.as_manager()

    class Meta:
        verbose_name = _("mail domain")
        verbose_name_plural = _("mail domains")
        ordering = ("name", "pk")
        constraints = (
            models.UniqueConstraint(fields=("organization", "name"), name="mail_domain_once"),
            models.UniqueConstraint(
                fields=("name",), condition=models.Q(proved_at__isnull=False), name="mail_domain_of_one"
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def record_name(self) -> str:
        return f"{RECORD}.{self.name}"

    @property
    def record_value(self) -> str:
        return f"acervo-domain={self.token}"


class ProvidedIdentity(Identified):
    """Who somebody of an issuer is here: (issuer, subject) and nothing else, whatever their address becomes there."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="provided_identities")
    user = models.ForeignKey(User, models.CASCADE, related_name="provided_identities", verbose_name=_("user"))
    issuer = models.CharField(_("issuer"), max_length=LONGEST_ISSUER)
    subject = models.CharField(_("subject"), max_length=LONGEST_SUBJECT)
    last_used_at = models.DateTimeField(_("last used"), default=timezone.now, editable=False)
    objects = OfOrganizations.as_manager()

    class Meta:
        verbose_name = _("identity at a provider")
        verbose_name_plural = _("identities at providers")
        ordering = ("-last_used_at", "-pk")
        constraints = (
            models.UniqueConstraint(fields=("organization", "issuer", "subject"), name="provided_identity_once"),
            models.UniqueConstraint(fields=("organization", "issuer", "user"), name="provided_identity_of_user"),
        )

    def __str__(self) -> str:
        return self.subject
