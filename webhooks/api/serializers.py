"""What the API shows of webhooks, and what it takes. A secret is shown where it is made, and never again."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from tools.hosts import HostRefused
from webhooks.addresses import check_address
from webhooks.models import LONGEST_URL, OFFERED, Delivery, DeliveryAttempt, Webhook
from webhooks.outcomes import reason_in_words


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    class Meta:
        model = Webhook
        fields = (
            "id", "url", "description", "events", "is_active", "tried_at", "failing_since", "disabled_at", "created_at",
        )  # fmt: skip
        read_only_fields = fields


class WebhookSecretSerializer(serializers.Serializer[Any]):
    secret = serializers.CharField(read_only=True)


class NewWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(read_only=True)

    class Meta:
        model = Webhook
        fields = (*WebhookSerializer.Meta.fields, "secret")
        read_only_fields = fields


class WebhookEditSerializer(serializers.ModelSerializer[Webhook]):
    url = serializers.CharField(max_length=LONGEST_URL)
    events = serializers.MultipleChoiceField(choices=OFFERED, allow_empty=False)  # ends at the first that is none

    class Meta:
        model = Webhook
        fields = ("url", "description", "events", "is_active")

    def validate_url(self, url: str) -> str:
        try:
            check_address(url)
        except HostRefused as error:
            said = _("This address cannot be told anything: %(reason)s.") % {"reason": reason_in_words(error.reason)}
            raise serializers.ValidationError(said) from None
        return url

    def validate_events(self, events: set[str]) -> list[str]:
        return sorted(events)


class DeliveryAttemptSerializer(serializers.ModelSerializer[DeliveryAttempt]):
    class Meta:
        model = DeliveryAttempt
        fields = ("created_at", "reason", "status", "milliseconds", "answer")
        read_only_fields = fields


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    message_id = serializers.CharField(read_only=True)
    not_before = serializers.SerializerMethodField()
    tries = DeliveryAttemptSerializer(many=True, read_only=True)

    class Meta:
        model = Delivery
        fields = ("id", "message_id", "event", "data", "status", "attempts", "not_before", "created_at", "tries")
        read_only_fields = fields

    def get_not_before(self, delivery: Delivery) -> str | None:
        """Of one that has ended there is no next attempt."""
        return delivery.not_before.isoformat() if delivery.status == Delivery.Status.WAITING else None
