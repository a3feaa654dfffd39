"""A document is worked on in the name of the request that brought it, a task in that of the request that hinted."""

from types import SimpleNamespace
from uuid import uuid4

from django.core.cache import cache

from config.observability.correlation import Correlation, correlated, current_correlation
from workers.queue import causes, messages

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_a_document_keeps_its_cause_whoever_works_on_it() -> None:
    document = uuid4()
    with correlated(Correlation("upload-0001", TRACEPARENT)):
        causes.note_cause(document)
    with correlated(Correlation("another-0001", task="workers.work", task_id="t-1")):
        with causes.in_the_name_of(document):
            assert current_correlation() == Correlation("upload-0001", TRACEPARENT, "workers.work", "t-1")
        with causes.in_the_name_of(uuid4()):
            assert current_correlation().request_id == "another-0001"


def test_what_the_cache_should_not_hold_is_not_believed() -> None:
    document = uuid4()
    cache.set(f"cause:{document}", {"request_id": 'x"}\n{"forged', "traceparent": ["00"]})
    with causes.in_the_name_of(document):
        assert current_correlation() == Correlation()


def test_a_message_carries_its_cause_and_the_task_s_lines_have_it_until_it_ends() -> None:
    headers = {"id": "t-1"}
    with correlated(Correlation("upload-0001", TRACEPARENT)):
        messages.put_cause(headers)
    assert headers == {"id": "t-1", "request_id": "upload-0001", "traceparent": TRACEPARENT}
    task = SimpleNamespace(name="workers.work", request=SimpleNamespace(**headers))
    messages.open_task("t-1", task)
    assert current_correlation() == Correlation("upload-0001", TRACEPARENT, "workers.work", "t-1")
    messages.close_task()
    assert current_correlation() == Correlation()
    messages.open_task("t-2", SimpleNamespace(name="workers.upkeep", request=SimpleNamespace()))
    assert current_correlation() == Correlation(task="workers.upkeep", task_id="t-2")
    messages.close_task()
