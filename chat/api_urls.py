"""Paths of the chat API, below /api/."""

from django.urls import path

from chat import api, stream_view

urlpatterns = [
    path("agents/<str:reference>/chat/", stream_view.chat, name="api-chat"),
    path("messages/<uuid:pk>/stop/", api.MessageStop.as_view(), name="api-message-stop"),
    path("messages/<uuid:pk>/feedback/", api.MessageFeedback.as_view(), name="api-message-feedback"),
    path("conversations/", api.ConversationList.as_view()),
    path("conversations/<uuid:pk>/", api.ConversationDetail.as_view()),
    path("projects/", api.ProjectList.as_view()),
    path("projects/<uuid:pk>/", api.ProjectDetail.as_view()),
]
