"""How far an answer rests on documents, in one word (API.md, `state`)."""

from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from chat.answering.attempts import Attempt
from chat.models import Message, Trace
from retrieval.confidence.caps import is_numbered
from retrieval.confidence.gate import Gate
from retrieval.results import Retrieval

READ_OF_A_TRACE = ("model", "gate", "scope_size", "degraded")  # by `state_kept`


class State(StrEnum):
    SUPPORTED = "supported"
    PARTLY_SUPPORTED = "partly_supported"
    NOT_IN_DOCUMENTS = "not_in_documents"
    COULD_NOT_SEARCH = "could_not_search"
    WITHOUT_DOCUMENTS = "without_documents"


LABELS = {
    State.SUPPORTED: _("supported by your documents"),
    State.PARTLY_SUPPORTED: _("partly supported by your documents"),
    State.NOT_IN_DOCUMENTS: _("not in your documents"),
    State.COULD_NOT_SEARCH: _("could not search"),
    State.WITHOUT_DOCUMENTS: _("answered without documents"),
}


def state_found(retrieval: Retrieval, *, has_documents: bool, has_rows: bool = False) -> State:
    """What was found promises, before anything is said."""
    if has_rows:
        return State.SUPPORTED
    if retrieval.gate is Gate.DISABLED or not has_documents:
        return State.WITHOUT_DOCUMENTS
    if retrieval.sufficient:
        return State.SUPPORTED
    return State.COULD_NOT_SEARCH if retrieval.gate is Gate.DEGRADED else State.NOT_IN_DOCUMENTS


def state_promised(attempt: Attempt) -> State:
    """The same of an attempt that may have fetched rows since."""
    return state_found(attempt.retrieval, has_documents=not attempt.scope.is_empty, has_rows=bool(attempt.tables))


def state_of(attempt: Attempt) -> State:
    """The same once it is said, and once it is known what supports its citations. What a model says though the search
    found too little, it says without documents: it was given none. Rows that it has fetched and cites count as
    documents do. Data that was asked for in vain says nothing about what is there."""
    if attempt.refusal and attempt.unanswered:
        return State.COULD_NOT_SEARCH
    found = state_found(attempt.retrieval, has_documents=not attempt.scope.is_empty)
    if attempt.is_whole and any(one.n in attempt.cited for one in attempt.tables):
        found = State.SUPPORTED
    if found is State.NOT_IN_DOCUMENTS and not attempt.refusal and attempt.parts:
        return State.WITHOUT_DOCUMENTS
    if found is not State.SUPPORTED or not attempt.is_whole:
        return found
    is_unsupported = any(None in (one.quotes or ()) for one in attempt.all_sources)
    is_of_another = any(map(is_numbered, attempt.retrieval.named.missing_documents))  # which speaks of what is named
    is_in_part = is_unsupported or attempt.is_doubtful or is_of_another or not attempt.cited
    return State.PARTLY_SUPPORTED if is_in_part else State.SUPPORTED


def state_said(found: State, *, is_refusal: bool, is_cited: bool, is_whole: bool) -> State:
    """Of answers of 0.1.0, whose model was given also what did not suffice. A refusal, and an answer that cites nothing
    of too little, is not in the documents; one that cites nothing of enough rests on them in part at best."""
    if found not in (State.SUPPORTED, State.PARTLY_SUPPORTED):
        return found
    if is_refusal:
        return State.NOT_IN_DOCUMENTS
    if is_cited or not is_whole:
        return found
    return State.PARTLY_SUPPORTED if found is State.SUPPORTED else State.NOT_IN_DOCUMENTS


def state_kept(row: Message) -> str:
    """Of an answer as the database has it; "" of a question, and of an answer that is not searched yet. Answers of
    0.1.0 were kept without: theirs follows from their sources and their trace."""
    if row.state or row.role != Message.Role.ASSISTANT or row.present_status == Message.Status.STREAMING:
        return row.state
    trace: Trace | None = getattr(row, "trace", None)
    sources = row.citations.all()
    return state_said(
        _state_found_by(row, trace, has_sources=bool(sources)),
        is_refusal=trace is not None and not trace.model and not row.sufficient,
        is_cited=any(one.cited for one in sources),
        is_whole=row.present_status == Message.Status.COMPLETE,
    )


def _state_found_by(row: Message, trace: Trace | None, *, has_sources: bool) -> State:
    if has_sources:
        return State.SUPPORTED if row.sufficient else State.PARTLY_SUPPORTED
    if trace is not None and (trace.gate == Gate.DISABLED or not trace.scope_size):
        return State.WITHOUT_DOCUMENTS
    is_searched = bool(row.confidence) and not (trace is not None and trace.degraded)
    return State.NOT_IN_DOCUMENTS if is_searched else State.COULD_NOT_SEARCH
