"""Pages of a PDF as they are printed: size and boxes, and an image (API.md, "Corpora and documents"); and pictures
inside of documents without pages."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.http.openapi import problems
from accounts.http.rest import membership_of
from corpora.lookup import readable_document
from corpora.models import Document
from corpora.reader import showing
from corpora.reader.locating import Match
from corpora.reader.printed import WIDTHS, PageRequest

USUAL_WIDTH = WIDTHS[1]
LONGEST = 100_000  # characters that are asked for at once; more than any page has


class RangeSerializer(serializers.Serializer[Any]):
    """Characters of the document's text, as citations and chunks have them."""

    start = serializers.IntegerField(min_value=0, max_value=2**31 - 1, required=False)
    end = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)

    def validate(self, attrs: dict[str, int]) -> dict[str, int]:
        if len(attrs) == 1 or (attrs and not 0 < attrs["end"] - attrs["start"] <= LONGEST):
            raise serializers.ValidationError(_("`start` and `end` go together, and the end comes after the start."))
        return attrs


class WidthSerializer(serializers.Serializer[Any]):
    width = serializers.ChoiceField(choices=WIDTHS, required=False, default=USUAL_WIDTH)


class PageSerializer(serializers.Serializer[Any]):
    """`width` and `height` in points, as the page is shown; `start` and `end` of the page in the document's text;
    `boxes`: left, top, right, bottom, 0 to 1 of the page as it is shown, from its upper left corner."""

    document = serializers.UUIDField()
    page = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF takes fields out of the class body
    page_count = serializers.IntegerField()
    width = serializers.FloatField()
    height = serializers.FloatField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    match = serializers.ChoiceField(choices=[one.value for one in Match], allow_null=True)
    boxes = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))


class DocumentPage(APIView):
    """A page's size, and where on it a part of the document's text is printed."""

    @extend_schema(parameters=[RangeSerializer], responses={200: PageSerializer, **problems(422, 429)})
    def get(self, request: Request, pk: UUID, number: int) -> Response:
        membership = membership_of(request)
        document = readable_document(membership, pk)
        form = RangeSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        page = showing.stored_page(document, number)
        characters = showing.page_characters(membership, document, page)
        asked = form.validated_data
        located = showing.boxes_on(page, document, characters, **asked) if asked else None
        body = {
            "document": document.pk,
            "page": page.number,
            "label": page.label or str(page.number),
            "page_count": page.count,
            "width": characters.width,
            "height": characters.height,
            "start": page.start,
            "end": page.end,
            "match": located.match if located else None,
            "boxes": [[round(edge, 5) for edge in box] for box in located.boxes] if located else [],
        }
        return Response(body)


class DocumentPageImage(APIView):
    """A page as a PNG. It may be kept by the browser alone, and is asked for anew each time: whoever may read the
    document no longer is not shown what was kept."""

    @extend_schema(
        parameters=[WidthSerializer, OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER)],
        responses={(200, "image/png"): OpenApiTypes.BINARY, 304: None, **problems(422, 429)},
    )
    def get(self, request: Request, pk: UUID, number: int) -> HttpResponseBase:
        membership = membership_of(request)
        document = readable_document(membership, pk)
        form = WidthSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        width = form.validated_data["width"]
        page = showing.stored_page(document, number)
        etag = image_tag(document, number, width)
        unchanged = get_conditional_response(request._request, etag)
        if unchanged is not None:
            return with_private_headers(unchanged, etag)
        image = showing.image_of(membership, document, PageRequest(page.number, width))
        return with_private_headers(HttpResponse(image, content_type="image/png"), etag)


class DocumentPicture(APIView):
    """A picture inside of a document without pages (DOCX, Markdown) as a PNG, drawn on white, as wide as it is at
    most. Kept and asked for anew as images of pages are."""

    @extend_schema(
        parameters=[WidthSerializer, OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER)],
        responses={(200, "image/png"): OpenApiTypes.BINARY, 304: None, **problems(422, 429)},
    )
    def get(self, request: Request, pk: UUID, number: int) -> HttpResponseBase:
        membership = membership_of(request)
        document = readable_document(membership, pk)
        form = WidthSerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        asked = PageRequest(number, form.validated_data["width"], picture_of=document.media_type)
        showing.assert_has_picture(document, number)
        etag = image_tag(document, showing.name_of(asked), asked.width)
        unchanged = get_conditional_response(request._request, etag)
        if unchanged is not None:
            return with_private_headers(unchanged, etag)
        image = showing.image_of(membership, document, asked)
        return with_private_headers(HttpResponse(image, content_type="image/png"), etag)


def image_tag(document: Document, number: int | str, width: int) -> str:
    return f'"{showing.DRAWN_AS}-{document.version}-{document.sha256[:16]}-{number}-{width}"'


def with_private_headers(response: HttpResponseBase, etag: str) -> HttpResponseBase:
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["X-Content-Type-Options"] = "nosniff"
    patch_vary_headers(response, ("Authorization", "Cookie"))
    return response
