"""An open stream holds no database connection while the model talks (RELIABILITY fact 3)."""

from contextlib import ExitStack

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import Caller
from tests.services.installation import Installation, Web

AGENT = "escritor-de-libros"  # answers without context too
STREAMS, POOL = 50, 8
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'web'"


@pytest.fixture(scope="module")
def admin(installation: Installation, web: Web) -> Caller:
    return installation.caller(web)


def test_fifty_open_streams_share_a_pool_of_eight_connections_and_hold_none(
    admin: Caller, installation: Installation, model: ModelServer
) -> None:
    model.script(path="chat", text="palabra " * 400, pace=0.1)
    with ExitStack() as open_streams:
        streams = [open_streams.enter_context(admin.ask(AGENT, f"¿Qué es un bucle? {n}")) for n in range(STREAMS)]
        for stream in streams:
            stream.until("token")
        assert model.stats()["active"] == STREAMS
        ((connections,),) = installation.query(CONNECTIONS)
        ((busy,),) = installation.query(f"{CONNECTIONS} AND state <> 'idle'")
        assert connections <= POOL
        assert busy == 0
        assert admin.call("GET", "/api/corpora/").status == 200
    model.reset()


@pytest.fixture(scope="module")
def second_web(installation: Installation) -> Web:
    return installation.web("web2")


def test_an_answer_is_followed_and_stopped_from_another_process(
    installation: Installation, web: Web, second_web: Web, model: ModelServer
) -> None:
    model.script(path="chat", endless=True, pace=0.02)
    here, there = installation.caller(web), installation.caller(second_web)
    with here.ask(AGENT, "¿Qué es un bucle?") as stream:
        first, pk = stream.until("token"), stream.headers["x-message"]
        with there.follow(pk) as elsewhere:
            texts = [elsewhere.until("token").data["token"] for _ in range(3)]
            assert "".join(texts).startswith(first.data["token"])
            assert there.call("POST", f"/api/messages/{pk}/stop/").status == 202
            assert elsewhere.until("done").data["status"] == "stopped"
        assert stream.until("done").data["status"] == "stopped"
    model.reset()
