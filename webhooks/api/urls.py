"""Paths of the webhooks' API, below /api/."""

from django.urls import path

from webhooks.api import hooks

urlpatterns = [
    path("webhooks/", hooks.WebhookList.as_view()),
    path("webhooks/<uuid:webhook_id>/", hooks.WebhookDetail.as_view()),
    path("webhooks/<uuid:webhook_id>/test/", hooks.WebhookTest.as_view()),
    path("webhooks/<uuid:webhook_id>/secret/", hooks.WebhookSecret.as_view()),
    path("webhooks/<uuid:webhook_id>/deliveries/", hooks.WebhookDeliveries.as_view()),
    path("webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/again/", hooks.DeliveryAgain.as_view()),
]
