"""A wire between two processes that can be slow, silent or cut, which no signal to either of them can imitate."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

PIECE = 65_536  # bytes of one read


class Relay:
    """Forwards each connection to `target`, a loopback port; runs in a thread of its own until `close`.

    `delay`: seconds that each piece is held in either direction. `silent`: connections are taken, nothing passes.
    `cut_after`: bytes towards the target after which every connection is cut, once.
    """

    def __init__(self, target: int) -> None:
        self.target, self.delay, self.silent, self.port = target, 0.0, False, 0
        self._cut_after: int | None = None
        self._open: set[asyncio.Transport] = set()
        self._loop = asyncio.new_event_loop()
        self._passing = asyncio.Event()
        self._passing.set()
        self._thread = threading.Thread(target=self._run, name=f"relay to {target}", daemon=True)
        self._thread.start()
        self._ask(self._listen())

    def close(self) -> None:
        self._ask(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    @contextmanager
    def slow(self, seconds: float) -> Iterator[None]:
        self.delay = seconds
        try:
            yield
        finally:
            self.delay = 0.0

    @contextmanager
    def black_hole(self) -> Iterator[None]:
        """Nothing passes, and nobody is told: as a firewall that drops, or a machine that lost its power. What was
        open is cut afterwards, as by a host that has forgotten it."""
        self._loop.call_soon_threadsafe(self._passing.clear)
        try:
            yield
        finally:
            self.cut()
            self._loop.call_soon_threadsafe(self._passing.set)

    def cut(self) -> None:
        """End every open connection at once, as a restarted router would."""
        self._ask(self._cut())

    def cut_after(self, size: int) -> None:
        self._cut_after = size

    def _ask(self, question: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(question, self._loop).result(20)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._forward, "127.0.0.1", 0, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _end(self) -> None:
        self._server.close()
        forwarding = asyncio.all_tasks() - {asyncio.current_task()}
        for one in forwarding:
            one.cancel()
        await asyncio.gather(*forwarding, return_exceptions=True)
        await self._cut()

    async def _cut(self) -> None:
        for transport in list(self._open):
            transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer.transport)  # type: ignore[arg-type]  # of a socket it is a Transport
        try:
            await self._passing.wait()
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            self._open.discard(writer.transport)  # type: ignore[arg-type]
            return
        self._open.add(back.transport)  # type: ignore[arg-type]
        try:
            await asyncio.gather(self._pump(reader, back, counted=True), self._pump(there, writer))
        finally:
            for one in (writer, back):
                self._open.discard(one.transport)  # type: ignore[arg-type]
                one.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, counted: bool = False) -> None:
        with suppress(OSError):
            while piece := await reader.read(PIECE):
                if self.delay:
                    await asyncio.sleep(self.delay)
                await self._passing.wait()
                if counted and self._cut_after is not None:
                    self._cut_after -= len(piece)
                    if self._cut_after < 0:
                        self._cut_after = None
                        await self._cut()
                        return
                writer.write(piece)
                await writer.drain()
            writer.write_eof()
