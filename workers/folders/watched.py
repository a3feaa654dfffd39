"""The watched folder: each subfolder of INGEST_DIR is a global corpus (SPEC §3; book-tutor.es.md, "Auto-ingesta")."""

import logging
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from accounts.models import Membership
from config.faults import describe_error
from corpora.models import Corpus
from workers.folders import sync
from workers.queue.exclusive import exclusively

logger = logging.getLogger(__name__)


def synchronize_all() -> int:
    """Bring every subfolder's corpus in step; returns how many were visited."""
    root = Path(settings.INGEST_DIR) if settings.INGEST_DIR else None
    admin = admin_in_charge() if root and root.is_dir() else None
    if root is None or admin is None:
        return 0
    subjects = sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))
    return sum(visit(subject, admin) for subject in subjects)


def visit(subject: Path, admin: Membership) -> bool:
    """Bring one subfolder's corpus in step; False while another visit is at it. Its claim also keeps two first visits
    from making two corpora of one name."""
    with exclusively(claim_of(subject, admin)) as alone:
        if alone:
            try:
                synchronize_subfolder(subject, shared_corpus(subject.name, admin), admin)
            except Exception as error:  # one folder must not keep the others from being looked at
                logger.error("a folder could not be synchronised: %s", describe_error(error))
        return alone


def claim_of(subject: Path, admin: Membership) -> str:
    return f"folder:{admin.organization_id}:{sha256(subject.name.encode()).hexdigest()}"


def shared_corpus(name: str, admin: Membership) -> Corpus:
    """The organization's global corpus of this name, made when it does not exist."""
    known = Corpus.objects.of_organization(admin).shared().filter(name=name).first()
    return known or Corpus.objects.create(organization=admin.organization, corpus_type=Corpus.Type.GLOBAL, name=name)


def synchronize_subfolder(subject: Path, corpus: Corpus, admin: Membership) -> None:
    outcome = sync.synchronize_folder(subject, corpus, admin, delete=True)
    if outcome.refused:
        logger.warning("corpus %s: %s files of its folder were refused", corpus.pk, len(outcome.refused))


def admin_in_charge() -> Membership | None:
    """The oldest admin of INGEST_ORGANIZATION, or of the only organization that has one: what a measurement makes for
    its documents has none."""
    admins = Membership.objects.active().filter(role=Membership.Role.ADMIN)
    if settings.INGEST_ORGANIZATION:
        admins = admins.filter(organization__slug=settings.INGEST_ORGANIZATION)
    organizations = admins.order_by().values_list("organization", flat=True).distinct()
    if len(organizations[:2]) != 1:
        logger.error("INGEST_DIR is set, but INGEST_ORGANIZATION does not name one organization that has an admin")
        return None
    return admins.select_related("user", "organization").first()
