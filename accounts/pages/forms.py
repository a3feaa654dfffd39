"""Forms of the account and member pages."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.utils.translation import gettext_lazy as _

from accounts.models import ApiKey, Membership, User


class NameForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ("name",)
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "name"})}


class KeyForm(forms.ModelForm[ApiKey]):
    class Meta:
        model = ApiKey
        fields = ("name",)
        labels = {"name": _("What is the key for?")}
        widgets = {"name": forms.TextInput(attrs={"id": "key-name"})}  # NameForm's field stands on the same page

    days = forms.TypedChoiceField(
        label=_("How long does it work?"),
        choices=[("", _("Until it is revoked")), (30, _("30 days")), (90, _("90 days")), (365, _("One year"))],
        coerce=int,
        empty_value=None,
        required=False,
    )


class AddressForm(forms.Form):
    """A new address for a user."""

    email = forms.EmailField(
        label=_("New email address"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_email(self) -> str:
        wanted = str(self.cleaned_data["email"]).lower()
        if wanted == self.user.email:
            raise forms.ValidationError(_("That is your address already."))
        return wanted


class InviteForm(forms.Form):
    email = forms.EmailField(label=_("Email address"), widget=forms.EmailInput(attrs={"autocomplete": "off"}))
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices, initial=Membership.Role.MEMBER)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Membership.Role.choices)


class JoinForm(forms.Form):
    """Name and password of a person who has no account yet."""

    name = forms.CharField(label=_("Your name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least 10 characters."),
    )

    def __init__(self, *args: Any, email: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.email = email

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if password := cleaned.get("password"):
            person = User(email=self.email, name=cleaned.get("name", ""))
            try:
                password_validation.validate_password(password, person)
            except forms.ValidationError as error:
                self.add_error("password", error)
        return cleaned
