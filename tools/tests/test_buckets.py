"""Files that lie in a bucket are brought, changed and taken away as the bucket says; whatever it says harms nobody.

The bucket speaks S3's protocol at the wire; a real server is asked in tests/services."""

import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest
from django.utils import timezone

from accounts.models import AuditEvent
from tests.people import People, signed_in
from tools import asking, sources
from tools.engines.bucket import region_of
from tools.files import buckets, keeping
from tools.models import DataSource, SourceFile
from tools.problems import SourceUnusable
from tools.querying import run_query
from tools.tests import services
from tools.tests.services import Answer, Wire
from tools.tests.test_sources_api import change, make, send_file
from tools.tests.test_workbooks import book

pytestmark = [
    pytest.mark.xdist_group("services"),
    pytest.mark.django_db,
    pytest.mark.usefixtures("in_this_thread"),
]
KEY, SECRET = "AKIAEXAMPLE", "hushword-of-a-bucket-0003"
SALES = b"region,total\nnorte,3\nsur,4\n"


def always() -> bool:
    return True


class Lying:
    """A bucket's objects; `answer` speaks as S3 does, two keys a page."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {"reports/ventas.csv": SALES, "reports/2025/año.csv": b"a\n1\n"}
        self.region = "us-east-1"
        self.fetched: list[str] = []

    def answer(self, _method: str, path: str, headers: dict[str, str], _body: bytes) -> Answer:
        scope = re.search(rf"Credential={KEY}/\d{{8}}/([a-z0-9-]+)/s3/aws4_request", headers.get("Authorization", ""))
        if not scope or not re.search(r"Signature=[0-9a-f]{64}", headers["Authorization"]):
            return 403, {}, b"<Error><Code>AccessDenied</Code></Error>"
        if scope[1] != self.region:
            return 400, {}, f"<Error><Code>Malformed</Code><Region>{self.region}</Region></Error>".encode()
        parts = urlsplit(path)
        bucket, _slash, key = unquote(parts.path).lstrip("/").partition("/")
        if bucket != "informes":
            return 404, {}, b"<Error><Code>NoSuchBucket</Code></Error>"
        if key:
            self.fetched.append(key)
            return (200, {}, self.objects[key]) if key in self.objects else (404, {}, b"")
        return 200, {}, self._listing(parse_qs(parts.query))

    def _listing(self, asked: dict[str, list[str]]) -> bytes:
        keys = sorted(one for one in self.objects if one.startswith(asked.get("prefix", [""])[0]))
        start = int(asked.get("continuation-token", ["0"])[0])
        entries = "".join(
            f"<Contents><Key>{escape(quote(one))}</Key><Size>{len(self.objects[one])}</Size>"
            f"<ETag>&quot;{hash(self.objects[one])}&quot;</ETag></Contents>"
            for one in keys[start : start + 2]
        )
        more = len(keys) > start + 2
        after = f"<NextContinuationToken>{start + 2}</NextContinuationToken>" if more else ""
        told = f"<EncodingType>url</EncodingType><IsTruncated>{str(more).lower()}</IsTruncated>{after}{entries}"
        return (
            f'<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{told}'
            "</ListBucketResult>"
        ).encode()


@pytest.fixture(scope="module")
def server() -> Iterator[Wire]:
    with services.running() as wire:
        yield wire


@pytest.fixture
def lying(server: Wire) -> Lying:
    bucket = Lying()
    server.answer = bucket.answer
    return bucket


@pytest.fixture
def source(server: Wire, lying: Lying, people: People, settings: Any) -> DataSource:
    settings.DATA_SOURCE_HOSTS, settings.DATA_SOURCE_NETWORKS = ["localhost"], ["127.0.0.0/8", "::1/128"]
    asking.breakers.clear()
    made = make(people.ada, name="Informes", kind="bucket", host="localhost", port=server.port,
                database="informes/reports/", username=KEY, password=SECRET)  # fmt: skip
    assert made.status_code == 201, made.content
    return DataSource.objects.select_related("organization").get()


def brought(source: DataSource) -> dict[str, str]:
    """Looked into as if the time had come; the tables and where they lie."""
    DataSource.objects.update(brought_at=None)
    buckets.bring_due(always)
    source.refresh_from_db()
    return dict(source.files.values_list("table", "key"))


def test_what_lies_there_is_asked_as_what_was_uploaded(people: People, source: DataSource, server: Wire) -> None:
    assert brought(source) == {"ventas": "ventas.csv", "t_2025_ano": "2025/año.csv"}
    assert (source.check_outcome, source.left_out) == ("ok", [])
    assert source.brought_at
    sources.add_tables(people.ada, source, sources.described_tables(source))
    source.tables.get(name="ventas").columns.update(is_masked=False)
    asked = run_query(
        people.ada, source, source.tables.prefetch_related("columns"), "SELECT sum(total) FROM ventas", {}
    )
    assert asked.rows == [[7]]
    told = repr((server.asked, list(AuditEvent.objects.values())))
    assert SECRET not in told
    assert AuditEvent.objects.filter(actor=None, action="changed", object_id=str(source.pk)).count() == 1


def test_only_what_has_changed_is_fetched_again(lying: Lying, source: DataSource) -> None:
    brought(source)
    lying.fetched.clear()
    brought(source)
    assert lying.fetched == []
    lying.objects["reports/ventas.csv"] = b"region,total\nnorte,30\n"
    del lying.objects["reports/2025/año.csv"]
    assert brought(source) == {"ventas": "ventas.csv"}
    assert lying.fetched == ["reports/ventas.csv"]
    assert bytes(source.files.get().content) == b"region,total\nnorte,30\n"


def test_a_bucket_is_looked_into_every_few_minutes(source: DataSource) -> None:
    assert buckets.bring_due(always) == 1
    assert buckets.bring_due(always) == 0
    DataSource.objects.update(brought_at=timezone.now() - buckets.EVERY - timedelta(seconds=1))
    assert buckets.bring_due(lambda: False) == 0
    assert buckets.bring_due(always) == 1
    DataSource.objects.update(brought_at=None, is_active=False)
    assert buckets.bring_due(always) == 0


def test_a_file_that_is_never_brought_is_not_told_as_one_that_comes_later(source: DataSource) -> None:
    look = buckets._Look(source, always, room=10)
    assert look.take(buckets.LyingFile("large.csv", buckets.MOST_FILE_BYTES + 1, "1")) == "file_too_large"
    assert look.take(buckets.LyingFile("next.csv", 11, "1")) == buckets.NOT_YET


def test_what_cannot_be_a_table_is_left_out_and_said(
    people: People, lying: Lying, source: DataSource, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought(source)
    settings.MAX_UPLOAD_BYTES = 8_000
    lying.objects |= {
        "reports/empty.csv": b"",
        "reports/large.csv": b"a\n" + b"1\n" * 5_000,
        "reports/notes.pdf": b"%PDF",
        "reports/sheets.xlsx": book(a=[["x"], [1]], b=[["x"], [2]]),
        "reports/otras.parquet": b"PAR1",
        "reports/ventas.parquet": b"PAR1",
        "reports/broken.xlsx": b"a,b\n1,2\n",
        "reports/wrong.csv": b"SQLite format 3\0",
        "reports/ventas.csv": b"",
    }
    tables = brought(source)
    assert tables == {"t_2025_ano": "2025/año.csv", "sheets_a": "sheets.xlsx", "sheets_b": "sheets.xlsx"}
    reasons = {one["key"]: one["reason"] for one in source.left_out}
    assert reasons == {
        "broken.xlsx": "source_file_unusable", "empty.csv": "source_file_unusable", "large.csv": "file_too_large",
        "ventas.csv": "source_file_unusable",
        "wrong.csv": "source_file_unusable", "otras.parquet": "source_file_unusable",
        "ventas.parquet": "table_name_taken",
    }  # fmt: skip
    assert source.check_outcome == "files_left_out"
    lying.fetched.clear()
    brought(source)
    assert "reports/wrong.csv" not in lying.fetched  # it is still the same
    told = signed_in(people.ada).get(f"/api/data-sources/{source.pk}/").json()["left_out"]
    assert {"key": "large.csv", "reason": "file_too_large"} in told
    monkeypatch.setattr(keeping, "MOST_FILES", 3)
    lying.objects["reports/more.csv"] = b"a\n1\n"
    brought(source)
    assert {"key": "more.csv", "reason": "sources_full"}.items() <= next(
        one for one in source.left_out if one["key"] == "more.csv"
    ).items()
    assert "reports/more.csv" not in lying.fetched


def test_the_first_of_two_of_a_name_stays(lying: Lying, source: DataSource) -> None:
    lying.objects = {"reports/a b.csv": b"x\n1\n", "reports/a_b.csv": b"x\n2\n"}
    assert brought(source) == {"a_b": "a b.csv"}
    assert [one["reason"] for one in source.left_out] == ["table_name_taken"]
    assert brought(source) == {"a_b": "a b.csv"}
    del lying.objects["reports/a b.csv"]
    assert brought(source) == {"a_b": "a_b.csv"}
    assert source.left_out == []


def test_where_the_bucket_is_away_what_was_brought_stays(lying: Lying, source: DataSource, server: Wire) -> None:
    before = brought(source)
    server.answer = lambda *_asked: (503, {}, b"")
    assert brought(source) == before
    assert source.check_outcome == "refused"
    server.answer = lambda *_asked: (403, {}, b"")
    assert brought(source) == before
    assert source.check_outcome == "denied"


def test_what_lay_elsewhere_is_forgotten(people: People, lying: Lying, source: DataSource) -> None:
    brought(source)
    assert change(people.ada, source.pk, name="Otro").status_code == 200
    assert source.files.count() == 2
    lying.objects["2025/x.csv"] = b"a\n1\n"
    assert change(people.ada, source.pk, database="informes/2025").status_code == 200
    assert source.files.count() == 0
    assert brought(source) == {"x": "/x.csv"}


def test_what_is_brought_while_the_source_is_changed_is_not_kept(
    source: DataSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = buckets.ask_bucket

    def moved(*asked: Any, **more: Any) -> Any:
        found = kept(*asked, **more)
        if more.get("key") == "ventas.csv":
            DataSource.objects.update(database="elsewhere", brought_at=None)
        return found

    monkeypatch.setattr(buckets, "ask_bucket", moved)
    buckets.bring_noted(source, always)
    assert "ventas" not in set(source.files.values_list("table", flat=True))
    assert DataSource.objects.get().brought_at is None


def test_the_region_is_the_hosts_or_what_the_service_says(lying: Lying, source: DataSource) -> None:
    assert region_of("s3.eu-west-1.amazonaws.com") == "eu-west-1"
    assert region_of("S3.fr-par.scw.cloud") == "fr-par"
    assert [region_of(one) for one in ("s3.example", "minio.example.org", "localhost")] == ["us-east-1"] * 3
    lying.region = "eu-south-2"
    assert len(brought(source)) == 2


def test_its_files_are_changed_in_the_bucket_alone(people: People, source: DataSource) -> None:
    brought(source)
    sent = send_file(people.ada, source.pk, "x.csv", b"a\n1\n")
    assert (sent.status_code, sent.json()["code"]) == (422, "source_file_unusable")
    file = source.files.first()
    assert file
    gone = signed_in(people.ada).delete(f"/api/data-sources/{source.pk}/files/{file.pk}/")
    assert gone.status_code == 422
    assert source.files.count() == 2


def test_a_check_says_how_many_there_are(people: People, source: DataSource, lying: Lying) -> None:
    place = f"/api/data-sources/{source.pk}/check/"
    assert signed_in(people.ada).post(place).json() == {"status": "ok", "tables": 2}
    assert change(people.ada, source.pk, database="another").status_code == 200
    refused = signed_in(people.ada).post(place)
    assert (refused.status_code, refused.json()["reason"]) == (409, "no_bucket")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"host": "elsewhere.example"}, "host"),
        ({"database": ""}, "database"),
        ({"database": "a"}, "database"),
        ({"database": "informes/a\x07b"}, "database"),
        ({"database": "../etc"}, "database"),
        ({"password": ""}, "password"),
        ({"username": ""}, "username"),
        ({"openapi": "openapi: 3.0.0"}, "openapi"),
    ],
)
def test_a_bucket_is_named_whole(wrong: dict[str, Any], field: str, people: People, settings: Any) -> None:
    settings.DATA_SOURCE_HOSTS = ["localhost"]
    said = {
        "name": "x",
        "kind": "bucket",
        "host": "localhost",
        "database": "informes",
        "username": "a",
        "password": "b",
    }
    refused = make(people.ada, **(said | wrong))
    assert refused.status_code == 400
    assert field in refused.json()["errors"]


def test_its_password_is_not_sent_to_another_host(people: People, source: DataSource, settings: Any) -> None:
    settings.DATA_SOURCE_HOSTS = ["localhost", "evil.example"]
    assert change(people.ada, source.pk, host="evil.example").status_code == 400
    assert change(people.ada, source.pk, encryption="prefer").status_code == 200
    source.refresh_from_db()
    assert source.encryption == "verify-full"


def listed(entries: str) -> bytes:
    return f"<ListBucketResult>{entries}</ListBucketResult>".encode()


ENTRY = "<Contents><Key>%s</Key><Size>%s</Size><ETag>e</ETag></Contents>"
GROWING = "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
LAUGHS = f'<!DOCTYPE x [<!ENTITY a "hahahahaha">{GROWING}]>'


@pytest.mark.parametrize(
    "listing",
    [
        b"",
        b"{}",
        b"\xff\xfe",
        b"<a>" * 100_000,
        f"{LAUGHS}<x><Contents><Key>&i;</Key></Contents></x>".encode(),
        b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x><Contents><Key>&a;</Key></Contents></x>',
        listed(ENTRY % ("reports/a.csv", "many")),
        listed(ENTRY % ("reports/a.csv", "9" * 5_000)),
        listed(ENTRY % ("elsewhere/a.csv", "1")),
        listed(ENTRY % ("reports/" + "a" * 2_000 + ".csv", "1")),
        b"<x>" + b" " * 9_000_000 + b"</x>",
        listed("<EncodingType>url</EncodingType>" + ENTRY % ("reports/a%00.csv", "1")),
        listed("<IsTruncated>true</IsTruncated>" + ENTRY % ("reports/a.csv", "1")),
        b"<ListBucketResult>" + b"<a><a>" * 700_000,
    ],
    ids=[
        "nothing",
        "json",
        "bytes",
        "deep",
        "laughs",
        "file",
        "size",
        "long size",
        "beside",
        "long key",
        "large",
        "nul",
        "cut",
        "wide",
    ],
)
def test_a_hostile_listing_costs_its_own_source_alone(listing: bytes, source: DataSource, server: Wire) -> None:
    server.answer = lambda _method, path, *_rest: (200, {}, listing if "list-type" in path else b"a\n1\n")
    began = time.monotonic()
    tables = brought(source)
    assert time.monotonic() - began < 20
    assert tables in ({}, {"a": "a.csv"})
    assert all("root:" not in bytes(one.content).decode() for one in source.files.all())


def test_a_listing_that_defines_entities_is_no_answer(source: DataSource, server: Wire) -> None:
    listing = b'<!DOCTYPE x [<!ENTITY a "reports/a.csv">]>' + listed(ENTRY % ("&a;", "4"))
    server.answer = lambda _method, path, *_rest: (200, {}, listing if "list-type" in path else b"a\n1\n")
    assert brought(source) == {}
    assert source.check_outcome == "no_answer"


def test_what_cannot_be_had_stops_none_behind_it(lying: Lying, source: DataSource, server: Wire) -> None:
    lying.objects = {f"reports/{name}.csv": b"a\n1\n" for name in ("a", "b", "c", "d", "e")}

    def answer(method: str, path: str, *rest: Any) -> Any:
        gone = any(f"/{name}.csv" in path for name in "abc")
        return (403, {}, b"<Error/>") if gone else lying.answer(method, path, *rest)

    server.answer = answer
    assert brought(source) == {}
    assert brought(source) == {"d": "d.csv", "e": "e.csv"}


def test_what_is_longer_than_the_listing_says_is_not_kept(source: DataSource, server: Wire) -> None:
    listing = listed(ENTRY % ("reports/a.csv", "1"))
    server.answer = lambda _method, path, *_rest: (200, {}, listing if "list-type" in path else b"a\n1\n")
    assert brought(source) == {}
    assert [one["reason"] for one in source.left_out] == ["no_answer"]


def test_what_is_longer_than_it_says_is_not_kept(source: DataSource, server: Wire, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 1_000
    listing = listed(ENTRY % ("reports/a.csv", "1"))
    server.answer = lambda _method, path, *_rest: (200, {}, listing if "list-type" in path else b"a\n" * 2_000)
    assert brought(source) == {}
    assert [one["reason"] for one in source.left_out] == ["query_too_large"]


def test_slow_buckets_of_one_organization_are_not_everybodys(
    people: People, source: DataSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def slow(one: DataSource, goes_on: Callable[[], bool]) -> list[dict[str, str]]:
        asked.append(one.name)
        time.sleep(0.2)
        assert goes_on() is False
        return []

    monkeypatch.setattr(buckets, "bring", slow)
    monkeypatch.setattr(buckets, "OF_ONE", 0.1)
    for name, organization in (("Another", source.organization), ("Theirs", people.zoe.organization)):
        DataSource.objects.create(organization=organization, name=name, kind="bucket", host="localhost")
    buckets.bring_due(always)
    assert len(asked) == 2
    assert "Theirs" in asked


def test_one_bucket_that_fails_in_a_new_way_keeps_no_other_waiting(
    people: People, source: DataSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: Callable[..., Any] = buckets.bring
    other = DataSource.objects.create(
        organization=people.zoe.organization, name="Other", kind="bucket", host="localhost", port=source.port,
        database="informes", sealed_credentials=source.sealed_credentials,
    )  # fmt: skip

    def failing(one: DataSource, *more: Any) -> Any:
        if one.pk == source.pk:
            raise RuntimeError("a document's text")
        return kept(one, *more)

    monkeypatch.setattr(buckets, "bring", failing)
    assert buckets.bring_due(always) == 2
    source.refresh_from_db()
    assert source.check_outcome == "failed"
    assert set(SourceFile.objects.values_list("source_id", flat=True)) == {other.pk}


def test_a_source_that_was_not_brought_yet_says_so(source: DataSource) -> None:
    with pytest.raises(SourceUnusable) as raised:
        sources.described_tables(source)
    assert raised.value.extra == {"reason": "no_file"}


BY_NIGHT = (pytest.mark.slow, pytest.mark.nightly)  # fifteen children each


@pytest.mark.parametrize("status", [*(pytest.param(one, marks=BY_NIGHT) for one in (301, 400, 403)), 404, 503])
def test_an_object_that_cannot_be_had_stops_none_behind_it(
    status: int, lying: Lying, source: DataSource, server: Wire
) -> None:
    brought(source)
    lying.objects = {f"reports/{one}.csv": b"x\n1\n" for one in ("a", "b", "ventas", "z")}
    server.answer = lambda *asked: (status, {}, b"") if asked[1].endswith(("a.csv", "s.csv")) else lying.answer(*asked)
    assert brought(source) == {"b": "b.csv", "ventas": "ventas.csv", "z": "z.csv"}
    assert bytes(source.files.get(table="ventas").content) == SALES  # what was brought last
    assert [one["key"] for one in source.left_out] == ["a.csv", "ventas.csv"]
    server.answer = lying.answer
    assert set(brought(source)) == {"a", "b", "ventas", "z"}
    assert source.left_out == []


def test_after_three_failures_no_more_is_asked_for(lying: Lying, source: DataSource, server: Wire) -> None:
    lying.objects = {f"reports/{n}.csv": b"x\n1\n" for n in range(6)}
    server.answer = lambda *asked: (503, {}, b"") if asked[1].endswith(".csv") else lying.answer(*asked)
    brought(source)
    assert [one["reason"] for one in source.left_out] == ["refused"] * 3 + ["not_yet"] * 3


@pytest.mark.parametrize("said", [b"<html>maintenance</html>", b"<Error><Code>SlowDown</Code></Error>"])
def test_a_success_that_is_no_listing_takes_nothing_away(said: bytes, source: DataSource, server: Wire) -> None:
    before = brought(source)
    server.answer = lambda *_asked: (200, {}, said)
    assert brought(source) == before
    assert source.check_outcome == "no_answer"


def test_what_is_behind_the_first_files_is_not_held_to_be_gone(lying: Lying, source: DataSource) -> None:
    brought(source)
    lying.objects |= {f"reports/a{n:03}.csv": b"" for n in range(30)}  # of ten pages with two each
    assert "ventas" in brought(source)


def test_the_same_content_under_another_version_changes_nothing(lying: Lying, source: DataSource) -> None:
    brought(source)
    rows, updated = list(source.files.values_list("pk")), source.updated_at
    SourceFile.objects.update(version="before")
    brought(source)
    assert list(source.files.values_list("pk")) == rows
    assert source.updated_at == updated
    assert AuditEvent.objects.filter(action="changed", object_id=str(source.pk)).count() == 1
    assert "before" not in set(source.files.values_list("version", flat=True))


@pytest.mark.parametrize(
    "keys",
    [
        [f"informes-mensuales-de-la-empresa/contabilidad/2025/{one}.csv" for one in ("enero", "febrero")],
        ["客户.csv", "订单.csv"],
        ["2025 客户.csv", "2025 订单.csv"],
    ],
)
def test_tables_of_long_and_of_foreign_names_are_told_apart(keys: list[str]) -> None:
    names = {buckets.table_by_key(one) for one in keys}
    assert len(names) == len(keys)
    assert all(keeping.TABLE_NAME.fullmatch(one) for one in names)
    assert buckets.table_by_key("año/2025.csv") == "ano_2025"


def test_what_ends_the_process_does_not_come_first_again(source: DataSource, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_asked: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(buckets, "bring", killed)
    with pytest.raises(KeyboardInterrupt):
        buckets.bring_due(always)
    assert DataSource.objects.get().brought_at


def test_whoever_saves_again_and_again_is_not_always_first(
    people: People, source: DataSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def slow(one: DataSource, _goes_on: Callable[[], bool]) -> list[dict[str, str]]:
        asked.append(one.name)
        DataSource.objects.filter(organization=source.organization).update(brought_at=None)
        return []

    monkeypatch.setattr(buckets, "bring", slow)
    past = timezone.now() - timedelta(hours=1)
    DataSource.objects.create(
        organization=people.zoe.organization, name="Theirs", kind="bucket", host="localhost", brought_at=past
    )
    rounds = iter(range(6))
    buckets.bring_due(lambda: next(rounds) < 4)
    assert "Theirs" in asked[:2]
