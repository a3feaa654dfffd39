"""The watched folder: each subfolder of INGEST_DIR is a global corpus (SPEC §3; book-tutor.es.md, "Auto-ingesta")."""

import logging
from pathlib import Path

from django.conf import settings

from accounts.models import Membership, Organization
from corpora.models import Corpus
from workers.folders import sync

logger = logging.getLogger(__name__)


def synchronize_all() -> int:
    """Bring every subfolder's corpus in step; returns how many were looked at."""
    root = Path(settings.INGEST_DIR) if settings.INGEST_DIR else None
    admin = admin_in_charge() if root and root.is_dir() else None
    if root is None or admin is None:
        return 0
    subjects = sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))
    for subject in subjects:
        corpus = shared_corpus(subject.name, admin)
        try:
            synchronize(subject, corpus, admin)
        except Exception:  # one folder must not keep the others from being looked at
            logger.exception("the folder of corpus %s could not be synchronised", corpus.pk)
    return len(subjects)


def shared_corpus(name: str, admin: Membership) -> Corpus:
    """The organization's global corpus of this name, made when it does not exist."""
    known = Corpus.objects.of_organization(admin).shared().filter(name=name).first()
    return known or Corpus.objects.create(organization=admin.organization, corpus_type=Corpus.Type.GLOBAL, name=name)


def synchronize(subject: Path, corpus: Corpus, admin: Membership) -> None:
    outcome = sync.synchronize(subject, corpus, admin, delete=True)
    if outcome.refused:
        logger.warning("corpus %s: %s files of its folder were refused", corpus.pk, len(outcome.refused))


def admin_in_charge() -> Membership | None:
    """The oldest admin of INGEST_ORGANIZATION, or of the only organization there is."""
    organizations = Organization.objects.all()
    if settings.INGEST_ORGANIZATION:
        organizations = organizations.filter(slug=settings.INGEST_ORGANIZATION)
    if organizations.count() != 1:
        logger.error("INGEST_DIR is set, but INGEST_ORGANIZATION does not name one organization")
        return None
    admins = Membership.objects.active().filter(organization=organizations.get(), role=Membership.Role.ADMIN)
    return admins.select_related("user", "organization").first()
