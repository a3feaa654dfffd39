"""The embedding spaces as platform operators see them; changed by settings and `manage.py space` alone."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin.rows import label_display, related_text
from accounts.admin.scope import SuperuserAdmin
from retrieval.index.base import IndexLocked, IndexUnavailable
from retrieval.models import SpaceState
from retrieval.spaces import registry
from retrieval.spaces.progress import space_progress

COLOURS = {"filling": "warning", "active": "success", "retired": "info"}


@admin.register(SpaceState)
class SpaceStateAdmin(SuperuserAdmin):
    """Read-only, with how full each space is as of now."""

    list_display = ("named_by", "size", "shown_state", "serves", "filled", "next_step", "removed_at")
    fields = (
        "named_by",
        "size",
        "shown_state",
        "serves",
        "filled",
        "next_step",
        "directory",
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

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        names = list(self.fields or ())
        names.remove("directory")
        return [
            (None, {"fields": names}),
            (_("Technical details"), {"classes": ("collapse",), "fields": ["directory"]}),
        ]

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        """Without the collection's name as its heading."""
        named = {"title": _("Embedding space"), "subtitle": None}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **named})

    named_by = related_text("model", _("model"))
    directory = related_text("collection", _("collection"))

    @admin.display(description=_("dimensions"), ordering="dimensions")
    def size(self, obj: SpaceState) -> int:
        return obj.dimensions

    @admin.display(description=_("answers questions"), boolean=True)
    def serves(self, obj: SpaceState) -> bool:
        return obj.state == SpaceState.State.ACTIVE

    @admin.display(description=_("what you can do"))
    def next_step(self, obj: SpaceState) -> str:
        """Spaces are changed by commands, whoever runs the installation; each with its very words."""
        steps = {
            SpaceState.State.FILLING: _(
                "It switches by itself when full; “space switch” does so now, “space retire” ends it."
            ),
            SpaceState.State.ACTIVE: _(
                "Nothing: it is the one in use. Another model in the settings starts a new one."
            ),
            SpaceState.State.RETIRED: _("“space switch %(name)s” goes back to it while it is kept."),
        }
        return str(steps[SpaceState.State(obj.state)]) % {"name": obj.collection}

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
