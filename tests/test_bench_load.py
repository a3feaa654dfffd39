"""The load's library is the same whenever it is made, its words weigh what our analyser says, its truth is true."""

from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from bench.load import asked, measures, retrieving
from bench.load.measures import EVERY, missed
from bench.load.place import Place
from bench.load.synthetic import CHUNKS_A_DOCUMENT, Library, named
from bench.results import Book
from retrieval.index.base import Candidates, Hit
from retrieval.index.bm25 import encode_documents


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(chunks=3_000, organizations=40, dimensions=32, words=4_000)


def test_sizes_are_zipfs_and_every_chunk_has_one_owner(library: Library) -> None:
    assert library.sizes.sum() == 3_000
    assert library.sizes[0] / library.sizes[9] == pytest.approx(10, rel=0.15)
    assert (library.present == library.sizes).all()
    numbers = [one for n in range(library.blocks) for _row, one, _document in library.block(n, worded=False).chunks()]
    assert numbers == list(range(3_000))
    assert max(document.chunks for document in library.documents) == CHUNKS_A_DOCUMENT


def test_a_block_is_the_same_whenever_it_is_made(library: Library) -> None:
    again = Library(chunks=3_000, organizations=40, dimensions=32, words=4_000).block(2)
    assert (again.vectors == library.block(2).vectors).all()
    assert (again.words == library.block(2).words).all()
    assert (again.vectors == library.block(2, worded=False).vectors).all()
    assert np.linalg.norm(again.vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_words_weigh_what_our_analyser_says(library: Library) -> None:
    words = library.block(0).words[:5]
    for row, real in zip(words, encode_documents([library.text(row.tolist()) for row in words], "es"), strict=True):
        ours = library.sparse(row)
        assert dict(zip(ours.indices, ours.values, strict=True)) == pytest.approx(
            dict(zip(real.indices, real.values, strict=True)), abs=1e-5
        )


def test_the_truth_is_of_the_askers_scope(library: Library, tmp_path: Path) -> None:
    questions = asked.questions_of(library)
    best = asked._compared(library, questions)
    documents = {one.first + place: one for one in library.documents for place in range(one.chunks)}
    vectors = np.concatenate([library.block(n, worded=False).vectors for n in range(library.blocks)])
    for one, found in zip(questions[:5], best[:5].tolist(), strict=True):
        readable = [n for n, document in documents.items() if one.reads(document)]
        expected = sorted(readable, key=lambda n: -float(vectors[n] @ one.vector))[: asked.NEAREST]
        assert [n for n in found if n >= 0] == expected
    assert {str(corpus) for corpus in questions[0].scope.corpus_ids} >= {
        str(documents[n].corpus) for n in best[0].tolist() if n >= 0
    }


def test_a_library_that_is_filled_in_part_has_the_same_beginning(library: Library) -> None:
    part = Library(chunks=3_000, organizations=40, dimensions=32, blocks=1)
    assert part.documents == library.documents[:40]
    assert part.present.sum() == sum(document.chunks for document in part.documents)


def test_two_libraries_never_share_a_folder(tmp_path: Path) -> None:
    Place(tmp_path, "edge", 100, 10).remember(library={"engine": "edge", "chunks": 100, "organizations": 10})
    with pytest.raises(SystemExit, match="holds"):
        Place(tmp_path, "edge", 200, 10).begin()


def test_thresholds_have_sides() -> None:
    book = Book()
    book.note("gap p99", 100.04)
    book.note("chunks recall", 0.97)
    book.note("uploads 5xx", 0)
    assert missed(book) == []
    book.note("chunks recall", 0.9)
    book.note("chunks recall", 0.9)
    book.note("uploads indexed", 99)
    assert [one.key for one in missed(book)] == ["uploads indexed", "chunks recall"]
    assert len({one.key for one in EVERY}) == len(EVERY) == len({one.title for one in EVERY})
    assert measures.LEAST_RATIO == {2: 1.7, 4: 3.2}


def test_ids_are_those_that_the_database_computes() -> None:
    assert named("chunk", 7).hex == "c8f38d584c1ccac34928f3b840830d5d"  # SELECT md5('chunk:7')


def test_equals_at_the_cut_are_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieving, "CANDIDATES", 3)
    one, two, three, four = (Hit(UUID(int=n), score) for n, score in ((1, 0.9), (2, 0.5), (3, 0.5), (4, 0.5)))
    assert retrieving.lists(Candidates((one, two, three))) == retrieving.lists(Candidates((one, three, four)))
    assert retrieving.lists(Candidates((one, two))) != retrieving.lists(Candidates((one, three)))
