"""What is not theirs, for the members of one organization: ids of every kind, with marks that must not come back.

Another organization's rows of every kind, a colleague's own and those of somebody who was removed.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from secrets import choice
from typing import Any
from unittest import mock
from uuid import uuid4

from django.db.models import ForeignKey, Model, UUIDField

from accounts import members
from accounts.identity.oauth.rows import OAuthClient
from accounts.models import Membership, Organization, User
from chat.models import Conversation, Project
from corpora.models import Corpus, Document
from evaluation.models import EvaluationRun
from retrieval.spaces.registry import active_space
from tests import world
from tests.attacks.places import undone
from tests.factories import MembershipFactory
from tests.people import People
from tests.test_admin_isolation import ROWS as ADMIN_ROWS
from tests.test_guard_models import TENANT_PATHS
from tests.world import World, is_uuid

MARK = "FOREIGN-"
KEPT_BY_ADMINS = {
    *("a colleague's key", "a former member's key"),
    *("a colleague's program", "a former member's program"),
}
# What a world has for a whole organization; everything else in it is one member's own.
OF_EVERYBODY = {
    "shared",
    "shared_second",
    "shared_document",
    "shared_pdf",
    "shared_drawing",
    "shared_trashed",
    "agent",
    "source",
    "source_file",
    "source_table",
    "webhook",
    "delivery",
    "provider",
    "directory_user",
    "directory_group",
    "slug",
    "bob",
    "invitation",
    "token",
    "organization",
}
ELSEWHERE = ("another organization's organization", "a colleague's conversation")
VARYING = [  # from one answer to the next; what was sent is `SENT` by then
    (re.compile(pattern), name)
    for pattern, name in (
        (rb"SENT-[0-9a-f]{8}", b"SENT"),  # a fact's file is named by its key and the key's hash
        (rb"acv_[\w-]+|acvscim_[\w-]+|whsec_[\w+/=]+|/invitations/[\w-]{20,}|chatcmpl-[\w-]+", b"SECRET"),
        (rb"[A-Za-z0-9]{64}", b"TOKEN"),
        (rb"nonce[-=]\"?[\w+/=-]+", b"NONCE"),
        (rb"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", b"UUID"),
        (rb"\d{4}-\d\d-\d\d[T ][\d:.+Z]*|\b\d\d?:\d\d(:\d\d)?\b", b"TIME"),
        (rb"\"created\":\s?\d+|\b\d+\.\d+(e-\d+)?\b", b"NUMBER"),
        (rb"\d+(\xc2\xa0|\s)(d[\xc3\xada]+|day|hora|hour|minut|segundo|second)\w*", b"LONG"),
    )
]
NO_SQL = re.compile(rb"[^\"]*Line \d+, Col: \d+[^\"]*")  # of an id that stands for a statement: by its digits
VERSION_AND_VARIANT = {14, 19}  # their places in a UUID
Ids = dict[str, str]


@dataclass(frozen=True, slots=True)
class Landscape:
    """`own` is the world of Alice and her admin; `foreign` maps what an id is of to the id."""

    own: World
    far: World
    foreign: Ids
    others: list[Membership] = field(default_factory=list)  # of the same organization, whose own rows are foreign too
    tables: dict[str, str] = field(default_factory=dict)

    @classmethod
    def made(cls) -> "Landscape":
        active_space()  # there before anything is undone
        people = People.assembled()
        removed = MembershipFactory(organization=people.alice.organization)
        own, far = World.furnished(people), furnished(People.assembled(), "ALICES_MARK", "SHARED_MARK", "TOKEN")
        personal = {
            "a colleague's": furnished(replace(people, alice=people.bob), "ALICES_MARK", "TOKEN"),
            "a former member's": furnished(replace(people, alice=removed), "ALICES_MARK", "TOKEN"),
        }
        members.end_membership(removed, people.ada)
        people.bob.api_keys.update(name="a key")  # its name is shown to admins, and what their programs are called
        OAuthClient.objects.filter(grants__membership=people.bob).update(name="a program")
        rows = {f"another organization's {model.__name__}": make(far.people.ada) for model, make in ADMIN_ROWS.items()}
        ids = {f"another organization's {name}": one for name, one in far.ids.items() if name != "token"}
        ids |= {name: str(row.pk) for name, row in rows.items()}
        for whose, theirs in personal.items():
            ids |= {f"{whose} {name}": one for name, one in theirs.ids.items() if name not in OF_EVERYBODY}
        return cls(own, far, ids, [people.bob, removed], tables_of({*own.ids.values(), *ids.values()}))

    def seen_by(self, caller: str) -> "Landscape":
        """An organization's admins keep its members' keys, and its audit log names those of who has left."""
        if caller != "admin":
            return self
        return replace(self, foreign={kind: one for kind, one in self.foreign.items() if kind not in KEPT_BY_ADMINS})

    def never(self, like: str) -> str:
        """An id of the same kind that nothing has; a name is no number, which another rule would take."""
        return formed_like(like) if is_uuid(like) else f"n{uuid4().hex}"[: len(like)]

    def kinds_like(self, own: str) -> list[str]:
        """The foreign ids of the same table as one of ours, and two of others."""
        table = self.tables.get(own)
        alike = [kind for kind, one in self.foreign.items() if table and self.tables.get(one) == table]
        return [*alike, *(() if is_uuid(own) else ["another organization's slug"]), *ELSEWHERE]

    def kinds_of(self, tables: set[str]) -> list[str]:
        """The foreign ids of these tables of the database, and two of others; where there are none, one in all."""
        alike = [kind for kind, one in self.foreign.items() if self.tables.get(one, "").replace("/", "_") in tables]
        named = ["another organization's slug"] if "agents_agent" in tables else []
        return [*alike, *named, *ELSEWHERE] if tables else ["a colleague's alices"]

    def kinds_in(self, route: str) -> list[str]:
        """The foreign ids of the table that a route of the admin is for, and two of others."""
        return [kind for kind, one in self.foreign.items() if f"/{self.tables.get(one)}/" in route] + list(ELSEWHERE)

    def traces(self) -> dict[str, Any]:
        """All that the foreign rows hold, and how many rows of this organization point at them."""
        here, there = (one.people.alice.organization for one in (self.own, self.far))
        held = {model: list(rows_of(model, there).order_by("pk").values_list()) for model in TENANT_PATHS}
        keys = {one for one in self.foreign.values() if is_uuid(one)}
        pointing = {
            f"{model.__name__}.{relation.name}": rows_of(model, here).filter(**{f"{relation.name}__in": keys}).count()
            for model, relation in relations()
        }
        users = [other.user_id for other in self.others]
        mine = {
            model: list(model._default_manager.filter(owner__in=users).order_by("pk").values_list())
            for model in (Corpus, Conversation, Project)
        }
        mine[Document] = list(Document.objects.filter(corpus__owner__in=users).order_by("pk").values_list())
        return {"held": held, "pointing": pointing, "mine": mine}


def formed_like(one: str) -> str:
    """A UUID that nothing has, read like this one where it stands for a statement: some begin with a number, some with
    a name, some are no SQL at all. Digits stay digits and letters letters; what makes a number another stays itself."""
    signs = ("123456789", "acdf")
    return "".join(
        sign if n in VERSION_AND_VARIANT else choice(next((known for known in signs if sign in known), sign))
        for n, sign in enumerate(one)
    )


def tables_of(ids: set[str]) -> dict[str, str]:
    """The model of each id, as addresses of the admin have it: `corpora/document`."""
    uuids = {one for one in ids if is_uuid(one)}
    found = {}
    for model in (*TENANT_PATHS, Organization, User, EvaluationRun):
        if not isinstance(model._meta.pk, UUIDField):
            continue
        name = f"{model._meta.app_label}/{model._meta.model_name}"
        found |= {str(key): name for key in model._default_manager.filter(pk__in=uuids).values_list("pk", flat=True)}
    return found


def furnished(people: People, *marks: str) -> World:
    """A world of which these marks are foreign ones."""
    with ExitStack() as stack:
        for name in marks:
            stack.enter_context(mock.patch.object(world, name, f"{MARK}{uuid4().hex[:4]}-{getattr(world, name)}"))
        return World.furnished(people)


def rows_of(model: type[Model], organization: Any) -> Any:
    return model._default_manager.filter(**{TENANT_PATHS[model]: organization})


def relations() -> Iterator[tuple[type[Model], ForeignKey[Any, Any]]]:
    """Every key of a tenant's table that leads to a row with a UUID."""
    for model in TENANT_PATHS:
        for one in model._meta.concrete_fields:
            if isinstance(one, ForeignKey) and one.target_field.get_internal_type() == "UUIDField":
                yield model, one


def watched(land: Landscape, before: dict[str, Any], act: Callable[[], Any]) -> Any:
    """The answer, undone, with what it did to foreign rows in `crossed`. Only what is not refused does anything."""

    def done() -> Any:
        answer = act()
        after = before if answer.status_code >= 400 else land.traces()
        answer.crossed = sorted(name for name in before if after[name] != before[name])
        return answer

    return undone(done)


@dataclass(frozen=True, slots=True)
class Told:
    """What somebody can tell from an answer, without what differs from one answer to the next."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @classmethod
    def of(cls, answer: Any, sent: str) -> "Told":
        told = {name: plain(value.encode(), sent).decode() for name, value in answer.headers.items()}
        told.pop("Content-Length", None)
        return cls(answer.status_code, tuple(sorted(told.items())), plain(answer.body, sent))


def plain(content: bytes, sent: str) -> bytes:
    for form in {sent, sent.replace("-", "") if is_uuid(sent) else sent}:
        content = content.replace(form.encode(), b"SENT")
    if b", Col: " in content:  # it takes longer than all others, and hardly an answer has any
        content = NO_SQL.sub(b"NO SQL", content)
    for pattern, name in VARYING:
        content = pattern.sub(name, content)
    return content


def leaks(answer: Any, sent: str, foreign: Iterable[str]) -> list[str]:
    """Marks and ids of foreign rows in an answer, the id that was sent excepted."""
    content = answer.body + str(answer.headers.items()).encode()
    marks = [MARK] if MARK.encode() in content.replace(sent.encode(), b"") else []
    return marks + [one for one in foreign if one != sent and is_uuid(one) and one.encode() in content]


def differences(
    land: Landscape, send: Callable[[str], Any], kinds: Iterable[str] = (), known: dict[bool, Told] | None = None
) -> list[str]:
    """What tells a foreign id from one that nothing has, for every kind of foreign id.

    `known`: what ids that nothing has are told, if that is known, by whether they are UUIDs.
    """
    found, nowhere = [], dict(known or {})
    for kind in kinds or land.foreign:
        sent = land.foreign[kind]
        if is_uuid(sent) not in nowhere:
            nothing = land.never(sent)
            nowhere[is_uuid(sent)] = Told.of(send(nothing), nothing)
        answer, other = send(sent), nowhere[is_uuid(sent)]
        if told := leaks(answer, sent, land.foreign.values()):
            found.append(f"{kind}: {told[0]} came back")
        if crossed := getattr(answer, "crossed", None):
            found.append(f"{kind}: {crossed} changed")
        if (one := Told.of(answer, sent)) != other:
            found.append(f"{kind}: {one.status} {excerpt(one, other)} where nothing is {other.status}")
    return found


def excerpt(one: Told, other: Told) -> str:
    """Where two answers part."""
    if one.headers != other.headers:
        return str(set(one.headers) ^ set(other.headers))
    place = next((n for n, (a, b) in enumerate(zip(one.body, other.body, strict=False)) if a != b), 0)
    return f"{one.body[max(0, place - 60) : place + 60]!r}"
