"""A real MariaDB with the rows of the tests, and one that is played at the wire and means harm."""

import os
import shutil
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pymysql
import pytest

from tests.services.servers import MariaDb, NotInstalled
from tools.sql.statements import ReadableTable
from tools.tests.reading import MOST, READING, ROWS
from tools.tests.reading import TABLES as ON_FILES

DATABASE = "shop"
TABLES = [ReadableTable(one.name, one.columns, DATABASE) for one in ON_FILES]
SETUP = (
    f"CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4",
    "CREATE DATABASE elsewhere",
    "CREATE TABLE elsewhere.secret (word TEXT)",
    "CREATE USER reader, careful, mighty, filer, heir, wide, proxied, generous, tame",
    f"GRANT ALL ON {DATABASE}.* TO reader",
    "GRANT ALL ON *.* TO mighty",
    "GRANT FILE ON *.* TO filer",
    "CREATE ROLE inner_role, outer_role",
    "GRANT FILE ON *.* TO inner_role",
    "GRANT inner_role TO outer_role",
    "GRANT outer_role TO heir",
    "CREATE ROLE `odd, name`",
    f"GRANT SELECT ON {DATABASE}.* TO `odd, name`",
    "GRANT `odd, name` TO tame",
    "SET DEFAULT ROLE `odd, name` FOR tame",
    "GRANT SELECT, SHOW VIEW ON *.* TO wide",
    "GRANT PROXY ON reader TO proxied",
    "GRANT SELECT ON *.* TO generous WITH GRANT OPTION",
)
GRANTS = (
    f"GRANT SELECT (id, region) ON {DATABASE}.customers TO careful",
    f"GRANT SELECT ON {DATABASE}.orders TO careful",
)


class Shop(MariaDb):
    """In which `reader` may do everything with its database, and which proves itself by a certificate of its own."""

    def command(self) -> list[str]:
        return [*super().command(), f"--ssl-cert={self.folder}/server.crt", f"--ssl-key={self.folder}/server.key"]

    def furnish(self) -> None:
        for sql in SETUP:
            self.told(sql)
        for table, (head, *rows) in ROWS.items():
            self.told(f"CREATE TABLE {DATABASE}.{table} ({', '.join(f'{one} VARCHAR(200)' for one in head)})")
            for row in rows:
                self.told(f"INSERT INTO {DATABASE}.{table} VALUES ({', '.join(['%s'] * len(row))})", row)
        for sql in GRANTS:
            self.told(sql)

    def told(self, sql: str, values: Any = None) -> list[Any]:
        with pymysql.connect(host="127.0.0.1", port=self.port, user="root", autocommit=True) as link:
            cursor = link.cursor()
            cursor.execute(sql, [str(one) for one in values] if values else None)
            return list(cursor.fetchall())

    def request(self, sql: str = "", **more: Any) -> dict[str, Any]:
        return request(self.port, sql, **more)


def request(port: int, sql: str = "", **more: Any) -> dict[str, Any]:
    place = {
        "host": "localhost", "address": "127.0.0.1", "port": port, "database": DATABASE,
        "username": "reader", "password": "", "sslmode": "require",
    }  # fmt: skip
    reading = {DATABASE: READING["main"]}
    asked = {"kind": "mysql", "asked": "query", "sql": sql, "values": [], "reading": reading, "most": MOST}
    return {"seconds": 6.0, **asked, "place": place | more.pop("place", {}), **more}


Packets = Iterator[bytes]
EOF = b"\xfe\0\0\x02\0"
OK = b"\0\0\0\x02\0\0\0"
WITHOUT_TLS, LIST_OF_PLUGINS = 0xF7FF & ~0x0800, 0x0008


class Villain:
    """Speaks MySQL's protocol without encryption until a statement comes that it `harms`, and then answers with `harm`.
    What clients sent is in `heard`."""

    def __init__(self, harm: Callable[[], Packets], at_login: bytes = OK, harms: str = "SELECT 1") -> None:
        self.harm, self.at_login, self.harms, self.heard = harm, at_login, harms, bytearray()
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                link, _address = self.listening.accept()
            except OSError:  # closed
                return
            with link, suppress(OSError):
                self.talk(link)

    def talk(self, link: socket.socket) -> None:
        capabilities = struct.pack("<HBHHB10x", WITHOUT_TLS, 45, 2, LIST_OF_PLUGINS, 21)
        greeting = b"\x0a10.11.0-MariaDB\0" + b"\x01\0\0\0" + b"a" * 8 + b"\0" + capabilities + b"b" * 12 + b"\0"
        send(link, 0, greeting + b"mysql_native_password\0")
        self.hear(link)
        send(link, 2, self.at_login)
        while said := self.hear(link):
            for number, packet in enumerate(self.answer(said[5:].decode(errors="replace")), said[3] + 1):
                send(link, number % 256, packet)

    def answer(self, statement: str) -> Packets:
        if statement.startswith(self.harms):
            return self.harm()
        if statement.startswith("SHOW GRANTS"):
            return rows(["GRANT USAGE ON *.* TO `x`@`%`"])
        if statement.startswith("SELECT CURRENT_ROLE"):
            return rows(["x"])
        if statement.startswith("SHOW SESSION VARIABLES"):
            return rows(["max_statement_time", "0"])
        return iter([OK])

    def hear(self, link: socket.socket) -> bytes:
        said = link.recv(1 << 16)
        self.heard += said
        return said

    def close(self) -> None:
        self.listening.close()


def send(link: socket.socket, number: int, packet: bytes) -> None:
    link.sendall(struct.pack("<I", len(packet))[:3] + bytes([number]) + packet)


def rows(cells: list[str]) -> Packets:
    yield from columns(len(cells))
    yield row(cells)
    yield EOF


def columns(count: int) -> Packets:
    yield bytes([count])
    for _ in range(count):
        names = b"\x03def" + b"\0" * 3 + b"\x01a" * 2
        yield names + struct.pack("<BHIBHB2x", 0x0C, 45, 200, 253, 0, 0)
    yield EOF


def row(cells: list[str]) -> bytes:
    return b"".join(bytes([len(one)]) + one.encode() for one in cells)


@contextmanager
def running_shop() -> Iterator[Shop]:
    """Skips the test, with a reason, where a program is missing."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            server = Shop(folder)
        except NotInstalled as missing:
            pytest.skip(str(missing))
        if not _is_certified(server.folder):
            pytest.skip("openssl is not installed")
        server.start()
        try:
            server.furnish()
            yield server
        finally:
            server.stop()


def _is_certified(folder: Path) -> bool:
    if not shutil.which("openssl"):
        return False
    key, certificate = folder / "server.key", folder / "server.crt"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    make += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(make, check=True, capture_output=True)
    owner = folder.stat()
    for file in (key, certificate):
        os.chown(file, owner.st_uid, owner.st_gid)
    return True
