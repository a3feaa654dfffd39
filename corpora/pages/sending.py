"""Uploading by a plain form, for browsers without JavaScript; with it `upload.js` sends each file to the API."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.models import Membership
from accounts.pages.access import member_page
from accounts.problems import Problem
from corpora.models import Corpus
from corpora.pages.description_forms import MetadataForm
from corpora.uploads import intake


@require_POST
@member_page
def documents_upload(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    corpus = get_object_or_404(Corpus.objects.writable_by(membership), pk=pk)
    form = MetadataForm(request.POST)
    files = request.FILES.getlist("file")
    if not form.is_valid():
        messages.error(request, " ".join(f"{form[name].label}: {said[0]}" for name, said in form.errors.items()))
    elif not files:
        messages.error(request, _("Choose files first."))
    else:
        said = {name: value for name, value in form.cleaned_data.items() if value}
        take_all(request, membership, corpus, files, said)
    return redirect("corpus", pk)


def take_all(
    request: HttpRequest, membership: Membership, corpus: Corpus, files: list[UploadedFile[Any]], said: dict[str, Any]
) -> None:
    """Each by itself: one that is refused is named, and keeps no other out."""
    taken = 0
    for file in files:
        try:
            with intake.uploading.taken():
                intake.accept_upload(corpus, file, membership, **said)
            taken += 1
        except Problem as problem:
            messages.error(request, f"{file.name}: {problem.detail}")
    if taken:
        told = ngettext("%(count)d file is uploaded.", "%(count)d files are uploaded.", taken)
        messages.success(request, told % {"count": taken})
