"""Pages of conversations and projects, and the front page; included at the root."""

from django.urls import path

from chat import dashboard_views, project_views, views

urlpatterns = [
    path("", dashboard_views.dashboard, name="dashboard"),
    path("conversations/", views.conversations, name="conversations"),
    path("conversations/<uuid:pk>/", views.conversation, name="conversation"),
    path("conversations/<uuid:pk>/before/<uuid:before>/", views.earlier_messages, name="earlier-messages"),
    path("conversations/<uuid:pk>/rename/", views.conversation_rename, name="conversation-rename"),
    path("conversations/<uuid:pk>/context/", views.conversation_context, name="conversation-context"),
    path("conversations/<uuid:pk>/delete/", views.conversation_delete, name="conversation-delete"),
    path("messages/<uuid:pk>/", views.message, name="message"),
    path("projects/", project_views.projects, name="projects"),
    path("projects/<uuid:pk>/", project_views.project, name="project"),
    path("projects/<uuid:pk>/edit/", project_views.project_edit, name="project-edit"),
    path("projects/<uuid:pk>/delete/", project_views.project_delete, name="project-delete"),
]
