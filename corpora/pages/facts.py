"""Writing a fact on a corpus's page; as a document it is read, described and deleted like any other."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.models import Membership
from accounts.pages.access import member_page
from accounts.problems import Problem
from corpora.models import Corpus
from corpora.uploads import facts


class FactForm(forms.Form):
    """A statement; saying another under the same name replaces it."""

    title = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=facts.MAX_TITLE,
        help_text=gettext_lazy("A statement of the same name is replaced."),
    )
    text = forms.CharField(
        label=gettext_lazy("Statement"), max_length=facts.MAX_TEXT, widget=forms.Textarea(attrs={"rows": 3})
    )
    source = forms.CharField(label=gettext_lazy("Where it comes from"), max_length=facts.MAX_SOURCE, required=False)


@require_POST
@member_page
def fact_keep(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    corpus = get_object_or_404(Corpus.objects.writable_by(membership), pk=pk)
    form = FactForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("A fact has a name and a statement."))
        return redirect("corpus", pk)
    try:
        facts.keep_knowledge(corpus, membership, **form.cleaned_data)
        messages.success(
            request, _("“%(name)s” is kept and can be found within seconds.") % {"name": form.cleaned_data["title"]}
        )
    except Problem as problem:
        messages.error(request, str(problem.detail))
    return redirect("corpus", pk)
