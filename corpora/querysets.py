"""Which rows one may read or change. Views never look a row up by bare id (DESIGN.md)."""

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Q

from accounts.models import Membership
from corpora.scope import Scope

if TYPE_CHECKING:
    from corpora.models import Chunk, Corpus, Document


def _readable(membership: Membership, prefix: str = "") -> Q:
    """Corpora of the caller's organization that are the caller's own or global."""
    organization = Q(**{f"{prefix}organization_id": membership.organization_id})
    shared = Q(**{f"{prefix}corpus_type": "global"})
    own = Q(**{f"{prefix}corpus_type": "personal", f"{prefix}owner_id": membership.user_id})
    return organization & (shared | own) & Q(**{f"{prefix}deleted_at": None})


def _writable(membership: Membership, prefix: str = "") -> Q:
    """The caller's own corpora; for admins the global ones too."""
    own = Q(**{f"{prefix}corpus_type": "personal", f"{prefix}owner_id": membership.user_id})
    allowed = own | Q(**{f"{prefix}corpus_type": "global"}) if membership.is_admin else own
    return _readable(membership, prefix) & allowed


def _in_scope(scope: Scope, prefix: str = "") -> Q:
    """Exactly the scope's corpora, checked again against organization, owner and state (SPEC §2.3)."""
    shared = Q(**{f"{prefix}corpus_type": "global", f"{prefix}id__in": scope.global_ids})
    own = Q(
        **{
            f"{prefix}corpus_type": "personal",
            f"{prefix}id__in": scope.personal_ids,
            f"{prefix}owner_id": scope.user_id,
        }
    )
    state = {f"{prefix}organization_id": scope.organization_id, f"{prefix}is_active": True, f"{prefix}deleted_at": None}
    return Q(**state) & (shared | own)


class CorpusQuerySet(models.QuerySet["Corpus"]):
    def readable_by(self, membership: Membership) -> Self:
        return self.filter(_readable(membership))

    def writable_by(self, membership: Membership) -> Self:
        return self.filter(_writable(membership))

    def of_organization(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id, deleted_at=None)

    def shared(self) -> Self:
        return self.filter(corpus_type="global")

    def personal(self) -> Self:
        return self.filter(corpus_type="personal")

    def with_counts(self) -> Self:
        """Adds `document_count` and `chunk_count` of what is not deleted."""
        alive = Q(documents__deleted_at=None)
        return self.annotate(
            document_count=models.Count("documents", filter=alive),
            chunk_count=models.functions.Coalesce(models.Sum("documents__chunk_count", filter=alive), 0),
        )


class DocumentQuerySet(models.QuerySet["Document"]):
    def alive(self) -> Self:
        return self.filter(deleted_at=None)

    def readable_by(self, membership: Membership) -> Self:
        return self.alive().filter(_readable(membership, "corpus__"))

    def writable_by(self, membership: Membership) -> Self:
        return self.alive().filter(_writable(membership, "corpus__"))

    def in_scope(self, scope: Scope) -> Self:
        return self.alive().filter(_in_scope(scope, "corpus__"))


class ChunkQuerySet(models.QuerySet["Chunk"]):
    def served(self) -> Self:
        """Chunks of the version that readers see, of documents that are not deleted."""
        return self.filter(document__deleted_at=None, version=models.F("document__version"))

    def readable_by(self, membership: Membership) -> Self:
        return self.served().filter(_readable(membership, "document__corpus__"))

    def in_scope(self, scope: Scope) -> Self:
        """What retrieval may show: served chunks of exactly the scope's corpora."""
        return self.served().filter(_in_scope(scope, "document__corpus__"))
