"""Lists of the admin answer what they offer and nothing else: a filter of one's own tells a hidden field by letters."""

from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from accounts.models import Membership
from chat.models import Trace
from retrieval.models import Flags
from tests.canaries.lookups import every_lookup, fields_of, lists
from tests.factories import MembershipFactory, UserFactory
from tests.test_admin_isolation import ROWS, client_of, request_of

pytestmark = pytest.mark.django_db

REGISTERED = admin.site._registry
each_list = pytest.mark.parametrize(("model", "address"), list(lists()), ids=lambda one: getattr(one, "__name__", ""))

# What each list offers; its filters' own parameters, `tests/test_admin_isolation.py` has its rows.
DATES = {f"created_at__{part}" for part in ("year", "month", "day", "gte", "lt")}
OFFERED: dict[str, set[str]] = {
    "Membership": {"role", "role__exact", "role__isnull"},
    "Invitation": {"role", "role__exact", "role__isnull"},
    "ApiKey": {"revoked_at__isempty"},
    "AuditEvent": {
        *DATES, "about", "actor__id__exact", "actor__isnull",
    },
    "Trace": {
        *DATES, "confidence", "gate", "degraded", "agent__id__exact", "state", "rating", "slow",
    },
    "Question": {"question_set__id__exact"},
    "EvaluationRun": {*DATES, "question_set__id__exact", "question_set__isnull"},
    "ErasureReceipt": {
        *DATES, "kind", "kind__exact", "kind__isnull", "verified", "verified__exact", "verified__isnull"
    },
    "Organization": set(),
    "QuestionSet": set(),
}  # fmt: skip


@pytest.fixture
def ada() -> Membership:
    return MembershipFactory(role="admin")


@pytest.fixture
def operator() -> Any:
    return UserFactory(is_superuser=True)


@each_list
def test_a_list_allows_no_lookup_that_it_does_not_offer(
    model: type[Model], address: str, ada: Membership, operator: Any
) -> None:
    page, asked = REGISTERED[model], {*every_lookup(model), "nowhere", "pk__in", "created_at__gt", "password"}
    for request in (request_of(ada.user), request_of(operator)):
        allowed = {name for name in asked if page.lookup_allowed(name, "a", request)}
        oracles = {name for name in allowed if name.rpartition("__")[2] not in HARMLESS and "__" in name}
        assert oracles == set()
    allowed_to_ada = {name for name in asked if page.lookup_allowed(name, "a", request_of(ada.user))}
    assert allowed_to_ada <= OFFERED.get(model.__name__, allowed_to_ada)


HARMLESS = {"exact", "isnull", "isempty", "year", "month", "day", "gte", "lt"}  # the last ones of dates alone


LOOKUPS = ("contains", "startswith", "regex", "gt", "in")


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=(pytest.mark.slow, pytest.mark.nightly))])
@each_list
def test_what_a_list_does_not_offer_is_refused_over_http(
    model: type[Model], address: str, every: bool, ada: Membership, operator: Any
) -> None:
    """One lookup of each field in turn, or all of them; what is allowed of all, the test above asks the page itself."""
    if model in ROWS:
        ROWS[model](ada)
    for client in [client_of(operator), *([client_of(ada.user)] if model in ROWS else [])]:
        for n, (name, field) in enumerate(fields_of(model, depth=1)):
            if model is Flags:  # whose list leads to its one row
                continue
            known = [lookup for lookup in LOOKUPS if lookup in field.get_lookups()]
            for lookup in known if every else known[n % (len(known) or 1) :][:1]:
                assert client.get(address, {f"{name}__{lookup}": "a"}).status_code == 400, f"{name}__{lookup}"
        assert client.get(address, {"organization__slug__startswith": "a"}).status_code in (400, 302)


@each_list
def test_every_link_of_its_filters_is_answered(
    model: type[Model], address: str, ada: Membership, operator: Any
) -> None:
    if model not in ROWS:
        return
    ROWS[model](ada)
    for client in (client_of(ada.user), client_of(operator)):
        changes = client.get(address).context["cl"]
        links = [choice["query_string"] for spec in changes.filter_specs for choice in spec.choices(changes)]
        if changes.date_hierarchy:
            links += ["?created_at__year=2026", "?created_at__year=2026&created_at__month=11&created_at__day=22"]
        for link in links:
            assert client.get(address + link).status_code == 200, link


@each_list
def test_a_list_orders_by_its_columns_alone(model: type[Model], address: str, ada: Membership) -> None:
    if model not in ROWS:
        return
    ROWS[model](ada)
    client, page = client_of(ada.user), REGISTERED[model]
    shown = set(page.get_list_display(request_of(ada.user)))
    for n in range(1, len(shown) + 3):
        changes = client.get(address, {"o": f"-{n}"}).context["cl"]
        sorted_by = {part.lstrip("-") for part in changes.get_ordering(request_of(ada.user), changes.root_queryset)}
        columns = {changes.get_ordering_field(name) for name in shown} | {"pk", "id"}
        assert sorted_by <= columns | {part.lstrip("-") for part in (page.ordering or model._meta.ordering or ())}
    for hidden in ("key_hash", "query", "password", "0.key_hash"):
        assert client.get(address, {"o": hidden}).status_code == 200


@pytest.mark.parametrize("field", ["key_hash", "token_hash", "password", "condensed_query", "organization"])
def test_a_popup_names_rows_by_no_field_but_their_id(field: str, ada: Membership) -> None:
    for model, address in lists():
        if model in ROWS:
            ROWS[model](ada)
            assert client_of(ada.user).get(address, {"_popup": "1", "_to_field": field}).status_code == 400


def test_an_address_that_makes_no_sense_says_nothing(ada: Membership) -> None:
    """Django sends it on to `?e=1`, whatever rows there are."""
    address = reverse("admin:chat_trace_changelist")
    client = client_of(ada.user)
    told = [client.get(address, {"created_at__year": "many"})]
    ROWS[next(model for model, path in lists() if path == address)](ada)
    told += [client.get(address, {"created_at__year": "many"})]
    assert {(one.status_code, one["Location"]) for one in told} == {(302, f"{address}?e=1")}


@pytest.mark.parametrize(
    "asked", ["year=0", "year=99999999999", "gte=0001-01-01T00:00:00%2B23:59", "lt=9999-12-31T23:59-23:59"]
)
def test_a_day_that_no_calendar_has_is_refused(asked: str, ada: Membership) -> None:
    ROWS[Trace](ada)
    assert client_of(ada.user).get(f"{reverse('admin:chat_trace_changelist')}?created_at__{asked}").status_code in (
        302,
        400,
    )


@each_list
def test_a_search_of_thousands_of_words_is_answered(
    model: type[Model], address: str, ada: Membership, operator: Any
) -> None:
    for client in [client_of(operator), *([client_of(ada.user)] if model in ROWS else [])]:
        assert client.get(address, {"q": "word " * 2_000}).status_code in (200, 302)


def test_nothing_is_completed_automatically(ada: Membership, operator: Any) -> None:
    asked = {"app_label": "agents", "model_name": "assignment", "field_name": "corpus", "term": "a"}
    for client in (client_of(ada.user), client_of(operator), Client()):
        assert client.get("/admin/autocomplete/", asked).status_code in (404, 302)
