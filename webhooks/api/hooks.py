"""The API of webhooks: an organization's admins keep them (docs/webhooks.md)."""

from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.http.openapi import problems
from accounts.http.rest import admin_of, membership_of
from accounts.limits import reserving
from accounts.models import Membership
from webhooks import keeping
from webhooks.api.serializers import (
    DeliverySerializer,
    NewWebhookSerializer,
    WebhookEditSerializer,
    WebhookSecretSerializer,
    WebhookSerializer,
)
from webhooks.models import Delivery, Webhook


class WebhookList(generics.ListAPIView[Webhook]):
    serializer_class = WebhookSerializer

    def get_queryset(self) -> QuerySet[Webhook]:
        return Webhook.objects.in_organization_of(admin_of(self.request))

    @extend_schema(request=WebhookEditSerializer, responses={201: NewWebhookSerializer, **problems(409)})
    def post(self, request: Request) -> Response:
        """The answer has the secret: it is shown now and never again."""
        admin = admin_of(request)
        form = WebhookEditSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        webhook = Webhook(organization=admin.organization, **form.validated_data)
        secret = keeping.make_webhook(admin, webhook)
        told = {**WebhookSerializer(webhook).data, "secret": secret}
        return Response(told, status.HTTP_201_CREATED)


def kept_webhook(request: Request, webhook_id: UUID) -> tuple[Membership, Webhook]:
    """A webhook of the caller's organization; of another's there is none, also not for its admins."""
    webhook = keeping.webhook_for(membership_of(request), webhook_id)
    return admin_of(request), webhook


class WebhookDetail(APIView):
    @extend_schema(responses=WebhookSerializer)
    def get(self, request: Request, webhook_id: UUID) -> Response:
        _admin, webhook = kept_webhook(request, webhook_id)
        return Response(WebhookSerializer(webhook).data)

    @extend_schema(request=WebhookEditSerializer, responses=WebhookSerializer)
    def patch(self, request: Request, webhook_id: UUID) -> Response:
        admin, webhook = kept_webhook(request, webhook_id)
        form = WebhookEditSerializer(webhook, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        keeping.change_webhook(admin, webhook, **form.validated_data)
        return Response(WebhookSerializer(webhook).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, webhook_id: UUID) -> Response:
        keeping.delete_webhook(*kept_webhook(request, webhook_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class WebhookTest(APIView):
    @extend_schema(request=None, responses={202: DeliverySerializer, **problems(409, 429)})
    def post(self, request: Request, webhook_id: UUID) -> Response:
        """Queue a `ping`; its delivery says within seconds how it went."""
        admin, webhook = kept_webhook(request, webhook_id)
        reserving.reserve(admin, writes=1)
        return Response(DeliverySerializer(keeping.send_test(admin, webhook)).data, status.HTTP_202_ACCEPTED)


class WebhookSecret(APIView):
    @extend_schema(request=None, responses=WebhookSecretSerializer)
    def post(self, request: Request, webhook_id: UUID) -> Response:
        """A new secret, shown now and never again. The former one signs beside it for 24 hours."""
        admin, webhook = kept_webhook(request, webhook_id)
        return Response({"secret": keeping.renew_secret(admin, webhook)})


class WebhookDeliveries(generics.ListAPIView[Delivery]):
    """The latest first, each with its attempts."""

    serializer_class = DeliverySerializer

    def get_queryset(self) -> QuerySet[Delivery]:
        _admin, webhook = kept_webhook(self.request, self.kwargs["webhook_id"])
        return webhook.deliveries.prefetch_related("tries")


class DeliveryAgain(APIView):
    @extend_schema(request=None, responses={202: DeliverySerializer, **problems(409, 429)})
    def post(self, request: Request, webhook_id: UUID, delivery_id: UUID) -> Response:
        """Queue it once more, under the same `webhook-id`."""
        admin, webhook = kept_webhook(request, webhook_id)
        delivery = keeping.delivery_of(webhook, delivery_id)
        reserving.reserve(admin, writes=1)
        sent = keeping.send_again(admin, webhook, delivery)
        return Response(DeliverySerializer(sent).data, status.HTTP_202_ACCEPTED)
