"""From one embedding space to another, and back: what readers and writers notice, which is nothing (ADR 0010)."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.tenancy.scope import system_scope
from corpora import removal
from corpora.models import Chunk, Document, ErasureReceipt
from retrieval.models import CachedEmbedding, SpaceState
from retrieval.search import retrieve
from retrieval.spaces import opened, registry
from retrieval.spaces.builtin import LEXICAL_MODEL, space_for
from retrieval.spaces.registry import KEPT, SETTLING
from retrieval.tests.endpoint import serving
from retrieval.tests.spaces import model, name_model, restart
from tests import factories
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library, upload
from workers.ingestion import pipeline
from workers.jobs import erase
from workers.upkeep import space_change, space_filling, tidy
from workers.upkeep.reconcile import reconcile
from workers.upkeep.space_change import Incomplete, advance
from workers.upkeep.space_filling import fill

__all__ = ["model"]
pytestmark = pytest.mark.django_db(transaction=True)
LEXICAL = space_for(LEXICAL_MODEL, 1536).collection
SMALL = space_for("text-embedding-3-small", 64).collection


@pytest.fixture
def other_model(model: ModelServer, library: Library, settings: Any) -> ModelServer:
    """A library in the lexical space; the settings name another model since the last restart."""
    name_model(settings, dimensions=64)
    return model


def states() -> dict[str, str]:
    return dict(SpaceState.objects.values_list("collection", "state"))


def points(collection: str) -> set[UUID]:
    return {point for point, _ in opened.index_of(registry.space_named(collection)).point_ids()}


def served() -> set[UUID]:
    return set(Chunk.objects.served().values_list("pk", flat=True))


def found(library: Library) -> Any:
    return retrieve(ABOUT_LOANS, library.writer.scope_for(library.alicia))


def test_one_round_fills_compares_and_switches(other_model: ModelServer, library: Library) -> None:
    before = found(library)
    assert states() == {LEXICAL: "active"}
    advance()
    assert states() == {LEXICAL: "retired", SMALL: "active"}
    assert points(SMALL) == points(LEXICAL) == served()
    after = found(library)
    assert (after.degraded, after.chunks[0].document) == (None, before.chunks[0].document)
    assert other_model.stats()["embed_items"] == len(served()) + 2, "each chunk, the probe and the question"


def test_readers_stay_in_the_whole_space_while_the_other_is_half_full(
    other_model: ModelServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = space_filling.write_chunks

    def one_batch(*args: Any) -> None:
        write(*args)
        space_filling.stopping.set()

    monkeypatch.setattr(space_filling, "BATCH", 1)
    monkeypatch.setattr(space_filling, "write_chunks", one_batch)
    advance()
    space_filling.stopping.clear()
    assert states() == {LEXICAL: "active", SMALL: "filling"}
    assert 0 < len(points(SMALL)) < len(served())
    assert found(library).degraded is None
    assert found(library).chunks


def test_a_question_is_answered_within_one_space_whatever_is_switched_meanwhile(
    other_model: ModelServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a vector of one model would be compared with those of another."""
    begun = registry.begin_filling(registry.wanted_space())
    fill(begun)
    embed = type(opened.current_provider()).embed_queries

    def switched_meanwhile(self: Any, texts: Any) -> Any:
        vectors = embed(self, texts)
        registry.activate_space(SMALL)
        return vectors

    with monkeypatch.context() as patched:
        patched.setattr(type(opened.current_provider()), "embed_queries", switched_meanwhile)
        result = found(library)
    assert (result.degraded, bool(result.chunks)) == (None, True)
    assert registry.active_space(fresh=True).collection == SMALL


def test_a_space_that_lacks_chunks_is_not_switched_to(other_model: ModelServer) -> None:
    space = registry.begin_filling(registry.wanted_space())
    with pytest.raises(Incomplete, match="space fill"):
        space_change.switch_space(space)
    assert states()[LEXICAL] == "active"


def test_documents_that_come_during_the_change_are_written_to_every_space(
    other_model: ModelServer, library: Library, worker: Callable[[], int]
) -> None:
    registry.begin_filling(registry.wanted_space())
    upload(library.loans, library.admin, "nuevo.md", "# Horario\n\nLa sala abre a las ocho.\n")
    assert worker() == 1
    new = {chunk.pk for chunk in Document.objects.get(filename="nuevo.md").chunks.all()}
    assert new <= points(LEXICAL)
    assert new == points(SMALL)
    advance()
    upload(library.loans, library.admin, "otro.md", "# Verano\n\nEn agosto cierra a las dos.\n")
    assert worker() == 1
    assert points(SMALL) == points(LEXICAL) == served(), "a retired space stays complete: one can go back"


def test_a_document_that_began_before_the_change_and_ends_after_it_is_in_the_new_space(
    other_model: ModelServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = upload(library.loans, library.admin, "largo.md", "# Horario\n\nLa sala abre a las ocho.\n")
    write = pipeline.VersionWriter.write

    def overtaken(self: Any, *args: Any) -> None:
        write(self, *args)
        if SMALL not in states():
            with system_scope():  # upkeep's, not the document's, in whose name this thread works
                advance()

    monkeypatch.setattr(pipeline.VersionWriter, "write", overtaken)
    pipeline.ingest_if_due(document.pk)
    assert states()[SMALL] == "active"
    waiting = Document.objects.get(pk=document.pk)
    assert (waiting.status, waiting.attempts) == ("pending", 0)
    Document.objects.filter(pk=document.pk).update(not_before=timezone.now())
    pipeline.ingest_if_due(document.pk)
    assert points(SMALL) == served()
    assert served() >= {chunk.pk for chunk in document.chunks.all()} != set()


def test_a_new_model_that_is_down_costs_no_document(
    other_model: ModelServer, library: Library, worker: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.embeddings.documents.RETRIES", 0)
    other_model.script(path="embeddings", status=500)
    registry.begin_filling(registry.wanted_space())
    upload(library.loans, library.admin, "nuevo.md", "# Horario\n\nLa sala abre a las ocho.\n")
    assert worker() == 1
    assert Document.objects.get(filename="nuevo.md").status == "indexed"
    advance()
    assert states()[LEXICAL] == "active"
    other_model.reset()
    advance()
    assert states()[SMALL] == "active"
    assert points(SMALL) == served()


def test_a_former_model_that_is_gone_costs_no_document_either(
    other_model: ModelServer, library: Library, settings: Any
) -> None:
    """Away from an endpoint: the old space is read by words until the new one is full."""
    advance()
    settings.OPENAI_BASE_URL = settings.OPENAI_API_KEY = settings.EMBEDDING_MODEL = ""
    restart()
    assert found(library).degraded == "embedding_unavailable"
    SpaceState.objects.filter(collection=LEXICAL).delete()
    registry.begin_filling(registry.wanted_space())
    document = upload(library.loans, library.admin, "nuevo.md", "# Horario\n\nLa sala abre a las ocho.\n")
    pipeline.ingest_if_due(document.pk)
    assert Document.objects.get(pk=document.pk).status == "indexed"
    advance()
    assert states() == {LEXICAL: "active", SMALL: "retired"}
    assert points(LEXICAL) == served()
    assert found(library).degraded is None


def test_without_another_space_a_model_that_is_gone_keeps_documents_waiting(
    other_model: ModelServer, library: Library, settings: Any
) -> None:
    advance()
    settings.OPENAI_BASE_URL = settings.OPENAI_API_KEY = settings.EMBEDDING_MODEL = ""
    restart()
    document = upload(library.loans, library.admin, "nuevo.md", "# Horario\n\nLa sala abre a las ocho.\n")
    pipeline.ingest_if_due(document.pk)
    waiting = Document.objects.get(pk=document.pk)
    assert (waiting.status, waiting.error_code) == ("pending", "service_unavailable"), "the lexical one is retired"


def test_another_model_under_the_old_name_fails_documents_and_says_so(
    model: ModelServer, settings: Any, library: Library
) -> None:
    name_model(settings)
    advance()
    with serving() as endpoint:
        settings.OPENAI_BASE_URL = endpoint.url
        restart()
        document = upload(library.loans, library.admin, "nuevo.md", "# Horario\n\nLa sala abre a las ocho.\n")
        pipeline.ingest_if_due(document.pk)
    failed = Document.objects.get(pk=document.pk)
    assert (failed.status, failed.error_code) == ("failed", "embedding_space_changed")
    assert not document.chunks.exists()


@pytest.mark.parametrize("state", ["filling", "retired"])
def test_an_erasure_reaches_every_space(other_model: ModelServer, library: Library, state: str) -> None:
    if state == "retired":
        advance()
    else:
        fill(registry.begin_filling(registry.wanted_space()))
    document = library.loans.documents.get()
    chunks = {chunk.pk for chunk in document.chunks.all()}
    assert chunks <= points(LEXICAL) & points(SMALL)
    removal.remove_document(document, library.admin, at_once=True)
    assert erase.erase(document.pk) is True
    assert not chunks & (points(LEXICAL) | points(SMALL))
    assert ErasureReceipt.objects.get().removed["points"] == 2 * len(chunks)


def test_the_reconciler_looks_at_every_space(other_model: ModelServer, library: Library) -> None:
    advance()
    document = library.loans.documents.get()
    chunks = document.chunks.count()
    Document.objects.filter(pk=document.pk).delete()
    report = reconcile()
    assert report.orphans_removed == 2 * chunks
    assert points(LEXICAL) == points(SMALL) == served()


def test_a_retired_space_is_removed_after_a_week_with_its_embeddings(
    other_model: ModelServer, library: Library, settings: Any
) -> None:
    advance()
    name_model(settings, dimensions=32)
    now = timezone.now()
    advance(now)
    third = space_for("text-embedding-3-small", 32).collection
    assert states() == {LEXICAL: "retired", SMALL: "retired", third: "active"}
    assert CachedEmbedding.objects.filter(space=SMALL).exists()
    advance(now + KEPT - timedelta(hours=1))
    assert SMALL in states()
    advance(now + KEPT + SETTLING)
    assert states() == {third: "active"}
    assert not CachedEmbedding.objects.filter(space=SMALL).exists()
    assert CachedEmbedding.objects.filter(space=third).exists()
    assert [one.name for one in (settings.DATA_DIR / "index").iterdir()] == [third]
    assert found(library).degraded is None


def test_one_can_go_back_as_long_as_the_former_space_is_kept(other_model: ModelServer, library: Library) -> None:
    advance()
    space_change.switch_space(registry.space_named(LEXICAL))
    assert states() == {LEXICAL: "active", SMALL: "retired"}
    advance()
    assert states()[LEXICAL] == "active", "what was switched by hand is not switched back by itself"
    assert found(library).degraded is None


def test_what_ended_in_the_moment_of_the_switch_is_filled_in_afterwards(
    other_model: ModelServer, library: Library
) -> None:
    advance()
    lost = sorted(points(SMALL))[0]
    opened.current_index().delete_points([lost])
    advance()
    assert points(SMALL) == served()


def test_a_settled_installation_does_nothing_each_round(model: ModelServer, library: Library) -> None:
    advance()
    tidy.optimize_index()
    assert states() == {LEXICAL: "active"}
    assert len(SpaceState.objects.get().probe) == 1536


# The command


def output(*words: str) -> str:
    written = StringIO()
    call_command("space", *words, stdout=written)
    return written.getvalue()


@pytest.fixture
def questions(tmp_path: Any) -> Any:
    (tmp_path / "corpus.jsonl").write_text(
        '{"id": "loans", "title": "Loans", "text": "The loan of a book lasts twenty-one days.", "lang": "en"}\n'
        '{"id": "tides", "title": "Tides", "text": "The tide rises twice a day in the bay.", "lang": "en"}\n'
    )
    (tmp_path / "queries.jsonl").write_text(
        '{"id": "q1", "text": "How many days does the loan of a book last?", "relevant": ["loans"]}\n'
        '{"id": "q2", "text": "How often does the tide rise in the bay?", "relevant": ["tides"]}\n'
    )
    return tmp_path


def test_the_command_fills_compares_and_switches_by_hand(other_model: ModelServer, questions: Any) -> None:
    assert f"{SMALL:<40} is named by the settings" in output("status")
    assert "holds all" in output("fill", "--manual")
    assert states() == {LEXICAL: "active", SMALL: "filling"}
    assert "named by the settings" in output("status")
    compared = output("compare", str(questions), "--max-loss", "0.5")
    assert "hit@1" in compared
    assert states() == {LEXICAL: "active", SMALL: "filling"}
    assert points(SMALL) == points(LEXICAL) == served(), "the questions' documents are gone again"
    assert "is in use" in output("switch")
    assert states() == {LEXICAL: "retired", SMALL: "active"}
    assert "settings name another" in output("switch", LEXICAL)
    assert "is removed" in output("retire", SMALL)
    assert states() == {LEXICAL: "active"}


def test_a_worse_space_fails_the_comparison(other_model: ModelServer, questions: Any) -> None:
    output("fill", "--manual")
    with pytest.raises(CommandError, match="worse"):
        output("compare", str(questions), "--max-loss", "-2")


def test_fill_switches_unless_it_is_told_not_to(other_model: ModelServer) -> None:
    output("fill")
    assert states()[SMALL] == "active"


@pytest.mark.parametrize("words", [("switch",), ("switch", "unknown"), ("retire", LEXICAL), ("compare", "/nowhere")])
def test_the_command_says_what_is_wrong(other_model: ModelServer, words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        output(*words)


def test_operators_see_the_spaces_and_nobody_else_does(other_model: ModelServer, library: Library, client: Any) -> None:
    advance()
    client.force_login(factories.UserFactory(is_superuser=True, is_staff=True))
    page = client.get("/admin/retrieval/spacestate/")
    assert page.status_code == 200
    assert "text-embedding-3-small" in page.content.decode()
    assert client.get(f"/admin/retrieval/spacestate/{SpaceState.objects.first().pk}/change/").status_code == 200
    client.force_login(library.admin.user)
    assert client.get("/admin/retrieval/spacestate/").status_code in (302, 403, 404)
