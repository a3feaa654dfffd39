"""Objects of a bucket, by S3's protocol: which there are, and what is in one. GET alone.

Requests are signed by botocore (AWS Signature Version 4) and made by `tools.engines.https`. botocore's own client would
look the name up again, follow where the bucket says it lives, and read answers of any length.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from http.client import HTTPS_PORT
from typing import Any
from urllib.parse import quote, unquote_plus
from xml.etree import ElementTree

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tools.engines.failures import SourceFailed
from tools.engines.https import ABSENT, MOST_PAGES, Pairs, Service, ServiceRefused

SUFFIXES = (".csv", ".tsv", ".parquet", ".xlsx")
MOST_TOLD = 200
LONGEST_KEY, LONGEST_VERSION = 1_024, 200  # as S3 has them, and more
SIZE = re.compile(r"[0-9]{1,15}")
REGION = re.compile(r"[a-z0-9-]{1,40}")


class S3Bucket:
    def __init__(self, request: dict[str, Any]) -> None:
        place = request["place"] | {"host": request["place"]["host"].lower()}
        self._host = place["host"] if place["port"] == HTTPS_PORT else f"{place['host']}:{place['port']}"
        self._bucket, _slash, self._prefix = place["database"].partition("/")
        self._credentials = Credentials(place["username"], place["password"])
        self._region = region_of(place["host"])
        self._service = Service({**request, "place": place}, {}, room=request["most"]["bytes"])

    def objects(self, _request: dict[str, Any]) -> dict[str, Any]:
        """`objects`: `key` (below the prefix), `size` (bytes) and `version` of those that are files with tables, in the
        order of their keys. `is_whole`: these are all that there are."""
        found: dict[str, dict[str, Any]] = {}
        for one in self._listed():
            if one is None or len(found) >= MOST_TOLD:
                return {"objects": list(found.values()), "is_whole": False}
            if one["key"].lower().endswith(SUFFIXES):
                found.setdefault(one["key"], one)
        return {"objects": list(found.values()), "is_whole": True}

    def object(self, request: dict[str, Any]) -> dict[str, str]:
        """`content` in base64."""
        path = f"/{self._bucket}/{self._prefix}{request['key']}"
        return {"content": b64encode(self._get(quote(path, safe="/-_.~"))).decode()}

    def _listed(self) -> Iterator[dict[str, Any] | None]:
        """None where there are more pages than are read."""
        after: Pairs = ()
        for _page in range(MOST_PAGES):
            told = self._page(after)
            is_quoted = _text(told, "EncodingType") == "url"
            for entry in _all(told, "Contents"):
                key, size = _text(entry, "Key"), _text(entry, "Size")
                key = unquote_plus(key) if is_quoted else key
                if not (key.startswith(self._prefix) and len(key) <= LONGEST_KEY and SIZE.fullmatch(size)):
                    raise SourceFailed("no_answer")
                key = key.removeprefix(self._prefix)
                if key.isprintable():  # others are no names, and PostgreSQL keeps no NUL
                    version = " ".join((_text(entry, "ETag"), _text(entry, "LastModified"), size))
                    yield {"key": key, "size": int(size), "version": version[:LONGEST_VERSION]}
            if _text(told, "IsTruncated") != "true":
                return
            token = _text(told, "NextContinuationToken")
            if not token:
                raise SourceFailed("no_answer")
            after = [("continuation-token", token)]
        yield None

    def _page(self, after: Pairs) -> ElementTree.Element:
        query = sorted([("list-type", "2"), ("encoding-type", "url"), ("prefix", self._prefix), *after])
        written = "&".join(f"{name}={quote(value, safe='-_.~')}" for name, value in query)
        told = _parsed(self._get(f"/{self._bucket}?{written}"))
        if _name(told) != "ListBucketResult":
            raise SourceFailed("no_answer")
        return told

    def _get(self, target: str) -> bytes:
        """Signed for another region once, where the service says that it is in that."""
        try:
            return self._signed(target)
        except ServiceRefused as refused:
            told = _parsed(refused.content)
            region = _text(told, "Region")
            if not REGION.fullmatch(region) or region == self._region:
                raise SourceFailed(_word_for(refused.status, _text(told, "Code"))) from None
        self._region = region
        try:
            return self._signed(target)
        except ServiceRefused:
            raise SourceFailed("no_answer") from None

    def _signed(self, target: str) -> bytes:
        request = AWSRequest("GET", f"https://{self._host}{target}")
        S3SigV4Auth(self._credentials, "s3", self._region).add_auth(request)
        return self._service.fetch(target, dict(request.headers.items()))


def _word_for(status: int, code: str) -> str:
    """Servers differ in the status that they give to a key that they do not know."""
    if status not in ABSENT or code == "NoSuchKey":
        return "no_answer"
    return "no_bucket" if code == "NoSuchBucket" else "denied"


def region_of(host: str) -> str:
    """As most services write it: `s3.eu-west-1.amazonaws.com`, `s3.fr-par.scw.cloud`. Without one, what those answer to
    that have no regions."""
    first, *others = host.lower().split(".")
    return others[0] if first == "s3" and len(others) > 2 and REGION.fullmatch(others[0]) else "us-east-1"


class _Plain(ElementTree.TreeBuilder):
    """Without a definition of entities, which no service has."""

    def doctype(self, *_told: Any) -> None:
        raise SourceFailed("no_answer")


def _parsed(content: bytes) -> ElementTree.Element:
    try:
        parser = ElementTree.XMLParser(target=_Plain())  # noqa: S314 - in a child that has so much memory and time
        told: ElementTree.Element = ElementTree.fromstring(content, parser)  # noqa: S314
        return told
    except ElementTree.ParseError:
        raise SourceFailed("no_answer") from None


def _all(element: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """Of the elements in it, in whatever namespace the service puts them."""
    return (one for one in element if _name(one) == name)


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _text(element: ElementTree.Element, name: str) -> str:
    return next((one.text or "" for one in _all(element, name)), "")
