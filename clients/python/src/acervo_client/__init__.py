"""A small client of Acervo's API: ask an agent, search with it, upload a document."""

from acervo_client.client import Acervo, AcervoError, AnswerFailed, IngestionFailed
from acervo_client.events import Event

__all__ = ["Acervo", "AcervoError", "AnswerFailed", "Event", "IngestionFailed"]
