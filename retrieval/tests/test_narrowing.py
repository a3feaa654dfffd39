"""A passage of several sections is cited as the one that answers."""

from dataclasses import replace

from retrieval.context.narrowing import answering_parts, cited_as, cited_text
from retrieval.ranking.merging import with_neighbours_merged
from retrieval.ranking.relevance import SearchQuery
from retrieval.results import RetrievedChunk
from retrieval.tests.exact import chunk_of
from retrieval.text.passages import PassagePart, common_path

ARTICLES = (
    "Artículo 10. Condiciones.\nEl médico informará.",
    "Artículo 11. Instrucciones previas.\nUna persona manifiesta.",
)


def several(offset: int = 100) -> RetrievedChunk:
    parts, at = [], offset
    for page, text in enumerate(ARTICLES, 8):
        parts.append(PassagePart(at, at + len(text), page, page, ("Ley", text.split("\n")[0])))
        at += len(text) + 2
    text = "\n\n".join(ARTICLES)
    whole = replace(chunk_of(1, text), start=offset, end=offset + len(text), page=8, page_end=9, heading_path=("Ley",))
    return replace(whole, parts=tuple(parts))


def asked(question: str, passage: RetrievedChunk) -> RetrievedChunk:
    part = answering_parts(SearchQuery((question,), ()), [passage]).get(passage.chunk)
    return cited_as(passage, part)


def test_it_has_the_headings_and_the_page_of_the_part_that_answers() -> None:
    passage = several()
    cited = asked("¿Qué son las instrucciones previas?", passage)
    assert (cited.heading_path[-1], cited.page, cited.page_end) == ("Artículo 11. Instrucciones previas.", 9, 9)
    assert (cited.text, cited.start, cited.end) == (passage.text, passage.start, passage.end)
    assert asked("¿A quién informará el médico?", passage).page == 8


def test_what_is_quoted_of_it_stands_under_the_headings_that_it_is_cited_with() -> None:
    passage = several()
    assert cited_text(asked("¿Qué son las instrucciones previas?", passage)).strip() == ARTICLES[1]
    assert cited_text(passage) == passage.text


def test_a_question_that_no_part_answers_leaves_it_whole() -> None:
    passage = several()
    assert asked("¿Cuánto dura la beca?", passage) == passage
    assert asked("médico", replace(passage, parts=())).heading_path == ("Ley",)


def test_united_passages_keep_their_parts() -> None:
    first = several()
    behind = replace(
        chunk_of(2, "manifiesta. Y más."), document=first.document, start=first.end - 11, end=first.end + 7
    )
    behind = replace(behind, heading_path=first.parts[1].heading_path, page=9, page_end=10)
    (united,) = with_neighbours_merged([first, behind], 10_000)
    assert united.heading_path == ("Ley",)
    assert [(one.end, one.page_end) for one in united.parts] == [(first.parts[0].end, 8), (behind.end, 10)]


def test_paths_in_common() -> None:
    assert common_path([("a", "b"), ("a", "c"), ("a",)]) == ("a",)
    assert common_path([("a", "b"), ("a", "b")]) == ("a", "b")
    assert common_path([("a",), ("b",)]) == ()
