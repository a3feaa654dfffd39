"""The form of a webhook; what is wrong with it, the API's own rules say."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextInputWidget

from accounts.admin.rows import OrganizationForm
from webhooks.api.serializers import WebhookEditSerializer
from webhooks.models import LONGEST_URL, OFFERED, Webhook

WRITTEN = ("url", "description", "events", "is_active")


class WebhookForm(OrganizationForm):
    url = forms.CharField(
        label=_("Address"),
        max_length=LONGEST_URL,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "url", "autocomplete": "off"}),
        help_text=_("It begins with https:// and takes a POST with JSON."),
    )
    events = forms.MultipleChoiceField(
        label=_("Events"),
        choices=OFFERED,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=_("Ids and states are sent, never a text. Of personal corpora nothing is."),
    )

    class Meta:
        model = Webhook
        fields = WRITTEN

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        judged = WRITTEN if self.instance._state.adding else self.changed_data  # what may no more be, is switched off
        written = {name: cleaned[name] for name in judged if name in cleaned}
        rules = WebhookEditSerializer(data=written, partial=True)
        rules.is_valid()
        for name, reasons in rules.errors.items():
            if not self.has_error(name):
                self.add_error(name if name in self.fields else None, [str(one) for one in reasons])
        return {**cleaned, **rules.validated_data}
