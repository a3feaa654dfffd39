"""The installation's flags: environment, admin, and that nothing of them is remembered."""

from typing import Any

import pytest

from retrieval.flags import EffectiveFlags, effective_flags
from retrieval.models import Flags

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _environment(settings: Any) -> None:
    settings.RAG_ENABLED, settings.RAG_MIN_CONFIDENCE, settings.RAG_MAX_DOCUMENTS = True, 0.6, 8


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (None, EffectiveFlags(True, 0.6, 8)),
        ({}, EffectiveFlags(True, 0.6, 8)),
        ({"rag_enabled": False}, EffectiveFlags(False, 0.6, 8)),
        ({"rag_enabled": True}, EffectiveFlags(True, 0.6, 8)),
        ({"rag_min_confidence": 0.0}, EffectiveFlags(True, 0.0, 8)),
        ({"rag_min_confidence": 0.85}, EffectiveFlags(True, 0.85, 8)),
        ({"rag_max_documents": 3}, EffectiveFlags(True, 0.6, 3)),
        (
            {"rag_enabled": False, "rag_min_confidence": 0.4, "rag_max_documents": 1},
            EffectiveFlags(False, 0.4, 1),
        ),
    ],
)
def test_an_empty_field_is_the_environment_s(row: dict[str, Any] | None, expected: EffectiveFlags) -> None:
    if row is not None:
        Flags.objects.create(**row)
    assert effective_flags() == expected


def test_the_admin_s_on_outweighs_the_environment_s_off(settings: Any) -> None:
    settings.RAG_ENABLED = False
    assert not effective_flags().rag_enabled
    Flags.objects.create(rag_enabled=True)
    assert effective_flags().rag_enabled


def test_a_change_counts_at_once_and_costs_one_query(django_assert_num_queries: Any) -> None:
    row = Flags.objects.create()
    assert effective_flags().max_documents == 8
    row.rag_max_documents = 2
    row.save()
    with django_assert_num_queries(1):
        assert effective_flags().max_documents == 2
