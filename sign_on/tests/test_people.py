"""Who a provider may say that somebody is: nobody of another organization's domain, no operator, nobody twice."""

from typing import Any

import pytest

from accounts.models import Membership, User
from sign_on.keeping import delete_provider, save_provider
from sign_on.models import IdentityProvider, ProvidedIdentity
from sign_on.people import membership_of_person
from sign_on.problems import SignOnRefused
from sign_on.provider.claims import Person, person_of
from tests.factories import UserFactory
from tests.people import People
from tests.sign_on import domain_of_organization, provider_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> People:
    return People.assembled()


@pytest.fixture
def provider(people: People) -> IdentityProvider:
    domain_of_organization(people.ada.organization)
    return provider_of(people.ada.organization)


def said(address: str, subject: str = "s", **fields: Any) -> Person:
    return Person(**{"subject": subject, "address": address, "name": "N", "groups": frozenset(), **fields})


def with_address(member: Membership, address: str) -> User:
    member.user.email = address
    member.user.save()
    return member.user


def refused(provider: IdentityProvider, person: Person) -> str:
    with pytest.raises(SignOnRefused) as refusal:
        membership_of_person(provider, person)
    return refusal.value.reason


def test_another_organizations_domain_is_not_its_to_speak_for(people: People, provider: IdentityProvider) -> None:
    domain_of_organization(people.zoe.organization, "elsewhere.test")
    with_address(people.zoe, "zoe@elsewhere.test")
    assert refused(provider, said("zoe@elsewhere.test")) == "foreign_domain"
    assert not ProvidedIdentity.objects.exists()


@pytest.mark.parametrize("name", ["claimed.test", "public.test"])
def test_a_domain_that_is_only_claimed_or_nobodys_proves_nothing(name: str, provider: IdentityProvider) -> None:
    domain_of_organization(provider.organization, "claimed.test", proved=False)
    UserFactory(email=f"bob@{name}")
    assert refused(provider, said(f"bob@{name}")) == "foreign_domain"


def test_the_same_subject_at_another_organization_is_somebody_else(people: People, provider: IdentityProvider) -> None:
    mine = membership_of_person(provider, said("bob@here.test"))
    domain_of_organization(people.zoe.organization, "elsewhere.test")
    theirs = provider_of(people.zoe.organization)
    assert theirs.issuer == provider.issuer
    assert refused(theirs, said("bob@here.test")) == "foreign_domain"
    other = membership_of_person(theirs, said("bob@elsewhere.test"))
    assert other.user_id != mine.user_id


def test_another_issuer_knows_nobody_yet(provider: IdentityProvider) -> None:
    membership_of_person(provider, said("bob@here.test"))
    provider.issuer = "https://other.example.org"
    provider.save()
    assert refused(provider, said("")) == "unverified"


@pytest.mark.parametrize("flag", ["is_superuser", "is_staff"])
def test_an_operator_is_never_signed_in(flag: str, people: People, provider: IdentityProvider) -> None:
    user = with_address(people.bob, "bob@here.test")
    membership_of_person(provider, said("bob@here.test"))
    setattr(user, flag, True)
    user.save()
    assert refused(provider, said("bob@here.test")) == "operator"
    UserFactory(email="root@here.test", is_superuser=True)
    assert refused(provider, said("root@here.test", "other")) == "operator"


def test_an_account_that_is_switched_off_stays_so(people: People, provider: IdentityProvider) -> None:
    user = with_address(people.bob, "bob@here.test")
    user.is_active = False
    user.save()
    assert refused(provider, said("bob@here.test")) == "inactive"


def test_an_address_that_has_another_owner_now_is_not_the_former_ones_account(provider: IdentityProvider) -> None:
    membership_of_person(provider, said("bob@here.test", "first"))
    assert refused(provider, said("bob@here.test", "second")) == "address_taken"


def test_who_was_removed_does_not_come_back_by_signing_in(provider: IdentityProvider) -> None:
    membership_of_person(provider, said("bob@here.test")).delete()
    assert refused(provider, said("bob@here.test")) == "not_member"


def test_a_member_stays_the_same_member(people: People, provider: IdentityProvider) -> None:
    with_address(people.ada, "ada@here.test")
    membership = membership_of_person(provider, said("ada@here.test"))
    assert (membership.pk, membership.role) == (people.ada.pk, "admin")


def test_groups_that_the_provider_does_not_list_leave_the_role(people: People, provider: IdentityProvider) -> None:
    provider.admin_groups = ["bosses"]
    with_address(people.bob, "bob@here.test")
    assert membership_of_person(provider, said("bob@here.test", groups=frozenset({"bosses"}))).role == "admin"
    assert membership_of_person(provider, said("bob@here.test", groups=None)).role == "admin"
    assert membership_of_person(provider, said("bob@here.test", groups=frozenset())).role == "member"


@pytest.mark.parametrize(
    ("claims", "address"),
    [
        ({"email": "a@b.test", "email_verified": True}, "a@b.test"),
        ({"email": "A@B.test", "email_verified": "true"}, "a@b.test"),
        ({"email": "a@b.test", "xms_edov": True}, "a@b.test"),
        ({"email": "a@b.test", "xms_edov": 1}, "a@b.test"),
        ({"email": "a@b.test", "email_verified": False, "xms_edov": True}, ""),
        ({"email": "a@b.test", "email_verified": 1}, ""),
        ({"email": "a@b.test", "email_verified": "yes"}, ""),
        ({"email": "a@b.test"}, ""),
        ({"email": ["a@b.test"], "email_verified": True}, ""),
        ({"email": "a@b.test@here.test", "email_verified": True}, ""),
        ({"email": "a@h\u0435re.test", "email_verified": True}, ""),
        ({"email": "a@b.test\n", "email_verified": True}, ""),
        ({"email": "a" * 300 + "@b.test", "email_verified": True}, ""),
    ],
)
def test_an_address_is_one_that_is_said_to_be_verified(claims: dict[str, Any], address: str) -> None:
    assert person_of({"sub": "s", **claims}, "groups").address == address


def test_groups_and_names_are_bounded() -> None:
    told = {"sub": "s", "name": "A\u202eb\nc" + "x" * 9000, "roles": ["a", 7, None, "x" * 400, *map(str, range(9000))]}
    person = person_of(told, "roles")
    assert person.name.startswith("A b c")
    assert len(person.name) == 150
    assert person.groups is not None
    assert len(person.groups) < 2000
    assert person_of({"sub": "s", "roles": "one"}, "roles").groups == {"one"}
    assert person_of({"sub": "s", "roles": {"a": 1}}, "roles").groups == frozenset()
    assert person_of({"sub": "s", "_claim_names": {"roles": "src1"}}, "roles").groups is None


def test_an_account_of_elsewhere_is_not_made_a_member_unseen(people: People, provider: IdentityProvider) -> None:
    """Whoever made it, or had the address before, has its password, and would be inside with it."""
    stranger = with_address(people.charlie, "new@here.test")
    assert refused(provider, said("new@here.test")) == "account_exists"
    assert not stranger.provided_identities.exists()
    Membership.objects.create(user=stranger, organization=provider.organization)  # invited, and accepted
    assert membership_of_person(provider, said("new@here.test")).user_id == stranger.pk


@pytest.mark.parametrize(
    ("more", "address"),
    [({}, ""), ({"hd": "here.test"}, "n@here.test"), ({"hd": "main.test"}, "n@here.test"), ({"hd": ""}, ""),
     ({"hd": ["here.test"]}, "")],
)  # fmt: skip
def test_googles_accounts_of_anybody_are_not_the_domains(more: dict[str, Any], address: str) -> None:
    """Anybody makes one with the address of a mailbox that they once had, plus signs included."""
    told = {"iss": "https://accounts.google.com", "sub": "s", "email": "n@here.test", "email_verified": True, **more}
    assert person_of(told, "groups").address == address


def test_a_provider_that_is_deleted_leaves_no_identity_of_any_issuer(
    people: People, provider: IdentityProvider
) -> None:
    """Or who was known to a former one would be so again when its address is entered anew."""
    membership_of_person(provider, said("bob@here.test"))
    save_provider(people.ada, provider, issuer="https://other.example.org", secret="new")
    delete_provider(people.ada, provider)
    assert not ProvidedIdentity.objects.exists()
