"""Who answers: agents and the corpora assigned to them."""

from typing import Any, Self
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization, User
from agents.presets import Preset
from config.prepared import Prepared
from corpora.metadata.conditions import checked_conditions
from corpora.models import Corpus
from corpora.scope import Scope
from foreign.models import ForeignTool
from tools.models import SourceTable

AUDITED_FLAGS = ("is_active", "allows_personal_corpus", "uses_rag", "grounding", "adaptive")


class AgentQuerySet(models.QuerySet["Agent"]):
    def of_organization(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id)

    def usable_by(self, membership: Membership) -> Self:
        return self.of_organization(membership).filter(is_active=True)

    def visible_to(self, membership: Membership) -> Self:
        """Admins also see agents that are switched off."""
        return self.of_organization(membership) if membership.is_admin else self.usable_by(membership)

    def ensure_preset(self, preset: Preset, organization: Organization) -> "Agent":
        """The organization's agent with the preset's slug; made with the preset's settings when it is missing."""
        return self.get_or_create(organization=organization, slug=preset.slug, defaults=preset.settings)[0]

    def allowing_personal(self) -> Self:
        return self.filter(allows_personal_corpus=True)


class Agent(Identified):
    """System prompt + model + retrieval settings (SPEC §1)."""

    class Grounding(models.TextChoices):
        OPEN = "open", _("open: may add general knowledge and says so")
        STRICT = "strict", _("strict: only from the corpora")

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="agents")
    name = models.CharField(_("name"), max_length=150)
    slug = models.SlugField(_("slug"), max_length=80)
    description = models.CharField(_("description"), max_length=500, blank=True)
    is_active = models.BooleanField(_("active"), default=True)

    system_prompt = models.TextField(_("system prompt"), blank=True, max_length=20_000)
    instructions = models.TextField(
        _("instructions"), blank=True, max_length=5_000, help_text=_("How to use the passages; empty for the default.")
    )
    context_template = models.TextField(
        _("context template"),
        blank=True,
        max_length=2_000,
        help_text=_("Must contain {documents}; empty for the default."),
    )
    model = models.CharField(
        _("model"),
        max_length=100,
        blank=True,
        help_text=_("openai:NAME, anthropic:NAME, extractive, or empty for the installation's default."),
    )
    temperature = models.FloatField(
        _("temperature"), default=0.3, validators=[MinValueValidator(0.0), MaxValueValidator(2.0)]
    )
    max_tokens = models.PositiveIntegerField(
        _("longest answer (tokens)"), default=1024, validators=[MinValueValidator(1), MaxValueValidator(32_000)]
    )

    allows_personal_corpus = models.BooleanField(_("allows personal corpora"), default=False)
    uses_rag = models.BooleanField(_("answers from corpora"), default=True)
    grounding = models.CharField(_("grounding"), max_length=10, choices=Grounding, default=Grounding.OPEN)
    adaptive = models.BooleanField(_("adaptive retrieval"), default=False)
    top_k = models.PositiveSmallIntegerField(
        _("passages kept"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(50)],
        help_text=_("Empty: the installation's RAG_MAX_DOCUMENTS."),
    )
    candidates = models.PositiveSmallIntegerField(
        _("candidates searched"), default=50, validators=[MinValueValidator(1), MaxValueValidator(200)]
    )
    min_relevance = models.FloatField(
        _("lowest relevance"), default=0.3, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    context_tokens = models.PositiveIntegerField(
        _("context budget (tokens)"), default=2000, validators=[MinValueValidator(100), MaxValueValidator(100_000)]
    )
    min_confidence = models.FloatField(
        _("lowest confidence"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text=_("Below it a retrieval is not sufficient. Empty: the installation's RAG_MIN_CONFIDENCE."),
    )
    calls_per_minute = models.PositiveIntegerField(
        _("questions to its data a minute"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(1_000_000)],
        help_text=_("Of everybody together. Empty: the installation's AGENT_CALLS_PER_MINUTE."),
    )
    filters = models.JSONField(_("required metadata"), default=dict, blank=True)
    preferences = models.JSONField(_("preferred metadata"), default=dict, blank=True)
    condense = models.BooleanField(_("condense follow-up questions"), default=True)
    expand_queries = models.BooleanField(_("expand questions"), default=False)
    diversity = models.FloatField(
        _("diversity"), default=0.0, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    recency_half_life_days = models.PositiveIntegerField(_("recency half-life (days)"), null=True, blank=True)
    rerank = models.BooleanField(_("re-rank"), default=False)
    compress = models.BooleanField(_("compress passages to the budget"), default=True)
    evaluator_model = models.CharField(
        _("evaluator's model"), max_length=100, blank=True, help_text=_("Empty: the agent's own model.")
    )
    updated_at = models.DateTimeField(auto_now=True)
    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("organization", "slug"), name="agent_slug_in_organization"),)

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        wrong: dict[str, Any] = {}
        if self.context_template and "{documents}" not in self.context_template:
            wrong["context_template"] = _("The template must contain {documents}.")
        for name in ("filters", "preferences"):
            try:
                setattr(self, name, checked_conditions(getattr(self, name) or {}))
            except ValidationError as error:
                wrong[name] = error.messages
        if wrong:
            raise ValidationError(wrong)

    def scope_for(self, membership: Membership) -> Scope:
        """What this member may read through this agent now: one query, never cached (SPEC §2.3)."""
        rows = _readable(
            agent=self.pk,
            organization=membership.organization_id,
            membership=membership.pk,
            user=membership.user_id,
        )
        tiers: dict[str, set[Any]] = {Corpus.Type.GLOBAL: set(), Corpus.Type.PERSONAL: set()}
        for corpus_id, corpus_type in rows:
            tiers[corpus_type].add(corpus_id)
        return Scope(
            organization_id=membership.organization_id,
            user_id=membership.user_id,
            global_ids=frozenset(tiers[Corpus.Type.GLOBAL]),
            personal_ids=frozenset(tiers[Corpus.Type.PERSONAL]),
        )


def readable_corpora(agent: UUID, organization: UUID, membership: UUID, user: UUID) -> models.QuerySet[Corpus, Any]:
    """Ids and tiers of the corpora that a member may read through an agent (SPEC §2)."""
    return (
        Corpus.objects.filter(
            assignments__agent_id=agent,
            assignments__agent__is_active=True,
            assignments__agent__organization_id=organization,
            organization_id=organization,
            organization__memberships=membership,
            organization__memberships__is_active=True,
            is_active=True,
            deleted_at=None,
        )
        .filter(
            models.Q(corpus_type=Corpus.Type.GLOBAL)
            | models.Q(
                corpus_type=Corpus.Type.PERSONAL,
                owner_id=user,
                assignments__agent_id=agent,
                assignments__agent__allows_personal_corpus=True,
            )
        )
        .order_by()
        .values_list("pk", "corpus_type")
    )


_readable = Prepared(lambda **values: readable_corpora(**values))


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def visible_to(self, membership: Membership) -> Self:
        """Assignments of global corpora, and of the caller's own personal ones."""
        return self.filter(agent__organization_id=membership.organization_id, corpus__deleted_at=None).filter(
            models.Q(corpus__corpus_type=Corpus.Type.GLOBAL) | models.Q(corpus__owner_id=membership.user_id)
        )


class Assignment(Identified):
    """A corpus given to an agent. The rule of the two tiers is checked here and again at every retrieval."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="assignments", verbose_name=_("agent"))
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="assignments", verbose_name=_("corpus"))
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", editable=False)
    objects = AssignmentQuerySet.as_manager()

    class Meta:
        verbose_name = _("assignment")
        verbose_name_plural = _("assignments")
        ordering = ("-created_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("agent", "corpus"), name="assignment_once"),)

    def __str__(self) -> str:
        return f"{self.agent} ← {self.corpus}"

    def clean(self) -> None:
        """SPEC §2.1: same organization; a personal corpus only to an agent that allows it."""
        if self.agent.organization_id != self.corpus.organization_id:
            raise ValidationError(_("Agent and corpus belong to different organizations."), "other_organization")
        if self.corpus.is_personal and not self.agent.allows_personal_corpus:
            raise ValidationError(_("This agent does not allow personal corpora."), "personal_corpus_not_allowed")

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.clean()
        super().save(*args, **kwargs)


class ReachableTableQuerySet(models.QuerySet["ReachableTable"]):
    def in_organization_of(self, membership: Membership) -> Self:
        return self.filter(agent__organization_id=membership.organization_id)


class ReachableTable(Identified):
    """A table of a data source given to an agent by an admin; whoever may use the agent reads it through it."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="reachable_tables", verbose_name=_("agent"))
    table = models.ForeignKey(SourceTable, models.CASCADE, related_name="reached_by", verbose_name=_("table"))
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", editable=False)
    objects = ReachableTableQuerySet.as_manager()

    class Meta:
        verbose_name = _("reachable table")
        verbose_name_plural = _("reachable tables")
        ordering = ("-created_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("agent", "table"), name="reachable_table_once"),)

    def __str__(self) -> str:
        return f"{self.agent} ← {self.table}"

    def clean(self) -> None:
        if self.agent.organization_id != self.table.source.organization_id:
            raise ValidationError(_("Agent and table belong to different organizations."), "other_organization")

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.clean()
        super().save(*args, **kwargs)


class ReachableToolQuerySet(models.QuerySet["ReachableTool"]):
    def in_organization_of(self, membership: Membership) -> Self:
        return self.filter(agent__organization_id=membership.organization_id)


class ReachableTool(Identified):
    """A tool of another service lent to an agent by an admin; whoever may use the agent has it called."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="reachable_tools", verbose_name=_("agent"))
    tool = models.ForeignKey(ForeignTool, models.CASCADE, related_name="reached_by", verbose_name=_("foreign tool"))
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", editable=False)
    objects = ReachableToolQuerySet.as_manager()

    class Meta:
        verbose_name = _("reachable tool")
        verbose_name_plural = _("reachable tools")
        ordering = ("-created_at", "-pk")
        constraints = (models.UniqueConstraint(fields=("agent", "tool"), name="reachable_tool_once"),)

    def __str__(self) -> str:
        return f"{self.agent} ← {self.tool}"

    def clean(self) -> None:
        if self.agent.organization_id != self.tool.server.organization_id:
            raise ValidationError(_("Agent and tool belong to different organizations."), "other_organization")

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.clean()
        super().save(*args, **kwargs)
