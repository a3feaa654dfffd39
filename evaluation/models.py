"""What evaluation keeps: question sets, their questions, and runs to compare over time."""

from datetime import datetime
from math import ceil
from typing import Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization
from chat.models import Message
from corpora.models import Corpus


class QuestionSetQuerySet(models.QuerySet["QuestionSet"]):
    def of_organization(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id)


class QuestionSet(Identified):
    """Questions with known truth about a corpus, to measure retrieval on."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="question_sets")
    corpus = models.ForeignKey(Corpus, models.CASCADE, null=True, blank=True, related_name="question_sets")
    name = models.CharField(_("name"), max_length=150)
    objects = QuestionSetQuerySet.as_manager()

    class Meta:
        verbose_name = _("question set")
        verbose_name_plural = _("question sets")
        ordering = ("name", "pk")
        constraints = (
            models.UniqueConstraint(fields=("organization", "name"), name="question_set_name_in_organization"),
        )

    def __str__(self) -> str:
        return self.name


class Question(Identified):
    """One case: what is asked, and which documents or spans answer it."""

    question_set = models.ForeignKey(
        QuestionSet, models.CASCADE, related_name="questions", verbose_name=_("question set")
    )
    text = models.TextField(_("question"), max_length=8_000)
    relevant = models.JSONField(_("relevant documents"), default=list, blank=True, help_text="document ids")
    spans = models.JSONField(_("spans"), default=list, blank=True, help_text="[[document id, start, end], …]")
    message = models.ForeignKey(Message, models.SET_NULL, null=True, blank=True, related_name="+")
    note = models.TextField(_("note"), blank=True, max_length=2_000)

    class Meta:
        verbose_name = _("question")
        verbose_name_plural = _("questions")
        ordering = ("created_at", "pk")

    def __str__(self) -> str:
        return self.text[:80]


class EvaluationRun(Identified):
    """The measures of one configuration on one question set, at one time."""

    question_set = models.ForeignKey(
        QuestionSet, models.CASCADE, null=True, blank=True, related_name="runs", verbose_name=_("question set")
    )
    dataset = models.CharField(_("data set"), max_length=150, blank=True)
    configuration = models.JSONField(default=dict)
    measures = models.JSONField(default=dict)
    is_open = models.BooleanField(default=False, editable=False)  # asked for and not ended: the workers' queue
    lease_holder = models.UUIDField(null=True, editable=False)
    lease_expires_at = models.DateTimeField(null=True, editable=False)
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)

    class Meta:
        verbose_name = _("evaluation run")
        verbose_name_plural = _("evaluation runs")
        ordering = ("-created_at", "-pk")
        indexes = (models.Index(fields=("created_at",), condition=models.Q(is_open=True), name="evaluation_run_open"),)

    def __str__(self) -> str:
        return f"{self.dataset or self.question_set} {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def state(self) -> str:
        """ "waiting", "running", "interrupted", "done" or "failed"; a run of the command line is done."""
        state = str(self.measures.get("state", "done"))
        silent = self.lease_expires_at is None or self.lease_expires_at < timezone.now()
        return "interrupted" if state == "running" and silent else state

    @property
    def minutes_left(self) -> int | None:
        """Of asking, if the rest takes as long as what is done did; none before anything is known, and while judged."""
        done, total, seconds = (float(self.measures.get(name, 0)) for name in ("done", "total", "seconds"))
        if self.state != "running" or not 0 < done < total:
            return None
        return ceil(seconds / done * (total - done) / 60)

    @property
    def started_at(self) -> datetime:
        """When it was asked for, together with others that it is compared with."""
        started = self.configuration.get("started")
        return datetime.fromisoformat(started) if started else self.created_at

    @property
    def thresholds(self) -> dict[str, float]:
        """The least that each measure may be."""
        return dict(self.configuration.get("thresholds", {}))
