"""Giving a corpus to an agent and taking it back: the rule of the two tiers, under a lock (SPEC §2, R7)."""

from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.models import Membership
from accounts.problems import AdminRequired, NotFound, Problem
from agents.models import Agent, Assignment
from corpora.models import Corpus


class PersonalCorpusNotAllowed(Problem):
    status_code = 409
    code = "personal_corpus_not_allowed"
    default_detail = _("This agent answers only from global corpora. Choose one that allows personal corpora.")


class AlreadyAssigned(Problem):
    status_code = 409
    code = "already_assigned"
    default_detail = _("This corpus is already assigned to this agent.")


def assign_corpus(agent: Agent, corpus_id: UUID, by: Membership) -> Assignment:
    """Assign a corpus that the caller may give away: a personal one of their own, a global one as admin.

    The agent's row is locked, so that `allows_personal_corpus` cannot change between the check and the write.
    """
    try:
        with transaction.atomic():
            locked = Agent.objects.select_for_update().visible_to(by).get(pk=agent.pk)
            corpus = Corpus.objects.readable_by(by).get(pk=corpus_id)
            if not corpus.is_personal and not by.is_admin:
                raise AdminRequired
            assignment = Assignment.objects.create(agent=locked, corpus=corpus, created_by=by.user)
            audit.record(by, "assigned", assignment, agent=str(agent.pk), corpus=str(corpus.pk))
    except (Agent.DoesNotExist, Corpus.DoesNotExist):
        raise NotFound from None
    except ValidationError:
        raise PersonalCorpusNotAllowed from None
    except IntegrityError:
        raise AlreadyAssigned from None
    return assignment


def unassign_corpus(agent: Agent, corpus_id: UUID, by: Membership) -> None:
    """Take a corpus back; effective at the next retrieval."""
    assignment = Assignment.objects.visible_to(by).filter(agent=agent, corpus_id=corpus_id).first()
    if assignment is None:
        raise NotFound
    if not assignment.corpus.is_personal and not by.is_admin:
        raise AdminRequired
    audit.record(by, "unassigned", assignment, agent=str(agent.pk), corpus=str(corpus_id))
    assignment.delete()


def assignable_agents(corpus: Corpus, by: Membership) -> list[Agent]:
    """The agents that the page offers for a corpus: for a personal one only those that allow it."""
    agents = Agent.objects.usable_by(by)
    return list(agents.allowing_personal() if corpus.is_personal else agents)
