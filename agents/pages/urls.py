"""Pages of agents; included at the root."""

from django.urls import path

from agents.pages import agents

urlpatterns = [
    path("agents/", agents.agents, name="agents"),
    path("agents/<slug:slug>/", agents.agent, name="agent"),
    path("corpora/<uuid:corpus_id>/agents/", agents.assign_panel, name="assign-panel"),
    path("corpora/<uuid:corpus_id>/agents/<uuid:agent_id>/", agents.assignment, name="assignment"),
    path("documents/<uuid:document_id>/ask/", agents.ask_about, name="ask-about"),
]
