"""Forms of conversations, projects and leaving."""

from typing import Any

from django import forms
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.limits import stock
from accounts.models import Membership, User
from chat.models import Conversation, Project
from corpora.models import Corpus


class ConversationForm(forms.ModelForm[Conversation]):
    """Its name, and one of the owner's projects or none."""

    class Meta:
        model = Conversation
        fields = ("title", "project")
        labels = {"title": _("Name"), "project": _("Project")}

    def __init__(self, *args: Any, membership: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].required = True
        offered = self.fields["project"]
        assert isinstance(offered, forms.ModelChoiceField)
        offered.queryset = Project.objects.owned_by(membership).order_by("name")
        offered.empty_label = _("No project")

    def save(self, commit: bool = True) -> Conversation:
        """What is asked for alone: the row may have become personal since it was read."""
        found: Conversation = super().save(commit=False)
        if commit:
            found.save(update_fields=self.Meta.fields)
        return found


class LeavingForm(forms.Form):
    """The password once more, before an account goes."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    agreed = forms.BooleanField(label=_("I know that this cannot be undone."))

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise forms.ValidationError(_("This is not your password."), "password")
        return password


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
        """Raises QuotaExceeded."""
        self.instance.narrows = bool(self.cleaned_data["corpora"])
        self.instance.organization = self.membership.organization
        self.instance.owner = self.membership.user
        with transaction.atomic():
            if self.instance._state.adding:
                stock.make_room(self.membership, projects=1)
            project = super().save(commit)
            project.narrow_to(self.cleaned_data["corpora"])
        return project
