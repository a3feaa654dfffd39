"""A long listing is cut between its constructs, by its language; the pieces it is cut by are exact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tests.documents import MARKDOWN
from workers.ingestion.chunk.chunking import cut_chunks
from workers.ingestion.chunk.code import code_ends, pieces_of
from workers.ingestion.extract.entry import extract

FUNCTION = (
    "def {name}(value):\n    first = value + 1\n\n    second = first * 2\n    return [first, second, value]\n\n\n"
)
LISTING = "".join(FUNCTION.format(name=f"step_{n}") for n in range(60))
TEXT = st.text(alphabet="ab \n\t.;{}()<>/#=\"'áñ漢") | st.lists(
    st.sampled_from(
        ["\nclass A:\n", "\ndef f():\n", "\n\n", "function g() {", "}\n", "    x = 1\n", "<div>", "</div>", " "]
    )
).map("".join)


@pytest.mark.parametrize("language", ["python", "js", "java", "html", "c", "go", "php", "rust"])
@given(text=TEXT)
def test_pieces_joined_are_the_text(language: str, text: str) -> None:
    assert "".join(pieces_of(language)(text * 20)) == text * 20


def test_a_long_listing_is_cut_between_its_functions() -> None:
    source = f"# Pasos\n\nAsí se hace:\n\n```python\n{LISTING}```\n\nY nada más.\n"
    extracted = extract(source.encode(), MARKDOWN)
    chunks = list(cut_chunks(extracted, 256, 32))
    assert len(chunks) > 5
    for chunk in chunks:
        assert extracted.text[chunk.start : chunk.end] == chunk.text
    apart = [chunk for chunk in chunks[1:] if chunk.text.startswith("def step_")]
    assert len(apart) >= len(chunks) - 2  # the first is cut where the tokens of its parts were too few


def test_a_language_that_is_not_known_and_a_short_listing_have_no_ends() -> None:
    assert code_ends(LISTING, "klingon") == code_ends(LISTING[:300], "python") == frozenset()
    assert code_ends(LISTING, "Python")
    assert all(LISTING[end:].startswith("def ") for end in code_ends(LISTING, "py") if end < len(LISTING))
