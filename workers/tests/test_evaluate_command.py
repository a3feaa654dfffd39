"""`manage.py evaluate`: what it measures, keeps, prints, and how it fails a build."""

import json
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Organization
from corpora.models import Corpus, Document
from evaluation import runs
from evaluation.configurations import Configuration
from evaluation.measuring import NotMeasured, ask_all
from evaluation.models import EvaluationRun, Question, QuestionSet
from retrieval.index.base import IndexUnavailable
from retrieval.spaces import opened
from retrieval.spaces.opened import current_index
from retrieval.spaces.probe import SENTENCE
from tests import factories
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from workers import datasets
from workers.jobs import erase
from workers.progress import TimeLeft

pytestmark = pytest.mark.django_db(transaction=True)

QUESTIONS = {
    "corpus.jsonl": [
        {"id": "a", "title": "Mareas", "text": "La marea alta llega al puerto a las seis de la mañana.", "lang": "es"},
        {"id": "b", "title": "Faro", "text": "El faro se enciende al anochecer y gira cada doce segundos."},
    ],
    "queries.jsonl": [
        {"id": "1", "text": "¿A qué hora llega la marea alta?", "relevant": ["a"]},
        {"id": "2", "text": "¿Cada cuánto gira el faro?", "doc": "b", "references": [{"start": 33, "end": 58}]},
    ],
}


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("evaluate", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def written(folder: Path, files: dict[str, list[dict[str, Any]]]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, rows in files.items():
        (folder / name).write_text("\n".join(map(json.dumps, rows)))
    return folder


@pytest.fixture
def question_set(tmp_path: Path) -> Path:
    return written(tmp_path / "puerto", QUESTIONS)


def test_it_measures_and_leaves_nothing_of_the_documents_behind(question_set: Path) -> None:
    (scores,) = json.loads(run(str(question_set), "--json"))
    assert (scores["questions"], scores["documents"], scores["chunks"]) == (2, 2, 2)
    measures = scores["measures"]
    assert (measures["hit@1"], measures["ndcg@10"], measures["mrr"], measures["recall@5"]) == (1.0, 1.0, 1.0, 1.0)
    assert (measures["answer@1"], measures["token_recall"], measures["in_context"]) == (1.0, 1.0, 1.0)
    assert measures["token_precision"] == pytest.approx(25 / (54 + 59), abs=1e-4), "both documents are fetched"
    assert (Document.objects.count(), Corpus.objects.count(), opened.current_index().count()) == (0, 0, 0)


def test_configurations_stand_in_one_table_and_are_kept_as_runs(question_set: Path) -> None:
    out = run(str(question_set), "--configurations", "default, bm25,dense,256+diversity=0.5", "--limit", "1")
    head, *rows = out.splitlines()
    assert head.split()[:4] == ["set", "configuration", "questions", "chunks"]
    assert [row.split()[1] for row in rows] == ["default", "bm25", "dense", "256+diversity=0.5"]
    kept = EvaluationRun.objects.filter(question_set=None, dataset="puerto")
    assert {one.configuration["name"] for one in kept} == {"default", "bm25", "dense", "256+diversity=0.5"}
    assert all(one.measures["hit@1"] == 1.0 and one.state == "done" for one in kept)


def test_it_writes_a_markdown_table(question_set: Path) -> None:
    lines = run(str(question_set), "--markdown").splitlines()
    assert lines[0].startswith("| set | configuration | questions |")
    assert lines[1].startswith("| --- | --- | --: |")
    assert lines[2].startswith("| puerto | default | 2 |")


def test_a_threshold_that_is_not_reached_fails_the_build_after_the_table(question_set: Path) -> None:
    wrong = {"id": "3", "text": "¿A qué hora llega la marea alta?", "relevant": ["b"]}
    (question_set / "queries.jsonl").write_text(json.dumps(wrong))
    out = StringIO()
    with pytest.raises(CommandError, match=r"puerto: hit@1 is 0\.000, below 0\.9") as failed:
        call_command(
            "evaluate", str(question_set), "--threshold", "hit@1=0.9", "--threshold", "recall@5=0.9", stdout=out
        )
    assert failed.value.returncode == 1
    assert "recall@5" not in str(failed.value)
    assert "puerto" in out.getvalue()


def test_a_threshold_may_be_for_another_configuration(question_set: Path) -> None:
    run(str(question_set), "--configurations", "default,bm25", "--threshold", "bm25:hit@1=1")
    with pytest.raises(CommandError, match=r"dense has no hit@1"):
        run(str(question_set), "--threshold", "dense:hit@1=0.1")


@pytest.mark.parametrize("wrong", ["hit@1", "hit@1=much"])
def test_a_threshold_that_is_none_is_wrong_usage(question_set: Path, wrong: str) -> None:
    with pytest.raises(CommandError) as refused:
        run(str(question_set), "--threshold", wrong)
    assert refused.value.returncode == 2


def test_a_configuration_that_is_none_is_wrong_usage_and_tells_the_grammar(question_set: Path) -> None:
    with pytest.raises(CommandError, match="hybrid=W") as refused:
        run(str(question_set), "--configurations", "default,fancy")
    assert refused.value.returncode == 2


def test_it_says_what_a_folder_lacks(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="not a question set"):
        run(str(tmp_path))


def test_one_sets_questions_are_asked_of_anothers_documents(question_set: Path, tmp_path: Path) -> None:
    english = {
        "corpus.jsonl": [
            {"id": "x", "text": "High tide reaches the port at six."},
            {"id": "y", "text": "Faro: the light turns every twelve seconds."},
        ],
        "queries.jsonl": [{"id": "2", "text": "How often does the light turn?", "relevant": ["y"]}],
    }
    crossed = f"{question_set}@{written(tmp_path / 'port', english)}"
    (scores,) = json.loads(run(crossed, "--json"))
    assert (scores["name"], scores["questions"], scores["documents"]) == ("puerto@port", 1, 2)
    assert scores["measures"]["hit@1"] == 1.0, "the word that both languages have"


def test_a_second_run_embeds_nothing(question_set: Path, all_models: ModelServer) -> None:
    first = json.loads(run(str(question_set), "--configurations", "default,dense", "--json"))
    asked = embedded(all_models)
    assert {text.splitlines()[-1] for text in asked} >= {row["text"] for row in QUESTIONS["corpus.jsonl"]}
    assert len(asked) == len(set(asked)), "and the first run nothing twice"
    all_models.reset()
    second = json.loads(run(str(question_set), "--configurations", "default,dense", "--json"))
    assert embedded(all_models) <= [SENTENCE]
    assert [one["measures"]["ndcg@10"] for one in first] == [one["measures"]["ndcg@10"] for one in second]


def embedded(server: ModelServer) -> list[str]:
    return [text for one in server.requests() for text in one["body"].get("input", []) if text != SENTENCE]


def test_without_its_model_it_measures_nothing_instead_of_words_alone(
    question_set: Path, all_models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.measuring.PATIENCE", ())
    all_models.script(path="embeddings", status=503, match="text-embedding", times=0)
    with pytest.raises(CommandError, match="embedding_unavailable"):
        measure_questions_only(question_set, all_models)


def measure_questions_only(question_set: Path, server: ModelServer) -> None:
    """The documents are embedded before the model goes."""
    server.reset()
    run(str(question_set))
    server.script(path="embeddings", status=503)
    (question_set / "queries.jsonl").write_text(json.dumps({"id": "9", "text": "¿Y el faro?", "relevant": ["b"]}))
    run(str(question_set))


def test_a_set_of_an_organization_is_measured_and_kept_with_its_runs(library: Library) -> None:
    made = QuestionSet.objects.create(organization=library.admin.organization, name="Casa", corpus=library.loans)
    document = library.loans.documents.get()
    Question.objects.create(question_set=made, text=ABOUT_LOANS, relevant=[str(document.pk)])
    slug = library.admin.organization.slug
    (scores,) = json.loads(run("Casa", "--organization", slug, "--json"))
    assert (scores["questions"], scores["documents"], scores["measures"]["hit@1"]) == (1, 1, 1.0)
    assert made.runs.get().measures["hit@1"] == 1.0
    with pytest.raises(CommandError, match="no question set 'Nada'"):
        run("Nada", "--organization", slug)


def test_what_cannot_be_erased_now_is_left_to_the_workers_with_its_rows(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that went away in the middle of a measurement: rows alone would go, and leave points behind."""

    def down() -> Any:
        raise IndexUnavailable

    with monkeypatch.context() as patched, datasets.temporary_corpus("faros") as corpus:  # left before it is undone
        document = datasets.ingest_line(corpus, {"id": "1", "text": "El faro alumbra la costa."})
        patched.setattr(erase, "every_index", down)
    assert current_index().count(document) == 1
    assert Document.objects.filter(pk=document).exclude(deleted_at=None).exists()
    assert datasets.remove_erased() == 0
    assert erase.erase_next()
    assert current_index().count(document) == 0
    datasets.remove_erased()
    assert not Organization.objects.exists()


def test_an_organization_of_people_is_never_taken_for_one_of_a_measurement(db: None) -> None:
    factories.OrganizationFactory(slug="evaluation-lab")
    factories.MembershipFactory(organization__slug="evaluation-0123456789ab")
    assert datasets.remove_erased() == 0


def test_a_document_without_text_is_left_out_with_a_word(tmp_path: Path, db: None) -> None:
    documents = [*QUESTIONS["corpus.jsonl"], {"id": "c", "text": " \n "}, {"id": "d", "text": ""}]
    asked = [*QUESTIONS["queries.jsonl"], {"id": "3", "text": "¿Y la nada?", "relevant": ["c"]}]
    folder = written(tmp_path / "puerto", {"corpus.jsonl": documents, "queries.jsonl": asked})
    out, err = StringIO(), StringIO()
    call_command("evaluate", str(folder), "--json", stdout=out, stderr=err)
    (scores,) = json.loads(out.getvalue())
    assert (scores["questions"], scores["documents"], scores["measures"]["hit@1"]) == (2, 2, 1.0)
    assert "2 documents without text are left out, and 1 questions (c, d)" in err.getvalue()
    assert Document.objects.count() == 0


def test_an_id_that_no_document_has_is_named_and_no_zero(tmp_path: Path, db: None) -> None:
    asked = [
        *QUESTIONS["queries.jsonl"],
        {"id": "3", "text": "¿Y la nada?", "relevant": ["typo"]},
        {"id": "4", "text": QUESTIONS["queries.jsonl"][0]["text"], "relevant": ["a", "other"]},
    ]
    folder = written(tmp_path / "puerto", {**QUESTIONS, "queries.jsonl": asked})
    out, err = StringIO(), StringIO()
    call_command("evaluate", str(folder), "--json", stdout=out, stderr=err)
    (scores,) = json.loads(out.getvalue())
    assert (scores["questions"], scores["measures"]["hit@1"], scores["measures"]["recall@5"]) == (3, 1.0, 1.0)
    assert scores["unknown"] == {"ids": ["other", "typo"], "questions": 1}
    assert "puerto: no document has these ids: other, typo. Left out of the measures are the 1 questions" in (
        err.getvalue()
    )
    assert EvaluationRun.objects.get().measures["unknown"] == scores["unknown"]


def test_a_set_all_of_whose_ids_are_unknown_is_not_measured(tmp_path: Path, db: None) -> None:
    folder = written(
        tmp_path / "puerto", {**QUESTIONS, "queries.jsonl": [{"id": "1", "text": "¿?", "relevant": ["x"]}]}
    )
    with pytest.raises(CommandError, match="no question of which a document is there"):
        run(str(folder))


def test_a_set_that_fails_leaves_the_others_and_is_named_at_the_end(question_set: Path, tmp_path: Path) -> None:
    broken = written(tmp_path / "roto", {**QUESTIONS, "corpus.jsonl": [{"id": "a"}]})
    about_a = QUESTIONS["queries.jsonl"][:1]
    nothing = written(tmp_path / "nada", {"corpus.jsonl": [{"id": "a", "text": ""}], "queries.jsonl": about_a})
    out, err = StringIO(), StringIO()
    sets = [str(broken), str(nothing), str(tmp_path / "missing"), str(question_set)]
    named = r"roto: KeyError .*; .*nada: .*; .*missing: .* not a question set"
    with pytest.raises(CommandError, match=named) as failed:
        call_command("evaluate", *sets, stdout=out, stderr=err)
    assert failed.value.returncode == 1
    assert "puerto" in out.getvalue().splitlines()[1]
    assert "the run goes on" in err.getvalue()
    assert EvaluationRun.objects.get(dataset="puerto").state == "done"
    assert Document.objects.count() == 0


def test_a_configuration_that_fails_leaves_those_before_it(question_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_dense(cases: Any, scope: Any, asked: Configuration, report: Any) -> dict[str, float]:
        if asked.name == "dense":
            raise NotMeasured("nothing was measured: embedding_unavailable")
        return ask_all(cases, scope, asked, report)

    monkeypatch.setattr(datasets, "ask_all", without_dense)
    out = StringIO()
    with pytest.raises(CommandError, match="embedding_unavailable"):
        call_command("evaluate", str(question_set), "--configurations", "bm25,dense", stdout=out, stderr=StringIO())
    assert "bm25" in out.getvalue()


def set_of_the_house(library: Library) -> QuestionSet:
    made = QuestionSet.objects.create(organization=library.admin.organization, name="Casa", corpus=library.loans)
    Question.objects.create(question_set=made, text=ABOUT_LOANS, relevant=[str(library.loans.documents.get().pk)])
    return made


def test_a_set_of_the_house_names_documents_that_nobody_reads(library: Library) -> None:
    made, gone = set_of_the_house(library), str(uuid4())
    Question.objects.create(question_set=made, text="¿Y esto?", relevant=[gone])
    out, err = StringIO(), StringIO()
    call_command(
        "evaluate", "Casa", "--organization", library.admin.organization.slug, "--json", stdout=out, stderr=err
    )
    (scores,) = json.loads(out.getvalue())
    assert (scores["questions"], scores["measures"]["hit@1"]) == (1, 1.0)
    assert scores["unknown"] == {"ids": [gone], "questions": 1}
    assert f"Casa: no document has these ids: {gone}" in err.getvalue()
    assert made.runs.get().measures["unknown"] == scores["unknown"]


def test_a_size_that_documents_lack_is_named_instead_of_measured_as_nothing(library: Library) -> None:
    made, out = set_of_the_house(library), StringIO()
    with pytest.raises(CommandError, match="not every document has passages of 256 tokens"):
        call_command(
            "evaluate", "Casa", "--organization", library.admin.organization.slug,
            "--configurations", "default,256", "--json", stdout=out, stderr=StringIO(),
        )  # fmt: skip
    assert [one["configuration"] for one in json.loads(out.getvalue())] == ["default"]
    assert sorted(made.runs.values_list("measures__state", flat=True)) == ["done", "failed"]


def test_progress_tells_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("workers.progress.time.monotonic", iter([0.0, 10.0, 600.0, 36_000.0]).__next__)
        clock = TimeLeft()
        left = [clock.after(1, 3), clock.after(1, 3), clock.after(1, 2), clock.after(3, 3), clock.after(0, 3)]
    assert left == ["20 s left", "20 min left", "10.0 h left", "", ""]


def test_a_run_of_a_command_is_taken_before_a_worker_sees_it(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    set_of_the_house(library)
    free: list[int] = []
    begun = runs.carry_out_run

    def look_first(*arguments: Any) -> bool:
        free.append(runs.free_runs().count())
        return begun(*arguments)

    monkeypatch.setattr(runs, "carry_out_run", look_first)
    run("Casa", "--organization", library.admin.organization.slug)
    assert free == [0]


def test_a_command_that_is_given_up_leaves_no_run_to_the_workers(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(*_: Any) -> Any:
        raise KeyboardInterrupt

    made = set_of_the_house(library)
    monkeypatch.setattr(runs, "ask_all", give_up)
    with pytest.raises(KeyboardInterrupt):
        run("Casa", "--organization", library.admin.organization.slug)
    assert (made.runs.get().state, made.runs.get().is_open) == ("failed", False)
