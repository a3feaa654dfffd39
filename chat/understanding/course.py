"""Where a student is in a course, and what follows from it for a search: this unit and those before it, this level and
those below it come first (rag-for-teaching-agents §2.2, §4.3: "unidad actual, nivel del estudiante"). And in which
document: an article without one is of that which the last answer cites, if that is one alone.

Told by the client (a conversation's context, or a question's), else read from what the last answers cited.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from chat.models import Citation, Conversation
from chat.understanding.student import FIRST, StudentState, state_read
from corpora.metadata.names import DOCUMENT
from corpora.metadata.units import unit_number
from corpora.models import Document
from corpora.scope import Scope
from retrieval.places.about import says_this_document
from retrieval.text.asked_places import asked_places

LEVELS = ("basico", "intermedio", "avanzado")
PARTS = ("unit", "difficulty", "state")  # of a context, beside its conditions
EXCHANGES = 3  # the last answers, whose citations tell the place
MOST_UNITS = 100  # an outline with more is not looked through


def leanings(
    scope: Scope, conversation: Conversation, told: Mapping[str, str], said: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Preferred values by metadata field. `told`: what the client says of the student; `said`: the student's messages,
    the question last."""
    known = {part: str(value) for part in PARTS if (value := told.get(part) or conversation.context.get(part))}
    place = {**_place_cited(scope, conversation), **known}
    state = StudentState(known["state"]) if known.get("state") else state_read(said)
    first = dict(FIRST[state]) if state else {}
    if unit := place.get("unit"):
        first["unit"] = units_until(unit, _units_in(scope))
    if "difficulty" not in first and place.get("difficulty") in LEVELS:
        first["difficulty"] = LEVELS[: LEVELS.index(place["difficulty"]) + 1]
    if said and _is_of_a_document(said[-1]) and (document := _document_cited(scope, conversation)):
        first[DOCUMENT] = (document,)
    return first


def _is_of_a_document(question: str) -> bool:
    """Whether a question names a place, or "this document"."""
    return bool(asked_places(question)) or says_this_document(question)


def _document_cited(scope: Scope, conversation: Conversation) -> str:
    """The one document that the last answer cites, which a place without a document is then of; "" of several."""
    cited = set(_documents_cited(conversation, 1))
    (only,) = cited if len(cited) == 1 else (None,)
    return str(only) if only and Document.objects.in_scope(scope).filter(pk=only).exists() else ""


def _documents_cited(conversation: Conversation, last: int) -> list[UUID]:
    """By the last answers, once for each citation, whether they may be read now or not."""
    if conversation._state.adding:
        return []
    answered = conversation.messages.shown().filter(role="assistant").order_by("-created_at", "-pk")
    answers = list(answered.values_list("pk", flat=True)[:last])
    cited = Citation.objects.filter(message__in=answers, cited=True).values_list("document_id", flat=True)
    return [id for id in cited if id]


def _place_cited(scope: Scope, conversation: Conversation) -> dict[str, str]:
    """Unit and level of most of what the last answers cited, as far as it may be read now."""
    documents = _documents_cited(conversation, EXCHANGES)
    if not documents:
        return {}
    rows = dict(_places(Document.objects.in_scope(scope).filter(pk__in=documents)))
    found = {}
    for number, part in enumerate(("unit", "difficulty")):
        counted = Counter(value for id in documents if id in rows and (value := rows[id][number]))
        if counted:
            found[part] = counted.most_common(1)[0][0]
    return found


def _places(documents: Any) -> Iterable[tuple[Any, tuple[str, str]]]:
    return ((id, (unit, difficulty)) for id, unit, difficulty in documents.values_list("pk", "unit", "difficulty"))


def _units_in(scope: Scope) -> list[str]:
    rows = Document.objects.in_scope(scope).exclude(unit="").order_by().values_list("unit", flat=True)
    return list(rows.distinct()[: MOST_UNITS + 1])


def units_until(unit: str, units: Sequence[str]) -> tuple[str, ...]:
    """The unit and those whose number is lower, the nearest first; the unit alone where it has no number."""
    number = unit_number(unit)
    if number is None or len(units) > MOST_UNITS:
        return (unit,)
    before = sorted(((n, one) for one in units if (n := unit_number(one)) is not None and n < number), reverse=True)
    return (unit, *(one for _n, one in before))
