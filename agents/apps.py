"""The agents app."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"
