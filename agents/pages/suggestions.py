"""Questions that a conversation may begin or go on with: about sections of what the agent reads, and only what is
answered."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from agents.models import Agent
from agents.policy import policy_of, searches
from corpora.models import Document, Section
from corpora.scope import Scope
from retrieval.flags import effective_flags
from retrieval.search import retrieve

MOST, TRIED = 3, 8
SECTIONS = 40  # of a document that are looked at
NEXT = 4  # sections behind a place that one may go on with
TITLE = range(6, 81)  # characters of a heading that says something

Question = tuple[object, str]  # about a document, by its id


def suggestions(agent: Agent, scope: Scope, documents: Iterable[Document]) -> list[str]:
    """To begin with: at most MOST, one a document."""
    answered: dict[object, str] = {}
    for document, question in _answered(agent, scope, _first_questions(scope, documents)):
        answered.setdefault(document, question)
        if len(answered) == MOST:
            break
    return list(answered.values())


def questions_behind(
    agent: Agent, scope: Scope, places: Mapping[Document, int], context: Mapping[str, Any], asked: Collection[str]
) -> list[str]:
    """To go on with: at most MOST, about what comes next in each document behind the character that was cited last.
    `context` is the conversation's, `asked` what was asked in it."""
    known = {question.casefold().strip() for question in asked}
    new = (one for one in _next_questions(scope, places) if one[1].casefold() not in known)
    return [question for _document, question in islice(_answered(agent, scope, new, context), MOST)]


def _answered(
    agent: Agent, scope: Scope, questions: Iterable[Question], context: Mapping[str, Any] | None = None
) -> Iterator[Question]:
    """Of the first TRIED those that are. They are tried by their words alone: no page waits for an embedding server."""
    flags = effective_flags()
    if not searches(agent, flags):
        return
    policy = replace(policy_of(agent, flags, context=context or {}), legs=("bm25",), rerank=False, neighbours=False)
    for document, question in islice(questions, TRIED):
        if retrieve(question, scope, policy).sufficient:
            yield document, question


def _first_questions(scope: Scope, documents: Iterable[Document]) -> Iterator[Question]:
    """Two a document at most; headings that are questions themselves come first."""
    shown = list(documents)
    rows = Section.objects.in_scope(scope).filter(document__in=[one.pk for one in shown], index__lt=SECTIONS)
    titles_of = defaultdict(list)
    for document_id, title in rows.order_by("document", "index").values_list("document", "title"):
        titles_of[document_id].append(title)
    for document in shown:
        told = _telling(document, titles_of[document.pk])
        for title in sorted(told, key=lambda one: not one.endswith("?"))[:2]:
            yield document.pk, _question(document, title)


def _next_questions(scope: Scope, places: Mapping[Document, int]) -> Iterator[Question]:
    for document, place in places.items():
        rows = Section.objects.in_scope(scope).filter(document=document, start__gt=place).order_by("start", "index")
        for title in _telling(document, rows.values_list("title", flat=True)[:NEXT]):
            yield document.pk, _question(document, title)


def _telling(document: Document, titles: Iterable[str]) -> list[str]:
    """Headings that say something, each once."""
    found = dict.fromkeys(" ".join(title.split()) for title in titles)
    return [title for title in found if len(title) in TITLE and title != str(document)]


def _question(document: Document, title: str) -> str:
    """A heading that is one itself, else what the document says under it."""
    if title.endswith("?"):
        return title
    return _("What does “%(title)s” say about “%(section)s”?") % {"title": document, "section": title}
