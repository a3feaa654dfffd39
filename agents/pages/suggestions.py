"""Questions that a conversation may begin with: about sections of what the agent reads, and only what is answered."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from django.utils.translation import gettext as _

from agents.models import Agent
from agents.policy import policy_of, searches
from corpora.models import Document, Section
from corpora.scope import Scope
from retrieval.flags import effective_flags
from retrieval.search import retrieve

MOST, TRIED = 3, 8
SECTIONS = 40  # of a document that are looked at
TITLE = range(6, 81)  # characters of a heading that says something


def suggestions(agent: Agent, scope: Scope, documents: Iterable[Document]) -> list[str]:
    """At most MOST, one a document. They are tried by their words alone: no page waits for an embedding server."""
    flags = effective_flags()
    if not searches(agent, flags):
        return []
    policy = replace(policy_of(agent, flags), legs=("bm25",), rerank=False, neighbours=False)
    answered: dict[object, str] = {}
    for document, question in list(_questions(scope, documents))[:TRIED]:
        if document not in answered and retrieve(question, scope, policy).sufficient:
            answered[document] = question
        if len(answered) == MOST:
            break
    return list(answered.values())


def _questions(scope: Scope, documents: Iterable[Document]) -> Iterator[tuple[object, str]]:
    """A heading that is a question itself, else what the document says under one; two a document at most."""
    shown = list(documents)
    rows = Section.objects.in_scope(scope).filter(document__in=[one.pk for one in shown], index__lt=SECTIONS)
    titles_of = defaultdict(list)
    for document_id, title in rows.order_by("document", "index").values_list("document", "title"):
        titles_of[document_id].append(" ".join(title.split()))
    for document in shown:
        titles = dict.fromkeys(titles_of[document.pk])
        told = [title for title in titles if len(title) in TITLE and title != str(document)]
        for title in sorted(told, key=lambda one: not one.endswith("?"))[:2]:
            said = {"title": document, "section": title}
            yield (
                document.pk,
                title if title.endswith("?") else _("What does “%(title)s” say about “%(section)s”?") % said,
            )
