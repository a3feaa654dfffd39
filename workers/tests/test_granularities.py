"""The sizes that adaptive retrieval needs are made when they are needed, and cost nothing twice."""

from collections.abc import Callable

import pytest

from agents.assignments import assign_corpus, unassign_corpus
from agents.models import Agent
from corpora.models import Chunk, Corpus, Document
from retrieval.spaces import granularities as sizes
from retrieval.spaces.opened import current_index
from tests.fakes.fixtures import ModelServer
from tests.library import NOVEL, Library, upload
from workers.jobs import cut
from workers.upkeep.schedule import keep_tidy

pytestmark = pytest.mark.django_db(transaction=True)
EVERY = {256, 512, 800, 1024}


def sizes_of(document: Document) -> set[int]:
    served = Chunk.objects.served().filter(document=document)
    return set(served.values_list("granularity", flat=True))


def adaptive(agent: Agent) -> None:
    agent.adaptive = True
    agent.save()


def loans_of(library: Library) -> Document:
    return library.loans.documents.get()


def wanted() -> set[Corpus]:
    return set(Corpus.objects.exclude(sizes_wanted_at=None))


def test_without_an_adaptive_agent_there_is_one_size(library: Library) -> None:
    assert sizes_of(loans_of(library)) == {800}
    assert cut.cut_anew() == 0


def test_an_agent_that_becomes_adaptive_has_its_corpora_cut_anew(
    library: Library, worker: Callable[[], int], hints: list[str]
) -> None:
    adaptive(library.researcher)
    assert (wanted(), hints[-1]) == ({library.loans}, "short")
    assert [cut.cut_next(), cut.cut_next()] == [True, False]
    assert wanted() == set()
    document = loans_of(library)
    assert (document.status, document.version) == ("pending", 1), "readers keep what they have"
    assert worker() == 1
    document.refresh_from_db()
    assert (document.status, document.version, sizes_of(document)) == ("indexed", 2, EVERY)
    assert (
        document.chunk_count
        == current_index().count(document.pk)
        == Chunk.objects.served().filter(document=document).count()
    )
    assert sizes_of(library.notes.documents.get()) == {800}, "no adaptive agent reads it"
    assert cut.cut_anew() == 0


def test_an_assignment_to_an_adaptive_agent_has_the_corpus_cut_anew(
    library: Library, worker: Callable[[], int], hints: list[str]
) -> None:
    adaptive(library.writer)
    unassign_corpus(library.writer, library.notes.pk, library.alicia)
    hints.clear()
    assign_corpus(library.writer, library.notes.pk, library.alicia)
    assert library.notes in wanted()
    assert hints == ["short"]


def test_a_new_document_of_such_a_corpus_has_every_size_at_once(library: Library, worker: Callable[[], int]) -> None:
    adaptive(library.writer)
    document = upload(library.notes, library.alicia, "otra.md", NOVEL * 2)
    worker()
    assert sizes_of(document) == EVERY


def test_what_was_embedded_is_not_embedded_again(
    all_models: ModelServer, library: Library, worker: Callable[[], int]
) -> None:
    adaptive(library.writer)
    before = all_models.stats()["embed_items"]
    cut.cut_anew()
    worker()
    texts = Chunk.objects.served().values_list("text_hash", flat=True)
    fresh = set(texts) - set(Chunk.objects.served().filter(granularity=800).values_list("text_hash", flat=True))
    assert all_models.stats()["embed_items"] - before == len(fresh)


def test_a_scope_is_ready_when_every_document_of_it_is(library: Library, worker: Callable[[], int]) -> None:
    scope = library.writer.scope_for(library.alicia)
    assert sizes.ready(scope, 800)
    assert not sizes.ready(scope, 512)
    adaptive(library.writer)
    cut.cut_anew(library.loans.documents.all())
    worker()
    assert not sizes.ready(scope, 512), "one of two corpora"
    keep_tidy()
    worker()
    assert all(sizes.ready(scope, size) for size in sizes.ADAPTIVE_GRANULARITIES)
    upload(library.notes, library.alicia, "otra.md", "# Otra\n\nUna nota que espera.\n")
    assert sizes.ready(scope, 512), "what is not indexed yet holds nothing back"


def test_a_document_that_failed_or_was_deleted_is_left_alone(library: Library) -> None:
    adaptive(library.writer)
    Document.objects.filter(corpus=library.loans).update(status="failed")
    assert cut.cut_anew() == 1


def test_saving_an_agent_wants_no_sizes_unless_it_becomes_adaptive(library: Library, hints: list[str]) -> None:
    hints.clear()
    adaptive(library.writer)
    assert (hints.count("short"), wanted()) == (1, {library.loans, library.notes}), "one hint for all its corpora"
    Corpus.objects.update(sizes_wanted_at=None)
    library.writer.name = "Otra"
    library.writer.save()
    assert (hints.count("short"), wanted()) == (1, set())
    library.writer.is_active = False
    library.writer.save()
    library.writer.is_active = True
    library.writer.save()
    assert wanted() == {library.loans, library.notes}
