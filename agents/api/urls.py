"""Paths of the agents API, below /api/."""

from django.urls import path

from agents.api import agents, data_sources, retrieval, tools

urlpatterns = [
    path("agents/", agents.AgentList.as_view()),
    path("agents/<str:reference>/", agents.AgentDetail.as_view()),
    path("agents/<str:reference>/corpora/", agents.AgentCorpora.as_view(), name="api-agent-corpora"),
    path("agents/<str:reference>/corpora/<uuid:corpus_id>/", agents.AgentCorpus.as_view()),
    path("agents/<str:reference>/data-sources/", data_sources.AgentSources.as_view()),
    path("agents/<str:reference>/data-sources/<uuid:source_id>/", data_sources.AgentSource.as_view()),
    path("agents/<str:reference>/retrieve/", retrieval.agent_retrieve, name="api-retrieve"),
    path("tools/", tools.ToolList.as_view()),
    path("tools/<str:name>/", tools.ToolUse.as_view(), name="api-tool"),
]
