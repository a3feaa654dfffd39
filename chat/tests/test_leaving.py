"""Taking along what is one's own, and deleting the account: asked for on pages, done by the workers."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts import keys
from accounts.models import AuditEvent, Membership, User
from chat.leaving.erasing import request_organization_erasure
from chat.leaving.exports import forget_expired, forget_orphans, request_export
from chat.models import Export
from corpora.models import Corpus, Document, ErasureReceipt
from tests.bodies import body_of
from tests.factories import (
    PASSWORD,
    ConversationFactory,
    CorpusFactory,
    DocumentFactory,
    ExportFactory,
    MembershipFactory,
    UserFactory,
)
from tests.people import People, signed_in, with_secret

pytestmark = pytest.mark.django_db
AGREED = {"password": PASSWORD, "agreed": "on"}


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_the_page_says_what_goes_and_what_stays(people: People) -> None:
    """In every organization, as it will be erased."""
    for member in (people.alice, people.alice_elsewhere):
        document = DocumentFactory(corpus=CorpusFactory(personal_of=member))
        DocumentFactory(corpus=document.corpus)
        ConversationFactory(of=member)
        keys.issue_key(member)
    ConversationFactory(of=people.charlie)
    page = signed_in(people.alice).get("/account/data/", headers={"Accept-Language": "en"}).content.decode()
    kinds = ("2 personal corpora", "4 documents", "2 conversations,", "2 API keys", "memberships of 2 organizations")
    for said in (*kinds, "audit log"):
        assert said in page


@pytest.mark.parametrize("sent", [{"password": "wrong", "agreed": "on"}, {"password": PASSWORD}, {}])
def test_without_password_and_consent_nothing_happens(people: People, sent: dict[str, str]) -> None:
    client = signed_in(people.alice)
    assert client.post("/account/delete/", sent).status_code == 200
    assert is_in(client)
    assert not ErasureReceipt.objects.exists()


def test_a_deleted_account_opens_nothing_from_then_on(people: People) -> None:
    alice = people.alice
    document = DocumentFactory(corpus=CorpusFactory(personal_of=alice))
    shared = DocumentFactory(corpus=CorpusFactory(shared_in=alice.organization), uploaded_by=alice.user)
    _key, secret = keys.issue_key(alice)
    client, elsewhere = signed_in(alice), signed_in(alice)
    page = client.post("/account/delete/", AGREED)
    receipt = ErasureReceipt.objects.get()
    assert str(receipt.subject_id) in page.content.decode()
    assert (receipt.kind, receipt.requested_by, receipt.finished_at) == ("user", alice.user_id, None)
    assert not is_in(client)
    assert not is_in(elsewhere)
    assert with_secret(secret).get("/api/corpora/").status_code == 401
    assert not Client().login(email=alice.user.email, password=PASSWORD)
    assert list(Document.objects.erasable()) == [document]
    assert list(Document.objects.alive()) == [shared], "what belongs to the organization stays"
    assert AuditEvent.objects.filter(action="erased", object_id=str(alice.user_id)).count() == 2


def test_the_number_of_the_receipt_is_mailed_and_found_by_the_admins(people: People) -> None:
    signed_in(people.alice).post("/account/delete/", AGREED, headers={"Accept-Language": "en"})
    number = str(people.alice.user_id)
    (letter,) = mail.outbox
    assert (letter.to, letter.subject) == ([people.alice.user.email], "Your account is deleted")
    assert number in letter.body
    receipts, found = "/admin/corpora/erasurereceipt/", str(ErasureReceipt.objects.get().pk)
    assert found in signed_in(people.ada).get(f"{receipts}?q={number}").content.decode()
    assert found not in signed_in(people.ada).get(f"{receipts}?q={people.bob.user_id}").content.decode()
    assert found not in signed_in(people.zoe).get(f"{receipts}?q={number}").content.decode(), "she left from Here"


def test_the_last_admin_hands_over_first(people: People) -> None:
    client = signed_in(people.ada)
    page = client.post("/account/delete/", AGREED)
    assert page.status_code == 200
    assert str(people.ada.organization.name) in page.content.decode()
    assert is_in(client)
    Membership.objects.filter(pk=people.bob.pk).update(role="admin")
    client.post("/account/delete/", AGREED)
    assert not is_in(client)


def test_an_operator_is_not_deleted_from_a_page(people: People) -> None:
    User.objects.filter(pk=people.alice.user_id).update(is_superuser=True)
    client = signed_in(people.alice)
    assert "erase --user" in client.get("/account/data/").content.decode()
    client.post("/account/delete/", AGREED)
    assert is_in(client)


def test_guesses_of_the_password_are_counted(people: People) -> None:
    client = signed_in(people.alice)
    answers = [client.post("/account/delete/", {"password": "wrong", "agreed": "on"}).status_code for _ in range(11)]
    assert answers == [200] * 10 + [302]
    client.post("/account/delete/", AGREED)
    assert is_in(client)


def test_asking_twice_makes_one_export(people: People) -> None:
    client = signed_in(people.alice)
    for _ in range(2):
        assert client.post("/account/exports/").status_code == 302
    export = Export.objects.get()
    assert (export.status, export.owner) == ("waiting", people.alice.user)
    page = client.get("/account/exports/progress/").content.decode()
    assert 'hx-get="/account/exports/progress/"' in page
    assert "<progress" in page


def test_a_finished_export_is_its_owners_alone(people: People) -> None:
    export = ExportFactory(of=people.alice, content="a ZIP of Alice's")
    path = f"/account/exports/{export.pk}/"
    answer = signed_in(people.alice).get(path)
    assert body_of(answer) == b"a ZIP of Alice's"
    assert "attachment" in answer["Content-Disposition"]
    assert (answer["Cache-Control"], answer["X-Content-Type-Options"]) == ("no-store", "nosniff")
    for other in (people.bob, people.ada, people.charlie, people.alice_elsewhere):
        assert signed_in(other).get(path).status_code == 404
    assert Client().get(path).status_code == 302


def test_an_export_expires_and_its_file_goes(people: People) -> None:
    export = ExportFactory(of=people.alice)
    storage, name = export.file.storage, export.file.name
    Export.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert signed_in(people.alice).get(f"/account/exports/{export.pk}/").status_code == 404
    assert forget_expired() == 1
    assert not Export.objects.exists()
    assert not storage.exists(name)


def test_a_new_export_takes_the_place_of_the_one_before(people: People) -> None:
    before = ExportFactory(of=people.alice)
    kept = ExportFactory(of=people.bob)
    fresh = request_export(people.alice)
    assert set(Export.objects.all()) == {fresh, kept}
    assert not before.file.storage.exists(before.file.name)


def test_files_without_a_row_are_removed(people: People) -> None:
    export, kept = ExportFactory(of=people.alice), ExportFactory(of=people.bob)
    Export.objects.filter(pk=export.pk).delete()
    forget_orphans()
    assert not export.file.storage.exists(export.file.name)
    assert kept.file.storage.exists(kept.file.name)


def test_an_organization_that_is_being_erased_lets_nobody_in(people: People) -> None:
    shared = CorpusFactory(shared_in=people.ada.organization)
    client = signed_in(people.bob)
    request_organization_erasure(people.ada.organization, None)
    assert not is_in(client)
    assert Corpus.objects.erasable().get() == shared
    assert not Membership.objects.filter(organization=people.ada.organization).active().exists()
    assert signed_in(people.alice_elsewhere).get("/").status_code == 200, "she belongs to another one too"


def erase_path(row: Any) -> str:
    kind = "user" if isinstance(row, User) else "organization"
    return f"/admin/corpora/erasurereceipt/erase/{kind}/{row.pk}/"


def test_an_operator_erases_by_typing_the_name(people: People) -> None:
    operator = MembershipFactory(user=UserFactory(is_superuser=True), organization=people.zoe.organization)
    client = signed_in(operator)
    for row, name in ((people.bob.user, people.bob.user.email), (people.ada.organization, "organization")):
        assert client.get(erase_path(row)).status_code == 200
        client.post(erase_path(row), {"name": "another"})
        assert not ErasureReceipt.objects.filter(subject_id=row.pk).exists()
        client.post(erase_path(row), {"name": getattr(row, "slug", name)})
        assert ErasureReceipt.objects.get(subject_id=row.pk).requested_by == operator.user_id


def test_nobody_else_erases_people_or_organizations(people: People) -> None:
    for asking in (people.ada, people.bob, people.zoe):
        for row in (people.bob.user, people.ada.organization):
            assert signed_in(asking).post(erase_path(row), {"name": row.pk}).status_code == 404
            assert signed_in(asking).get(erase_path(row)).status_code == 404


def test_the_last_admin_is_not_erased_by_an_operator_either(people: People) -> None:
    operator = MembershipFactory(user=UserFactory(is_superuser=True), organization=people.zoe.organization)
    signed_in(operator).post(erase_path(people.ada.user), {"name": people.ada.user.email})
    assert not ErasureReceipt.objects.exists()
