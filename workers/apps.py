"""The workers app."""

from django.apps import AppConfig


class WorkersConfig(AppConfig):
    name = "workers"
