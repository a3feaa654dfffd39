"""Files with tables in a real S3 server's bucket, over TLS: listed, brought, and asked."""

import subprocess
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.conftest import object_store_or_skip
from tests.services.servers import ObjectStore
from tools.engines.failures import SourceFailed
from tools.engines.running import ask_child

HARD = "informes/año 2025+%&=.csv"


@pytest.fixture(scope="module")
def store(folder: Path) -> Iterator[ObjectStore]:
    object_store_or_skip()
    certificate, key = folder / "crt", folder / "key"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    make += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(make, check=True, capture_output=True)
    store = ObjectStore(folder, (certificate, key))
    for name in (HARD, "informes/ventas.csv", "other.csv", *(f"informes/many/{n:04}.txt" for n in range(1_100))):
        place = store.bucket / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(f"a,b\n1,{name}\n".encode())
    store.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(certificate))
        yield store
    store.stop()


def asked(store: ObjectStore, asked: str, database: str = "acervo/informes/", **more: object) -> object:
    place = {
        "host": "localhost", "address": "127.0.0.1", "port": store.port, "database": database,
        "username": more.pop("username", store.ACCESS), "password": more.pop("password", store.SECRET),
    }  # fmt: skip
    most = {"bytes": 1_000_000}
    return ask_child({"kind": "bucket", "asked": asked, "place": place, "most": most, "seconds": 10.0, **more})


def listed(store: ObjectStore, **more: str) -> list[dict[str, object]]:
    found = asked(store, "objects", **more)
    assert isinstance(found, dict)
    assert found["is_whole"] is True
    objects: list[dict[str, object]] = found["objects"]
    return objects


def test_what_a_real_server_lists_is_fetched(store: ObjectStore) -> None:
    found = listed(store)
    assert [one["key"] for one in found] == ["año 2025+%&=.csv", "ventas.csv"]  # behind a thousand others
    assert all(one["size"] == len(f"a,b\n1,informes/{one['key']}\n".encode()) and one["version"] for one in found)
    for one in found:
        told = asked(store, "object", key=one["key"])
        assert isinstance(told, dict)
        assert b64decode(told["content"]) == f"a,b\n1,informes/{one['key']}\n".encode()
    assert [one["key"] for one in listed(store, database="acervo")] == [HARD, "informes/ventas.csv", "other.csv"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"password": "another secret"}, "denied"),
        ({"username": "nobody"}, "denied"),
        ({"database": "nobodys-bucket"}, "no_bucket"),
    ],
)
def test_what_a_real_server_refuses_is_said(store: ObjectStore, wrong: dict[str, str], said: str) -> None:
    with pytest.raises(SourceFailed) as raised:
        asked(store, "objects", **wrong)
    assert raised.value.said == said
