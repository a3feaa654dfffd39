"""The tools app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ToolsConfig(AppConfig):
    name = "tools"
    verbose_name = _("Data")

    def ready(self) -> None:
        from tools import checks, sealing
        from tools.models import DataSource

        sealing.SEALED_COLUMNS.append((DataSource, "sealed_credentials"))
        checks.register_source_checks()
