"""Chunking: the rules that hold for every text, and where passages are cut."""

import logging
import os
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tests.documents import MARKDOWN
from workers.ingestion.chunk import tokens
from workers.ingestion.chunk.chunking import ChunkDraft, cut_chunks
from workers.ingestion.chunk.segments import table_spans
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted, HeadingSpan, PageSpan

SHARED = Path(os.environ.get("ACERVO_SHARED", Path(__file__).resolve().parents[3] / "shared"))
VOCABULARY = SHARED / "tiktoken"
SIZES = [(800, 100), (256, 32), (512, 64), (1024, 128), (32, 16), (40, 0)]


@pytest.fixture(params=["estimated", "exact"], autouse=True)
def counting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Every test counts both ways; the exact one only where the vocabulary is."""
    folder = VOCABULARY if request.param == "exact" else tmp_path
    if request.param == "exact" and not VOCABULARY.exists():
        pytest.skip("tiktoken's vocabulary is not here")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    tokens.token_counter.cache_clear()
    yield request.param
    tokens.token_counter.cache_clear()


def markdown(source: str) -> Extracted:
    return extract(source.encode(), MARKDOWN)


def drafts(extracted: Extracted, granularity: int = 256, overlap: int = 32) -> list[ChunkDraft]:
    """The chunks, after checking what must hold for every document."""
    found = list(cut_chunks(extracted, granularity, overlap))
    covered = bytearray(len(extracted.text))
    for index, draft in enumerate(found):
        assert draft.index == index
        assert draft.text == extracted.text[draft.start : draft.end] == draft.text.strip() != ""
        assert draft.token_count == tokens.count_tokens(draft.text) <= granularity
        covered[draft.start : draft.end] = b"\1" * len(draft.text)
    assert all(seen or character.isspace() for seen, character in zip(covered, extracted.text, strict=True))
    for one, following in pairwise(found):
        assert one.start < following.start
        assert one.end < following.end
    for heading in extracted.headings:
        if tokens.count_tokens(extracted.text[heading.start : heading.end]) <= granularity - 16:
            assert not any(heading.start < edge < heading.end for d in found for edge in (d.start, d.end))
    return found


WORDS = st.sampled_from(
    [
        "a",
        "casa",
        "información",
        "El",
        "x" * 300,
        "漢字" * 50,
        "👩‍👩‍👧",
        "fin.",
        "¿Qué?",
        "3.14",
        "art. 5",
        "\n",
        "\n\n",
        "  ",
    ]
)
LINES = st.one_of(
    st.lists(WORDS, max_size=60).map(" ".join),
    st.builds(lambda level, words: "#" * level + " " + " ".join(words), st.integers(1, 4), st.lists(WORDS, max_size=9)),
    st.text(max_size=200),
)


@pytest.mark.parametrize(("granularity", "overlap"), SIZES)
def test_the_rules_hold_for_every_text(granularity: int, overlap: int) -> None:
    @given(st.lists(LINES, max_size=30).map("\n".join).filter(str.strip))
    def holds(source: str) -> None:
        try:
            extracted = markdown(source)
        except Exception:  # a text of invisible characters only
            return
        found = drafts(extracted, granularity, overlap)
        assert found == list(cut_chunks(extracted, granularity, overlap))

    holds()


@pytest.mark.parametrize("word", ["a", "ñandú", "漢字", "👩‍👩‍👧", "^", "=-", "\u0301"])
def test_a_megabyte_without_a_space_stays_within_the_limit(word: str) -> None:
    found = drafts(Extracted(word * (1_000_000 // len(word))), 800, 100)
    assert len(found) > 10


def test_a_small_document_is_one_chunk() -> None:
    (only,) = drafts(markdown("# Título\n\nUna frase."))
    assert (only.text, only.heading_path, only.page_start, only.page_end) == (
        "# Título\n\nUna frase.",
        ("Título",),
        None,
        None,
    )


def prose(name: str, sentences: int) -> str:
    return " ".join(f"La frase {number} de {name} explica algo que conviene saber." for number in range(sentences))


def test_large_sections_are_cut_at_their_headings() -> None:
    source = f"# Curso\n\n## Uno\n\n{prose('uno', 14)}\n\n## Dos\n\n{prose('dos', 14)}"
    found = drafts(markdown(source))
    assert [draft.heading_path[-1] for draft in found] == ["Curso", "Dos"]
    assert found[0].text.startswith("# Curso\n\n## Uno")
    assert found[1].text.startswith("## Dos")


def test_tiny_siblings_share_a_chunk_but_not_with_the_next_chapter() -> None:
    source = "\n\n".join(f"# {c}\n\n" + "\n\n".join(f"## {c}{n}\n\nUna nota." for n in range(4)) for c in "AB")
    found = drafts(markdown(source + "\n\n" + "# C\n\n" + prose("c", 5)))
    assert all(draft.text.count("\n# ") == 0 for draft in found[:-1]) or len(found) == 1
    assert len(found) <= 3


def test_a_bare_heading_goes_with_its_subsection_and_not_with_what_stands_above() -> None:
    source = f"# A\n\n## A1\n\n{prose('a', 14)}\n\n# B\n\n## B1\n\n{prose('b', 14)}"
    found = drafts(markdown(f"intro {prose('i', 14)}\n\n{source}"))
    assert [draft.heading_path for draft in found] == [(), ("A",), ("B",)]


def test_overlap_repeats_whole_sentences_within_a_section() -> None:
    found = drafts(Extracted(prose("todo", 90)))
    assert len(found) > 3
    for one, following in pairwise(found):
        assert following.start < one.end
        assert following.text.startswith("La frase")
        assert one.text.endswith(".")
        assert tokens.count_tokens(one.text[following.start - one.start :]) <= 33


def test_sections_do_not_overlap() -> None:
    found = drafts(markdown(f"# A\n\n{prose('a', 14)}\n\n# B\n\n{prose('b', 14)}"))
    assert all(one.end <= following.start for one, following in pairwise(found))


def test_paragraphs_are_preferred_to_sentences() -> None:
    text = "\n\n".join(prose(f"p{number}", 6) for number in range(9))
    assert all(draft.end == len(text) or text[draft.end] == "\n" for draft in drafts(Extracted(text)))


def test_a_chunk_does_not_end_with_a_heading() -> None:
    source = "\n\n".join(f"### N{number}\n\n{prose(f'n{number}', 6)}" for number in range(20))
    assert not any(draft.text.split("\n")[-1].startswith("#") for draft in drafts(markdown(source)))


def test_pages_are_those_of_the_first_and_last_character() -> None:
    text = prose("páginas", 40)
    third = len(text) // 3
    pages = (PageSpan(1, 0, third), PageSpan(2, third, third), PageSpan(3, third, len(text)))
    found = drafts(Extracted(text, pages, page_count=3))
    for draft in found:
        assert draft.page_start == (1 if draft.start < third else 3)
        assert draft.page_end == (1 if draft.end <= third else 3)


def test_a_heading_longer_than_a_chunk_is_cut_after_all() -> None:
    line = prose("título", 40)
    found = drafts(Extracted(line, headings=(HeadingSpan(1, line[:500], 0, len(line)),)))
    assert len(found) > 1


@pytest.mark.parametrize(("granularity", "overlap"), [(16, 0), (256, 129), (256, -1)])
def test_impossible_sizes_are_refused_at_once(granularity: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="granularity"):
        cut_chunks(Extracted("a"), granularity, overlap)


def test_counting_says_once_that_it_estimates(
    counting: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with caplog.at_level(logging.WARNING):
        assert tokens.count_tokens("hola") >= 1
        assert tokens.count_tokens("") == 0
    assert tokens.counts_exactly() == (counting == "exact")
    assert len(caplog.records) == (counting == "estimated")
    tokens.count_tokens("otra vez")
    assert len(caplog.records) == (counting == "estimated")


def test_a_damaged_vocabulary_is_not_used_nor_deleted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    tokens.vocabulary_file().write_bytes(b"half a download")
    tokens.token_counter.cache_clear()
    assert not tokens.counts_exactly()
    assert tokens.vocabulary_file().exists()


@pytest.mark.parametrize("folder", ["leyes", "handbook", "curso-redes"])
def test_estimates_are_near_the_count(counting: str, folder: str) -> None:
    if counting == "estimated" or not (SHARED / "samples" / folder).exists():
        pytest.skip("needs the vocabulary and shared/samples")
    for path in (SHARED / "samples" / folder).glob("*.md"):
        text = extract(path.read_bytes(), MARKDOWN).text
        assert tokens.estimate_tokens(text) == pytest.approx(tokens.count_tokens(text), rel=0.15)


@given(st.text(alphabet="|| \t\na"))
def test_a_table_is_each_run_of_rows_that_begin_with_a_bar(text: str) -> None:
    pattern = re.compile(r"(?:^[ \t]*\|[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
    assert table_spans(text) == [match.span() for match in pattern.finditer(text)]


@given(st.text(alphabet="aZ1 .!\n\t\xa0ñ一", max_size=200))
def test_a_word_is_a_token_at_least(text: str) -> None:
    """So that a piece of more words than tokens are allowed need not be counted."""
    if not tokens.counts_exactly():
        pytest.skip("needs the vocabulary")
    assert tokens.count_tokens(text) >= len(text.split())
