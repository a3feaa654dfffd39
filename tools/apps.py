"""The tools app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ToolsConfig(AppConfig):
    name = "tools"
    verbose_name = _("Data sources")

    def ready(self) -> None:
        from tools import checks

        checks.register_source_checks()
