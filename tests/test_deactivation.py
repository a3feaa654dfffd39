"""Who is switched off by the organization's directory has nothing left to ask with, and loses nothing."""

import pytest
from django.urls import reverse

from accounts import keys
from accounts.models import ApiKey, AuditEvent
from accounts.problems import NotFound
from chat.answering.calling.making import check_still_member
from chat.models import Export
from corpora.models import Corpus
from tests.directories import Directory, id_of, switch_off, token_for
from tests.factories import CorpusFactory
from tests.people import People, signed_in, with_secret
from tests.programs import Program, list_tools
from tests.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]


@pytest.mark.parametrize("way", ["entra", "entra without a path", "okta", "put", "delete"])
def test_sessions_keys_and_answers_end_at_once(way: str, people: People) -> None:
    world, directory = World.furnished(people), Directory(token_for(people.ada))
    alice, answer = people.alice, world.filled("/api/messages/{message}/events/")
    session, key, elsewhere = signed_in(alice), world.caller("owner_key"), signed_in(people.alice_elsewhere)
    for path in ("/api/corpora/", answer):
        assert session.get(path).status_code == key.get(path).status_code == 200
    check_still_member(alice)
    assert switch_off(directory, id_of(directory, alice), way).status_code in (200, 204)
    for path in ("/api/corpora/", answer, "/v1/models"):
        assert key.get(path).status_code == 401, path
    with pytest.raises(NotFound):  # what a running answer asks before each of its model's look-ups
        check_still_member(alice)
    assert session.get(answer).status_code == 404  # she works in her other organization from now on
    assert alice.organization.name not in session.get("/account/").content.decode()
    assert elsewhere.get("/api/corpora/").status_code == 200


def test_programs_that_were_let_in_end_too_and_are_let_in_again_with_the_person(people: People) -> None:
    directory, program = Directory(token_for(people.ada)), Program.registered()
    tokens, code = program.let_in(people.alice), program.answered(people.alice)["code"]
    assert list_tools(tokens["access_token"]).status_code == 200
    alice = id_of(directory, people.alice)
    switch_off(directory, alice, "entra")
    assert list_tools(tokens["access_token"]).status_code == 401
    assert program.exchanged(code).status_code == 400
    assert program.refreshed(tokens["refresh_token"]).status_code == 400
    directory.patch(f"Users/{alice}", {"op": "replace", "path": "active", "value": True})
    assert list_tools(tokens["access_token"]).status_code == 200


def test_who_is_of_no_other_organization_is_told_so(people: People) -> None:
    directory, session = Directory(token_for(people.ada)), signed_in(people.bob)
    assert session.get("/api/corpora/").status_code == 200
    switch_off(directory, id_of(directory, people.bob), "entra")
    assert session.get("/api/corpora/").status_code == 401
    assert session.get("/mcp").status_code in (401, 405)


def test_who_is_switched_off_takes_along_their_own_as_who_is_removed(people: People) -> None:
    bob, browser = people.bob, signed_in(people.bob)
    CorpusFactory(personal_of=bob)
    directory = Directory(token_for(people.ada))
    switch_off(directory, id_of(directory, bob), "entra")
    assert browser.get("/corpora/").status_code == browser.get(reverse("account")).status_code == 403
    assert browser.get(reverse("leaving")).status_code == 200
    assert browser.post(reverse("export-request")).status_code == 302
    assert Export.objects.filter(owner=bob.user, organization=bob.organization).count() == 1


def test_who_is_switched_on_again_has_lost_nothing(people: People) -> None:
    directory, alice = Directory(token_for(people.ada)), people.alice
    pk, corpus = id_of(directory, alice), CorpusFactory(personal_of=alice)
    key, secret = keys.issue_key(alice)
    switch_off(directory, pk, "entra")
    assert directory.found("Users", "active eq false")[0]["id"] == pk
    assert directory.patch(f"Users/{pk}", {"op": "Replace", "path": "active", "value": "True"}).json()["active"] is True
    assert with_secret(secret).get("/api/corpora/").status_code == 200
    assert ApiKey.objects.get(pk=key.pk).revoked_at is None
    assert Corpus.objects.readable_by(alice).filter(pk=corpus.pk).exists()
    said = AuditEvent.objects.filter(object_id=str(alice.pk)).values_list("action", flat=True)
    assert set(said) == {"deactivated", "activated"}
