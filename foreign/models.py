"""Servers of other people that speak the Model Context Protocol, and what of their tools agents may be given."""

from typing import Self

from django.db import models
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization
from tools import sealing

LONGEST_SERVER_NAME, LONGEST_URL, LONGEST_HEADER = 60, 500, 60
LONGEST_TOOL_NAME, LONGEST_TITLE, LONGEST_DESCRIPTION = 128, 80, 1_000
AUTHORIZATION = "Authorization"


class ToolServerQuerySet(models.QuerySet["ToolServer"]):
    def in_organization_of(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id)


class ToolServer(Identified):
    """An MCP server that an organization's admins added. Its credential is sealed (`tools.sealing`) and told to that
    server alone, in one header."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="tool_servers")
    name = models.CharField(_("name"), max_length=LONGEST_SERVER_NAME)
    url = models.CharField(_("address"), max_length=LONGEST_URL)
    header = models.CharField(_("header"), max_length=LONGEST_HEADER, default=AUTHORIZATION)
    sealed_credential = models.TextField(blank=True, editable=False)
    is_active = models.BooleanField(_("active"), default=True)
    protocol_version = models.CharField(_("protocol"), max_length=20, blank=True, editable=False)
    checked_at = models.DateTimeField(_("last read"), null=True, editable=False)
    check_outcome = models.CharField(_("outcome of the last reading"), max_length=40, blank=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    objects = ToolServerQuerySet.as_manager()

    class Meta:
        verbose_name = _("tool server")
        verbose_name_plural = _("tool servers")
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("organization", "name"), name="tool_server_name_once"),)

    def __str__(self) -> str:
        return self.name

    def keep_credential(self, credential: str) -> None:
        """Empty: none."""
        self.sealed_credential = sealing.seal_json(credential) if credential else ""

    @property
    def headers(self) -> dict[str, str]:
        """What it is let in by, for whoever connects and for nobody else. Raises SealLost."""
        if not self.sealed_credential:
            return {}
        credential = str(sealing.unseal_json(self.sealed_credential))
        return {self.header: f"Bearer {credential}" if self.header.lower() == AUTHORIZATION.lower() else credential}


class ForeignToolQuerySet(models.QuerySet["ForeignTool"]):
    def offered(self) -> Self:
        """Those that agents may be given: chosen by an admin as they are now, and declared to read only."""
        chosen = self.filter(is_there=True, is_read_only=True, unusable="", reviewed_digest=F("digest"))
        return chosen.filter(server__is_active=True).exclude(digest="")


class ForeignTool(Identified):
    """A tool as its server described it when it was read last, cleaned and bounded (`foreign.definitions`).

    `digest` is of all that the server said of it, `reviewed_digest` of what an admin has seen and chosen, or empty: a
    tool that says something else since then is offered to nobody. `unusable`: a word for why it cannot be offered.
    """

    server = models.ForeignKey(ToolServer, models.CASCADE, related_name="tools", verbose_name=_("tool server"))
    name = models.CharField(_("name"), max_length=LONGEST_TOOL_NAME)
    title = models.CharField(_("title"), max_length=LONGEST_TITLE, blank=True)
    description = models.TextField(_("description"), blank=True)
    input_schema = models.JSONField(default=dict)
    is_read_only = models.BooleanField(_("declared to read only"), default=False)
    is_there = models.BooleanField(default=True)
    unusable = models.CharField(max_length=20, blank=True)
    digest = models.CharField(max_length=64)
    reviewed_digest = models.CharField(max_length=64, blank=True)
    objects = ForeignToolQuerySet.as_manager()

    class Meta:
        verbose_name = _("foreign tool")
        verbose_name_plural = _("foreign tools")
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("server", "name"), name="foreign_tool_name_once"),)

    def __str__(self) -> str:
        return self.title or self.name

    @property
    def is_offered(self) -> bool:
        """While its server is active."""
        return self.may_be_chosen and bool(self.digest) and self.reviewed_digest == self.digest

    @property
    def has_changed(self) -> bool:
        """Since an admin chose it."""
        return bool(self.reviewed_digest) and self.reviewed_digest != self.digest

    @property
    def may_be_chosen(self) -> bool:
        return self.is_there and self.is_read_only and not self.unusable
