"""A synchronous view and the middlewares around it share one thread, and are entered once."""

import asyncio
from typing import Any

import pytest
from asgiref.sync import SyncToAsync

from tests import asgi

FEW = 8  # request_started and -finished, the security middleware's two, the chain, the response's end


@pytest.mark.django_db(transaction=True)
def test_a_page_changes_threads_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    entered: list[Any] = []
    call = SyncToAsync.__call__

    async def counting(self: Any, *args: Any, **kwargs: Any) -> Any:
        entered.append(self.func)
        return await call(self, *args, **kwargs)

    monkeypatch.setattr(SyncToAsync, "__call__", counting)
    answer = asyncio.run(asgi.request("GET", "/accounts/login/", {}, [b""]))
    assert answer.status == 200
    assert 0 < len(entered) <= FEW, entered
