"""Which sizes of chunks a scope has: adaptive retrieval uses a size only where every document was cut to it."""

from django.db.models import Exists, OuterRef

from corpora.models import Chunk, Document
from corpora.scope import Scope

DEFAULT_GRANULARITY = 800  # tokens; what every document has
ADAPTIVE_GRANULARITIES = (256, 512, 1024)  # what those of adaptive agents have besides


def ready(scope: Scope, granularity: int) -> bool:
    """Whether nothing would be missed by searching at this granularity alone. One query."""
    if granularity == DEFAULT_GRANULARITY:
        return True
    cut = Chunk.objects.filter(document=OuterRef("pk"), version=OuterRef("version"), granularity=granularity)
    served = Document.objects.in_scope(scope).filter(version__gt=0, chunk_count__gt=0)
    return not served.exclude(Exists(cut)).order_by().exists()
