"""`python -m bench.rows.at_size`: what PostgreSQL does for pages, polls and upkeep with 200,000 documents and traces.

Run it with servers: `python -m tests.services postgres -- python -m bench.rows.at_size`. Prints each statement's plan
in a line and its median time; `--plans` prints the plans whole.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import django
import psycopg

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Count, Q, Sum  # noqa: E402
from django.db.models.functions import Coalesce  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import AuditEvent, IdempotentReply, Membership, Organization, User  # noqa: E402
from accounts.tenancy.scope import system_scope, tenant_scope  # noqa: E402
from agents.models import Agent  # noqa: E402
from chat.admin.usage import usage  # noqa: E402
from chat.models import Conversation, Trace  # noqa: E402
from chat.pages.context_forms import values_in  # noqa: E402
from chat.usage.counting import roll_up  # noqa: E402
from corpora.models import Corpus, Document  # noqa: E402
from corpora.scope import Scope  # noqa: E402
from workers.erasure.corpora import emptied_corpora  # noqa: E402
from workers.queue import claims  # noqa: E402

DOCUMENTS, ORGANIZATIONS, CORPORA = 200_000, 20, 10
RUNS = 7
INDEXES = (
    *("document_erasure_due", "corpus_deleted", "trace_created", "trace_of_agent", "message_created"),
    *("audit_of_organization", "idempotent_reply_created"),
)


def plant() -> Membership:
    """200,000 documents in 200 global corpora of 20 organizations, 200,000 answers with their traces over a year."""
    user = User.objects.create(email="ada@example.org", name="Ada")
    for n in range(ORGANIZATIONS):
        home = Organization.objects.create(name=f"O{n}", slug=f"o{n}")
        Membership.objects.create(user=user, organization=home, role="admin")
        Corpus.objects.bulk_create(
            [Corpus(organization=home, corpus_type="global", name=f"C{n}.{m}") for m in range(CORPORA)]
        )
        agent = Agent.objects.create(organization=home, name="A", slug="a")
        Conversation.objects.create(organization=home, owner=user, agent=agent, title="T")
    with connection.cursor() as cursor:
        for statement in PLANTED:
            cursor.execute(statement)
    as_owner("ANALYZE")
    return Membership.objects.select_related("user", "organization").order_by("created_at")[0]


PLANTED = (
    f"""
INSERT INTO corpora_document (id, created_at, corpus_id, file, filename, title, summary, media_type, size, sha256,
    source_path, status, stage, progress, error_code, page_count, chunk_count, version, attempts, not_before,
    content_type, unit, topic, difficulty, language, course, tags, meta, source_reference, fact_key)
SELECT gen_random_uuid(), now() - (n % 360) * interval '1 day', c.id, '', n || '.pdf', 'T' || n, '', 'application/pdf',
    100000, md5(n::text), '', CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'indexed' END, '', 1, '', 10, 25, 1, 0, now(),
    'teoria', (n % 12)::text, 'topic ' || n % 40, 'basico', 'es', 'c' || n % 5, '["exam", "basics"]', '{{}}', '', ''
FROM generate_series(1, {DOCUMENTS}) AS n
JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM corpora_corpus) AS c
  ON c.place = n % {ORGANIZATIONS * CORPORA}""",
    f"""
INSERT INTO chat_message (id, created_at, conversation_id, role, content, status, error_code, confidence, state,
    attempt, usage, comment)
SELECT gen_random_uuid(), now() - (n % 360) * interval '1 day' - (n % 1440) * interval '1 minute', c.id,
    CASE n % 2 WHEN 0 THEN 'user' ELSE 'assistant' END, repeat('word ', 40), 'complete', '', 'HIGH',
    CASE n % 2 WHEN 0 THEN '' ELSE 'found' END, 1, '{{}}', ''
FROM generate_series(1, {2 * DOCUMENTS}) AS n
JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM chat_conversation) AS c
  ON c.place = (n / 2) % {ORGANIZATIONS}""",
    """
INSERT INTO chat_trace (id, created_at, message_id, agent_id, is_personal, query, condensed_query, attempts, gate,
    model, usage, cost, scope_size, granularity, confidence, score, degraded, candidates, dropped, timings)
SELECT gen_random_uuid(), m.created_at, m.id, c.agent_id, true, '', '', '[{"granularity": 800, "kept": true}]',
    'sufficient', 'openai:x', '{}', 0.001, 3, 800, 'HIGH', 0.9, '',
    (SELECT jsonb_agg(jsonb_build_object('chunk', md5((m.id::text || g)), 'score', g))
     FROM generate_series(1, 40) AS g),
    '{}', '{}'
FROM chat_message AS m JOIN chat_conversation AS c ON c.id = m.conversation_id WHERE m.role = 'assistant'""",
    f"""
INSERT INTO accounts_auditevent (id, created_at, organization_id, action, object_type, object_id, changes)
SELECT gen_random_uuid(), now() - (n % 360) * interval '1 day', o.id, 'changed', 'corpus', n::text, '{{}}'
FROM generate_series(1, {DOCUMENTS}) AS n
JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM accounts_organization) AS o
  ON o.place = n % {ORGANIZATIONS}""",
    f"""
INSERT INTO accounts_idempotentreply (id, created_at, membership_id, key, request_hash, status, body)
SELECT gen_random_uuid(), now() - n * interval '0.4 second', m.id, n::text, '', 200, '{{}}'
FROM generate_series(1, {DOCUMENTS}) AS n, (SELECT id FROM accounts_membership LIMIT 1) AS m""",
)


def measured(name: str, ask: Callable[[], Any]) -> None:
    ask()
    times = []
    for _run in range(RUNS):
        began = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - began))
    print(f"{name:<72} median {statistics.median(times):9.2f} ms   ({min(times):.2f} to {max(times):.2f})", flush=True)


def explained(name: str, query: Any) -> None:
    plan = query.explain(analyze=True, buffers=True)
    print(f"--- {name}\n{plan if '--plans' in sys.argv else shortened(plan)}", flush=True)


def shortened(plan: str) -> str:
    kept = [line for line in plan.splitlines() if "Scan" in line or "Execution" in line or "rows=" in line][:4]
    return "\n".join([*kept, plan.splitlines()[-1]])


def counted_anew(membership: Membership) -> Any:
    """What `with_counts` was: a join over all documents of all readable corpora, grouped."""
    alive = Q(documents__deleted_at=None)
    return Corpus.objects.readable_by(membership).annotate(
        document_count=Count("documents", filter=alive),
        chunk_count=Coalesce(Sum("documents__chunk_count", filter=alive), 0),
        busy_count=Count("documents", filter=alive & Q(documents__status__in=("pending", "processing"))),
        failed_count=Count("documents", filter=alive & Q(documents__status="failed")),
    )


def values_anew(scope: Scope) -> Any:
    """What the conversation's page asked: the distinct values of each field, and the tags of 5,000 documents."""
    documents = Document.objects.in_scope(scope).filter(status="indexed").order_by()
    names = ("content_type", "unit", "topic", "difficulty", "language", "course")
    found = [list(documents.exclude(**{one: ""}).values_list(one, flat=True).distinct()[:100]) for one in names]
    return found, list(documents.exclude(tags=[]).values_list("tags", flat=True)[:5000])


def pages(membership: Membership) -> None:
    corpora = Corpus.objects.readable_by(membership)
    one = corpora.values_list("pk", flat=True)[0]
    scope = Scope(membership.organization_id, membership.user_id, frozenset(corpora.values_list("pk", flat=True)))
    measured("list of corpora, counted on the page (before)", lambda: list(counted_anew(membership)[:50]))
    measured("list of corpora, kept (after)", lambda: list(corpora.with_counts()[:50]))
    measured("a poll's corpus, counted (before)", lambda: counted_anew(membership).get(pk=one))
    measured("a poll's corpus, kept (after)", lambda: corpora.with_counts().get(pk=one))
    measured("metadata values of a conversation, counted (before)", lambda: values_anew(scope))
    measured("metadata values of a conversation, kept (after)", lambda: values_in(scope))


def changes(membership: Membership) -> None:
    """What the triggers cost whoever changes a document."""
    found = Document.objects.filter(corpus__organization=membership.organization)[0]
    row, of_corpus = Document.objects.filter(pk=found.pk), Document.objects.filter(corpus=found.corpus_id)
    turn = count()
    with tenant_scope(membership.organization_id):
        for name in ("with triggers", "without"):
            if name == "without":
                as_owner("ALTER TABLE corpora_document DISABLE TRIGGER USER")
            measured(f"a document's progress, {name}", lambda: row.update(progress=0.5))
            measured(f"a document's state, {name}", lambda: row.update(status=("pending", "indexed")[next(turn) % 2]))
            measured(
                f"1,000 documents to the trash, {name}", lambda: of_corpus.update(deleted_at=sometimes(next(turn)))
            )
        as_owner("ALTER TABLE corpora_document ENABLE TRIGGER USER")


def sometimes(n: int) -> datetime | None:
    return timezone.now() if n % 2 else None


def as_owner(statement: str) -> None:
    place = os.environ["DATABASE_OWNER_URL"].replace("postgres://", "postgresql://")
    with psycopg.connect(place, autocommit=True) as link:
        link.execute(statement)


def upkeep() -> None:
    """What comes round: the sweeper's questions every ten seconds, the forgetting every hour, an admin's list."""
    now = timezone.now()
    Document.objects.filter(pk__in=Document.objects.values("pk")[: DOCUMENTS // 10]).update(
        deleted_at=now, kept_until=now + timedelta(days=30)
    )
    as_owner("ANALYZE")
    agent = Agent.objects.order_by("created_at")[0]
    asked = {
        "sweep: due documents": claims.due_documents().order_by().values_list("pk")[:16],
        "sweep: documents to erase, 20,000 in the trash": Document.objects.erasable().order_by().values_list("pk")[:16],
        "sweep: changed metadata": Document.objects.alive().exclude(metadata_changed_at=None).values_list("pk")[:16],
        "sweep: presence": Document.objects.exclude(presence_changed_at=None).order_by().values_list("pk")[:16],
        "sweep: corpora to erase": emptied_corpora().values_list("pk"),
        "tidy: traces of searches": Trace.objects.filter(message=None, created_at__lt=now - Trace.SEARCHES_KEPT),
        "tidy: replies": IdempotentReply.objects.filter(created_at__lt=now - timedelta(days=1)),
        "admin: newest traces of an organization": Trace.objects.filter(
            agent__organization=agent.organization
        ).select_related("agent")[:100],
        "admin: newest audit events": AuditEvent.objects.filter(organization=agent.organization)[:100],
    }
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = ANY(%s)", [list(INDEXES)])
        made = [row[0] for row in cursor.fetchall()]
    for name in INDEXES:
        as_owner(f"DROP INDEX {name}")
    for when in ("without its index", "with it"):
        for name, rows in asked.items():
            measured(f"{name}, {when}", lambda rows=rows: list(rows.all()))
            explained(name, rows)
        for statement in made if when == "without its index" else ():
            as_owner(statement)
    measured("admin: usage of an organization, 30 days, counted as it is asked", lambda: usage(agent.organization_id))
    began = time.perf_counter()
    days = roll_up()
    print(f"{days} days rolled up in {time.perf_counter() - began:.1f} s")
    as_owner("ANALYZE chat_dailyusage")
    measured("admin: usage of an organization, 30 days, rolled up", lambda: usage(agent.organization_id))


def main() -> None:
    call_command("migrate", verbosity=0)
    with system_scope():
        began = time.perf_counter()
        membership = plant()
        print(f"planted in {time.perf_counter() - began:.0f} s")
    with tenant_scope(membership.organization_id, membership.user_id):
        pages(membership)
    with system_scope():
        changes(membership)
        upkeep()


if __name__ == "__main__":
    main()
