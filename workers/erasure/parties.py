"""Persons and organizations: everything that is theirs, after their documents, which go one by one as others do.

Each step is a transaction that removes rows and counts them on the receipt. A worker that is killed leaves a shorter
way for the next one; of two workers one has the claim.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import QuerySet
from django.utils import translation

from accounts.identity.sessions import end_other_sessions
from accounts.models import AuditEvent, Invitation, Organization, User
from agents.models import Agent
from chat.leaving import exports
from chat.leaving.erasing import mark_for_erasure, shut_out
from chat.models import Conversation, Project
from config.faults import describe_error
from corpora.models import Corpus, ErasureReceipt
from evaluation.models import Question, QuestionSet
from webhooks.models import Delivery
from workers.erasure import receipts, tombstones
from workers.erasure.corpora import erase_deleted_corpora
from workers.erasure.leftovers import refuse_leftovers
from workers.erasure.mentions import forget_history
from workers.models import Claim
from workers.queue.exclusive import exclusively

logger = logging.getLogger(__name__)

AT_ONCE = 50  # rows with all that hangs on them
Kind = ErasureReceipt.Kind
PARTIES = (Kind.USER, Kind.ORGANIZATION)


def waiting_parties() -> QuerySet[ErasureReceipt]:
    return receipts.open_receipts().filter(kind__in=PARTIES).order_by("requested_at")


def erase_next_party() -> bool:
    """Finish the erasure whose documents are all gone; False when there is none."""
    return any(finish_party(receipt) for receipt in waiting_parties())


def finish_party(receipt: ErasureReceipt) -> bool:
    """True when it is done by this call; False while documents or another worker are in the way, or after a failure."""
    name = f"erasure:{receipt.pk}"
    try:
        tombstones.keep_tombstone(receipt)
        if is_waiting_for_documents(receipt):
            return False
        with exclusively(name) as alone:
            if alone:
                STEPS[receipt.kind](receipt)
    except Exception as error:  # an outage must not end the worker: the receipt is still open
        logger.warning("the erasure of %s %s waits: %s", receipt.kind, receipt.subject_id, describe_error(error))
        return False
    if alone:
        Claim.objects.filter(name=name).delete()
    return alone


def is_waiting_for_documents(receipt: ErasureReceipt) -> bool:
    """Whatever was made while the erasure was asked for is marked too."""
    corpora = corpora_of(receipt)
    with transaction.atomic():
        mark_for_erasure(corpora)
    erase_deleted_corpora()
    return corpora.exists()


def corpora_of(receipt: ErasureReceipt) -> QuerySet[Corpus]:
    if receipt.kind == Kind.USER:
        return Corpus.objects.filter(owner=receipt.subject_id)
    return Corpus.objects.filter(organization=receipt.subject_id)


def erase_user(receipt: ErasureReceipt) -> None:
    user = User.objects.filter(pk=receipt.subject_id).first()
    if user is not None:
        erase_talks(receipt, Conversation.objects.filter(owner=user), Project.objects.filter(owner=user))
        exports.forget_exports_of(user)
        erase_account(receipt, user)
    refuse_leftovers(User, receipt.subject_id)
    receipts.finish_receipt(receipt)


def erase_organization(receipt: ErasureReceipt) -> None:
    organization = Organization.objects.filter(pk=receipt.subject_id).first()
    if organization is not None:
        talks = Conversation.objects.filter(organization=organization)
        erase_talks(receipt, talks, Project.objects.filter(organization=organization))
        exports.forget_exports_in(organization)
        erase_rows_of(receipt, Delivery.objects.filter(webhook__organization=organization))
        for rows in (QuestionSet, Agent, AuditEvent):
            erase_rows_of(receipt, rows.objects.filter(organization=organization))
        for user in User.objects.filter(memberships__organization=organization, is_active=False, is_superuser=False):
            if not user.memberships.exclude(organization=organization).exists():
                erase_account(receipt, user)
        with transaction.atomic():
            history = forget_history(organization)
            receipts.add_counts(receipt, {"log entries": history, **delete_and_count(organization.delete)})
    refuse_leftovers(Organization, receipt.subject_id)
    receipts.finish_receipt(receipt)


STEPS: dict[str, Callable[[ErasureReceipt], None]] = {Kind.USER: erase_user, Kind.ORGANIZATION: erase_organization}


def erase_talks(receipt: ErasureReceipt, conversations: QuerySet[Conversation], projects: QuerySet[Project]) -> None:
    """Conversations with their messages, sources and traces, and the cases that were made of them; projects."""
    erase_rows_of(receipt, Question.objects.filter(message__conversation__in=conversations))
    erase_rows_of(receipt, conversations)
    erase_rows_of(receipt, projects)


def erase_rows_of(receipt: ErasureReceipt, rows: QuerySet[Any]) -> None:
    for ids in batches_of_ids(rows):
        with transaction.atomic():
            receipts.add_counts(receipt, delete_and_count(rows.model._base_manager.filter(pk__in=ids).delete))


def batches_of_ids(rows: QuerySet[Any]) -> Iterator[list[UUID]]:
    while ids := list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        yield ids


def erase_account(receipt: ErasureReceipt, user: User) -> None:
    """The account, with memberships, keys and addresses; invitations to it and what the admin's history says of it."""
    shut_out(user)
    with transaction.atomic():
        memberships = [forget_history(one) for one in user.memberships.all()]
        removed = {
            "log entries": forget_history(user) + sum(memberships) + LogEntry.objects.filter(user=user).delete()[0],
            "invitations": Invitation.objects.filter(email__iexact=user.email).delete()[0],
        }
        end_other_sessions(user)
        receipts.add_counts(receipt, Counter(removed) + Counter(delete_and_count(user.delete)))


def delete_and_count(delete: Callable[[], tuple[int, dict[str, int]]]) -> dict[str, int]:
    """Delete, and say how many rows of which kind went, in the words of the models."""
    _total, by_model = delete()
    with translation.override("en"):
        return {
            str(apps.get_model(label)._meta.verbose_name_plural): count for label, count in by_model.items() if count
        }
