"""The embedding spaces as platform operators see them; changed by settings and `manage.py space` alone."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin.rows import label_display
from accounts.admin.scope import SuperuserAdmin
from retrieval.index.base import IndexLocked, IndexUnavailable
from retrieval.models import SpaceState
from retrieval.spaces import registry
from retrieval.spaces.progress import space_progress

COLOURS = {"filling": "warning", "active": "success", "retired": "info"}


@admin.register(SpaceState)
class SpaceStateAdmin(SuperuserAdmin):
    """Read-only, with how full each space is as of now."""

    list_display = ("collection", "shown_state", "filled", "activated_at", "removed_at")
    fields = (
        "collection",
        "model",
        "dimensions",
        "shown_state",
        "filled",
        "has_probe",
        "created_at",
        "activated_at",
        "retired_at",
        "removed_at",
    )
    ordering = ("state", "-created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @label_display(_("state"), COLOURS, ordering="state")
    def shown_state(self, obj: SpaceState) -> tuple[str, str]:
        return obj.state, obj.get_state_display()

    @admin.display(description=_("filled"))
    def filled(self, obj: SpaceState) -> str:
        try:
            found = space_progress(obj)
        except (IndexUnavailable, IndexLocked, ValueError):
            return str(_("unknown: the index does not answer"))
        share = f"{found.share:.0%}"
        return str(_("%(share)s: %(points)s of %(chunks)s chunks")) % {
            "share": share,
            "points": found.points,
            "chunks": found.chunks,
        }

    @admin.display(description=_("model recognised by its probe"), boolean=True)
    def has_probe(self, obj: SpaceState) -> bool:
        return bool(obj.probe)

    @admin.display(description=_("removed after"), empty_value="–")
    def removed_at(self, obj: SpaceState) -> Any:
        return obj.retired_at and obj.retired_at + registry.KEPT
