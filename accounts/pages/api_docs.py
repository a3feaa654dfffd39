"""The API's documentation, for who is signed in: what an installation can do is nobody else's to read."""

from django.http import HttpRequest, HttpResponse
from drf_spectacular.views import SpectacularSwaggerSplitView

from accounts.models import Membership
from accounts.pages.access import member_page

# Split: its script has an address of its own, since no page of ours runs an inline one.
_documentation = SpectacularSwaggerSplitView.as_view(url_name="schema")


@member_page
def api_docs(request: HttpRequest, membership: Membership) -> HttpResponse:
    response: HttpResponse = _documentation(request)
    return response
