"""A corpus as a course: the order of its units, and how far each member has read."""

from typing import Any

import pytest

from accounts.models import Membership
from corpora.metadata.units import leading_number, unit_named
from corpora.models import Corpus, Document, UnitReading
from corpora.rows.courses import course_cards, course_of, in_teaching_order, note_opened, note_read
from tests.factories import CorpusFactory, DocumentFactory, MembershipFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def student() -> Membership:
    return MembershipFactory()


@pytest.fixture
def corpus(student: Membership) -> Corpus:
    return CorpusFactory(shared_in=student.organization, name="Redes", is_course=True)


def unit(corpus: Corpus, filename: str, **said: Any) -> Document:
    return DocumentFactory(corpus=corpus, filename=filename, **{"title": filename.removesuffix(".md"), **said})


def names(documents: list[Document]) -> list[str]:
    return [one.filename for one in documents]


def test_units_stand_by_the_numbers_of_their_files_and_not_by_their_letters(corpus: Corpus) -> None:
    made = [unit(corpus, name) for name in ("10-nat.md", "2-osi.md", "anexo.md", "1-redes.md")]
    assert names(in_teaching_order(made)) == ["1-redes.md", "2-osi.md", "10-nat.md", "anexo.md"]


def test_the_unit_that_a_document_says_goes_before_its_file_s_name(corpus: Corpus) -> None:
    made = [unit(corpus, "a.md", unit="2"), unit(corpus, "b.md", unit="1"), unit(corpus, "9.md", unit="U03 — IP")]
    assert names(in_teaching_order(made)) == ["b.md", "a.md", "9.md"]


def test_documents_of_one_unit_stand_together(student: Membership, corpus: Corpus) -> None:
    for name, said in (("01-a.md", "1"), ("02-b.md", "2"), ("03-c.md", "1")):
        unit(corpus, name, unit=said)
    units = course_of(student, corpus).units
    assert [[one.filename for one in each.documents] for each in units] == [["01-a.md", "03-c.md"], ["02-b.md"]]
    assert [one.title for one in units] == ["01-a", "02-b"], "a unit that is only a number is called as its document"


@pytest.mark.parametrize(
    ("title", "filename", "named"),
    [
        ("U04 — IPv4 y subnetting", "04-ipv4.md", "U04 — IPv4 y subnetting"),
        ("Funciones", "04-funciones.md", "4. Funciones"),
        ("Funciones", "funciones.md", "Funciones"),
    ],
)
def test_a_unit_is_named_by_its_title_and_numbered_by_its_file(title: str, filename: str, named: str) -> None:
    assert unit_named(title, filename) == named
    assert len(unit_named("a" * 300, "04.md")) <= 100


@pytest.mark.parametrize(("name", "number"), [("04-a.md", 4), ("ipv6.md", None), ("20240131-acta.md", None)])
def test_only_a_short_number_in_front_is_a_unit_s(name: str, number: int | None) -> None:
    assert leading_number(name) == number


def test_it_goes_on_behind_what_was_opened_last_and_read(student: Membership, corpus: Corpus) -> None:
    first, second, third = (unit(corpus, f"0{n}.md") for n in (1, 2, 3))
    begun = course_of(student, corpus)
    assert (begun.here, begun.last, begun.percent) == (first, None, 0)
    note_opened(student, second)
    assert course_of(student, corpus).here == second
    note_read(student, second, is_read=True)
    going = course_of(student, corpus)
    assert (going.here, going.read_count, going.percent) == (third, 1, 33)
    for one in (first, third):
        note_read(student, one, is_read=True)
    assert course_of(student, corpus).here is None
    note_read(student, third, is_read=False)
    assert course_of(student, corpus).here == third


def test_what_one_has_read_is_nobody_else_s(student: Membership, corpus: Corpus) -> None:
    document = unit(corpus, "01.md")
    other = MembershipFactory(organization=student.organization)
    note_read(student, document, is_read=True)
    assert course_of(student, corpus).read_count == 1
    assert course_of(other, corpus).read_count == 0
    assert [(one.read, one.total) for one in course_cards(other, 6)] == [(0, 1)]
    assert [(one.read, one.total) for one in course_cards(student, 6)] == [(1, 1)]


def test_opening_twice_keeps_one_row_and_that_it_was_read(student: Membership, corpus: Corpus) -> None:
    document = unit(corpus, "01.md")
    note_opened(student, document)
    note_read(student, document, is_read=True)
    note_opened(student, document)
    assert [one.read_at is not None for one in UnitReading.objects.owned_by(student)] == [True]


def test_a_course_costs_two_queries_however_many_units_it_has(
    student: Membership, corpus: Corpus, django_assert_num_queries: Any
) -> None:
    for n in range(12):
        note_opened(student, unit(corpus, f"{n}.md"))
    with django_assert_num_queries(2):
        assert len(course_of(student, corpus).documents) == 12


def test_a_course_of_somebody_else_is_no_card(student: Membership) -> None:
    CorpusFactory(is_course=True)
    CorpusFactory(shared_in=student.organization)
    assert course_cards(student, 6) == []
