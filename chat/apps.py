"""The chat app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ChatConfig(AppConfig):
    name = "chat"
    verbose_name = _("Operations")

    def ready(self) -> None:
        from chat import holdings, retrievals
        from chat.citing.rows import connect_sources

        assert holdings  # the limits learn how to count
        retrievals.connect_searches()
        connect_sources()
