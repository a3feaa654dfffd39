"""The trash as a page: what lies in it and until when, restoring, erasing, and the receipts of what was erased."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from accounts.models import Membership
from accounts.pages.access import member_page
from corpora import removal
from corpora.models import ErasureReceipt
from corpora.rows import trash

RECEIPTS_SHOWN = 20


@require_GET
@member_page
def trash_page(request: HttpRequest, membership: Membership) -> HttpResponse:
    found = trash.trash_of(membership, request.GET.get("after", ""), trash.PAGE + 1)
    entries = found[: trash.PAGE]
    context = {
        "entries": entries,
        "after": entries[-1].cursor if len(found) > trash.PAGE else "",
        "begun": "after" in request.GET,
        "days": settings.TRASH_DAYS,
        "receipts": receipts_for(membership)[:RECEIPTS_SHOWN],
    }
    return render(request, "corpora/trash.html", context)


def receipts_for(membership: Membership) -> QuerySet[ErasureReceipt]:
    """Of what was their own; for admins, of what was the organization's too."""
    shown = Q(owner_id=membership.user_id)
    if membership.is_admin:
        shown |= Q(owner_id=None)
    return ErasureReceipt.objects.filter(shown, organization_id=membership.organization_id)


@require_POST
@member_page
def trash_restore(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    thing = trash.thing_in_trash(membership, pk)
    try:
        trash.restore(thing, membership)
    except (removal.CorpusInTrash, removal.PlaceTaken) as problem:
        messages.error(request, str(problem.detail))
    else:
        messages.success(request, _("“%(name)s” is restored.") % {"name": thing})
    return redirect("trash")


@require_POST
@member_page
def trash_erase(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    thing = trash.thing_in_trash(membership, pk)
    trash.erase_now(thing, membership)
    messages.success(request, _("“%(name)s” is being erased. Its receipt appears below.") % {"name": thing})
    return redirect("trash")


@require_POST
@member_page
def trash_empty(request: HttpRequest, membership: Membership) -> HttpResponse:
    count = trash.empty_trash(membership)
    said = ngettext("%(count)d entry is being erased.", "%(count)d entries are being erased.", count)
    messages.success(request, said % {"count": count})
    return redirect("trash")
