"""Calibration: measured on question sets or on the corpus itself, kept, used at once, and shown before and after."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command

from agents.scopes import scope_of_corpus
from corpora.models import Corpus, Document
from corpora.scope import Scope
from evaluation import calibration
from evaluation.calibration import NotMeasurable
from evaluation.calibration_questions import Excerpt, Probe, content_words, probe, probes
from retrieval.confidence import calibration as calibrations
from retrieval.models import MeasuredCalibration
from retrieval.spaces.builtin import LEXICAL
from retrieval.spaces.opened import current_provider
from tests.factories import CorpusFactory, OrganizationFactory
from tests.people import People
from workers import datasets

SYLLABLES = ("ba", "cor", "den", "fi", "gul", "hem", "jo", "kar", "lin", "mor", "nu", "pel", "ras", "ti", "vo", "zer")
SHARED = ("council", "village", "autumn", "visitors", "guide", "repairs", "storms", "neighbours")
DOCUMENTS = 40


def text_about(number: int) -> str:
    """Three sentences of words that hardly any other document has, and of some that all have."""
    random = Random(number)
    sentences = []
    for _ in range(3):
        own = ["".join(random.choices(SYLLABLES, k=3)) for _ in range(7)]
        sentences.append(" ".join(["The", *own, *random.sample(SHARED, 3)]) + ".")
    return " ".join(sentences)


def question_about(number: int) -> str:
    """Half of the words of its first sentence, and one that is nowhere."""
    return " ".join(["Which", *text_about(number).split()[2:6], "council", "zither"]) + "?"


@pytest.fixture(autouse=True)
def _forgotten(settings: Any) -> Iterator[None]:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    calibrations.forget_calibrations()
    yield
    calibrations.forget_calibrations()


@pytest.fixture
def corpus(people: People) -> Corpus:
    return corpus_of(people)


def corpus_of(people: People) -> Corpus:
    made: Corpus = CorpusFactory(shared_in=people.ada.organization)
    for number in range(DOCUMENTS):
        datasets.ingest_line(made, {"id": f"d{number}", "text": text_about(number)})
    return made


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("calibrate", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def stored() -> MeasuredCalibration | None:
    return MeasuredCalibration.objects.first()


@pytest.mark.django_db(transaction=True)
def test_a_corpus_measures_itself_and_the_measurement_is_used(corpus: Corpus) -> None:
    said = run("--corpus", str(corpus.pk))
    assert "before" in said
    assert "In use from now on." in said
    row, space = stored(), current_provider().space
    assert row is not None
    assert (row.space, row.sample["kind"], row.sample["questions"]) == (space.collection, "sample", 40)
    measured = calibrations.with_measured_calibration(space).calibration
    assert measured.points != LEXICAL.points
    assert row.sample["after"]["answerable_sufficient"] >= 0.9
    assert row.sample["after"]["unanswerable_sufficient"] <= row.sample["before"]["unanswerable_sufficient"] / 2


@pytest.mark.django_db(transaction=True)
def test_a_dry_run_keeps_nothing(corpus: Corpus) -> None:
    assert "Not kept" in run("--organization", corpus.organization.slug, "--dry-run")
    assert stored() is None


@pytest.mark.django_db(transaction=True)
def test_the_same_corpus_gives_the_same_measurement(corpus: Corpus) -> None:
    first, second = (json.loads(run("--corpus", str(corpus.pk), "--json", "--dry-run")) for _ in range(2))
    assert first == second
    assert set(first) == {"space", "kept", "points", "cosine_weight", "coverage_weight", "background", "sample"}


@pytest.mark.django_db(transaction=True)
def test_the_same_texts_under_other_ids_are_asked_the_same(corpus: Corpus, people: People) -> None:
    asked = [calibration.sample_probes(scope_of_corpus(one), DOCUMENTS) for one in (corpus, corpus_of(people))]
    first, second = ([one.text for one in probes] for probes in asked)
    assert len(first) == DOCUMENTS
    assert first == second


@pytest.mark.django_db(transaction=True)
def test_reset_goes_back_to_the_built_in_one(corpus: Corpus) -> None:
    run("--corpus", str(corpus.pk))
    assert "built-in" in run("--reset")
    assert stored() is None
    assert calibrations.with_measured_calibration(current_provider().space).calibration == LEXICAL


@pytest.mark.django_db(transaction=True)
def test_a_question_set_measures_and_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "things"
    folder.mkdir()
    lines = [{"id": f"d{number}", "text": text_about(number)} for number in range(DOCUMENTS)]
    queries = [
        {"id": f"q{number}", "text": question_about(number), "relevant": [f"d{number}"]} for number in range(DOCUMENTS)
    ]
    for name, rows in (("corpus", lines), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = json.loads(run(str(folder), "--json", "--questions", "35"))
    assert (result["kept"], result["sample"]["questions"]) == (True, 35)
    assert result["sample"]["names"] == ["things"]
    assert not Document.objects.exists()
    assert stored() is not None


@pytest.mark.django_db(transaction=True)
def test_personal_corpora_are_not_asked_about_for_their_organization(people: People) -> None:
    own = CorpusFactory(personal_of=people.alice)
    for number in range(2):
        datasets.ingest_line(own, {"id": f"d{number}", "text": text_about(number)})
    with pytest.raises(CommandError, match="two documents"):
        run("--organization", people.alice.organization.slug)
    with pytest.raises(CommandError, match="30 are needed"):
        run("--corpus", str(own.pk))


@pytest.mark.django_db
@pytest.mark.parametrize("arguments", [[], ["--corpus", "x", "--organization", "y"], ["folder", "--reset"]])
def test_one_source_must_be_given(arguments: list[str]) -> None:
    with pytest.raises(CommandError) as refused:
        run(*arguments)
    assert refused.value.returncode == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--corpus", "x"], "no active corpus"),
        (["--corpus", str(uuid4())], "no active corpus"),
        (["--organization", "nowhere"], "no organization"),
        (["/nowhere"], "not a question set"),
    ],
)
def test_what_is_not_there_is_said(arguments: list[str], says: str) -> None:
    OrganizationFactory()
    with pytest.raises(CommandError, match=says):
        run(*arguments)


@pytest.mark.django_db(transaction=True)
def test_evidence_that_says_nothing_is_not_kept(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions about other documents than they say."""
    asked = calibration.sample_probes(scope(corpus), 40)
    turned = [Probe(one.text, asked[index - 1].documents, asked[index - 1].span) for index, one in enumerate(asked)]
    monkeypatch.setattr(calibration, "LEAST_ANSWERED", 1)
    monkeypatch.setattr(calibration, "LEAST_AREA", 0.9)
    with pytest.raises(NotMeasurable):
        calibration.measure_calibration(turned, scope(corpus))


def scope(corpus: Corpus) -> Scope:
    return Scope(corpus.organization_id, uuid4(), frozenset([corpus.pk]))


PASSAGE = Excerpt(UUID(int=1), f"Short. {text_about(7)} No.", 100)


def test_a_question_is_two_thirds_of_a_sentence_and_a_third_of_others() -> None:
    vocabulary = ["zither"]
    for seed in range(20):
        asked = probe(PASSAGE, vocabulary, Random(seed))
        assert asked is not None
        assert asked.span is not None
        start, end = asked.span
        own = [word for word in asked.text.split() if word != "zither"]
        foreign = asked.text.split().count("zither")
        assert 2 <= len(own) <= 6
        assert foreign == round(len(own) / 2)
        sentence = PASSAGE.text[start - 100 : end - 100]
        assert set(own) <= set(content_words(sentence))


@pytest.mark.parametrize("text", ["", "Too short.", "of the and to in that it is was for on", "word " * 60])
def test_a_passage_without_a_sentence_worth_asking_about_makes_no_question(text: str) -> None:
    assert probes([Excerpt(UUID(int=1), text, 0)], Random(1)) == []


@pytest.mark.parametrize(
    ("document", "start", "end", "is_answer"),
    [(1, 0, 50, False), (1, 0, 101, True), (1, 119, 200, True), (1, 120, 200, False), (2, 100, 120, False)],
)
def test_the_chunks_that_hold_part_of_the_sentence_answer(document: int, start: int, end: int, is_answer: bool) -> None:
    asked = Probe("kiln", frozenset([UUID(int=1)]), (100, 120))
    assert asked.is_answered_by(UUID(int=document), start, end) is is_answer


def test_without_a_span_the_whole_document_answers() -> None:
    assert Probe("kiln", frozenset([UUID(int=1)])).is_answered_by(UUID(int=1), 5_000, 6_000)
