"""Single pieces of knowledge without a file of their own (information-layer.es.md, `upsert_knowledge`).

A fact is a small document with a key. Said again under the same key it becomes a new version of the same document, and
readers keep the version before until the new one is indexed, within seconds.
"""

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.text import slugify

from accounts import audit
from accounts.limits import reserving
from accounts.models import Membership, ToolCall
from accounts.problems import NotFound
from corpora import removal
from corpora.descriptions import describe
from corpora.models import Corpus, Document
from corpora.uploads import intake

MAX_TEXT, MAX_TITLE, MAX_KEY, MAX_SOURCE = 20_000, 200, 200, 500
CHARACTERS_A_TOKEN = 4  # about; a record needs no better


def upsert_fact(
    corpus: Corpus,
    by: Membership,
    text: str,
    title: str = "",
    tags: Sequence[str] = (),
    key: str = "",
    source: str = "",
    meta: Mapping[str, Any] | None = None,
) -> Document:
    """Keep a statement; what the corpus had under its key is replaced. Lengths are the caller's to check.

    The title is the first line when none is given, the key the title; `source` says where the statement comes from,
    `meta` what else there is to say of it (`corpora.metadata.free`, checked).
    Two first statements of a key at once become one document. Raises what `intake.accept_upload` raises.
    """
    title = title or first_line(text)
    key = key or title
    said = {"title": title, "tags": list(tags), "source_reference": source, "meta": dict(meta or {})}
    with reserving.counted_request(by, writes=1):
        return _keep_fact(corpus, by, text, key, said)


def _keep_fact(corpus: Corpus, by: Membership, text: str, key: str, said: dict[str, Any]) -> Document:
    upload = SimpleUploadedFile(filename_for(key), text.encode())
    known = fact_with_key(corpus, key)
    if known is None:
        fact = Document.ContentType.FACT
        try:
            return intake.take_upload(corpus, upload, by, content_type=fact, fact_key=key, **said)
        except intake.DocumentInTrash as problem:  # stated once more, it is wanted again
            known = restored_fact(corpus, by, problem.extra["document"])
        except intake.DuplicateDocument:  # somebody else was faster with this key
            known = fact_with_key(corpus, key)
            if known is None:
                raise
    if known.sha256 == hash_of(text) and known.status != Document.Status.FAILED:
        describe(known, by, **said)
    else:
        intake.replace(known, upload, by, **said)
    return known


def keep_knowledge(corpus: Corpus, by: Membership, **said: Any) -> Document:
    """`upsert_fact` by a person or a program, of which a record stays."""
    began = time.monotonic()
    document = upsert_fact(corpus, by, **said)
    _record(by, ToolCall.Kind.UPSERT_KNOWLEDGE, began, corpus, said["text"])
    return document


def remove_fact(corpus: Corpus, by: Membership, key: str) -> None:
    """Delete the fact of a key, of which a record stays too; NotFound when the corpus has none."""
    began, fact = time.monotonic(), fact_with_key(corpus, key)
    if fact is None:
        raise NotFound
    removal.remove_document(fact, by)
    _record(by, ToolCall.Kind.REMOVE_KNOWLEDGE, began, corpus, "")


def _record(by: Membership, kind: ToolCall.Kind, began: float, corpus: Corpus, text: str) -> None:
    tokens = len(text) // CHARACTERS_A_TOKEN
    audit.record_tool_call(by, kind, began, corpus=corpus.pk, items=1, tokens=tokens, is_personal=corpus.is_personal)


def restored_fact(corpus: Corpus, by: Membership, document_id: str) -> Document:
    fact = Document.objects.in_trash_of(by).filter(corpus=corpus, pk=document_id).first()
    if fact is None:
        raise NotFound
    removal.restore_document(fact, by)
    fact.refresh_from_db()
    return fact


def fact_with_key(corpus: Corpus, key: str) -> Document | None:
    if not key:
        return None
    facts = Document.objects.alive().filter(corpus=corpus, fact_key=key)
    return facts.first()


def first_line(text: str) -> str:
    return text.strip().splitlines()[0][:80].strip()


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def filename_for(key: str) -> str:
    """A name from the key; the hash keeps keys apart that slugify alike."""
    return f"{slugify(key)[:60] or 'fact'}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.txt"
