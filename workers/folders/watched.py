"""The watched folder: each subfolder of INGEST_DIR is a global corpus (SPEC §3; book-tutor.es.md, "Auto-ingesta").

A subfolder that is gone takes its corpus into the trash, and brings it back when it returns. What this installation has
seen in a folder is remembered as claims, so that nothing goes with a folder that was only named anew in the settings,
nor with one that is not mounted: a folder that is missing or has no subfolder is left alone.
"""

import logging
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.utils.translation import override

from accounts.models import Membership, MembershipQuerySet, Organization
from accounts.problems import Problem
from config.faults import describe_error
from corpora import removal
from corpora.models import Corpus, Document
from workers.folders import courses, sync
from workers.folders.refusals import forget_refused, tell_refused
from workers.models import Claim
from workers.queue.exclusive import exclusively

logger = logging.getLogger(__name__)


def synchronize_all() -> int:
    """Bring every subfolder's corpus in step; returns how many were visited."""
    root = Path(settings.INGEST_DIR) if settings.INGEST_DIR else None
    admin = admin_in_charge() if root else None
    if root is None or admin is None:
        return 0
    if not (subjects := subjects_in(root)):
        logger.warning("INGEST_DIR is missing or has no folder in it: nothing is taken in, and nothing removed")
        return 0
    titles = courses.titles_of([subject.name for subject in subjects])
    visited = sum(visit(subject, titles[subject.name], admin) for subject in subjects)
    remove_gone_folders(root, admin)
    return visited


def subjects_in(root: Path) -> list[Path]:
    """Its subfolders; none of a folder that is not there, or cannot be read."""
    try:
        return sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError:
        return []


def visit(subject: Path, title: str, admin: Membership) -> bool:
    """Bring one subfolder's corpus in step; False while another visit is at it. Its claim also keeps two first visits
    from making two corpora of one name."""
    with exclusively(claim_of(subject, admin)) as alone:
        if alone:
            try:
                corpus, is_new = corpus_of(subject, title, admin)
                if is_new:
                    if courses.is_course_folder(subject):
                        courses.mark_course(corpus)
                    courses.ensure_agent(corpus, admin)
                synchronize_subfolder(subject, corpus, admin)
            except Exception as error:  # one folder must not keep the others from being looked at
                logger.error("a folder could not be synchronised: %s", describe_error(error))
        return alone


def claim_of(subject: Path, admin: Membership) -> str:
    return f"folder:{admin.organization_id}:{sha256(subject.name.encode()).hexdigest()}"


def corpus_of(subject: Path, title: str, admin: Membership) -> tuple[Corpus, bool]:
    """The subfolder's corpus, and whether this is the first that is seen of it. One that went with its folder comes
    back out of the trash."""
    shared = Corpus.objects.of_organization(admin).shared()
    corpus = shared.filter(name=subject.name).first() or shared.filter(name=title).first()
    if corpus is None and not Claim.objects.filter(name=folder_mark(subject.parent, title, admin)).exists():
        corpus = restored_corpus(title, admin)
    corpus = corpus or shared_corpus(title, admin)
    _claim, is_new = Claim.objects.get_or_create(name=folder_mark(subject.parent, corpus.name, admin))
    return corpus, is_new


def restored_corpus(name: str, admin: Membership) -> Corpus | None:
    corpus = Corpus.objects.in_trash_of(admin).shared().filter(name=name).order_by("-deleted_at").first()
    if corpus is None:
        return None
    try:
        removal.restore_corpus(corpus, admin)
    except Problem:  # erased at this moment
        return None
    return Corpus.objects.of_organization(admin).filter(pk=corpus.pk).first()


def folder_mark(root: Path, name: str, admin: Membership) -> str:
    """Remembers that the watched folder at this place keeps the corpus of this name."""
    place = sha256(f"{root.resolve()}\0{name}".encode()).hexdigest()
    return f"watched:{admin.organization_id}:{place}"


def remove_gone_folders(root: Path, admin: Membership) -> None:
    """Let the corpora go of which the folder is gone while others are there."""
    here = subjects_in(root)
    titles = courses.titles_of([subject.name for subject in here])
    kept = {*titles, *titles.values()}
    for corpus in Corpus.objects.of_organization(admin).shared().exclude(name__in=kept) if here else ():
        mark = Claim.objects.filter(name=folder_mark(root, corpus.name, admin))
        if mark.exists():
            remove_folder_of(corpus, admin)
            forget_refused(corpus)
            mark.delete()


def remove_folder_of(corpus: Corpus, admin: Membership) -> None:
    """Into the trash; where the corpus also holds what came otherwise, only what came from the folder."""
    alive = corpus.documents.alive()
    if not alive.filter(source_path="").exists():
        removal.remove_corpus(corpus, admin)
        logger.warning("the folder of corpus %s is gone: the corpus lies in the trash", corpus.pk)
        return
    for document in alive.exclude(source_path=""):
        removal.remove_document(document, admin)
        Document.objects.filter(pk=document.pk).update(source_path="")
    logger.warning("the folder of corpus %s is gone: what came from it lies in the trash", corpus.pk)


def shared_corpus(name: str, admin: Membership) -> Corpus:
    """The organization's global corpus of this name, made when it does not exist."""
    known = Corpus.objects.of_organization(admin).shared().filter(name=name).first()
    return known or Corpus.objects.create(organization=admin.organization, corpus_type=Corpus.Type.GLOBAL, name=name)


def synchronize_subfolder(subject: Path, corpus: Corpus, admin: Membership) -> None:
    with override("en"):  # as everything in the log
        outcome = sync.synchronize_folder(subject, corpus, admin, delete=True)
    tell_refused(subject, corpus, outcome.refused)


def admin_in_charge() -> Membership | None:
    """The oldest admin of INGEST_ORGANIZATION, or of the only organization that has one: what a measurement makes for
    its documents has none. Without one the log says why."""
    if fault := nobody_in_charge():
        logger.error("nothing of INGEST_DIR is taken in: %s. %s", *fault)
        return None
    return admins_to_ask().select_related("user", "organization").first()


def admins_to_ask() -> MembershipQuerySet:
    admins = Membership.objects.active().filter(role=Membership.Role.ADMIN)
    slug = settings.INGEST_ORGANIZATION
    return admins.filter(organization__slug=slug) if slug else admins


def nobody_in_charge() -> tuple[str, str] | None:
    """Why INGEST_ORGANIZATION names no organization, or not one of several, and what to do; None where it does."""
    count = len(admins_to_ask().order_by().values_list("organization", flat=True).distinct()[:2])
    slug = settings.INGEST_ORGANIZATION
    if count == 1:
        return None
    if slug and not Organization.objects.filter(slug=slug).exists():
        said = f"INGEST_ORGANIZATION is {slug!r}, and there is no organization of this slug"
        return said, "Set it to one that there is (`manage.py doctor` names them), or make it: manage.py organization."
    if slug:
        said = f"the organization {slug!r}, which INGEST_ORGANIZATION names, has no active admin"
        return said, "Make one of its members an admin: files are taken in in an admin's name."
    if count:
        said = "INGEST_ORGANIZATION is not set, and there are several organizations"
        return said, "Set it to the slug of one (`manage.py doctor` names them)."
    return "no organization has an admin", "Make one: manage.py organization NAME --admin EMAIL."
