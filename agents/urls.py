"""Pages of agents; included at the root."""

from django.urls import path

from agents import views

urlpatterns = [
    path("agents/", views.agents, name="agents"),
    path("agents/<slug:slug>/", views.agent, name="agent"),
    path("corpora/<uuid:corpus_id>/agents/", views.assign_panel, name="assign-panel"),
    path("corpora/<uuid:corpus_id>/agents/<uuid:agent_id>/", views.assignment, name="assignment"),
    path("documents/<uuid:document_id>/ask/", views.ask_about, name="ask-about"),
]
