"""The playground: two settings side by side, in the admin's own scope and in no other."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chat.admin.playground import SettingsForm
from tests.factories import UserFactory
from tests.library import ABOUT_LOANS, ABOUT_NOVEL, Library
from tests.people import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ask(library: Library) -> Callable[..., Any]:
    def asked(question: str = ABOUT_LOANS, by: Any = None, **settings: Any) -> Any:
        client: Client = signed_in(by or library.admin)
        query = {"agent": library.writer.pk, "q": question, **settings}
        return client.get(
            reverse("admin:chat_playground"), {name.replace("__", "-"): one for name, one in query.items()}
        )

    return asked


def sides(page: Any) -> list[Any]:
    return list(page.context["sides"])


def test_without_a_question_there_is_a_form(library: Library) -> None:
    page = signed_in(library.admin).get(reverse("admin:chat_playground"))
    assert page.status_code == 200
    assert all(side.retrieval is None for side in sides(page))


def test_the_same_settings_find_the_same(ask: Callable[..., Any]) -> None:
    a, b = sides(ask(b__legs=""))
    assert a.places
    assert all(place.moved == 0 and place.other == place.rank for place in (*a.places, *b.places))


def test_the_second_side_differs_unless_somebody_says_otherwise(library: Library, ask: Callable[..., Any]) -> None:
    _a, b = sides(signed_in(library.admin).get(reverse("admin:chat_playground")))
    assert b.form["legs"].value() == "bm25"
    _a, b = sides(ask())
    assert all(place.passage.dense is None for place in b.places)


def test_each_side_has_its_own_settings(ask: Callable[..., Any]) -> None:
    a, b = sides(ask(a__legs="bm25", b__top_k=1, b__granularity=512))
    assert all(place.passage.dense is None for place in a.places)
    assert (a.retrieval.granularity, b.retrieval.granularity, b.places) == (800, 512, ())


def test_metadata_narrows_one_side_or_comes_first_on_it(ask: Callable[..., Any], library: Library) -> None:
    a, b = sides(ask(a__filters_unit="nowhere", b__preferences_unit="nowhere"))
    assert a.places == ()
    assert b.places
    page = ask(a__filters_difficulty="easy")
    assert sides(page)[0].form.errors["filters"]
    assert 'role="alert"' in page.content.decode()


def test_another_users_personal_corpus_is_not_searched(ask: Callable[..., Any], library: Library) -> None:
    found = [place.passage.corpus_type for side in sides(ask(ABOUT_NOVEL)) for place in side.places]
    assert "personal" not in found
    assert "relojera" not in ask(ABOUT_NOVEL).content.decode()


def test_members_and_other_organizations_have_no_playground(ask: Callable[..., Any], library: Library) -> None:
    assert ask(by=library.alicia).status_code in (302, 404)
    library.carla.role = "admin"
    library.carla.save()
    page = ask(by=library.carla)
    assert page.context["question"].errors["agent"], "another organization's agent is none of the choices"
    assert all(side.retrieval is None for side in sides(page))


@pytest.mark.parametrize("wrong", [{"a__top_k": "0"}, {"b__threshold": "2"}, {"a__legs": "x"}, {"a__candidates": "no"}])
def test_wrong_settings_are_explained(ask: Callable[..., Any], wrong: dict[str, str]) -> None:
    page = ask(**wrong)
    assert any(side.form.errors for side in sides(page))
    assert all(side.retrieval is None for side in sides(page))
    assert 'role="alert"' in page.content.decode()


def test_what_is_left_empty_is_as_the_agent_has_it() -> None:
    form = SettingsForm({"a-top_k": "3", "a-rerank": "no", "a-legs": "dense", "a-diversity": "0"}, prefix="a")
    assert form.is_valid()
    assert form.changes() == {"top_k": 3, "rerank": False, "legs": ("dense",), "diversity": 0.0}


def test_an_operator_without_an_organization_is_told_why(client: Client) -> None:
    """The menu leads there; a page that is not found would look like a fault."""
    client.force_login(UserFactory(is_superuser=True))
    page = client.get(reverse("admin:chat_playground"), follow=True)
    assert page.redirect_chain == [(reverse("admin:index"), 302)]
    assert [str(one.tags) for one in page.context["messages"]] == ["info"]
