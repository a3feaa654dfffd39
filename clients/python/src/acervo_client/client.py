"""The three calls: `ask` (and `stream`), `retrieve`, `upload`."""

import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import httpx

from acervo_client.events import Event, events_in
from acervo_client.generated import Document, Retrieval, WholeAnswer

TRIES = 3
LONGEST_WAIT = 30.0  # seconds between two tries, whatever a server asks for
AGAIN = {429, 503}  # too much for now, or a part is away: worth another try


class AcervoError(Exception):
    """What the server refused: `code` is stable (docs/errors.md), `detail` is a sentence, `errors` is by field."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(problem.get("code", "error"))
        self.detail = str(problem.get("detail", ""))
        self.errors: Mapping[str, Any] = problem.get("errors") or {}
        self.request_id = problem.get("request_id")
        super().__init__(f"{self.code}: {self.detail}")


class AnswerFailed(AcervoError):
    """An answer that ended with an error while it was streamed; `said` is what had come."""

    def __init__(self, problem: Mapping[str, Any], said: str) -> None:
        super().__init__(200, problem)
        self.said = said


class IngestionFailed(AcervoError):
    """A document that could not be read: encrypted, without text, of another kind than it says."""


class Acervo:
    """A connection to one installation, in the name of the key's owner. Close it, or use it in a `with` block.

    `timeout` is in seconds of silence: an answer may take as long as its model does.
    """

    def __init__(self, url: str, key: str, *, timeout: float = 120) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def ask(self, agent: str, question: str, *, conversation: str | None = None, **more: Any) -> WholeAnswer:
        """The whole answer of an agent (its slug or id), with sources and the sentence behind each [n].

        `more` is what the API takes beside: `project`, `corpus`, `documents`, `filters`. Raises AcervoError.
        """
        body = _question(question, conversation, more) | {"stream": False}
        return cast(WholeAnswer, self._call("POST", f"/api/agents/{agent}/chat/", once=True, json=body).json())

    def stream(self, agent: str, question: str, *, conversation: str | None = None, **more: Any) -> Iterator[Event]:
        """The events of an answer as it is written. Raises AcervoError, and AnswerFailed where it breaks off.

        A `sources` event with a higher `attempt` begins the answer anew. Leaving the loop stops the answer.
        """
        body, said = _question(question, conversation, more) | {"stream": True}, ""
        with self._http.stream("POST", f"/api/agents/{agent}/chat/", json=body) as response:
            if response.is_error:
                response.read()
                raise _error_of(response)
            for event in events_in(response.iter_lines()):
                if event.name == "error":
                    raise AnswerFailed(event.data, said)
                said = "" if event.name == "sources" else said + event.data.get("token", "")
                yield event

    def retrieve(self, agent: str, query: str, **more: Any) -> Retrieval:
        """The passages that an agent would answer from, best first. `more`: `top_k`, `threshold`, `filters` …"""
        path = f"/api/agents/{agent}/retrieve/"
        return cast(Retrieval, self._call("POST", path, json={"query": query, **more}).json())

    def upload(self, corpus: str, file: str | Path, *, wait: float = 0, **more: Any) -> Document:
        """Send a PDF, DOCX, TXT or Markdown file to a corpus (its id).

        `wait`: seconds until it must be found in searches; without, it comes back `pending`. `more` is metadata:
        `title`, `unit`, `tags` … Raises AcervoError, IngestionFailed and TimeoutError.
        """
        place = Path(file)
        files = {"file": (place.name, place.read_bytes())}
        sent = self._call("POST", f"/api/corpora/{corpus}/documents/", once=True, files=files, data=more).json()
        document = cast(Document, sent)
        deadline = time.monotonic() + wait
        while wait and document["status"] not in ("indexed", "failed"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{place.name} is not indexed after {wait} s; it goes on by itself")
            time.sleep(0.5)
            document = self.document(document["id"])
        if error := document["error"]:
            raise IngestionFailed(200, error)
        return document

    def document(self, document: str) -> Document:
        """How far it is. Raises AcervoError."""
        return cast(Document, self._call("GET", f"/api/documents/{document}/").json())

    def _call(self, method: str, path: str, *, once: bool = False, **more: Any) -> httpx.Response:
        """Tried again where the server asks for it, and where the connection breaks; `once`: with a key, so that what
        had arrived is not done twice."""
        headers = {"Idempotency-Key": str(uuid.uuid4())} if once else {}
        for attempt in range(1, TRIES + 1):
            try:
                response = self._http.request(method, path, headers=headers, **more)
            except httpx.TransportError:
                if attempt == TRIES:
                    raise
                time.sleep(attempt)
                continue
            if response.is_success:
                return response
            if response.status_code not in AGAIN or attempt == TRIES:
                raise _error_of(response)
            time.sleep(_seconds_asked_for(response, attempt))
        raise AssertionError("the last try returns or raises")


def _question(question: str, conversation: str | None, more: Mapping[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": question}], "conversation": conversation, **more}


def _seconds_asked_for(response: httpx.Response, attempt: int) -> float:
    said = response.headers.get("Retry-After", "")
    return min(float(said) if said.isdigit() else attempt, LONGEST_WAIT)


def _error_of(response: httpx.Response) -> AcervoError:
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    told = problem if isinstance(problem, dict) else {}
    return AcervoError(response.status_code, {"detail": response.reason_phrase, **told})
