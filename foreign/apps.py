"""The foreign app: tools of other people's servers, lent to agents."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ForeignConfig(AppConfig):
    name = "foreign"
    verbose_name = _("Foreign tools")

    def ready(self) -> None:
        from foreign import checks
        from foreign.models import ToolServer
        from tools.sealing import SEALED_COLUMNS

        SEALED_COLUMNS.append((ToolServer, "sealed_credential"))
        checks.register_server_checks()
