"""The bench of answers finds the truth and judges by itself: what it counts as right must be right."""

import json
from pathlib import Path

import pytest

from bench.answers.judging import Quote, holds_all, judge_reference, quotes_of
from bench.answers.library import Library
from bench.answers.numbers import in_words, ordinal, roman
from bench.answers.papers import Paper, read_papers, squeeze
from bench.answers.questions import FOLDER, Question, held_out, is_answered_elsewhere
from bench.answers.references import Reference, law_of, name_of, of_laws, of_others
from bench.answers.report import table
from bench.answers.sections import Place, places_of
from bench.answers.separation import separation_of

CONTENTS = "\n".join(f"Artículo {number}. Cosas. ................ 2" for number in (1, 2, 3, 4, 5))
LAW = (
    f"Ley 7/2031, de 3 de mayo, reguladora de los faros y de sus fareros.\nÍNDICE\n{CONTENTS}",
    "Artículo 1. Objeto.\nEsta ley regula los faros.\nArtículo 2. Luces.\n1. Cada faro tiene una luz.\n2. La luz gira.",
    "El giro dura diez segundos.\nArtículo 9 de otra norma.\nDisposición final primera. Vigor.\nEntra en vigor mañana.",
)


def paper(*pages: str, name: str = "ley.pdf") -> Paper:
    return Paper(Path(name), Path(name).stem, pages, paged=name.endswith(".pdf"))


def place(kind: str, number: str, *pages: str, name: str = "ley.pdf") -> Place:
    return next(one for one in places_of(paper(*pages, name=name)) if (one.kind, one.number) == (kind, number))


@pytest.mark.parametrize(
    ("number", "words", "signs"),
    [(8, "ocho", "VIII"), (16, "dieciséis", "XVI"), (41, "cuarenta y uno", "XLI"), (114, "ciento catorce", "CXIV")],
)
def test_numbers_are_written_as_people_write_them(number: int, words: str, signs: str) -> None:
    assert (in_words(number), roman(number)) == (words, signs)


def test_ordinals_are_those_of_disposiciones() -> None:
    assert [ordinal(one) for one in (1, 12, 21)] == ["primera", "duodécima", "vigésima primera"]


def test_sections_are_found_outside_of_contents_with_their_pages() -> None:
    found = {(one.kind, one.number): one.pages for one in places_of(paper(*LAW))}
    assert found == {
        ("articulo", "1"): [range(2, 3)],
        ("articulo", "2"): [range(2, 4)],
        ("disposicion final", "1"): [range(3, 4)],
    }


def test_a_section_ends_where_the_next_begins() -> None:
    second = place("articulo", "2", *LAW)
    assert second.holds("La luz gira.")
    assert not second.holds("Esta ley regula los faros.")
    assert not second.holds("Entra en vigor mañana.")


def test_requirements_chapters_and_headings_are_sections_too() -> None:
    standard = paper("V2.1 Rules\n2.1.1 Verify that doors close.\n1\n2.1.2 Verify that bells ring.", name="s.pdf")
    assert [(one.kind, one.number) for one in places_of(standard)] == [
        ("clause", "2.1"), ("requirement", "2.1.1"), ("requirement", "2.1.2"),
    ]  # fmt: skip
    assert [one.number for one in places_of(paper("# A\n\n## Leave\n\nTen days.", name="h.md"))] == ["Leave"]


def test_a_law_is_named_by_number_and_by_subject() -> None:
    law = law_of(paper(*LAW))
    assert law is not None
    assert (law.of, law.of_subject) == ("de la Ley 7/2031", "de la Ley de los faros y de sus fareros")
    assert law_of(paper("A handbook.")) is None


def test_questions_name_their_place_and_keep_its_truth() -> None:
    asked = of_laws(places_of(paper(*LAW)), 40)
    texts = {one.text for one in asked}
    assert {
        "art. 2 de la Ley 7/2031",
        "artículo 2.2 de la Ley 7/2031",
        "disposición final primera de la Ley 7/2031",
    } <= texts
    assert all(one.places for one in asked)


def test_a_number_that_two_papers_have_is_asked_with_the_papers_name() -> None:
    one, other = (paper("V2.1 Rules\nText.", name=f"asvs-{version}.pdf") for version in ("4.0", "5.0"))
    texts = [asked.text for asked in of_others([*places_of(one), *places_of(other)], [one, other], 9)]
    assert texts == ["V2.1 (ASVS 4.0)", "V2.1 (ASVS 5.0)"]
    assert name_of(paper("", name="manual-429-pages-en.pdf")) == "manual"


def test_a_heading_that_another_paper_has_is_asked_with_the_papers_name() -> None:
    leave = paper("## Who we are\nWe.\n### [Tools](https://a.example/)\nA.\n## Pay\nB.", name="leave.md")
    manual = paper("WHO WE ARE\nThey.", name="manual.docx")
    texts = [asked.text for asked in of_others(places_of(leave), [leave, manual], 9)]
    assert texts == [
        'What does the section "Who we are" say (leave)?',
        "Tools",
        'What does the section "Pay" say?',
    ]
    assert places_of(leave)[0].holds("A.")  # what stands below a heading's own headings is of it


class Shelf(Library):
    """A library that answers nothing: it knows its papers and one text."""

    def __init__(self, one: Paper, text: str = "") -> None:
        super().__init__(0, "", papers={"d": one})
        self.text = text

    def marked(self, document: str, start: int, end: int) -> str:
        return self.text[start:end]


def answer(snippet: str, page: int | None, confidence: str = "high", heading: str = "") -> dict[str, object]:
    source = {"n": 1, "document": "d", "title": "T", "page": page, "heading_path": [heading] if heading else []}
    return {
        "sources": [{**source, "snippet": snippet}], "citations": [], "confidence": confidence, "state": "supported",
        "content": "",
    }  # fmt: skip


def test_a_right_section_on_its_page_is_right() -> None:
    asked = place("articulo", "2", *LAW)
    judged = judge_reference(Shelf(asked.paper), Reference("art. 2", (asked,), "art"), answer("La luz gira.", 2))
    assert (judged.document, judged.section, judged.page, judged.wrong_high) == (True, True, True, False)


@pytest.mark.parametrize(("snippet", "page"), [("Esta ley regula los faros.", 2), ("Entra en vigor mañana.", 3)])
def test_a_neighbouring_section_is_wrong_and_must_not_be_high(snippet: str, page: int) -> None:
    asked = place("articulo", "2", *LAW)
    judged = judge_reference(Shelf(asked.paper), Reference("art. 2", (asked,), "art"), answer(snippet, page))
    assert (judged.section, judged.page, judged.wrong_high) == (False, False, True)


def test_the_right_section_on_another_page_is_not_exact() -> None:
    asked = place("articulo", "2", *LAW)
    judged = judge_reference(Shelf(asked.paper), Reference("art. 2", (asked,), "art"), answer("La luz gira.", 3))
    assert (judged.section, judged.page) == (True, False)


def test_cited_sentences_are_held_against_page_and_mark() -> None:
    told = answer("", 2)
    told["content"] = "La luz gira siempre. [1]\nEl giro dura diez segundos. [1]"
    told["citations"] = [
        {"n": 1, "text": None, "page": None, "start": None, "end": None},
        {"n": 1, "text": "El giro dura diez segundos.", "page": 3, "start": 0, "end": 27},
    ]
    shelf = Shelf(paper(*LAW), "El giro dura diez segundos.")
    assert list(quotes_of(shelf, told)) == [
        Quote("ley", "pdf", "La luz gira siempre.", page=False, inside=False, tight=False),
        Quote("ley", "pdf", "El giro dura diez segundos.", page=True, inside=True, tight=True),
    ]


def test_what_the_mark_says_must_be_what_the_answer_says() -> None:
    told = answer("", 2)
    told["content"] = "La luz gira siempre. [1]"
    told["citations"] = [{"n": 1, "text": "Cada faro tiene una luz.", "page": 2, "start": 0, "end": 24}]
    assert not next(iter(quotes_of(Shelf(paper(*LAW), "Cada faro tiene una luz."), told))).inside


def test_a_sentence_over_two_pages_is_on_that_of_its_first_word_whatever_stands_between() -> None:
    half = "La luz se enciende cuando anochece y", "se apaga en cuanto amanece en la costa."
    two = paper(f"Artículo 3.\n{half[0]}\nBOLETÍN DE FAROS\nPágina 1", f"BOLETÍN DE FAROS\n{half[1]}\nArtículo 4.")
    assert two.stands_on(" ".join(half), 1)
    assert not two.stands_on(" ".join(half), 2)
    assert not two.stands_on(f"{half[0]} se queda así hasta que amanece.", 2)
    assert not two.stands_on("Se apaga en cuanto amanece en la costa.", 1)


def test_must_takes_one_of_each() -> None:
    assert holds_all("Dura DIEZ  segundos", ["10|diez", "segundos"])
    assert not holds_all("Dura diez segundos", ["11|once"])


def test_separation_counts_wins_and_ties() -> None:
    found = separation_of([(0.9, True), (0.5, False)], [(0.5, False), (0.1, True)])
    assert (found.auroc, found.refused, found.let_through) == (0.875, 0.5, 0.5)


def test_what_remains_may_answer_as_well() -> None:
    asked = Question("¿Cuánto gira?", "ley", ("diez segundos",))
    assert is_answered_elsewhere(asked, [paper("dura diez segundos", name="otra.pdf")])
    assert not is_answered_elsewhere(asked, [paper(*LAW)])


def test_every_other_work_is_held_out() -> None:
    assert held_out(["c", "a", "d", "b"]) == {"b", "d"}


def test_papers_are_read_and_what_is_broken_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "one.md").write_text("# Uno\n\nTexto.", encoding="utf-8")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    found = read_papers(tmp_path)
    assert [(one.group, one.paged) for one in found] == [("course", False)]
    assert squeeze("Ci-\ngüeña, 3.ª") == "ciguena3a"


@pytest.mark.parametrize("name", ["answerable", "nowhere", "course"])
def test_the_questions_by_hand_are_distinct_and_complete(name: str) -> None:
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({row["text"] for row in rows}) == len(rows) >= 40
    assert all(row.get("must") for row in rows) is (name != "nowhere")
    assert all(row.get("of") for row in rows) is (name != "course")


def test_the_table_names_the_targets() -> None:
    assert "| part: half | auroc" not in table({"commit": "x"})
    assert "| s | half: auroc | ≥ 0.85 | 0.9 |" in table({"s": {"half": {"auroc": 0.9}, "wrong": ["a"]}})
