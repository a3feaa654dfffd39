"""The corpora app."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _


class CorporaConfig(AppConfig):
    name = "corpora"
    verbose_name = _("Knowledge")

    def ready(self) -> None:
        from corpora.rows.counting.triggers import keep_triggers, lift_triggers
        from corpora.uploads import holdings

        pre_migrate.connect(lift_triggers, sender=self)
        post_migrate.connect(keep_triggers, sender=self)
        assert holdings  # the limits learn how to count
