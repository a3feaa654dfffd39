"""What an organization's directory keeps here by SCIM: its tokens, its users, its groups (docs/provisioning.md)."""

from typing import Any, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization

LONGEST_NAME = 150
LONGEST_ID = 254  # of what the directory calls somebody


class DirectoryToken(Identified):
    """What a directory signs its requests with: the organization's, for SCIM alone. Only its SHA-256 is kept."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="directory_tokens")
    name = models.CharField(_("name"), max_length=100)
    prefix = models.CharField(_("prefix"), max_length=16, editable=False)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)
    last_used_from = models.GenericIPAddressField(_("last used from"), null=True, editable=False)
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)

    class Meta:
        verbose_name = _("directory token")
        verbose_name_plural = _("directory tokens")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.name


class DirectoryUserQuerySet(models.QuerySet["DirectoryUser"]):
    def in_organization_of(self, by: Membership) -> Self:
        return self.filter(organization_id=by.organization_id)


class DirectoryGroupQuerySet(models.QuerySet["DirectoryGroup"]):
    def in_organization_of(self, by: Membership) -> Self:
        return self.filter(organization_id=by.organization_id)


class DirectoryUser(Identified):
    """Somebody as the directory says it; the account is the person's own, and never changed by it.

    Without a membership they are invited, or switched off. `user_key` is the name that is compared.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="directory_users")
    membership = models.OneToOneField(
        Membership, models.CASCADE, null=True, related_name="directory_user", verbose_name=_("membership")
    )
    user_name = models.CharField(_("user name"), max_length=LONGEST_ID)
    user_key = models.CharField(max_length=3 * LONGEST_ID, editable=False)
    external_id = models.CharField(_("id in the directory"), max_length=LONGEST_ID, blank=True)
    email = models.EmailField(_("email address"))
    display_name = models.CharField(_("name"), max_length=LONGEST_NAME, blank=True)
    formatted_name = models.CharField(max_length=LONGEST_NAME, blank=True)
    given_name = models.CharField(max_length=LONGEST_NAME, blank=True)
    family_name = models.CharField(max_length=LONGEST_NAME, blank=True)
    is_active = models.BooleanField(_("active"), default=True)
    is_claimed = models.BooleanField(
        _("kept by the directory"),
        default=True,
        help_text=_("Otherwise a member whom it has not named yet."),
    )
    updated_at = models.DateTimeField(auto_now=True)
    objects = DirectoryUserQuerySet.as_manager()

    class Meta:
        verbose_name = _("directory user")
        verbose_name_plural = _("directory users")
        ordering = ("created_at", "pk")
        constraints = (models.UniqueConstraint(fields=("organization", "user_key"), name="directory_user_once"),)
        indexes = (
            models.Index(fields=("organization", "email"), name="directory_user_email"),
            models.Index(fields=("organization", "external_id"), name="directory_user_external"),
            models.Index(fields=("organization", "created_at"), name="directory_user_created"),
        )

    def __str__(self) -> str:
        return self.display_name or self.formatted_name or self.user_name

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.user_key = self.user_name.casefold()
        super().save(*args, **kwargs)

    @property
    def opens(self) -> bool:
        """Whether the directory lets them in, and nobody here has switched the membership off."""
        return self.is_active and (self.membership is None or self.membership.is_active)


class DirectoryGroup(Identified):
    """A group of the directory. The organization's admins say whether its members are admins here."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="directory_groups")
    display_name = models.CharField(_("name"), max_length=LONGEST_ID)
    external_id = models.CharField(_("id in the directory"), max_length=LONGEST_ID, blank=True)
    makes_admins = models.BooleanField(
        _("its members are admins"),
        default=False,
        help_text=_("Who comes into the group becomes an admin at once, and who leaves it a member."),
    )
    users = models.ManyToManyField(DirectoryUser, related_name="directory_groups", verbose_name=_("users"))
    updated_at = models.DateTimeField(auto_now=True)
    objects = DirectoryGroupQuerySet.as_manager()

    class Meta:
        verbose_name = _("directory group")
        verbose_name_plural = _("directory groups")
        ordering = ("created_at", "pk")
        indexes = (models.Index(fields=("organization", "created_at"), name="directory_group_created"),)

    def __str__(self) -> str:
        return self.display_name
