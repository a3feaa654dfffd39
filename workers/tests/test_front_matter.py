"""Front matter: known keys as bounded words, whatever else a stranger wrote there."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.ingestion.extract.extracted import DECLARABLE, MAX_VALUE, MAX_VALUES
from workers.ingestion.extract.markdown import extract_markdown
from workers.ingestion.extract.markup.front_matter import KEYS, read_front_matter
from workers.ingestion.reading import ReadRequest
from workers.ingestion.sandbox import wire


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("unit: Bucles", {"unit": "Bucles"}),
        ("Unit:   Bucles  ", {"unit": "Bucles"}),
        ("unit: 'a: b'", {"unit": "a: b"}),
        ('unit: "a # b"', {"unit": "a # b"}),
        ("unit: C# avanzado", {"unit": "C# avanzado"}),
        ("unit: Bucles # the third", {"unit": "Bucles"}),
        ("unit: # nothing", {}),
        ("unit:", {}),
        ("unit:x", {}),
        ("  unit: nested", {}),
        ("course:\n  unit: nested", {}),
        ("unit: one\nunit: two", {"unit": "one"}),
        ("tags: [a, 'b c', \"d\"]", {"tags": ("a", "b c", "d")}),
        ("tags: a, b", {"tags": ("a", "b")}),
        ("tags: a", {"tags": ("a",)}),
        ("tags: []", {}),
        ("tags:\n  - a\n  - 'b c' # why\n- d", {"tags": ("a", "b c", "d")}),
        ("tags:\nunit: 3\n- stray", {"unit": "3"}),
        ("título: Uno\nunidad: 3\ntema: T\ndificultad: Básico", {"title": "Uno", "unit": "3", "topic": "T",
                                                               "difficulty": "Básico"}),
        ("materia: M\netiquetas: [a]\nfecha: 2026-03-31\ntipo: faq", {"course": "M", "tags": ("a",),
                                                                     "date": "2026-03-31", "content_type": "faq"}),
        ("author: me\nstatus: indexed\ncorpus_id: 3\norganization_id: 4", {}),
        ("unit: |\n  block", {"unit": "|"}),
        ("- unit: 3", {}),
        ("unit: !!python/object/apply:os.system ['id']", {"unit": "!!python/object/apply:os.system ['id']"}),
        ("", {}),
    ],
)  # fmt: skip
def test_known_keys_are_understood_and_everything_else_is_left(front: str, expected: dict[str, Any]) -> None:
    assert read_front_matter(front) == expected


def test_sizes_are_bounded() -> None:
    found = read_front_matter(f"unit: {'x' * 10_000}\ntags: [{', '.join(['y' * 900] * 100)}]")
    assert len(found["unit"]) == MAX_VALUE
    assert len(found["tags"]) == MAX_VALUES
    assert {len(tag) for tag in found["tags"]} == {MAX_VALUE}
    assert read_front_matter("\n" * 300 + "unit: 3") == {}


def test_hidden_characters_do_not_get_through() -> None:
    assert read_front_matter("unit: a\u202eb\u200bc\U000e0041") == {"unit": "abc"}


@given(st.text(alphabet=st.sampled_from("unitags: []-'\"#\n\tábc"), max_size=300))
def test_any_text_gives_what_crosses_the_border(front: str) -> None:
    found = read_front_matter(front)
    assert found.keys() <= set(KEYS.values())
    found.pop("title", None)
    extracted = extract_markdown(b"text")
    crossed = wire.decode_reading(
        wire.encode_reading(type(extracted)("text", metadata=found), ()), ReadRequest("text/markdown")
    )
    assert crossed.metadata == found


@pytest.mark.parametrize(
    "bomb", ["unit: " + "#" * 200_000, "- " * 100_000, "tags: " + "," * 200_000, "a" * 400_000 + ":"]
)
def test_no_front_matter_takes_long(bomb: str) -> None:
    began = time.monotonic()
    read_front_matter(f"tags:\n{bomb}\n{bomb}")
    assert time.monotonic() - began < 1


def test_the_extractor_takes_it_out_of_the_text() -> None:
    extracted = extract_markdown(b"---\ntitle: Bucles\nunit: 3\ntags: [a]\n---\n# Otro\n\nTexto.\n")
    assert (extracted.title, extracted.text) == ("Bucles", "# Otro\n\nTexto.")
    assert extracted.metadata == {"unit": "3", "tags": ("a",)}
    assert extracted.metadata.keys() <= DECLARABLE


def test_without_front_matter_nothing_is_declared() -> None:
    assert extract_markdown(b"# Title\n\nunit: 3\n").metadata == {}
