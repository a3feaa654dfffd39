"""`manage.py ask`: an answer in the terminal, its sources, and messages that say what to do."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.problems import DatabaseFull, FileTooLarge
from chat.models import Message
from retrieval.index.base import IndexDiskFault, IndexLocked, IndexUnavailable
from retrieval.spaces import opened
from tests import factories
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOVEL, Library

pytestmark = pytest.mark.django_db(transaction=True)


def ask(library: Library, question: str = ABOUT_LOANS, agent: str = "writer", **options: Any) -> str:
    out = StringIO()
    call_command("ask", agent, question, user=options.pop("user", library.alicia.user.email), stdout=out, **options)
    return out.getvalue()


def test_the_answer_comes_with_its_sources(library: Library) -> None:
    said = ask(library)
    assert "veintiún días" in said
    assert "confidence: high" in said
    assert "*[1] Préstamos" in said
    assert Message.objects.get(role="assistant").status == "complete"


def test_it_asks_with_the_eyes_of_its_user(library: Library) -> None:
    assert "Ofelia Marchena es la relojera" in ask(library, ABOUT_NOVEL)
    assert "Ofelia Marchena es la relojera" not in ask(library, ABOUT_NOVEL, user=library.bob.user.email)


def test_an_unknown_agent_is_answered_with_the_known_ones(library: Library, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(CommandError) as refused:
        ask(library, agent="nobody")
    assert str(refused.value) == "There is no agent 'nobody' for this user. Known: writer, researcher."
    assert not caplog.records, "a mistyped name is no fault of the house"


def test_another_refusal_says_what_it_is_and_names_no_agents(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(*args: Any, **options: Any) -> Any:
        raise FileTooLarge

    monkeypatch.setattr("chat.answering.answers.ask", refused)
    with pytest.raises(CommandError) as said:
        ask(library)
    assert str(said.value) == str(FileTooLarge.default_detail)


def test_an_unknown_user_is_refused(library: Library) -> None:
    with pytest.raises(CommandError):
        ask(library, user="nobody@example.org")


def test_somebody_in_two_organizations_must_choose(library: Library) -> None:
    factories.MembershipFactory(user=library.alicia.user)
    with pytest.raises(CommandError):
        ask(library)
    assert "veintiún días" in ask(library, organization=library.alicia.organization.slug)


def test_a_failed_model_fails_the_command_with_advice(library: Library, chat_model: ModelServer) -> None:
    chat_model.script(status=401)
    with pytest.raises(CommandError, match=r"\w"):
        ask(library)
    assert Message.objects.get(role="assistant").status == "failed"


def test_a_running_server_is_named_as_the_owner_of_the_index(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked() -> Any:
        raise IndexLocked("in use")

    monkeypatch.setattr(opened, "current_index", locked)
    with pytest.raises(CommandError, match="QDRANT_URL"):
        ask(library)


def test_an_index_that_is_down_costs_only_the_context(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(space: Any) -> Any:
        raise IndexUnavailable("refused")

    monkeypatch.setattr("retrieval.search.index_of", down)
    said = ask(library)
    assert "confidence: none" in said
    assert "Préstamos" not in said


def test_an_index_whose_disk_is_full_is_told_to_whoever_can_make_room(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any) -> Any:
        raise IndexDiskFault("The disk of /srv/acervo is full.")

    monkeypatch.setattr(opened, "current_index", full)
    err = StringIO()
    assert ask(library, stderr=err)
    assert "The disk of /srv/acervo is full." in err.getvalue()


def test_an_answer_that_the_disk_does_not_take_names_the_disk(
    library: Library, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    async def refused(*args: Any, **options: Any) -> Any:
        raise DatabaseFull

    monkeypatch.setattr("chat.answering.answers.ask", refused)
    with pytest.raises(CommandError) as said:
        ask(library)
    assert str(settings.DATA_DIR) in str(said.value) or "The disk of PostgreSQL on" in str(said.value)
