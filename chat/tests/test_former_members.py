"""Who was removed from every organization takes along and erases what is theirs, and sees nothing else."""

import pytest
from django.test import Client

from accounts.members import end_membership
from accounts.models import Membership, User
from chat.models import Export
from corpora.models import Document, ErasureReceipt
from tests.bodies import body_of
from tests.factories import PASSWORD, ConversationFactory, CorpusFactory, DocumentFactory, ExportFactory
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def former(people: People) -> Client:
    """Bob, who has a personal corpus and a conversation in Here, after Ada removed him."""
    DocumentFactory(corpus=CorpusFactory(personal_of=people.bob))
    ConversationFactory(of=people.bob)
    ConversationFactory(of=people.alice)
    end_membership(people.bob, people.ada)
    return signed_in(people.bob)


def page_of(client: Client, path: str) -> str:
    return client.get(path, headers={"Accept-Language": "en"}).content.decode()


def test_the_page_without_an_organization_leads_to_what_is_ones_own(former: Client) -> None:
    assert 'href="/account/data/"' in page_of(former, "/")
    page = page_of(former, "/account/data/")
    for said in ("yours in Here", "1 personal corpus", "1 document", "1 conversation,", "your name and your address"):
        assert said in page


def test_an_export_is_asked_for_watched_downloaded_and_deleted(former: Client, people: People) -> None:
    organization = people.ada.organization
    answer = former.post("/account/exports/", headers={"Accept-Language": "en"})
    assert answer["Location"] == f"/account/data/?organization={organization.pk}"
    export = Export.objects.get()
    assert (export.organization, export.owner) == (organization, people.bob.user)
    progress = f"/account/exports/progress/?organization={organization.pk}"
    assert f'hx-get="{progress}"' in page_of(former, progress)
    done = ExportFactory(of=people.bob, content="a ZIP of Bob's", created_at=export.created_at)
    assert body_of(former.get(f"/account/exports/{done.pk}/?organization={organization.pk}")) == b"a ZIP of Bob's"
    assert former.post(f"/account/exports/{done.pk}/delete/").status_code == 302
    assert list(Export.objects.all()) == [export]


def test_nothing_of_others_is_reached(former: Client, people: People) -> None:
    foreign = ExportFactory(of=people.alice)
    for organization in (people.zoe.organization_id, "no-organization"):
        assert former.get(f"/account/data/?organization={organization}").status_code == 404
    for query in ("", f"?organization={people.ada.organization_id}"):
        assert former.get(f"/account/exports/{foreign.pk}/{query}").status_code == 404
        assert former.post(f"/account/exports/{foreign.pk}/delete/{query}").status_code == 404
    for path in ("/", "/account/", "/corpora/", "/trash/"):
        assert former.get(path).status_code == 403
    of_a_member = signed_in(people.charlie).get(f"/account/data/?organization={people.ada.organization_id}")
    assert "Here" not in of_a_member.content.decode()


def test_of_several_organizations_one_is_chosen(people: People) -> None:
    for member, by in ((people.alice, people.ada), (people.alice_elsewhere, people.zoe)):
        ConversationFactory(of=member)
        end_membership(member, by)
    client, elsewhere = signed_in(people.alice), people.zoe.organization
    assert f'href="/account/data/?organization={people.ada.organization_id}"' in page_of(client, "/account/data/")
    path = f"/account/data/?organization={elsewhere.pk}"
    assert "yours in Elsewhere" in page_of(client, path)
    client.post(f"/account/exports/?organization={elsewhere.pk}")
    assert Export.objects.get().organization == elsewhere


def test_the_account_is_deleted(former: Client, people: People) -> None:
    assert former.post("/account/delete/", {"password": "wrong", "agreed": "on"}).status_code == 200
    assert not ErasureReceipt.objects.exists()
    page = former.post("/account/delete/", {"password": PASSWORD, "agreed": "on"})
    assert str(people.bob.user_id) in page.content.decode()
    receipt = ErasureReceipt.objects.get()
    assert (receipt.subject_id, receipt.organization) == (people.bob.user_id, people.ada.organization)
    assert Document.objects.erasable().count() == 1
    assert not User.objects.get(pk=people.bob.user_id).is_active


def test_somebody_with_nothing_anywhere_deletes_the_account_too(people: People) -> None:
    Membership.objects.filter(pk=people.bob.pk).delete()
    client = signed_in(people.bob)
    assert "/account/exports/" not in page_of(client, "/account/data/")
    assert client.post("/account/exports/").status_code == 404
    client.post("/account/delete/", {"password": PASSWORD, "agreed": "on"})
    assert ErasureReceipt.objects.get().organization is None
