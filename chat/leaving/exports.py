"""Taking along what is one's own: asked for here, made by the workers (`workers.exporting`), kept for a few days.

One at a time for each user in an organization; a new one takes the place of the one before.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import get_language

from accounts import audit
from accounts.models import Membership, Organization, User
from chat.models import Export
from chat.signals import export_requested
from config.concurrency.clock import DatabaseNow

LIFETIME = timedelta(days=7)
UNSEEN = timedelta(hours=1)  # more than a deletion takes until everybody sees it, and than clocks differ
FOLDER = "exports"


def request_export(membership: Membership) -> Export:
    """The one that is being made, or a new one; what there was before goes."""
    mine = Export.objects.owned_by(membership)
    try:
        with transaction.atomic():
            export = Export.objects.create(
                organization=membership.organization, owner=membership.user, language=get_language() or ""
            )
            audit.record(membership, "asked for", export)
            transaction.on_commit(lambda: export_requested.send(Export, export_id=export.pk))
    except IntegrityError:
        return mine.get(status__in=(Export.Status.WAITING, Export.Status.RUNNING))
    forget_all(mine.exclude(pk=export.pk))
    return export


def downloadable(membership: Membership) -> QuerySet[Export]:
    done = Export.objects.owned_by(membership).filter(status=Export.Status.DONE)
    return done.filter(expires_at__gt=DatabaseNow()).exclude(file="")


def forget_all(exports: QuerySet[Export]) -> int:
    """Their files first, then the rows; how many. One that is being made finds its row gone, and its file goes too."""
    found = list(exports)
    for export in found:
        delete_files(str(export.pk))
    exports.model.objects.filter(pk__in=[export.pk for export in found]).delete()
    return len(found)


def delete_files(export_id: str) -> None:
    """Also what an attempt that was killed has left."""
    folder = f"{FOLDER}/{export_id}"
    try:
        _folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in files:
        default_storage.delete(f"{folder}/{name}")


def forget_orphans() -> None:
    """Files whose row went while they were written by a process that died."""
    try:
        folders, _files = default_storage.listdir(FOLDER)
    except FileNotFoundError:
        return
    known = {str(pk) for pk in Export.objects.filter(pk__in=folders).values_list("pk", flat=True)}
    for folder in set(folders) - known:
        delete_files(folder)


def withdraw_exports(organization_id: UUID, owner_id: UUID | None, deleted_at: datetime) -> int:
    """Remove what may hold something that was deleted then and is erased now; how many. Without an owner everybody's:
    what is global may stand among the sources of anybody's answers, also where those are gone since.

    The rows stay, to tell their owners. One that is being made begins anew, after the lease of who makes it.
    """
    before = Export.objects.filter(organization_id=organization_id, created_at__lte=deleted_at + UNSEEN)
    mine = before.filter(owner_id=owner_id) if owner_id else before
    begun = mine.filter(status=Export.Status.RUNNING).update(status=Export.Status.WAITING, lease_holder=None)
    ended = list(mine.filter(status=Export.Status.DONE).exclude(file=""))
    for export in ended:
        delete_files(str(export.pk))
    Export.objects.filter(pk__in=[export.pk for export in ended]).update(file="", size=0)
    return begun + len(ended)


def forget_exports_of(user: User) -> int:
    return forget_all(Export.objects.filter(owner_id=user.pk))


def forget_exports_in(organization: Organization) -> int:
    return forget_all(Export.objects.filter(organization=organization))


def forget_expired() -> int:
    return forget_all(Export.objects.filter(expires_at__lte=DatabaseNow()))
