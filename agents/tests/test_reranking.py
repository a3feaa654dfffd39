"""The model as re-ranker: it decides the order where its scores are usable, and costs nothing where they are not."""

from typing import Any

import pytest

from accounts.problems import QuotaExceeded
from agents.api.retrieval import retrieve_with_agent
from agents.policy import policy_of
from agents.reranking import LONGEST, MOST, ModelReranker, reranker_of, scores_of
from config.concurrency.loops import block_on
from retrieval.flags import effective_flags
from retrieval.ranking.rerank.base import RerankUnavailable
from tests.factories import AgentFactory, MembershipFactory
from tests.fakes.fixtures import ModelServer
from tests.limits import limit, used


@pytest.fixture
def model(model_server: ModelServer, settings: Any) -> ModelServer:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = model_server.openai_url, "sk-test-key"
    return model_server


def test_the_models_scores_come_in_the_order_of_the_passages(model: ModelServer) -> None:
    model.script(json_answer={"scores": [0.1, 0.9]})
    assert block_on(ModelReranker("fake").rerank("¿Cuándo?", ["uno", "dos"])) == [0.1, 0.9]
    assert model.requests()[0]["body"]["response_format"]["type"] == "json_schema"


def test_only_the_first_passages_are_shown(model: ModelServer) -> None:
    model.script(json_answer={"scores": [0.5] * MOST})
    assert block_on(ModelReranker("fake").rerank("¿Cuándo?", ["x" * 5_000] * (MOST + 3))) == [0.5] * MOST + [0.0] * 3
    assert len(model.requests()[0]["body"]["messages"][-1]["content"]) < MOST * LONGEST + 500


@pytest.mark.parametrize("fault", [{"status": 400}, {"text": "no"}, {"json_answer": {"scores": [1]}}])
def test_anything_else_is_unavailable(model: ModelServer, fault: dict[str, Any]) -> None:
    model.script(**fault)
    with pytest.raises(RerankUnavailable):
        block_on(ModelReranker("fake").rerank("¿Cuándo?", ["uno", "dos"]))


@pytest.mark.parametrize("said", [None, "x", [1, 2], [0.5], [0.5, True], [0.5, "1"], [0.5, float("nan")]])
def test_two_numbers_between_0_and_1_are_wanted(said: object) -> None:
    with pytest.raises(RerankUnavailable):
        scores_of({"scores": said}, 2)


@pytest.mark.django_db
def test_it_is_the_agents_own_model_unless_one_is_set_up_for_all(model: ModelServer, settings: Any) -> None:
    agent = AgentFactory(model="openai:fake", rerank=True)
    assert policy_of(agent, effective_flags()).reranker == ModelReranker("openai:fake")
    settings.RERANK_URL = "https://rerank.example/rerank"
    assert reranker_of(agent) is None
    settings.RERANK_URL = ""
    agent.model = "extractive"
    assert reranker_of(agent) is None
    agent.model, agent.rerank = "openai:fake", False
    assert reranker_of(agent) is None


@pytest.mark.django_db
def test_a_search_whose_tokens_are_refused_is_not_counted(model: ModelServer, settings: Any) -> None:
    member = MembershipFactory()
    AgentFactory(organization=member.organization, slug="librarian", model="openai:fake", rerank=True)
    limit(settings, searches=5, tokens_day=1)
    with pytest.raises(QuotaExceeded, match="tokens"):
        retrieve_with_agent(member, "librarian", {"query": "How long is a loan?"})
    assert used("searches", member.user_id) == 0
