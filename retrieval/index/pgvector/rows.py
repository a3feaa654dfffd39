"""Points as rows, in the binary form of COPY: numpy lays out a whole batch at once."""

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.filters import DATE_KEY
from retrieval.index.base import Point
from retrieval.index.pgvector.conditions import SLICE_KEYS, document_of, labels_of
from retrieval.index.pgvector.kept import tell_changes
from retrieval.index.pgvector.tables import CollectionTables

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from psycopg import Connection

Slice = tuple[str, ...]  # the values of SLICE_KEYS

BATCH_POSTINGS = 40_000  # of one transaction, in which whoever writes the same points waits
# Two that write one document's points stand in line: neither sees what the other is about to write.
_IN_LINE = "SELECT pg_advisory_xact_lock(hashtextextended(%s || document, 0)) FROM unnest(%s::text[]) AS document"
# Of the column's own sequence; COPY takes what it is given.
_NEW = "SELECT nextval(pg_get_serial_sequence(%s, 'no')) FROM generate_series(1, %s)"
_HEADER, _TRAILER = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0), struct.pack("!h", -1)
_TEXT = 25  # PostgreSQL's own number of the type
_POSTING = np.dtype(
    [
        ("fields", ">i2"), ("slice_bytes", ">i4"), ("slice", ">i4"), ("term_bytes", ">i4"), ("term", ">i4"),
        ("chunk_bytes", ">i4"), ("chunk", ">i8"), ("weight_bytes", ">i4"), ("weight", ">f4"),
    ]
)  # fmt: skip


def write_points(connection: "Connection", tables: CollectionTables, points: Sequence[Point]) -> None:
    """Write or replace them in one transaction; ids are distinct."""
    with connection.transaction():
        connection.execute(_IN_LINE, (tables.schema, sorted({str(document_of(one.payload)) for one in points})))
        slices = _numbered_slices(connection, tables, {point_slice(point) for point in points})
        gone = _deleted(connection, tables, "id = ANY(%s)", [point.id for point in points])
        numbers = _numbers_of(connection, tables, len(points))
        placed = [(no, slices[point_slice(point)], point) for no, point in zip(numbers, points, strict=True)]
        _copy(connection, tables, "COPY {chunks} FROM STDIN (FORMAT binary)", _chunk_rows(placed))
        _copy(connection, tables, "COPY {vectors} FROM STDIN (FORMAT binary)", _vector_rows(placed))
        _copy(connection, tables, "COPY {postings} FROM STDIN (FORMAT binary)", _posting_rows(placed))
        tell_changes(connection, tables, gone, [(no, *_terms_of(point)) for _chunk, no, point in placed])


def delete_chunks(connection: "Connection", tables: CollectionTables, condition: str, *values: Any) -> None:
    """The chunks that a condition of ours names, with their vectors and postings; in one transaction."""
    with connection.transaction():
        if gone := _deleted(connection, tables, condition, *values):
            tell_changes(connection, tables, gone)


def _deleted(connection: "Connection", tables: CollectionTables, condition: str, *values: Any) -> dict[int, int]:
    """The numbers of chunks that are deleted with their vectors, each with its slice; their postings are left.

    Mostly there are none, for what is written is new: then the large tables are not asked, of which a planner that has
    not counted them yet would read every row.
    """
    text = "DELETE FROM {chunks} WHERE {condition} RETURNING no, slice"
    statement = tables.statement(text, condition=tables.statement(condition))
    gone: dict[int, int] = dict(connection.execute(statement, values).fetchall())
    if gone:
        connection.execute(tables.statement("DELETE FROM {vectors} WHERE chunk = ANY(%s)"), [list(gone)])
    return gone


def batches_of_postings(points: Iterable[Point]) -> Iterator[list[Point]]:
    """In order, each of about BATCH_POSTINGS terms and vectors' halves of a kilobyte; never empty."""
    batch: list[Point] = []
    size = 0
    for point in points:
        batch.append(point)
        size += len(point.sparse.indices) + len(point.dense) // 16
        if size >= BATCH_POSTINGS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def point_slice(point: Point) -> Slice:
    return tuple(str(point.payload.get(key) or "") for key in SLICE_KEYS)


def _numbered_slices(connection: "Connection", tables: CollectionTables, wanted: set[Slice]) -> dict[Slice, int]:
    """Their numbers; new ones are made. They are kept from being tidied away until the transaction ends."""
    columns = [list(column) for column in zip(*sorted(wanted), strict=True)]
    asked = "unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[]) AS asked ("
    asked += ", ".join(SLICE_KEYS) + ")"
    known = tables.statement(
        f"SELECT s.no, {', '.join('s.' + key for key in SLICE_KEYS)} FROM {{slices}} s "  # noqa: S608 - names of ours
        f"JOIN {asked} USING ({', '.join(SLICE_KEYS)}) ORDER BY s.no FOR KEY SHARE OF s"
    )
    found = {tuple(values): no for no, *values in connection.execute(known, columns)}
    if len(found) < len(wanted):
        new = tables.statement(
            f"INSERT INTO {{slices}} ({', '.join(SLICE_KEYS)}) SELECT * FROM {asked} ON CONFLICT DO NOTHING"  # noqa: S608
        )
        connection.execute(new, [list(column) for column in zip(*sorted(wanted - set(found)), strict=True)])
        found = {tuple(values): no for no, *values in connection.execute(known, columns)}
    return found


def _numbers_of(connection: "Connection", tables: CollectionTables, amount: int) -> list[int]:
    """Of new chunks."""
    return [number for (number,) in connection.execute(_NEW, (tables.chunks.as_string(connection), amount)).fetchall()]


def _copy(connection: "Connection", tables: CollectionTables, text: str, rows: Iterable[bytes]) -> None:
    with connection.cursor().copy(tables.statement(text)) as copy:
        copy.write(_HEADER)
        for row in rows:
            copy.write(row)
        copy.write(_TRAILER)


def _chunk_rows(placed: Iterable[tuple[int, int, Point]]) -> Iterator[bytes]:
    for chunk, number, point in placed:
        document, version = document_of(point.payload), int(point.payload.get("version") or 0)
        yield struct.pack("!hiqi16sii", 7, 8, chunk, 16, point.id.bytes, 4, number)
        yield struct.pack("!i16sii", 16, document.bytes, 4, version)
        date = point.payload.get(DATE_KEY)
        yield struct.pack("!i", -1) if date is None else struct.pack("!ii", 4, date)
        labels = _texts(labels_of(point.payload))
        yield struct.pack("!i", len(labels)) + labels


def _texts(values: Sequence[str]) -> bytes:
    """A text[]: its dimensions, no nulls, the type of its items; the first item is number 1."""
    items = [value.encode() for value in values]
    head = struct.pack("!iiiii", 1, 0, _TEXT, len(items), 1) if items else struct.pack("!iii", 0, 0, _TEXT)
    return head + b"".join(struct.pack("!i", len(item)) + item for item in items)


def _vector_rows(placed: Iterable[tuple[int, int, Point]]) -> Iterator[bytes]:
    for chunk, number, point in placed:
        organization = point_slice(point)[0].encode()
        dense = half_vector(point.dense)
        yield struct.pack("!hiqiii", 4, 8, chunk, 4, number, len(organization)) + organization
        yield struct.pack("!i", len(dense)) + dense


def _posting_rows(placed: Iterable[tuple[int, int, Point]]) -> Iterator[bytes]:
    for chunk, number, point in placed:
        rows = np.zeros(len(point.sparse.indices), _POSTING)
        rows["fields"] = 4
        rows["slice_bytes"] = rows["term_bytes"] = rows["weight_bytes"] = 4
        rows["chunk_bytes"] = 8
        rows["slice"], rows["chunk"] = number, chunk
        rows["term"], rows["weight"] = _terms_of(point)
        yield rows.tobytes()


def _terms_of(point: Point) -> tuple["NDArray[np.int32]", "NDArray[np.float32]"]:
    """With their weights."""
    return signed_terms(point.sparse.indices), np.asarray(point.sparse.values, dtype=np.float32)


def half_vector(vector: "NDArray[np.float32]") -> bytes:
    """As pgvector's `halfvec` is sent: how many, a zero, each in two bytes."""
    return struct.pack("!hh", len(vector), 0) + unit_halves(vector).astype(">f2").tobytes()


def unit_halves(vector: "NDArray[np.float32]") -> "NDArray[np.float16]":
    """Of length 1, so that an inner product is the cosine; one of zeros stays, and is near to nothing."""
    length = float(np.linalg.norm(vector.astype(np.float64)))
    return (vector / length if length else vector).astype(np.float16)


def signed_terms(terms: Sequence[int]) -> "NDArray[np.int32]":
    """PostgreSQL's integers have a sign; the 32 bits stay what they are."""
    return np.asarray(terms, dtype=np.uint32).view(np.int32)
