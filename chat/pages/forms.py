"""Forms of conversations and projects."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import Membership
from chat.models import Conversation, Project
from corpora.models import Corpus


class TitleForm(forms.ModelForm[Conversation]):
    class Meta:
        model = Conversation
        fields = ("title",)


class ProjectForm(forms.ModelForm[Project]):
    """A name, and personal corpora of the owner; none means all of them."""

    class Meta:
        model = Project
        fields = ("name", "corpora")
        labels = {"corpora": _("Personal corpora")}
        help_texts = {
            "corpora": _(
                "Conversations of the project only read the personal corpora chosen here. Choose none to read all."
            )
        }
        widgets = {"corpora": forms.CheckboxSelectMultiple}

    def __init__(self, *args: Any, membership: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.membership = membership
        offered = self.fields["corpora"]
        assert isinstance(offered, forms.ModelMultipleChoiceField)
        offered.queryset = Corpus.objects.readable_by(membership).personal()
        if self.instance.narrows and not offered.queryset.filter(projects=self.instance.pk).exists():
            offered.help_text = _(
                "The corpora that were chosen here are deleted, so none is read. Choose others, or save without a "
                "choice to read all."
            )

    def save(self, commit: bool = True) -> Project:
        self.instance.narrows = bool(self.cleaned_data["corpora"])
        self.instance.organization = self.membership.organization
        self.instance.owner = self.membership.user
        project = super().save(commit)
        project.narrow_to(self.cleaned_data["corpora"])
        return project
