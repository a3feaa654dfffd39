"""How flags, agent, conversation and request become one policy."""

from dataclasses import replace
from typing import Any

import pytest

from agents.models import Agent
from agents.policy import all_of, any_of, policy_of, searches
from agents.presets import PRESETS
from retrieval.flags import EffectiveFlags, environment_flags

FLAGS = EffectiveFlags(rag_enabled=True, min_confidence=0.6, max_documents=8)


@pytest.mark.parametrize(
    ("rag_enabled", "uses_rag", "expected"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_the_installation_s_off_is_off_for_every_agent(rag_enabled: bool, uses_rag: bool, expected: bool) -> None:
    assert searches(Agent(uses_rag=uses_rag), replace(FLAGS, rag_enabled=rag_enabled)) is expected


@pytest.mark.parametrize(
    ("of_agent", "of_flags", "expected"), [(None, 0.6, 0.6), (0.8, 0.6, 0.8), (0.0, 0.6, 0.0), (None, 0.45, 0.45)]
)
def test_the_agent_s_lowest_confidence_outweighs_the_flag(
    of_agent: float | None, of_flags: float, expected: float
) -> None:
    policy = policy_of(Agent(min_confidence=of_agent), replace(FLAGS, min_confidence=of_flags))
    assert policy.min_confidence == expected


@pytest.mark.parametrize(("asked", "of_agent", "expected"), [(None, None, 8), (None, 4, 4), (2, 4, 2), (2, None, 2)])
def test_passages_are_the_request_s_or_the_agent_s(asked: int | None, of_agent: int | None, expected: int) -> None:
    assert policy_of(Agent(top_k=of_agent), FLAGS, top_k=asked).top_k == expected


@pytest.mark.parametrize(
    ("of_agent", "most", "expected"), [(None, 2, 2), (6, 2, 2), (10, 8, 8), (6, 50, 6), (None, 50, 50)]
)
def test_the_flag_caps_every_agent_and_is_the_number_of_who_has_none(
    of_agent: int | None, most: int, expected: int
) -> None:
    assert policy_of(Agent(top_k=of_agent), replace(FLAGS, max_documents=most)).top_k == expected


def test_the_default_of_the_flag_leaves_every_preset_as_it_is() -> None:
    most = environment_flags().max_documents
    assert all(preset.top_k <= most for preset in PRESETS.values())


def test_the_agent_s_own_settings_reach_the_search() -> None:
    agent = Agent(
        candidates=30, min_relevance=0.4, context_tokens=900, diversity=0.3, recency_half_life_days=30, rerank=True,
        compress=False,
    )  # fmt: skip
    policy = policy_of(agent, FLAGS, granularity=256)
    settings = (policy.candidates, policy.threshold, policy.budget_tokens, policy.granularity)
    assert settings == (30, 0.4, 900, 256)
    assert (policy.diversity, policy.recency_half_life_days, policy.rerank, policy.compress) == (0.3, 30, True, False)


def test_requirements_of_agent_conversation_and_request_all_hold() -> None:
    agent = Agent(filters={"course": ["PROG1"], "tags": ["2026"]})
    context = {"filters": {"unit": ["3"], "tags": ["examen"]}}
    policy = policy_of(agent, FLAGS, filters={"tags": ["resuelto", "guiado"]}, context=context)
    assert policy.requirements == (
        ("course", ("PROG1",)),
        ("tags", ("2026",)),
        ("unit", ("3",)),
        ("tags", ("examen",)),
        ("tags", ("resuelto", "guiado")),
    )


def test_preferences_are_united() -> None:
    agent = Agent(preferences={"difficulty": ["basico"], "language": ["es"]})
    context = {"preferences": {"difficulty": ["intermedio"], "unit": ["3"]}}
    policy = policy_of(agent, FLAGS, preferences={"unit": ["4", "3"]}, context=context)
    assert policy.preferences == {"difficulty": ("basico", "intermedio"), "language": ("es",), "unit": ("3", "4")}


@pytest.mark.parametrize("nothing", [None, {}, {"unit": []}])
def test_sources_that_ask_nothing_change_nothing(nothing: Any) -> None:
    assert all_of(nothing, {"unit": ["1"]}, nothing, {"unit": ["1"]}) == (("unit", ("1",)),)
    assert any_of(nothing, {"unit": ["1"]}, nothing) == {"unit": ("1",)}
