"""The OpenAPI schema: what each operation may be refused with, and the asynchronous views, which are none of DRF's."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.views import APIView

from accounts.problems import CONTENT_TYPE

V = TypeVar("V", bound=Callable[..., Any])
Refusal = tuple[str, type[serializers.Serializer[Any]]]
ANY_ADDRESS = (400, 401, 403, 404, 503)
WITH_A_CHOICE = (406,)  # of what is answered: DRF's views
WITH_A_CHANGE = (413, 415, 429)


class ProblemSerializer(serializers.Serializer[Any]):
    """RFC 9457. `code` is stable (docs/errors.md); `errors` are those of invalid input, by field; `request_id` is the
    header X-Request-ID's."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    request_id = serializers.CharField(required=False)
    errors = serializers.JSONField(required=False)  # type: ignore[assignment]  # DRF takes fields out of the class body


PROBLEM: Refusal = (CONTENT_TYPE, ProblemSerializer)


def problems(*statuses: int) -> dict[tuple[int, str], type[serializers.Serializer[Any]]]:
    """For `responses`: what an operation is refused with besides what any may be."""
    return {(status, CONTENT_TYPE): ProblemSerializer for status in statuses}


def described(method: str, refusal: Refusal = PROBLEM, **operation: Any) -> Callable[[V], V]:
    """Put a plain asynchronous view into the schema. `operation` is what `extend_schema` takes.

    The view gets the class that DRF's views have. It only tells of the view, and never answers a request.
    """

    def describe(view: V) -> V:
        def answer(self: APIView) -> None:
            raise NotImplementedError

        answer.__doc__ = view.__doc__
        members = {method.lower(): extend_schema(**operation)(answer), "refusal": refusal, "is_plain": True}
        view.cls = type(view.__name__, (APIView,), members)  # type: ignore[attr-defined]  # as DRF does
        view.initkwargs = {}  # type: ignore[attr-defined]
        return view

    return describe


class Schema(AutoSchema):
    """REST_FRAMEWORK's DEFAULT_SCHEMA_CLASS."""

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        media_type, serializer = getattr(self.view, "refusal", PROBLEM)
        told: dict[str, Any] = super()._get_response_bodies(direction)
        for status in self.refused_with():
            if str(status) not in told:
                told[str(status)] = self._get_response_for_code(serializer, str(status), [media_type])  # type: ignore[no-untyped-call]
        return dict(sorted(told.items()))

    def refused_with(self) -> tuple[int, ...]:
        chosen = () if getattr(self.view, "is_plain", False) else WITH_A_CHOICE
        return ANY_ADDRESS + chosen + (() if self.method == "GET" else WITH_A_CHANGE)
