"""Who asks: users, organizations, memberships, invitations, API keys, sessions and the audit log."""

import uuid
from typing import Any, ClassVar, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.identity.oauth import rows as oauth_rows  # noqa: F401 - as above
from accounts.limits import rows as rows  # Django looks for an app's models here


class Identified(models.Model):
    """A row with a random UUID, so that an id tells nothing and can be made before the row is saved."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    class Meta:
        abstract = True


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").lower())


class User(AbstractBaseUser, PermissionsMixin):  # type: ignore[django-manager-missing]  # of accounts.identity.oauth's rows
    """A person who signs in with an email address. Platform operators are superusers."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(_("email address"), unique=True)
    name = models.CharField(_("name"), max_length=150, blank=True)
    is_active = models.BooleanField(_("active"), default=True)
    is_staff = models.BooleanField(_("platform staff"), default=False)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now, editable=False)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")

    def __str__(self) -> str:
        return self.name or self.email

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.email = self.email.lower()
        super().save(*args, **kwargs)


LEAST_TRACE_DAYS = 30  # the usage page looks back as far


def keeps_audit_long_enough(days: int) -> None:
    """Whoever runs the installation may have to show it."""
    if days < settings.AUDIT_MINIMUM_DAYS:
        said = _("Here the audit log is kept for %(days)d days at least.")
        raise ValidationError(said, params={"days": settings.AUDIT_MINIMUM_DAYS})


class Organization(Identified):
    """The tenant."""

    name = models.CharField(_("name"), max_length=150)
    slug = models.SlugField(_("slug"), unique=True)
    requires_two_factor = models.BooleanField(
        _("requires two-factor sign-in"),
        default=False,
        help_text=_("Members without a second factor are led to set one up before anything else."),
    )
    traces_kept_days = models.PositiveSmallIntegerField(
        _("records of answers are kept for (days)"),
        null=True,
        blank=True,
        validators=[MinValueValidator(LEAST_TRACE_DAYS)],
        help_text=_("Traces: what was searched, found and spent. Empty: as the installation keeps them."),
    )
    audit_kept_days = models.PositiveSmallIntegerField(
        _("the audit log is kept for (days)"),
        null=True,
        blank=True,
        validators=[keeps_audit_long_enough],
        help_text=_("Empty: as the installation keeps it."),
    )
    # Mail domains whose people come through the organization's provider alone; written by `sign_on.keeping`.
    sign_on_domains = models.JSONField(default=list, db_default=models.Value([], models.JSONField()), editable=False)

    class Meta:
        verbose_name = _("organization")
        verbose_name_plural = _("organizations")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def trace_days(self) -> int:
        """For how long the record of an answer is kept; 0: for ever."""
        return int(self.traces_kept_days or settings.TRACES_KEPT_DAYS)

    @property
    def audit_days(self) -> int:
        """As above, of the audit log: never shorter than whoever runs the installation wants, whatever was said."""
        said = int(self.audit_kept_days or settings.AUDIT_KEPT_DAYS)
        return said and max(said, settings.AUDIT_MINIMUM_DAYS)


class MembershipQuerySet(models.QuerySet["Membership"]):
    def active(self) -> Self:
        """Those that open something: neither the person nor the membership is switched off."""
        return self.filter(user__is_active=True, is_active=True)

    def in_organization_of(self, membership: "Membership") -> Self:
        return self.filter(organization_id=membership.organization_id)


class Membership(Identified):
    """A user in an organization. It is the principal of every request: who asks, and on whose behalf."""

    class Role(models.TextChoices):
        MEMBER = "member", _("member")
        ADMIN = "admin", _("admin")

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships", verbose_name=_("user"))
    organization = models.ForeignKey(
        Organization, models.CASCADE, related_name="memberships", verbose_name=_("organization")
    )
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.MEMBER)
    is_active = models.BooleanField(
        _("active"),
        default=True,
        db_default=True,
        help_text=_("Switched off, it opens nothing, and nothing is lost: neither keys nor personal corpora."),
    )
    objects = MembershipQuerySet.as_manager()
    acting_key: uuid.UUID | None = None  # the API key through which it asks, in this request
    is_signed_on = False  # whether this request's session was opened by the organization's provider

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        ordering = ("created_at",)
        constraints = (
            models.UniqueConstraint(fields=("user", "organization"), name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=("member", "admin")), name="membership_role"),
        )

    def __str__(self) -> str:
        return f"{self.user} · {self.organization}"

    @property
    def is_usable(self) -> bool:
        """As `MembershipQuerySet.active`; `user` at hand."""
        return self.is_active and self.user.is_active

    @property
    def is_admin(self) -> bool:
        return self.role == self.Role.ADMIN


class Invitation(Identified):
    """An admin's offer of a membership to an email address; its token is only known to the receiver."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="invitations")
    email = models.EmailField(_("email address"))
    role = models.CharField(_("role"), max_length=10, choices=Membership.Role, default=Membership.Role.MEMBER)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    expires_at = models.DateTimeField(_("expires"))
    accepted_at = models.DateTimeField(_("accepted"), null=True, blank=True)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return self.email

    @property
    def is_open(self) -> bool:
        return self.accepted_at is None and self.expires_at > timezone.now()


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def usable(self) -> Self:
        """Those that open something. The database's clock, because the statement is prepared (`accounts.keys`)."""
        unexpired = models.Q(expires_at=None) | models.Q(expires_at__gt=Now())
        return self.filter(unexpired, revoked_at=None, membership__is_active=True, membership__user__is_active=True)


class ApiKey(Identified):
    """A key of one user in one organization. Only its SHA-256 is kept; the key itself is shown once."""

    membership = models.ForeignKey(Membership, models.CASCADE, related_name="api_keys")
    name = models.CharField(_("name"), max_length=100, blank=True)
    prefix = models.CharField(_("prefix"), max_length=12, editable=False)
    key_hash = models.CharField(max_length=64, unique=True, editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)
    last_used_from = models.GenericIPAddressField(_("last used from"), null=True, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True, editable=False)
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)
    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()


class SignIn(Identified):
    """A session of the database with what its user recognises it by; how it is listed and ended one by one."""

    user = models.ForeignKey(User, models.CASCADE, related_name="sign_ins")
    session_key = models.CharField(max_length=40, unique=True, editable=False)
    last_seen_at = models.DateTimeField(default=timezone.now)
    seen_from = models.GenericIPAddressField(null=True)
    browser = models.CharField(max_length=80, blank=True)

    class Meta:
        ordering = ("-last_seen_at",)

    def __str__(self) -> str:
        return self.browser


class AuditEvent(Identified):
    """Who changed which agent, corpus, assignment, member or key (RELIABILITY R27). Append-only; ids, no text."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="audit_events")
    actor = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    action = models.CharField(max_length=40)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=40)
    changes = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        ordering = ("-created_at",)
        indexes = (models.Index(fields=("organization", "created_at"), name="audit_of_organization"),)

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("The audit log is append-only.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("The audit log is append-only.")


class ToolCall(Identified):
    """One use of knowledge by a program or through a tool: who, by which agent and key, how much, for how long.

    Counts and ids, no text; kept for TOOL_CALLS_KEPT. What an answer in a conversation used is in its trace.
    """

    class Kind(models.TextChoices):
        RETRIEVE = "retrieve", _("search")
        UPSERT_KNOWLEDGE = "upsert_knowledge", _("fact kept")
        REMOVE_KNOWLEDGE = "remove_knowledge", _("fact removed")
        PLAYGROUND = "playground", _("playground")
        QUERY = "query", _("query of a data source")
        FOREIGN = "foreign", _("call of another service's tool")

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="tool_calls")
    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", verbose_name=_("user"))
    key = models.ForeignKey(ApiKey, models.SET_NULL, null=True, related_name="+", verbose_name=_("API key"))
    kind = models.CharField(_("kind"), max_length=20, choices=Kind)
    agent_id = models.UUIDField(_("agent"), null=True)
    corpus_id = models.UUIDField(_("corpus"), null=True)
    source_id = models.UUIDField(_("data source"), null=True)
    tool_id = models.UUIDField(_("foreign tool"), null=True)
    # Without a default of the database, which Django would ask for again: members append calls and may not read them.
    fingerprint = models.CharField(  # noqa: DJ001 - see above
        _("statement"), max_length=16, null=True, help_text=_("its shape, without its words and values")
    )
    items = models.PositiveIntegerField(_("passages, facts or rows"))
    tokens = models.PositiveIntegerField(_("tokens"), help_text=_("of the text that was read or kept"))
    milliseconds = models.PositiveIntegerField(_("time (ms)"))
    is_personal = models.BooleanField(_("personal"), help_text=_("a personal corpus was in its reach"))

    class Meta:
        verbose_name = _("tool call")
        verbose_name_plural = _("tool calls")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(fields=("organization", "created_at"), name="tool_call_of_organization"),
            models.Index(fields=("created_at",), name="tool_call_created"),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.created_at:%Y-%m-%d %H:%M}"


class IdempotentReply(Identified):
    """The first answer to a request that carried an Idempotency-Key, replayed for 24 h (API.md).

    Until there is one the key is held by a lease, which ends with the process that renews it.
    """

    membership = models.ForeignKey(Membership, models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    lease_expires_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("membership", "key"), name="idempotency_key_once"),)
        indexes = (models.Index(fields=("created_at",), name="idempotent_reply_created"),)

    def __str__(self) -> str:
        return self.key
