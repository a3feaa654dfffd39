"""Paths of the chat API, below /api/."""

from django.urls import path

from chat.api import views
from chat.stream import view

urlpatterns = [
    path("agents/<str:reference>/chat/", view.chat, name="api-chat"),
    path("messages/<uuid:pk>/events/", view.events, name="api-message-events"),
    path("messages/<uuid:pk>/stop/", views.MessageStop.as_view(), name="api-message-stop"),
    path("messages/<uuid:pk>/feedback/", views.MessageFeedback.as_view(), name="api-message-feedback"),
    path("conversations/", views.ConversationList.as_view()),
    path("conversations/<uuid:pk>/", views.ConversationDetail.as_view()),
    path("projects/", views.ProjectList.as_view()),
    path("projects/<uuid:pk>/", views.ProjectDetail.as_view()),
]
