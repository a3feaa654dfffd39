"""Pages of conversations and projects, and the front page; included at the root."""

from django.urls import path

from chat.pages import asking, conversations, dashboard, data, finding, follow_ups, leaving, projects, tables, usage
from chat.pages.courses import study

urlpatterns = [
    path("", dashboard.dashboard, name="dashboard"),
    path("conversations/", conversations.conversations, name="conversations"),
    path("conversations/list/", finding.conversation_list, name="conversation-list"),
    path("agents/<slug:slug>/ask/", asking.ask_by_form, name="ask-by-form"),
    path("agents/<slug:slug>/data/", data.agent_data, name="agent-data"),
    path("agents/<slug:slug>/documents/", conversations.agent_documents, name="agent-documents"),
    path("find/", finding.find, name="find"),
    path("conversations/<uuid:pk>/", conversations.conversation, name="conversation"),
    path("conversations/<uuid:pk>/before/<uuid:before>/", conversations.earlier_messages, name="earlier-messages"),
    path("conversations/<uuid:pk>/after/<uuid:after>/", conversations.newer_messages, name="newer-messages"),
    path("conversations/<uuid:pk>/download/", conversations.conversation_download, name="conversation-download"),
    path("conversations/<uuid:pk>/rename/", conversations.conversation_rename, name="conversation-rename"),
    path("conversations/<uuid:pk>/context/", conversations.conversation_context, name="conversation-context"),
    path("conversations/<uuid:pk>/documents/", conversations.conversation_documents, name="conversation-documents"),
    path("conversations/<uuid:pk>/pin/", conversations.conversation_pin, name="conversation-pin"),
    path("conversations/<uuid:pk>/versions/<uuid:question>/", conversations.version_show, name="version-show"),
    path("conversations/<uuid:pk>/delete/", conversations.conversation_delete, name="conversation-delete"),
    path("messages/<uuid:pk>/", conversations.message, name="message"),
    path("messages/<uuid:pk>/tables/<int:n>/", tables.answer_table, name="answer-table"),
    path("messages/<uuid:pk>/follow-ups/", follow_ups.follow_ups, name="follow-ups"),
    path("courses/<uuid:pk>/", study.course, name="course"),
    path("courses/<uuid:pk>/<uuid:document_id>/", study.course_unit, name="course-unit"),
    path("courses/<uuid:pk>/<uuid:document_id>/read/", study.unit_read, name="unit-read"),
    path("account/usage/", usage.my_usage, name="my-usage"),
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
