"""Metadata by names of one's own: what is taken, in which spellings, and what is refused."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from corpora.metadata.conditions import checked_conditions
from corpora.metadata.free import checked_free, conditions_of_words, free_words, parse_pairs, split_conditions
from corpora.models import Document
from corpora.pages.description_forms import MetaFormField
from corpora.uploads.inputs import MetaField
from tests.factories import DocumentFactory
from tests.people import People, signed_in

SAID = {"author": "Ana Pérez", "edition": 3, "weight": 2.5, "reviewed": True}


@pytest.mark.parametrize(
    "sent",
    [
        SAID,
        json.dumps(SAID),
        "author=Ana Pérez\nedition=3\n\nweight = 2.5\nreviewed=true",
        ["author=Ana Pérez", "edition=3", "weight=2.5", "reviewed=true"],
        SAID | {"nothing": "", "none": None},
    ],
)
def test_it_is_taken_in_every_spelling_that_clients_have(sent: Any) -> None:
    assert MetaField().run_validation(sent) == SAID


@pytest.mark.parametrize(
    "sent",
    [
        3, [3], "author", "{", {"a.b": "x"}, {"": "x"}, {"a=b": "x"}, {"3": "x"}, {"a": ["x"]}, {"a": {"b": "x"}},
        {"a": "x" * 256}, {"a" * 41: "x"}, {f"a{n}": n for n in range(21)}, {"a": float("inf")}, {"a": 1e300},
        {"a": "two\nlines"}, {"a": "\0"}, '{"a": "\\ud800"}', "[" * 100_000, "{" + '"a":{' * 100_000,
    ],
)  # fmt: skip
def test_what_cannot_be_kept_or_filtered_by_is_refused(sent: Any) -> None:
    from rest_framework.serializers import ValidationError as Refused

    with pytest.raises(Refused):
        MetaField().run_validation(sent)


def test_words_keep_what_only_looks_like_a_number() -> None:
    assert parse_pairs(["code=007", "n=7", "x=1e5", "y=nan", "z=a=b"]) == {
        "code": "007", "n": 7, "x": "1e5", "y": "nan", "z": "a=b"
    }  # fmt: skip


values = st.one_of(st.booleans(), st.integers(-(2**53), 2**53), st.text("aé 1.=-", min_size=1, max_size=20))


@given(st.dictionaries(st.from_regex(r"\A[a-z][a-z0-9_-]{0,8}\Z"), values, max_size=5))
def test_a_form_shows_what_it_takes_and_the_index_has_a_word_for_each(said: dict[str, Any]) -> None:
    kept = checked_free(said)
    words = free_words(kept)
    assert len(words) == len(kept)
    assert free_words(checked_free(parse_pairs(MetaFormField().prepare_value(kept).splitlines()))) == words


def test_a_condition_on_documents_takes_ids_in_any_spelling_and_nothing_else() -> None:
    asked = uuid4()
    assert checked_conditions({"document": str(asked).upper()}) == {"document": [str(asked)]}
    for wrong in ({"document": "Préstamos"}, {"document": [str(asked), ""]}, {"document": []}):
        with pytest.raises(ValidationError):
            checked_conditions(wrong)


def test_conditions_name_it_behind_meta() -> None:
    said = {"meta.edition": [3, "4"], "meta.reviewed": True, "unit": "2"}
    checked = checked_conditions(said)
    assert checked == {"meta.edition": ["3", "4"], "meta.reviewed": ["true"], "unit": ["2"]}
    fixed, words = split_conditions(checked)
    assert fixed | conditions_of_words(words) == checked
    for wrong in ({"meta.": "x"}, {"meta": "x"}, {"meta.a b": "x"}, {"meta.a": []}, {"meta.a": ""}, {"meta.a": [{}]}):
        with pytest.raises(ValidationError):
            checked_conditions(wrong)


@pytest.mark.django_db
def test_the_reader_s_form_changes_it_by_lines(people: People) -> None:
    from django.urls import reverse

    document = DocumentFactory(title="Loans", meta={"edition": 3})
    owner = people.alice
    Document.objects.filter(pk=document.pk).update(corpus=_own(owner))
    path = reverse("document-describe", args=[document.pk])
    signed_in(owner).post(path, {"title": "Loans", "meta": "edition=4\nauthor=Ana"})
    document.refresh_from_db()
    assert document.meta == {"edition": 4, "author": "Ana"}
    signed_in(owner).post(path, {"title": "Loans", "meta": "no pair"})
    document.refresh_from_db()
    assert document.meta == {"edition": 4, "author": "Ana"}


def _own(owner: Any) -> Any:
    from tests.factories import CorpusFactory

    return CorpusFactory(personal_of=owner)
