"""Reading: what the sandbox's child makes of a document, and what of its claims is believed (RELIABILITY R14)."""

from array import array
from base64 import b64encode
from typing import Any

import orjson
import pytest

from retrieval.index import bm25
from workers.ingestion import reading
from workers.ingestion.extract.extracted import Extracted, HeadingSpan, PageSpan
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.reading import Reading, ReadRequest, read_extracted
from workers.ingestion.sandbox import wire
from workers.ingestion.sandbox.pool import read_in_sandbox

SOURCE = "\n\n".join(f"# Capítulo {n}\n\n{f'La frase {n} del libro habla del mar. ' * 70}" for n in range(10))
REQUEST = ReadRequest("text/markdown", (800, 256), filename="libro.md")


def crossed(outcome: Reading | Extracted, request: ReadRequest = REQUEST) -> Reading | Extracted:
    return wire.decode_reading(wire.encode_reading(outcome, request.granularities), request)


def test_the_child_and_the_server_read_alike() -> None:
    there = read_in_sandbox(SOURCE.encode(), REQUEST)
    here = read_extracted(there.extracted, REQUEST)
    assert there == here
    assert {one.granularity for one in there.chunks} == {800, 256}
    assert there.language == "es"


def test_terms_are_those_of_the_passage_below_its_title() -> None:
    titled = ReadRequest("text/markdown", (800,), title="Zarzuela")
    there = read_in_sandbox(SOURCE.encode(), titled)
    (zarzuela,) = bm25.encode_documents(["Zarzuela"], "es")[0].indices
    assert all(zarzuela in vector.indices for vector in there.terms)
    assert len(there.terms) == len(there.chunks) == 10


def test_a_text_too_long_for_the_childs_time_is_cut_by_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_CUT", 10)
    outcome = reading.read(SOURCE.encode(), REQUEST)
    assert isinstance(outcome, Extracted)
    assert crossed(outcome) == outcome


def test_passages_that_do_not_fit_beside_their_text_are_left_to_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_extracted(Extracted("Una frase del libro. " * 500), REQUEST)
    monkeypatch.setattr(wire, "MAX_RESULT_BYTES", len(whole.extracted.text) + 500)
    assert crossed(whole) == whole.extracted


def test_a_request_survives_the_wire() -> None:
    request = ReadRequest("text/plain", (800, 1024), 'Un "título"\n\t😀', "ñ" * 255, "es")
    assert wire.decode_read_request(wire.encode_read_request(request)) == request


def test_a_request_that_would_be_cut_off_is_not_sent() -> None:
    with pytest.raises(ValueError, match="255"):
        wire.encode_read_request(ReadRequest("text/plain", title="ñ" * 5000))


TEXT = "ab cd ef gh ij"
EXTRACTED = Extracted(TEXT, (PageSpan(1, 0, 6), PageSpan(2, 6, 14)), (HeadingSpan(1, "cd", 3, 5),), page_count=2)
CUTS = [(0, 5, 2), (3, 8, 2), (9, 14, 2)]
TERMS, WEIGHTS, LENGTHS = [3, 2**32 - 1, 5, 9], [1.5, 0.5, 1.0, 2.0], [2, 0, 2]


def packed(kind: str, values: Any) -> str:
    return b64encode(array(kind, values).tobytes()).decode()


def answer(**lies: Any) -> bytes:
    """A child's answer, with some of its columns replaced."""
    told: dict[str, Any] = {
        "cuts": packed("I", [number for cut in CUTS for number in cut]),
        "counts": [3],
        "lengths": packed("I", LENGTHS),
        "terms": packed("I", TERMS),
        "weights": packed("f", WEIGHTS),
    }
    fields = orjson.loads(wire.encode_reading(EXTRACTED, ()))
    language = lies.pop("language", "es")
    return orjson.dumps({**fields, "language": language, "passages": {**told, **lies}})


def decoded(message: bytes) -> Reading:
    outcome = wire.decode_reading(message, ReadRequest("text/plain", (256,)))
    assert isinstance(outcome, Reading)
    return outcome


def test_everything_but_its_place_follows_from_the_text() -> None:
    told = decoded(answer())
    assert [(one.text, one.page_start, one.page_end, one.heading_path) for one in told.chunks] == [
        ("ab cd", 1, 1, ()),
        ("cd ef", 1, 2, ("cd",)),
        ("gh ij", 2, 2, ("cd",)),
    ]
    assert [one.index for one in told.chunks] == [0, 1, 2]
    assert [vector.indices for vector in told.terms] == [(3, 2**32 - 1), (), (5, 9)]


def cuts(*places: tuple[int, int, int]) -> str:
    return packed("I", [number for place in places for number in place])


LIES: dict[str, dict[str, Any]] = {
    "beyond the text": {"cuts": cuts((0, 5, 2), (3, 8, 2), (9, 15, 2))},
    "backwards": {"cuts": cuts((0, 5, 2), (3, 8, 2), (2, 9, 2))},
    "ends that fall": {"cuts": cuts((0, 9, 2), (3, 8, 2), (9, 14, 2))},
    "an empty passage": {"cuts": cuts((0, 5, 2), (3, 8, 2), (9, 9, 2))},
    "no tokens": {"cuts": cuts((0, 5, 0), (3, 8, 2), (9, 14, 2))},
    "more tokens than asked for": {"cuts": cuts((0, 5, 257), (3, 8, 2), (9, 14, 2))},
    "a row too short": {"cuts": packed("I", [0, 5, 2, 3, 8, 2, 9, 14])},
    "a passage more": {"counts": [4]},
    "a passage less": {"counts": [2]},
    "another granularity": {"counts": [2, 1]},
    "a negative count": {"counts": [-3]},
    "a count that is none": {"counts": ["3"]},
    "counts that are no list": {"counts": 3},
    "too few vectors": {"lengths": packed("I", [2, 2])},
    "lengths beyond the terms": {"lengths": packed("I", [2, 0, 3])},
    "a vector of too many terms": {"lengths": packed("I", [2, 2**32 - 1, 2])},
    "a term twice": {"terms": packed("I", [3, 3, 5, 9])},
    "a weight that is no number": {"weights": packed("f", [1.5, float("nan"), 1.0, 2.0])},
    "an infinite weight": {"weights": packed("f", [1.5, float("inf"), 1.0, 2.0])},
    "a negative weight": {"weights": packed("f", [1.5, -1.0, 1.0, 2.0])},
    "a weight less": {"weights": packed("f", WEIGHTS[:3])},
    "three bytes": {"weights": "AAAA"},
    "no base64": {"terms": "ñ"},
    "no column": {"terms": [3, 7, 5, 9]},
    "a column that nobody knows": {"payload": {"corpus_id": "another"}},
    "a language that is none": {"language": "../../"},
    "a long language": {"language": "español"},
}


@pytest.mark.parametrize("lie", LIES)
def test_passages_that_lie_are_refused(lie: str) -> None:
    with pytest.raises(ExtractionError) as caught:
        decoded(answer(**LIES[lie]))
    assert caught.value.code == "extraction_crashed"


def test_a_text_repeated_more_often_than_overlaps_explain_is_refused() -> None:
    """Else a megabyte that a parser was taken over by could become terabytes of rows."""
    many = [(start, 14 - (6 - start), 2) for start in range(7)]
    assert sum(end - start for start, end, _ in many) <= 4 * len(TEXT)
    lengths, nothing = packed("I", [0] * 7), packed("I", [])
    message = answer(cuts=cuts(*many), counts=[7], lengths=lengths, terms=nothing, weights=nothing)
    assert len(decoded(message).chunks) == 7
    fields = orjson.loads(message)
    fields.update(text="a" * 100, pages=[], headings=[], page_count=0)
    wide = [(start, 90 + start, 2) for start in range(7)]
    fields["passages"]["cuts"] = cuts(*wide)
    with pytest.raises(ExtractionError):
        decoded(orjson.dumps(fields))


def test_a_language_that_was_said_is_not_the_childs_to_change() -> None:
    outcome = wire.decode_reading(answer(language="fr"), ReadRequest("text/plain", (256,), language="es"))
    assert isinstance(outcome, Reading)
    assert outcome.language == "es"
