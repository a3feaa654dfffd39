"""The corpora app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CorporaConfig(AppConfig):
    name = "corpora"
    verbose_name = _("Knowledge")

    def ready(self) -> None:
        from corpora.uploads import holdings

        assert holdings  # the limits learn how to count
