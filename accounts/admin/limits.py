"""The page of an organization's limits: what it was given and has used, and the form that changes it.

Operators give: any amount, for each member and for the organization. The organization's admins lower what each member
has. An empty field is as before.
"""

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminDecimalFieldWidget, UnfoldAdminIntegerFieldWidget

from accounts import audit
from accounts.limits.declared import Per
from accounts.limits.present import Present, present_limits
from accounts.limits.rows import LimitSetting
from accounts.models import Membership, Organization

WHOLE_MAX = 10**12 - 1  # what a row holds


class LimitsForm(forms.Form):
    """One field for each limit that may be changed, named `user-questions`; with what is set as its initial value."""

    def __init__(self, shown: list[Present], organization: Organization, *args: Any, is_operator: bool) -> None:
        super().__init__(*args)
        self.organization, self.is_operator = organization, is_operator
        self.shown = {field_name(one): one for one in shown if is_operator or one.per is Per.USER}
        rows = LimitSetting.objects.filter(organization=organization, by_operator=is_operator)
        known = {f"{per}-{name}": amount for per, name, amount in rows.values_list("per", "name", "amount")}
        for name, one in self.shown.items():
            self.fields[name] = amount_field(one, known.get(name))

    def clean(self) -> dict[str, Any]:
        """An admin sets no more than there is, and cannot lift a limit."""
        cleaned: dict[str, Any] = super().clean() or {}
        for name, amount in list(cleaned.items()):  # errors take theirs out
            given = self.shown[name].given
            if self.is_operator or amount is None:
                continue
            if not amount:
                self.add_error(name, ValidationError(_("0 would be no limit, which only an operator can give.")))
            elif given and amount > given:
                self.add_error(
                    name, ValidationError(_("More than the organization has. Ask whoever runs this installation."))
                )
        return cleaned

    def save(self, by: Membership) -> None:
        with transaction.atomic():
            for name in self.changed_data:
                per, _dash, limit = name.partition("-")
                key: dict[str, Any] = {
                    "organization": self.organization,
                    "name": limit,
                    "per": per,
                    "by_operator": self.is_operator,
                }
                amount = self.cleaned_data[name]
                if amount is None:
                    LimitSetting.objects.filter(**key).delete()
                else:
                    LimitSetting.objects.update_or_create(**key, defaults={"amount": amount})
            changes = {name: str(self.cleaned_data[name]) for name in self.changed_data}
            audit.record(by, "limited", self.organization, **changes)


def amount_field(one: Present, known: Decimal | None) -> forms.Field:
    """What is counted one by one is set in whole numbers: half a question a minute would be none. Megabytes and dollars
    have parts."""
    said: dict[str, Any] = {"label": one.limit.what, "required": False, "min_value": 0}
    spoken = {"aria-label": one.limit.what}
    if one.limit.factor == 1:
        initial = None if known is None else int(known)
        whole = UnfoldAdminIntegerFieldWidget(attrs=spoken)
        return forms.IntegerField(**said, max_value=WHOLE_MAX, initial=initial, widget=whole)
    initial_parts = None if known is None else Decimal(f"{known.normalize():f}")
    parts = UnfoldAdminDecimalFieldWidget(attrs={**spoken, "step": "any"})
    return forms.DecimalField(**said, max_digits=18, decimal_places=6, initial=initial_parts, widget=parts)


def field_name(one: Present) -> str:
    return f"{one.per.value}-{one.limit.name}"


def limits_page(
    request: HttpRequest, organization: Organization, by: Membership, context: dict[str, Any], *, is_operator: bool
) -> HttpResponse:
    """GET: the page. POST: what is set from now on."""
    whole = [*present_limits(by, Per.ORGANIZATION), *present_limits(by, Per.USER)]
    form = LimitsForm(whole, organization, request.POST or None, is_operator=is_operator)
    if request.method == "POST" and form.is_valid():
        if form.changed_data:
            form.save(by)
        messages.success(request, _("The limits are saved."))
        return redirect(request.path)
    rows = [(one, form[field_name(one)] if field_name(one) in form.fields else None) for one in whole]
    shown = {
        "title": _("Limits of %(name)s") % {"name": organization},
        "organization": organization,
        "form": form,
        "of_organization": [row for row in rows if row[0].per is Per.ORGANIZATION],
        "of_each": [row for row in rows if row[0].per is Per.USER],
        "is_operator": is_operator,
        "are_off": not settings.QUOTAS,
    }
    return TemplateResponse(request, "admin/accounts/limits.html", {**context, **shown})
