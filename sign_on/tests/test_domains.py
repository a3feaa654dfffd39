"""A domain counts once its record is there, for one organization, and until it has been away for days."""

from datetime import timedelta
from typing import Any

import dns.rcode
import pytest

from accounts.models import AuditEvent
from sign_on import domains, records
from sign_on.models import MailDomain
from sign_on.problems import DomainsFull, DomainTaken, EnforcementRefused
from sign_on.records import LookupFailed, nameservers, txt_records
from tests.fakes.names import NameServer
from tests.people import People
from tests.sign_on import domain_of_organization, provider_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> People:
    return People.assembled()


@pytest.fixture
def domain(people: People) -> MailDomain:
    return domain_of_organization(people.ada.organization, proved=False)


def test_the_record_proves_it(people: People, domain: MailDomain, names: NameServer) -> None:
    assert domains.check_domain(people.ada, domain) == "missing"
    names.records["_acervo.here.test"] = ["v=spf1 -all", domain.record_value]
    assert domains.check_domain(people.ada, domain) == "proved"
    domain.refresh_from_db()
    assert domain.proved_at
    assert AuditEvent.objects.filter(action="proved", object_id=str(domain.pk), actor=people.ada.user).exists()


@pytest.mark.parametrize("record", ["", "acervo-domain=", "acervo-domain=guessed", "x" * 200])
def test_another_record_does_not(record: str, people: People, domain: MailDomain, names: NameServer) -> None:
    names.records["_acervo.here.test"] = [record]
    names.records["here.test"] = [domain.record_value]
    assert domains.check_domain(people.ada, domain) == "missing"


def test_the_record_of_one_organization_proves_it_for_no_other(
    people: People, domain: MailDomain, names: NameServer
) -> None:
    names.records["_acervo.here.test"] = [domain.record_value]
    theirs = domain_of_organization(people.zoe.organization, proved=False)
    assert domains.check_domain(people.zoe, theirs) == "missing"


def test_a_domain_is_of_one_organization(people: People, domain: MailDomain, names: NameServer) -> None:
    theirs = domain_of_organization(people.zoe.organization, proved=False)
    names.records["_acervo.here.test"] = [domain.record_value, theirs.record_value]
    domains.check_domain(people.ada, domain)
    with pytest.raises(DomainTaken):
        domains.check_domain(people.zoe, theirs)
    theirs.refresh_from_db()
    assert theirs.proved_at is None


@pytest.mark.parametrize("rcode", [dns.rcode.SERVFAIL, dns.rcode.REFUSED])
def test_who_cannot_say_changes_nothing(rcode: Any, people: People, domain: MailDomain, names: NameServer) -> None:
    names.records["_acervo.here.test"] = [domain.record_value]
    domains.check_domain(people.ada, domain)
    names.rcode = rcode
    assert domains.check_domain(people.ada, domain) == "unknown"
    domain.refresh_from_db()
    assert (domain.proved_at is not None, domain.missing_since) == (True, None)


def test_a_silent_server_is_waited_for_briefly(names: NameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "SECONDS", 0.3)
    names.is_silent = True
    with pytest.raises(LookupFailed):
        txt_records("_acervo.here.test")


def test_a_record_that_is_away_for_days_ends_it(people: People, domain: MailDomain, names: NameServer) -> None:
    names.records["_acervo.here.test"] = [domain.record_value]
    domains.check_domain(people.ada, domain)
    provider_of(people.ada.organization, is_enforced=True)
    names.records.clear()

    def a_day_later() -> bool:
        day = timedelta(days=1, minutes=1)
        for row in MailDomain.objects.all():
            row.checked_at, row.missing_since = row.checked_at - day, row.missing_since and row.missing_since - day
            row.save()
        assert domains.check_again() == 1
        domain.refresh_from_db()
        people.ada.organization.refresh_from_db()
        return people.ada.organization.sign_on_domains == ["here.test"]

    assert [a_day_later() for _each in range(3)] == [True, True, True]
    assert not a_day_later()
    assert domain.proved_at is None
    assert AuditEvent.objects.filter(action="lost", actor=None).exists()
    assert domains.check_again() == 0


def test_only_those_whose_turn_it_is_are_looked_at(people: People, names: NameServer) -> None:
    domain_of_organization(people.ada.organization)
    assert domains.check_again() == 0


def test_a_removed_domain_is_no_longer_enforced(people: People) -> None:
    domain = domain_of_organization(people.ada.organization)
    provider_of(people.ada.organization, is_enforced=True)
    domains.remove_domain(people.ada, domain)
    people.ada.organization.refresh_from_db()
    assert people.ada.organization.sign_on_domains == []


def test_an_organization_has_so_many(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains, "MOST_DOMAINS", 1)
    domains.add_domain(people.ada, MailDomain(organization=people.ada.organization, name="one.test"))
    with pytest.raises(DomainsFull):
        domains.add_domain(people.ada, MailDomain(organization=people.ada.organization, name="two.test"))


@pytest.mark.parametrize(
    ("written", "name"),
    [(" Here.TEST. ", "here.test"), ("bücher.example", "xn--bcher-kva.example"), ("a-b.c1", "a-b.c1")],
)
def test_a_domain_is_kept_as_dns_has_it(written: str, name: str) -> None:
    assert domains.domain_name(written) == name


@pytest.mark.parametrize(
    "written",
    ["", "here", "a..b", "*.here.test", "a_b.test", "-a.test", "a b.test", "1.2.3.4", "a@b.test", "x" * 300 + ".t"],
)
def test_what_is_no_domain_is_none(written: str) -> None:
    with pytest.raises(ValueError, match=r".|^$"):
        domains.domain_name(written)


def test_servers_are_addresses_with_or_without_ports() -> None:
    assert [str(one) for one in nameservers(["9.9.9.9", "127.0.0.1:5353", "[::1]:53", "2620:fe::fe"])]
    for wrong in ("dns.example.org", "1.2.3.4:x", "1.2.3.4:0", "1.2.3.4:99999", ""):
        with pytest.raises(ValueError, match=r".|^$"):
            nameservers([wrong])


def test_a_domain_that_is_deleted_while_it_is_asked_for_is_gone(
    people: People, domain: MailDomain, names: NameServer
) -> None:
    names.records["_acervo.here.test"] = [domain.record_value]
    MailDomain.objects.all().delete()
    assert domains.check_domain(people.ada, domain) == "unknown"
    assert not MailDomain.objects.exists()


def test_who_proves_a_domain_does_not_lock_themselves_out(
    people: People, domain: MailDomain, names: NameServer
) -> None:
    """Enforced is what the provider knows of; the admin's own address may be of the next domain."""
    domain_of_organization(people.ada.organization, "first.test")
    provider_of(people.ada.organization, is_enforced=True)
    people.ada.user.email = "ada@here.test"
    people.ada.user.save()
    names.records["_acervo.here.test"] = [domain.record_value]
    with pytest.raises(EnforcementRefused):
        domains.check_domain(people.ada, domain)
    domain.refresh_from_db()
    assert domain.proved_at is None
    people.ada.is_signed_on = True
    assert domains.check_domain(people.ada, domain) == "proved"
