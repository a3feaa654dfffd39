"""The page of the flags: operators alone, one row, and what an empty field means is said."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from retrieval.flags import effective_flags
from retrieval.models import Flags, SpaceState
from tests.factories import MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db

LIST = reverse("admin:retrieval_flags_changelist")
ADD = reverse("admin:retrieval_flags_add")
CHANGE = reverse("admin:retrieval_flags_change", args=[1])


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(UserFactory(is_superuser=True))
    return client


def test_the_first_visit_leads_to_making_the_row_and_later_ones_to_it(operator: Client) -> None:
    assert operator.get(LIST)["Location"] == ADD
    assert operator.post(ADD, {"rag_enabled": "unknown", "rag_min_confidence": "0.5"}).status_code == 302
    assert Flags.objects.get().rag_min_confidence == 0.5
    assert operator.get(LIST)["Location"] == CHANGE
    assert operator.get(ADD).status_code == 404


def test_a_change_is_in_force_when_the_page_answers(operator: Client) -> None:
    Flags.objects.create()
    assert effective_flags().rag_enabled
    operator.post(CHANGE, {"rag_enabled": "false", "rag_max_documents": "3"})
    flags = effective_flags()
    assert (flags.rag_enabled, flags.max_documents, flags.min_confidence) == (False, 3, 0.6)
    operator.post(CHANGE, {"rag_enabled": "unknown"})
    assert effective_flags().rag_enabled
    assert effective_flags().max_documents == 10


@pytest.mark.parametrize(
    "wrong", [{"rag_min_confidence": "1.5"}, {"rag_min_confidence": "-1"}, {"rag_max_documents": "0"}]
)
def test_values_out_of_range_are_refused(operator: Client, wrong: dict[str, str]) -> None:
    Flags.objects.create()
    assert operator.post(CHANGE, {"rag_enabled": "unknown", **wrong}).status_code == 200
    assert effective_flags().min_confidence == 0.6


def test_the_page_says_what_the_environment_has(operator: Client) -> None:
    Flags.objects.create()
    page = operator.get(CHANGE, headers={"Accept-Language": "en"}).content.decode()
    assert "as the environment has it, 0.6" in page
    assert "as in the environment" in page
    assert LIST in page  # the side bar


def test_an_organization_s_admin_has_no_such_page(operator: Client) -> None:
    Flags.objects.create()
    client = Client()
    client.force_login(MembershipFactory(role="admin").user)
    for page in (LIST, ADD, CHANGE):
        assert client.get(page).status_code == 404
        assert client.post(page, {"rag_enabled": "false"}).status_code == 404
    assert LIST not in client.get(reverse("admin:index")).content.decode()
    assert effective_flags().rag_enabled


def test_a_space_is_told_with_its_model_and_what_its_operator_can_do(operator: Client) -> None:
    SpaceState.objects.all().delete()
    for state in SpaceState.State:
        made = SpaceState.objects.create(
            collection=f"c-{state}", model=f"model-{state}", dimensions=8, state=state, retired_at=timezone.now()
        )
        entry = operator.get(
            reverse("admin:retrieval_spacestate_change", args=[made.pk]), headers={"accept-language": "en"}
        )
        assert entry.status_code == 200
        assert f"(model-{state})" not in entry.content.decode()
    shown = operator.get(
        reverse("admin:retrieval_spacestate_changelist"), headers={"accept-language": "en"}
    ).content.decode()
    for said in (
        "model-filling",
        "It switches by itself when full",
        "Nothing: it is the one in use",
        "space switch c-retired",
    ):
        assert said in shown
    assert "hub" in operator.get(reverse("admin:index")).content.decode()
