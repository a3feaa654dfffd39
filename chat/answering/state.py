"""How far an answer rests on documents, in one word (API.md, `state`); pure."""

from enum import StrEnum

from chat.answering.attempts import Attempt
from retrieval.confidence.gate import Gate
from retrieval.results import Retrieval


class State(StrEnum):
    SUPPORTED = "supported"
    PARTLY_SUPPORTED = "partly_supported"
    NOT_IN_DOCUMENTS = "not_in_documents"
    COULD_NOT_SEARCH = "could_not_search"
    WITHOUT_DOCUMENTS = "without_documents"


def state_found(retrieval: Retrieval, *, has_documents: bool) -> State:
    """What the search promises, before anything is said."""
    if retrieval.gate is Gate.DISABLED or not has_documents:
        return State.WITHOUT_DOCUMENTS
    if retrieval.chunks:
        return State.SUPPORTED if retrieval.sufficient else State.PARTLY_SUPPORTED
    return State.COULD_NOT_SEARCH if retrieval.degraded else State.NOT_IN_DOCUMENTS


def state_of(attempt: Attempt) -> State:
    """The same once it is said. A refusal, and an answer that cites nothing of too little, is not in the documents;
    one that cites nothing of enough rests on them in part at best."""
    found = state_found(attempt.retrieval, has_documents=not attempt.scope.is_empty)
    if found not in (State.SUPPORTED, State.PARTLY_SUPPORTED):
        return found
    if attempt.refusal:
        return State.NOT_IN_DOCUMENTS
    if attempt.cited or not attempt.is_whole:
        return found
    return State.PARTLY_SUPPORTED if found is State.SUPPORTED else State.NOT_IN_DOCUMENTS
