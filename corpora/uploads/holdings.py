"""What a member and an organization keep here, as the limits count it, whoever reads it. What is in the trash counts:
it takes up room until it is erased, so that restoring it needs none."""

from django.db.models import Count, Q, Sum

from accounts.limits.stock import Held, counter_of
from accounts.models import Membership
from corpora.models import Corpus, Document
from corpora.rows.deletable import is_erasable


@counter_of("documents", "megabytes")
def count_documents(by: Membership) -> dict[str, Held]:
    """A member's are those of their personal corpora, whoever uploaded them, and what they uploaded for everybody: who
    has taken in what another uploaded can delete it, and the other cannot even see it."""
    kept = Document.objects.exclude(is_erasable()).filter(corpus__organization_id=by.organization_id)
    own = Q(corpus__owner=by.user_id) | Q(corpus__owner=None, uploaded_by=by.user_id)
    found = kept.aggregate(
        documents=Count("pk"),
        own_documents=Count("pk", filter=own),
        bytes=Sum("size"),
        own_bytes=Sum("size", filter=own),
    )
    return {
        "documents": Held(found["own_documents"], found["documents"]),
        "megabytes": Held(found["own_bytes"] or 0, found["bytes"] or 0),
    }


@counter_of("corpora")
def count_corpora(by: Membership) -> dict[str, Held]:
    """A member's are the personal ones."""
    kept = Corpus.objects.exclude(is_erasable()).filter(organization_id=by.organization_id)
    return {"corpora": Held(kept.filter(owner=by.user_id).count(), kept.count())}
