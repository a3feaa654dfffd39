"""Where else the words of a document may stand: answers' sources, questions condensed from them, cases made of its
text, replies that are kept to be repeated, the admin's history, exports.

An answer itself stays: it belongs to whoever asked. It goes with its conversation.
"""

from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.db.models import Model, TextField
from django.db.models.functions import Cast

from accounts.models import IdempotentReply
from chat.leaving import exports
from chat.models import Citation, Trace
from corpora.models import Corpus, Document
from evaluation.models import Question


def forget_mentions(document: Document) -> dict[str, int]:
    """Remove them, and count. In the transaction that removes the document."""
    corpus = document.corpus
    return {
        "snippets": forget_snippets(document),
        "condensed questions": forget_condensed(document),
        "replies": forget_replies(corpus.organization_id, document.pk),
        "questions": forget_questions(corpus.organization_id, document.pk),
        "log entries": forget_history(document),
        "exports": withdraw_exports_with(document, corpus),
    }


def forget_condensed(document: Document) -> int:
    """A follow-up that was made to stand alone may say what an earlier answer had from the document."""
    asked = Citation.objects.filter(document=document).values("message__conversation")
    return Trace.objects.filter(message__conversation__in=asked).exclude(condensed_query="").update(condensed_query="")


def forget_snippets(document: Document) -> int:
    cited = Citation.objects.filter(document=document)
    return cited.update(snippet="", title="", heading_path=[], quotes=None)


def forget_replies(organization_id: UUID, document_id: UUID) -> int:
    of_organization = IdempotentReply.objects.filter(membership__organization_id=organization_id)
    said = of_organization.annotate(said=Cast("body", TextField())).filter(said__contains=str(document_id))
    return said.delete()[0]


def forget_questions(organization_id: UUID, document_id: UUID) -> int:
    """Cases lose their truth with the document, and one that has no other goes: it may be made of its very words."""
    name, removed = str(document_id), 0
    of_organization = Question.objects.filter(question_set__organization_id=organization_id)
    for question in of_organization.annotate(truth=Cast("relevant", TextField())).filter(truth__contains=name):
        question.relevant = [one for one in question.relevant if one != name]
        question.spans = [span for span in question.spans if span[0] != name]
        if question.relevant:
            question.save(update_fields=["relevant", "spans"])
        else:
            removed += question.delete()[0]
    return removed


def forget_history(row: Model) -> int:
    """The admin's own history keeps names of rows."""
    entries = LogEntry.objects.filter(content_type__app_label=row._meta.app_label, object_id=str(row.pk))
    return entries.filter(content_type__model=row._meta.model_name).delete()[0]


def forget_corpus(corpus: Corpus) -> dict[str, int]:
    """What names a corpus, and the question sets about it alone."""
    named = Citation.objects.filter(corpus_id=corpus.pk).exclude(corpus_name="")
    return {
        "names in sources": named.update(corpus_name=""),
        "log entries": sum(map(forget_history, (corpus, *corpus.question_sets.all()))),
        "question sets": sum(one.delete()[1].get("evaluation.QuestionSet", 0) for one in corpus.question_sets.all()),
        "exports": withdraw_exports_with(corpus, corpus) if corpus.owner_id else 0,  # global ones are named in none
    }


def withdraw_exports_with(thing: Document | Corpus, corpus: Corpus) -> int:
    """A document that was ever moved may have been everybody's before it was one person's."""
    assert thing.deleted_at is not None
    was_moved = isinstance(thing, Document) and thing.moved_at is not None
    return exports.withdraw_exports(corpus.organization_id, None if was_moved else corpus.owner_id, thing.deleted_at)
