"""No page, list or answer of the API asks the database more often because there are more rows (issue 10).

Each case of the matrix is asked with the matrix's few rows and again with thirty more of everything; a new route joins
by its case there. What does something with each of many rows says so below.
"""

import re
from collections import Counter

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts import audit, keys
from chat.models import Trace
from corpora.models import Corpus, Document
from retrieval.spaces.opened import current_index
from tests.bodies import body_of
from tests.factories import (
    AgentFactory,
    AssignmentFactory,
    ConversationFactory,
    CorpusFactory,
    DocumentFactory,
    ExportFactory,
    MembershipFactory,
    MessageFactory,
    ProjectFactory,
)
from tests.matrix import API, PAGES, Case
from tests.people import People
from tests.world import World, send, session_of, trashed_document

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

MORE = 30
MOST = 30  # statements of a request, whoever asks for whatever
# What is read anew now and then, however much there is: the space and what its cosines mean, and what readers of a live
# answer wish.
LEFT_OUT = (
    r"(SET LOCAL [^;]*; )*((RELEASE )?SAVEPOINT|SELECT .*"
    r'( FROM "retrieval_(spacestate|measuredcalibration)"|"reader_seen_at" FROM))'
)

# What grows with its rows, because it does something with each of them.
GROWS = {
    "DELETE /api/trash/": "erases each thing in the trash, with an entry in the log",
    "POST /trash/empty/": "the same",
}


@pytest.fixture
def world(people: People) -> World:
    current_index()  # the embedding space's row is made once, and not in what is undone
    furnished = World.furnished(people)
    project = ProjectFactory._meta.model.objects.get(pk=furnished.ids["project"])
    project.corpora.add(Corpus.objects.get(pk=furnished.ids["alices_second"]))  # one is more than none by a statement
    conversation = ConversationFactory._meta.model.objects.get(pk=furnished.ids["conversation"])
    document = Document.objects.get(pk=furnished.ids["alices_document"])
    MessageFactory(conversation=conversation, role="assistant", sources=document.chunks.all()[:2])  # a later one
    return furnished


def statements(world: World, case: Case) -> list[str]:
    """What a case sends to the database, undone."""
    caller = "owner" if case.rule.owner < 400 or case.rule.admin >= 400 else "admin"
    client = world.caller(caller)
    cache.clear()
    with transaction.atomic():
        with CaptureQueriesContext(connection) as queries:
            answer = send(client, case.method, world.filled(case.path), world.filled(case.body), page=case.page)
            assert answer.status_code == case.expected[caller], answer.content
            body_of(answer)
        transaction.set_rollback(True)
    return [one["sql"] for one in queries if not re.match(LEFT_OUT, one["sql"])]


def plant_more(world: World) -> None:
    alice, here = world.people.alice, world.people.alice.organization
    alices, shared = (Corpus.objects.get(pk=world.ids[name]) for name in ("alices", "shared"))
    document = Document.objects.get(pk=world.ids["alices_document"])
    agent = AgentFactory._meta.model.objects.get(pk=world.ids["agent"])
    conversation = ConversationFactory._meta.model.objects.get(pk=world.ids["conversation"])
    project = ProjectFactory._meta.model.objects.get(pk=world.ids["project"])
    for n in range(MORE):
        for corpus in (alices, shared):
            DocumentFactory(corpus=corpus, text="A loan lasts three weeks. " * 20, unit=str(n), tags=[str(n)])
            DocumentFactory(corpus=corpus, status=Document.Status.PENDING, sha256=str(n))
            trashed_document(corpus, f"trashed {n}")
        own, common = CorpusFactory(personal_of=alice), CorpusFactory(shared_in=here)
        another = AgentFactory(organization=here, allows_personal_corpus=True)
        for corpus in (own, common):
            DocumentFactory(corpus=corpus)
            AssignmentFactory(agent=agent, corpus=corpus)
        AssignmentFactory(agent=another, corpus=alices)
        AssignmentFactory(agent=another, corpus=shared)
        ConversationFactory(of=alice, agent=another, project=project)
        MessageFactory(conversation=conversation)
        answer = MessageFactory(conversation=conversation, role="assistant", sources=document.chunks.all()[:2])
        Trace.objects.create(message=answer, agent=agent, scope_size=1, granularity=800, confidence="HIGH", score=0.9)
        project.corpora.add(own)
        ProjectFactory(of=alice)
        MembershipFactory(organization=here)
        keys.issue_key(alice, f"key {n}")
        session_of(alice)
        audit.record(alice, "changed", own)
    world.ids["export"] = str(ExportFactory(of=alice).pk)  # asking for one removed the other's file, which stays so


def test_every_route_asks_as_often_with_thirty_rows_as_with_one(world: World) -> None:
    cases = sorted((case for case in API + PAGES if str(case) not in GROWS), key=lambda case: case.method != "GET")
    few = [statements(world, case) for case in cases]
    plant_more(world)
    many = [statements(world, case) for case in cases]
    grown = [
        f"{case}: {len(before)} statements, then {len(after)}: {more_of(before, after)}"
        for case, before, after in zip(cases, few, many, strict=True)
        if len(after) > len(before)
    ]
    assert not grown, "\n".join(grown)
    assert {str(case) for case, asked in zip(cases, many, strict=True) if len(asked) > MOST} == set()


def more_of(before: list[str], after: list[str]) -> str:
    """The statement that has become more frequent most, without its values."""
    counts = Counter(map(shape, after)) - Counter(map(shape, before))
    return counts.most_common(1)[0][0][:300]


def shape(sql: str) -> str:
    return re.sub(r"'[^']*'|\b\d+\b", "?", sql)
