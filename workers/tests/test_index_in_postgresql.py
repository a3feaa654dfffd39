"""The index in PostgreSQL: the setting that puts it there, and what is said of settings that cannot be meant."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from retrieval.index import is_remote, layout_mark
from workers.checks import one_place_for_the_index, the_index_server_ranks_rightly

NOWHERE = "postgresql://acervo_index:secret-word@127.0.0.1:9/acervo_index"


def test_the_setting_puts_the_index_into_postgresql(settings: Any) -> None:
    settings.PGVECTOR_URL, settings.QDRANT_URL = NOWHERE, ""
    assert is_remote()
    assert layout_mark() == ""
    assert one_place_for_the_index(None) == []
    assert the_index_server_ranks_rightly(None) == [], "one that does not answer is /readyz's to tell"


@pytest.mark.parametrize(
    ("url", "qdrant", "connections"),
    [(NOWHERE, "http://qdrant:6333", 8), ("http://qdrant:6333", "", 8), (NOWHERE, "", 0)],
)
def test_settings_that_contradict_each_other_are_a_finding(
    settings: Any, url: str, qdrant: str, connections: int
) -> None:
    settings.PGVECTOR_URL, settings.QDRANT_URL, settings.PGVECTOR_CONNECTIONS = url, qdrant, connections
    (error,) = one_place_for_the_index(None)
    assert error.id == "acervo.E015"
    assert "secret-word" not in error.msg + error.hint


@pytest.mark.django_db
@pytest.mark.parametrize("action", ["snapshot", "restore"])
def test_copies_are_postgresql_s_own_and_the_command_says_so(settings: Any, action: str) -> None:
    settings.PGVECTOR_URL, settings.EMBEDDED = NOWHERE, False
    with pytest.raises(CommandError, match=r"pg_dump and pg_restore.*index catch-up"):
        call_command("index", action, "/nowhere")
