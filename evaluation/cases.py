"""Questions for a set: from feedback on real answers, and made from a corpus itself.

Whoever rates an answer shows its question to the admins, as the buttons say. What stays with its user all the same is
whatever a personal corpus may have had a part in: an answer is offered here only if every source of it is of a global
corpus, and if its conversation never had a personal corpus in reach (`Conversation.is_personal`), since a later
question, its answer and a comment may repeat what an earlier answer said. Of a conversation nothing is taken but that
one question and the comment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from accounts import audit
from accounts.models import Membership
from accounts.tenancy.scope import system_scope
from chat.models import Citation, Message
from corpora.models import Corpus, Document
from evaluation.calibration import sample_probes
from evaluation.models import Question, QuestionSet
from evaluation.runs import scope_of

FEEDBACK_OFFERED = 100
NOTED = 2_000


@dataclass(frozen=True, slots=True)
class Feedback:
    """A rated answer, as an admin may see it: the question, the rating, and the titles of what it cited."""

    message: Message
    question: str
    sources: tuple[str, ...]
    taken: bool


def rated_answers(questions: QuestionSet) -> QuerySet[Message]:
    """Rated answers of the set's organization, given from global corpora alone in conversations that no personal one
    was in reach of; with a corpus, from that one."""
    sources = Citation.objects.filter(message=OuterRef("pk"))
    shared = sources.filter(corpus_type=Corpus.Type.GLOBAL)
    if questions.corpus_id:
        shared = shared.filter(corpus_id=questions.corpus_id)
    return Message.objects.filter(
        Exists(shared),
        ~Exists(sources.exclude(corpus_type=Corpus.Type.GLOBAL)),
        conversation__organization_id=questions.organization_id,
        conversation__is_personal=False,
        role=Message.Role.ASSISTANT,
        rating__isnull=False,
    ).order_by("-created_at", "-pk")


@system_scope()
def feedback(questions: QuestionSet) -> list[Feedback]:
    """The latest of it, thumbs down first; `taken` are in the set already."""
    latest = sorted(
        rated_answers(questions).prefetch_related("citations")[:FEEDBACK_OFFERED], key=lambda one: one.rating or 0
    )
    taken = set(questions.questions.exclude(message=None).values_list("message_id", flat=True))
    offered = []
    for answer in latest:
        titles = dict.fromkeys(one.title for one in answer.citations.all() if one.title)
        offered.append(Feedback(answer, question_behind(answer), tuple(titles), answer.pk in taken))
    return [one for one in offered if one.question]


def question_behind(answer: Message) -> str:
    """What was asked: the last question before the answer."""
    asked = answer.conversation.messages.filter(role=Message.Role.USER, created_at__lte=answer.created_at)
    found = asked.order_by("-created_at", "-pk").values_list("content", flat=True).first()
    return found or ""


@system_scope()
def take_feedback(questions: QuestionSet, chosen: Sequence[UUID], by: Membership) -> int:
    """Make cases of chosen answers; how many are new. One that may not be seen is passed over.

    A thumbs-up vouches for the documents that were cited. After a thumbs-down an admin must name what answers.
    """
    known = set(questions.questions.exclude(message=None).values_list("message_id", flat=True))
    fresh = [one for one in rated_answers(questions).filter(pk__in=chosen) if one.pk not in known]
    for answer in fresh:
        vouched = (
            answer.citations.filter(cited=True).exclude(document=None)
            if answer.rating == 1
            else Citation.objects.none()
        )
        Question.objects.create(
            question_set=questions,
            text=question_behind(answer),
            relevant=sorted({str(id) for id in vouched.values_list("document_id", flat=True)}),
            message=answer,
            note=answer.comment[:NOTED],
        )
    audit.record(by, "took cases", questions, count=len(fresh))
    return len(fresh)


def sample(questions: QuestionSet, amount: int, by: Membership) -> int:
    """Questions with known spans made from the set's corpora (`calibration_questions`); how many are new.

    Raises NotMeasurable when there are fewer than two documents.
    """
    asked = set(questions.questions.values_list("text", flat=True))
    fresh = [one for one in sample_probes(scope_of(questions), amount) if one.text not in asked]
    Question.objects.bulk_create(
        Question(
            question_set=questions,
            text=one.text,
            relevant=[str(id) for id in one.documents],
            spans=[[str(id), *one.span] for id in one.documents] if one.span else [],
        )
        for one in fresh
    )
    audit.record(by, "made questions", questions, count=len(fresh))
    return len(fresh)


def locate(quotes: list[str], documents: QuerySet[Document]) -> list[list[object]]:
    """Where each quote stands in the text that readers see: [document id, start, end]. ValueError: a missing one."""
    found: list[list[object]] = []
    texts = [
        (one.pk, one.texts.filter(version=one.version).values_list("text", flat=True).first()) for one in documents
    ]
    for quote in quotes:
        places = [
            [str(id), text.find(quote), text.find(quote) + len(quote)] for id, text in texts if text and quote in text
        ]
        if not places:
            raise ValueError(quote)
        found.append(places[0])
    return found
