"""Who may see and change which corpora, as conditions. Views never look a row up by bare id (DESIGN.md)."""

from django.db.models import Q

from accounts.models import Membership
from corpora.scope import Scope


def readable(membership: Membership, prefix: str = "") -> Q:
    """Corpora of the caller's organization that are the caller's own or global."""
    organization = Q(**{f"{prefix}organization_id": membership.organization_id})
    shared = Q(**{f"{prefix}corpus_type": "global"})
    own = Q(**{f"{prefix}corpus_type": "personal", f"{prefix}owner_id": membership.user_id})
    return organization & (shared | own) & Q(**{f"{prefix}deleted_at": None})


def writable(membership: Membership, prefix: str = "") -> Q:
    """The caller's own corpora; for admins the global ones too."""
    return readable(membership, prefix) & _kept_by(membership, prefix)


def trashed(membership: Membership, prefix: str = "") -> Q:
    """As `writable`, whether the corpus is deleted or not: whose trash it is in."""
    organization = Q(**{f"{prefix}organization_id": membership.organization_id})
    return organization & _kept_by(membership, prefix)


def _kept_by(membership: Membership, prefix: str) -> Q:
    own = Q(**{f"{prefix}corpus_type": "personal", f"{prefix}owner_id": membership.user_id})
    return own | Q(**{f"{prefix}corpus_type": "global"}) if membership.is_admin else own


def in_scope(scope: Scope, prefix: str = "") -> Q:
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
