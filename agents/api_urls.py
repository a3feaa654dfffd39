"""Paths of the agents API, below /api/."""

from django.urls import path

from agents import api, retrieval_api, tools_api

urlpatterns = [
    path("agents/", api.AgentList.as_view()),
    path("agents/<str:reference>/", api.AgentDetail.as_view()),
    path("agents/<str:reference>/corpora/", api.AgentCorpora.as_view(), name="api-agent-corpora"),
    path("agents/<str:reference>/corpora/<uuid:corpus_id>/", api.AgentCorpus.as_view()),
    path("agents/<str:reference>/retrieve/", retrieval_api.agent_retrieve, name="api-retrieve"),
    path("tools/", tools_api.ToolList.as_view()),
    path("tools/<str:name>/", tools_api.ToolCall.as_view(), name="api-tool"),
]
