"""Scopes that no member asks for: what measuring reads, in nobody's name. What a member reads: `Agent.scope_for`."""

from uuid import UUID

from corpora.models import Corpus
from corpora.scope import Scope

NOBODY = UUID(int=0)  # whose personal tier is empty


def scope_of_corpus(corpus: Corpus) -> Scope:
    """One corpus alone, in its owner's name if it has one."""
    own, none = frozenset([corpus.pk]), frozenset[UUID]()
    if corpus.is_personal:
        return Scope(corpus.organization_id, corpus.owner_id or NOBODY, none, own)
    return Scope(corpus.organization_id, NOBODY, own)


def shared_scope(organization: UUID, corpus: UUID | None = None) -> Scope:
    """The organization's global corpora that are active now, or one of them: what members keep is not measured."""
    shared = Corpus.objects.shared().filter(organization_id=organization, is_active=True, deleted_at=None)
    if corpus:
        shared = shared.filter(pk=corpus)
    return Scope(organization, NOBODY, frozenset(shared.values_list("pk", flat=True)))
