"""Questions that a conversation may begin or go on with: about sections of what the agent reads, and only what is
answered."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

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

About = TypeVar("About")  # of a question the document or the section, by its id


def suggestions(agent: Agent, scope: Scope, documents: Iterable[Document]) -> list[str]:
    """To begin with: at most MOST, one a document."""
    answered: dict[UUID, str] = {}
    for document, question in _answered(agent, scope, _first_questions(scope, documents)):
        answered.setdefault(document, question)
        if len(answered) == MOST:
            break
    return list(answered.values())


def sections_behind(
    agent: Agent, scope: Scope, places: Mapping[Document, int], context: Mapping[str, Any], asked: Collection[str]
) -> list[int]:
    """To go on with: at most MOST, about what comes next in each document behind the character that was cited last.
    `context` is the conversation's, `asked` what was asked in it. Ids, which tell nothing of a document that goes."""
    new = (one for one in _next_questions(scope, places) if not is_among(asked, one[1]))
    return [section for section, _question in islice(_answered(agent, scope, new, context), MOST)]


def questions_about(scope: Scope, sections: Sequence[int]) -> list[str]:
    """Of those that may be read now, in their order."""
    rows = Section.objects.in_scope(scope).filter(pk__in=sections).select_related("document")
    known = {row.pk: _question(row.document, _on_one_line(row.title)) for row in rows}
    return [known[id] for id in sections if id in known]


def is_among(asked: Collection[str], question: str) -> bool:
    return question.casefold() in {one.casefold().strip() for one in asked}


def _answered(
    agent: Agent, scope: Scope, questions: Iterable[tuple[About, str]], context: Mapping[str, Any] | None = None
) -> Iterator[tuple[About, str]]:
    """Of the first TRIED those that are. They are tried by their words alone: no page waits for an embedding server."""
    flags = effective_flags()
    if not searches(agent, flags):
        return
    policy = replace(policy_of(agent, flags, context=context or {}), legs=("bm25",), rerank=False, neighbours=False)
    for about, question in islice(questions, TRIED):
        if retrieve(question, scope, policy).sufficient:
            yield about, question


def _first_questions(scope: Scope, documents: Iterable[Document]) -> Iterator[tuple[UUID, str]]:
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


def _next_questions(scope: Scope, places: Mapping[Document, int]) -> Iterator[tuple[int, str]]:
    for document, place in places.items():
        rows = Section.objects.in_scope(scope).filter(document=document, start__gt=place).order_by("start", "index")
        sections: dict[str, int] = {}
        for section, title in rows.values_list("pk", "title")[:NEXT]:
            sections.setdefault(_on_one_line(title), section)
        for title in _telling(document, sections):
            yield sections[title], _question(document, title)


def _telling(document: Document, titles: Iterable[str]) -> list[str]:
    """Headings that say something, each once."""
    found = dict.fromkeys(map(_on_one_line, titles))
    return [title for title in found if len(title) in TITLE and title != str(document)]


def _on_one_line(title: str) -> str:
    return " ".join(title.split())


def _question(document: Document, title: str) -> str:
    """A heading that is one itself, else what the document says under it."""
    if title.endswith("?"):
        return title
    return _("What does “%(title)s” say about “%(section)s”?") % {"title": document, "section": title}
