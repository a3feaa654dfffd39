"""Pages of conversations and projects, and the front page; included at the root."""

from django.urls import path

from chat.pages import conversations, dashboard, finding, leaving, projects

urlpatterns = [
    path("", dashboard.dashboard, name="dashboard"),
    path("conversations/", conversations.conversations, name="conversations"),
    path("conversations/list/", finding.conversation_list, name="conversation-list"),
    path("find/", finding.find, name="find"),
    path("conversations/<uuid:pk>/", conversations.conversation, name="conversation"),
    path("conversations/<uuid:pk>/before/<uuid:before>/", conversations.earlier_messages, name="earlier-messages"),
    path("conversations/<uuid:pk>/after/<uuid:after>/", conversations.newer_messages, name="newer-messages"),
    path("conversations/<uuid:pk>/download/", conversations.conversation_download, name="conversation-download"),
    path("conversations/<uuid:pk>/rename/", conversations.conversation_rename, name="conversation-rename"),
    path("conversations/<uuid:pk>/context/", conversations.conversation_context, name="conversation-context"),
    path("conversations/<uuid:pk>/delete/", conversations.conversation_delete, name="conversation-delete"),
    path("messages/<uuid:pk>/", conversations.message, name="message"),
    path("account/data/", leaving.leaving, name="leaving"),
    path("account/delete/", leaving.account_delete, name="account-delete"),
    path("account/exports/", leaving.export_request, name="export-request"),
    path("account/exports/progress/", leaving.export_progress, name="export-progress"),
    path("account/exports/<uuid:pk>/", leaving.export_download, name="export-download"),
    path("account/exports/<uuid:pk>/delete/", leaving.export_delete, name="export-delete"),
    path("projects/", projects.projects, name="projects"),
    path("projects/<uuid:pk>/", projects.project, name="project"),
    path("projects/<uuid:pk>/edit/", projects.project_edit, name="project-edit"),
    path("projects/<uuid:pk>/delete/", projects.project_delete, name="project-delete"),
]
