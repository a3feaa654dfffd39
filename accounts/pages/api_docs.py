"""The API's schema and documentation, for who is signed in: what an installation can do is nobody else's to read."""

from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language, override
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from accounts.models import Membership
from accounts.pages.access import member_page


@cache
def schema_in(language: str) -> Any:
    """The same for everybody, and a fifth of a second to write: each process writes it once a language."""
    with override(language):
        return SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]


class WrittenOnce(SchemaGenerator):
    def get_schema(self, request: Any = None, public: bool = False) -> Any:
        language = get_language() or ""  # whatever `?lang=` says
        return schema_in(language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE)


api_schema = SpectacularAPIView.as_view(generator_class=WrittenOnce, api_version="1")  # whatever `?version=` says

# Split: its script has an address of its own, since no page of ours runs an inline one.
_documentation = SpectacularSwaggerSplitView.as_view(url_name="schema")


@member_page
def api_docs(request: HttpRequest, membership: Membership) -> HttpResponse:
    response: HttpResponse = _documentation(request)
    return response
