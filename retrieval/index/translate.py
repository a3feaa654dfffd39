"""From Acervo's filter and values to an engine's: qdrant_edge and qdrant_client name these classes alike."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from retrieval.filters import PAYLOAD_METADATA, Between, Condition, SearchFilter
from retrieval.index.base import DENSE, OWNER_KEYS, SPARSE, Hit, Point, PointOwner, SparseVector


def engine_filter(where: SearchFilter, models: Any) -> Any:
    """`where` as `models.Filter`; `models` is `qdrant_edge` or `qdrant_client.models`.

    Its points are also the population over which the engine counts document frequencies (IDF): a passage that
    the searcher may not read never shifts his ranking, nor tells him by a score what others have uploaded.

    Written as cheaply as it can be said, since an engine asks every condition of every point: a single branch joins
    the conditions that must hold, a single value is compared instead of looked up in a set. At 43,000 points in one
    corpus, both legs on Edge: 9.0 ms instead of 11.7.
    """
    must, branches = where.must, where.should
    if len(branches) == 1:
        must, branches = must + branches[0], ()
    return models.Filter(
        must=[_field(condition, models) for condition in must],
        should=[engine_conditions(branch, models) for branch in branches] or None,
    )


def engine_conditions(conditions: Iterable[Condition | Between], models: Any) -> Any:
    """All of these must hold."""
    return models.Filter(must=[_field(condition, models) for condition in conditions])


def _field(condition: Condition | Between, models: Any) -> Any:
    if isinstance(condition, Between):
        return _span(condition, models)
    if len(condition.any_of) == 1:
        return models.FieldCondition(key=condition.key, match=models.MatchValue(value=condition.any_of[0]))
    return models.FieldCondition(key=condition.key, match=models.MatchAny(any=list(condition.any_of)))


def _span(condition: Between, models: Any) -> Any:
    bounds = getattr(models, "RangeFloat", None) or models.Range  # Edge's name, the client's
    spans = [
        models.FieldCondition(key=condition.key, range=bounds(gte=first, lte=last)) for first, last in condition.any_of
    ]
    return spans[0] if len(spans) == 1 else models.Filter(should=spans)


def document_filter(document_id: UUID, models: Any, keep_version: int | None = None) -> Any:
    """A document's points, without those of `keep_version`."""
    spared = (
        None
        if keep_version is None
        else [models.FieldCondition(key="version", match=models.MatchValue(value=keep_version))]
    )
    return models.Filter(must=[_field(Condition("document_id", (str(document_id),)), models)], must_not=spared)


def corpus_filter(corpus_id: UUID, models: Any) -> Any:
    """Every point of a corpus."""
    return models.Filter(must=[_field(Condition("corpus_id", (str(corpus_id),)), models)])


def engine_sparse(vector: SparseVector, models: Any) -> Any:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def engine_vectors(point: Point, models: Any, decimals: int | None = None) -> dict[str, Any]:
    """The named vectors of a point; without terms it has no sparse one. `decimals`: what is written of each value."""
    dense = point.dense if decimals is None else point.dense.astype("float64").round(decimals)
    vectors: dict[str, Any] = {DENSE: dense.tolist()}
    if point.sparse:
        vectors[SPARSE] = engine_sparse(point.sparse, models)
    return vectors


def metadata_changes(metadata: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """(what to set, which keys to remove) so that the metadata becomes exactly `metadata`."""
    unknown = set(metadata) - set(PAYLOAD_METADATA)
    if unknown:
        raise ValueError(f"not metadata: {', '.join(sorted(unknown))}")
    present = {key: value for key, value in metadata.items() if value not in (None, "", [], ())}
    return present, [key for key in PAYLOAD_METADATA if key not in present]


def hits(scored: Iterable[Any]) -> tuple[Hit, ...]:
    """Scored points of Qdrant, on a server or on Edge, best first."""
    return best_first(Hit(_uuid(point.id), float(point.score)) for point in scored)


def best_first(found: Iterable[Hit]) -> tuple[Hit, ...]:
    """Ties by id, so that all engines agree."""
    return tuple(sorted(found, key=lambda hit: (-hit.score, hit.id)))


def _uuid(id: Any) -> UUID:
    """Edge has UUIDs, the client strings."""
    return id if isinstance(id, UUID) else UUID(str(id))


def owner(record: Any) -> PointOwner:
    """Whose a scrolled record says that it is."""
    document, *place = ((record.payload or {}).get(key) or "" for key in OWNER_KEYS)
    return PointOwner(_uuid(record.id), UUID(document) if document else UUID(int=0), *place)
