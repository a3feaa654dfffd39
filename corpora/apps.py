"""The corpora app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CorporaConfig(AppConfig):
    name = "corpora"
    verbose_name = _("Knowledge")
