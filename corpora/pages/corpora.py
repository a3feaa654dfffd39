"""Pages of corpora: the list, one corpus, creating, changing, switching on and off, deleting."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts import audit
from accounts.models import Membership
from accounts.pages.access import member_page, slice_of
from corpora import removal
from corpora.media_types import MEDIA_TYPES
from corpora.models import Corpus
from corpora.pages.description_forms import MetadataForm
from corpora.pages.documents import deleted_sentence, list_context
from corpora.pages.facts import FactForm
from corpora.pages.forms import CorpusForm, NewCorpusForm
from corpora.pages.undoing import deed_shown
from corpora.uploads import intake


@require_GET
@member_page
def corpora(request: HttpRequest, membership: Membership) -> HttpResponse:
    shown = Corpus.objects.readable_by(membership).with_counts()
    if wanted := request.GET.get("q", "").strip():
        shown = shown.filter(name__matches=wanted)
    # Personal ones first: "personal" sorts after "global".
    page = slice_of(shown.order_by("-corpus_type", "name", "pk"), request)
    return render(request, "corpora/corpora.html", {"corpora": page, "q": wanted})


@require_http_methods(["GET", "POST"])
@member_page
def corpus_create(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = NewCorpusForm(request.POST or None, membership=membership)
    if request.method == "POST" and form.is_valid():
        return redirect("corpus", form.create().pk)
    return render(request, "corpora/corpus_form.html", {"form": form})


@require_GET
@member_page
def corpus(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = get_object_or_404(Corpus.objects.readable_by(membership).with_counts(), pk=pk)
    writable = Corpus.objects.writable_by(membership).filter(pk=pk).exists()
    context = {
        **list_context(request, membership, found, writable),
        "max_bytes": settings.MAX_UPLOAD_BYTES,
        "too_large": intake.too_large(settings.MAX_UPLOAD_BYTES),
        "accepted": intake.accepted_files(),
        "accept": ",".join(sorted(MEDIA_TYPES)),
        "done": deed_shown(request, membership, found) if writable else None,
        "form": MetadataForm(auto_id="upload_%s"),
        "fact_form": FactForm(auto_id="fact_%s"),
    }
    return render(request, "corpora/corpus.html", context)


@require_http_methods(["GET", "POST"])
@member_page
def corpus_edit(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = get_object_or_404(Corpus.objects.writable_by(membership), pk=pk)
    form = CorpusForm(request.POST or None, instance=found)
    if request.method == "POST" and form.is_valid():
        form.save_by(membership)
        messages.success(request, _("The corpus is saved."))
        return redirect("corpus", pk)
    return render(request, "corpora/corpus_form.html", {"form": form, "corpus": found})


@require_POST
@member_page
def corpus_activate(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Switch on or off (`active=1` or empty): agents stop or start reading it at their next search."""
    found = get_object_or_404(Corpus.objects.writable_by(membership), pk=pk)
    found.is_active = request.POST.get("active") == "1"
    found.save(update_fields=["is_active", "updated_at"])
    audit.record(membership, "changed", found, is_active=found.is_active)
    messages.success(
        request, _("Agents may read the corpus again.") if found.is_active else _("Agents no longer read the corpus.")
    )
    return redirect("corpus", pk)


@require_POST
@member_page
def corpus_delete(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found = get_object_or_404(Corpus.objects.writable_by(membership), pk=pk)
    removal.remove_corpus(found, membership)
    messages.success(request, deleted_sentence(found.name))
    return redirect("dashboard")
