"""The form of a corpus."""

from typing import Any

from django import forms
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.limits import stock
from accounts.models import Membership
from corpora.models import Corpus


class CorpusForm(forms.ModelForm[Corpus]):
    is_course = forms.BooleanField(
        label=_("This is a course"),
        required=False,
        help_text=_("Its documents are units, read in their order with a tutor beside them."),
    )

    class Meta:
        model = Corpus
        fields = ("name", "description", "is_course")
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}

    def save_by(self, membership: Membership) -> Corpus:
        """Keep the changes of an existing corpus."""
        with transaction.atomic():
            corpus = self.save()
            audit.record(membership, "changed", corpus)
        return corpus


class NewCorpusForm(CorpusForm):
    """Creating: admins also choose whose it is; everybody else makes personal corpora."""

    corpus_type = forms.ChoiceField(
        label=_("Who reads it?"),
        widget=forms.RadioSelect,
        initial=Corpus.Type.PERSONAL,
        choices=[
            (Corpus.Type.PERSONAL, _("Only me, through agents that allow personal corpora")),
            (Corpus.Type.GLOBAL, _("Everybody in the organization")),
        ],
    )

    def __init__(self, *args: Any, membership: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.membership = membership
        if not membership.is_admin:
            del self.fields["corpus_type"]

    def create(self) -> Corpus:
        """Raises QuotaExceeded."""
        corpus = self.save(commit=False)
        corpus.organization = self.membership.organization
        corpus.corpus_type = self.cleaned_data.get("corpus_type", Corpus.Type.PERSONAL)
        corpus.owner = self.membership.user if corpus.is_personal else None
        with transaction.atomic():
            stock.make_room(self.membership, corpora=1)
            corpus.save()
            audit.record(self.membership, "created", corpus, corpus_type=corpus.corpus_type)
        return corpus
