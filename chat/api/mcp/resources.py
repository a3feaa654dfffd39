"""Documents as resources: what the caller may read, newest first, their text in parts of some thousand characters.

acervo://documents/{id}                the first parts, and how to go on
acervo://documents/{id}/parts/{n}      one part, from 1: a page of a PDF, a chapter or a piece of one
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Q, QuerySet
from mcp_types import (
    BlobResourceContents,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from accounts.models import Membership
from accounts.problems import NotFound, Problem
from agents.api.toolbox import identifier
from chat.api.mcp.asking import Context, member_of, refusal
from config.concurrency.threads import in_thread
from corpora.lookup import readable_document
from corpora.models import Document
from corpora.reader.reading import ReadingPart, sections

PAGE = 50
MOST_CHARACTERS = 60_000  # of a document that is read without a part's number
PLAIN = "text/plain"
ADDRESS = re.compile(r"acervo://documents/([0-9a-f-]{36})(?:/parts/([1-9][0-9]{0,5}))?")
TEMPLATE = ResourceTemplate(
    name="part",
    title="A part of a document",
    uri_template="acervo://documents/{id}/parts/{n}",
    description="One page of a PDF, or one chapter or piece of another document, counted from 1.",
    mime_type=PLAIN,
)


async def list_resources(context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
    try:
        return await in_thread(_page_of, member_of(context), (params and params.cursor) or "")
    except Exception as error:
        raise refusal(error) from None


async def list_templates(_context: Context, _params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=[TEMPLATE])


async def read_resource(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    try:
        return ReadResourceResult(contents=await in_thread(_contents, member_of(context), str(params.uri)))
    except Exception as error:
        raise refusal(error) from None


def _page_of(by: Membership, cursor: str) -> ListResourcesResult:
    found = list(_after(Document.objects.readable_by(by).filter(version__gt=0), cursor)[: PAGE + 1])
    more = found[PAGE - 1] if len(found) > PAGE else None
    following = f"{more.created_at.isoformat()} {more.pk}" if more else None
    return ListResourcesResult(resources=[_told(one) for one in found[:PAGE]], next_cursor=following)


def _after(documents: QuerySet[Document], cursor: str) -> QuerySet[Document]:
    """Newest first. Raises Problem for a cursor that was never given out."""
    ordered = documents.select_related("corpus").order_by("-created_at", "-pk")
    if not cursor:
        return ordered
    moment, _, last = cursor.partition(" ")
    try:
        created, pk = datetime.fromisoformat(moment).astimezone(UTC), UUID(last)
    except (ValueError, OverflowError):
        raise Problem("This cursor was not given out here. Begin again without one.") from None
    return ordered.filter(Q(created_at__lt=created) | Q(created_at=created, pk__lt=pk))


def _told(document: Document) -> Resource:
    return Resource(
        uri=f"acervo://documents/{document.pk}",
        name=document.filename,
        title=document.title or document.filename,
        description=document.corpus.name,
        mime_type=PLAIN,
    )


def _contents(by: Membership, address: str) -> list[TextResourceContents | BlobResourceContents]:
    found = ADDRESS.fullmatch(address)
    if found is None:
        raise NotFound
    document = readable_document(by, identifier(found[1]))
    text = document.texts.filter(version=document.version).first()
    if text is None:
        raise NotFound
    cut = sections(text.text, text.pages, text.headings)
    if found[2] is not None:
        if int(found[2]) > len(cut):
            raise NotFound
        return [_part(document, text.text, cut[int(found[2]) - 1])]
    return list(_first_parts(document, text.text, cut))


def _first_parts(document: Document, text: str, cut: list[ReadingPart]) -> Iterator[TextResourceContents]:
    for part in cut:
        if part.index and part.end > MOST_CHARACTERS:
            said = f"This is the beginning: parts 1 to {part.index} of {len(cut)}."
            yield TextResourceContents(uri=f"acervo://documents/{document.pk}/parts/{part.index + 1}", text=said)
            return
        yield _part(document, text, part)


def _part(document: Document, text: str, part: ReadingPart) -> TextResourceContents:
    return TextResourceContents(
        uri=f"acervo://documents/{document.pk}/parts/{part.index + 1}",
        mime_type=PLAIN,
        text=text[part.start : part.end],
    )
