"""A stand-in for a Qdrant server: its REST API, as far as Acervo uses it, in front of Qdrant Edge.

    python -m tests.fakes.index_server --folder DIR [--port 0] [--api-key KEY] [--version 1.19.1]

It prints its port, then serves.

It exists because several processes must share one index in the tests, and a Qdrant server cannot be had everywhere
that the tests run. What it shows: that our client code says what it means over HTTP, between processes, with the
engine's real ranking and filters behind it, and how the rest behaves when that server dies, hangs or comes back.
What it cannot show: the server's own limits, versions, clustering and speed. Where QDRANT_URL names a real server,
the contract suite (retrieval/tests/test_index_contract.py) runs against that one instead.

A collection is a folder with the shard and the parameters that it was created with; a killed server finds both again.
"""

import argparse
import asyncio
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiohttp import BodyPartReader, web

from tests.fakes.index_engine import Collection, described, known

Handler = Callable[[web.Request], Any]
MAX_BODY = 32 * 1024 * 1024  # as Qdrant's service.max_request_size_mb
VERSION = "1.19.1"  # what it says it is, unless told otherwise


class IndexServer:
    """The collections of a folder, and the calls that change which there are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.collections = {
            kept.parent.name: Collection(kept.parent / "shard", json.loads(kept.read_text()))
            for kept in folder.glob("*/parameters.json")
        }

    def named(self, request: web.Request) -> Collection:
        name = request.match_info["name"]
        if name not in self.collections:
            raise Refusal(404, f"Not found: Collection `{name}` doesn't exist!")
        return self.collections[name]

    def exists(self, request: web.Request) -> Any:
        return {"exists": request.match_info["name"] in self.collections}

    def create(self, request: web.Request, body: Any) -> bool:
        name = request.match_info["name"]
        if name in self.collections:
            raise Refusal(409, f"Wrong input: Collection `{name}` already exists!")
        self.collections[name] = Collection(self.folder / name / "shard", body)
        (self.folder / name / "parameters.json").write_text(json.dumps(body))
        return True

    def update(self, request: web.Request, body: Any) -> bool:
        self.named(request).update(body)
        return True

    def delete(self, request: web.Request) -> bool:
        self.named(request)
        name = request.match_info["name"]
        self.collections.pop(name).remove()
        (self.folder / name / "parameters.json").unlink()
        return True

    def snapshot(self, request: web.Request) -> Path:
        path = self.named(request).folder.parent / "snapshots" / request.match_info["snapshot"]
        if not path.is_file():
            raise Refusal(404, f"Not found: Snapshot {path.name} not found")
        return path

    def remove_snapshot(self, request: web.Request) -> bool:
        self.snapshot(request).unlink()
        return True

    async def fetch(self, request: web.Request) -> web.StreamResponse:
        """Parts too (`Range`), as the real server serves files of its own disk."""
        try:
            return web.FileResponse(self.snapshot(request))
        except Refusal as refusal:
            return failure(refusal.status, refusal)

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """`…/snapshots/upload?priority=snapshot&wait=true&checksum=…`, multipart with the field `snapshot`."""
        known(dict(request.query), "priority", "wait", "checksum")
        collection, parts = self.named(request), await request.multipart()
        field = await parts.next()
        if not isinstance(field, BodyPartReader) or field.name != "snapshot":
            return failure(400, ValueError("no file"))
        path = self.folder / "uploaded"
        with path.open("wb") as file:
            while piece := await field.read_chunk(1024 * 1024):
                file.write(piece)
        if request.query.get("checksum", (found := described(path)["checksum"])) != found:
            return failure(400, ValueError("checksum mismatch"))
        collection.recover(path)
        path.unlink()
        return web.json_response({"result": True, "status": "ok", "time": 0.0})

    def close(self) -> None:
        for collection in self.collections.values():
            collection.close()


class Refusal(Exception):
    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


def application(server: IndexServer, api_key: str, version: str = VERSION) -> web.Application:
    named = server.named
    done = {"operation_id": 0, "status": "completed"}

    def write(method: str) -> Handler:
        def call(request: web.Request, body: Any) -> Any:
            getattr(named(request), method)(body)
            return done

        return answering(call)

    collection = "/collections/{name}"

    async def about(_request: web.Request) -> web.Response:
        title = "qdrant - vector search engine"
        return web.json_response({"title": f"{title} (a stand-in)", "version": version, "commit": None})

    routes = [
        web.get("/", about),
        web.get("/healthz", alive),
        web.get("/readyz", alive),
        web.get(f"{collection}/exists", answering(lambda request, _: server.exists(request))),
        web.get(collection, answering(lambda request, _: named(request).info())),
        web.put(collection, answering(server.create)),
        web.patch(collection, answering(server.update)),
        web.delete(collection, answering(lambda request, _: server.delete(request))),
        web.put(f"{collection}/index", write("create_index")),
        web.put(f"{collection}/points", write("upsert")),
        web.post(f"{collection}/points/delete", write("delete")),
        web.post(f"{collection}/points/payload", write("set_payload")),
        web.post(f"{collection}/points/payload/delete", write("delete_payload")),
        web.post(f"{collection}/points/query/batch", answering(lambda request, body: named(request).query_batch(body))),
        web.post(f"{collection}/points/count", answering(lambda r, body: {"count": named(r).count(body)})),
        web.post(f"{collection}/points/scroll", answering(lambda request, body: named(request).scroll(body))),
    ]
    snapshots = f"{collection}/snapshots"
    routes += [
        web.get("/cluster", answering(lambda _request, _: {"status": "disabled"})),
        web.post(snapshots, answering(lambda request, _: named(request).snapshot())),
        web.get(snapshots, answering(lambda request, _: named(request).snapshots())),
        web.post(f"{snapshots}/upload", server.upload),
        web.get(f"{snapshots}/{{snapshot}}", server.fetch),
        web.delete(f"{snapshots}/{{snapshot}}", answering(lambda request, _: server.remove_snapshot(request))),
    ]
    app = web.Application(client_max_size=2**31, middlewares=[guarded(api_key)])
    app.add_routes(routes)
    return app


async def alive(_request: web.Request) -> web.Response:
    return web.Response(text="healthz check passed")


def guarded(api_key: str) -> Any:
    """As Qdrant does: everything but the health checks needs the key."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if api_key and request.path.startswith("/collections") and request.headers.get("api-key") != api_key:
            return web.Response(status=401, text="Must provide an API key or an Authorization bearer token")
        answer: web.StreamResponse = await handler(request)
        return answer

    return guard


def answering(call: Callable[[web.Request, Any], Any]) -> Handler:
    """The result of `call` in Qdrant's envelope; its errors as Qdrant's statuses."""

    async def handler(request: web.Request) -> web.Response:
        try:
            if (request.content_length or 0) > MAX_BODY:
                raise Refusal(413, "Payload reached size limit.")
            body = await request.json() if request.can_read_body else None
            return web.json_response({"result": call(request, body), "status": "ok", "time": 0.0})
        except Refusal as refusal:
            return failure(refusal.status, refusal)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return failure(400, error)
        except Exception as error:  # Edge has one untyped exception
            return failure(500, error)

    return handler


def failure(status: int, error: Exception) -> web.Response:
    return web.json_response({"status": {"error": f"{type(error).__name__}: {error}"}, "time": 0.0}, status=status)


async def serve(folder: Path, port: int, api_key: str, version: str) -> None:
    server, ended = IndexServer(folder), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    runner = web.AppRunner(application(server, api_key, version), access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    print(runner.addresses[0][1], flush=True)  # noqa: T201 - the port is what a starter waits for
    await ended.wait()
    await runner.cleanup()
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--api-key", default="")
    parser.add_argument("--version", default=VERSION)
    given = parser.parse_args()
    asyncio.run(serve(given.folder, given.port, given.api_key, given.version))
