"""Every address that can be read, from the URL configuration: a new page is covered by itself.

A parameter is filled with the rows that its address names (`corpora/<uuid:pk>/`: every corpus); one that names
something unknown here, with every row there is.
"""

import re
from collections.abc import Iterator
from itertools import product

from django.contrib import admin
from django.db.models import Model

from accounts.identity.oauth.rows import OAuthGrant
from accounts.models import ApiKey, Invitation, Membership
from agents.models import Agent, Assignment, ReachableTable
from chat.models import AnswerTable, Conversation, Message, Project
from corpora.models import Corpus, Document
from provisioning.models import DirectoryGroup, DirectoryUser
from sign_on.models import IdentityProvider
from tests.routes import routes
from tools.models import DataSource, SourceFile
from webhooks.models import Delivery, Webhook

PARAMETER = re.compile(r"<(?:\w+:)?\w+>")
LEFT_OUT = {"accounts/logout/", "admin/logout/"}  # would end the session
MOST = 24  # rows of a kind, the latest: an audit log is long, and each is read by several
NOUNS: dict[str, type[Model]] = {
    "corpora": Corpus,
    "documents": Document,
    "agents": Agent,
    "conversations": Conversation,
    "messages": Message,
    "courses": Corpus,
    "projects": Project,
    "keys": ApiKey,
    "programs": OAuthGrant,
    "members": Membership,
    "invitations": Invitation,
    "data-sources": DataSource,
    "webhooks": Webhook,
    "organization": IdentityProvider,
    "Users": DirectoryUser,
    "Groups": DirectoryGroup,
}

Rows = dict[str, list[str]]
Pairs = dict[tuple[str, ...], list[tuple[str, ...]]]


def addresses() -> Iterator[tuple[str, list[str]]]:
    """Each route, with what it is for every row that it may be about."""
    rows, pairs = rows_by_noun(), pairs_by_nouns()
    for route in asked_routes():
        yield route, [f"/{path}" for path in filled(route, rows, pairs)]


def asked_routes() -> list[str]:
    """Without expressions: keys of mails, static files."""
    return sorted(route for route in set(routes()) - LEFT_OUT if not re.search(r"[\^$(*]", route))


def rows_by_noun() -> Rows:
    rows = {noun: keys_of(model) for noun, model in NOUNS.items()}
    rows["agents"] += list(Agent.objects.values_list("slug", flat=True))
    for model in admin.site._registry:
        rows[f"{model._meta.app_label}/{model._meta.model_name}"] = keys_of(model)
    return rows


def keys_of(model: type[Model]) -> list[str]:
    fields = {field.name for field in model._meta.concrete_fields}
    latest = model._base_manager.order_by("-created_at" if "created_at" in fields else "-pk")
    return [str(key) for key in latest.values_list("pk", flat=True)[:MOST]]


def pairs_by_nouns() -> Pairs:
    """Rows that belong together, of addresses that name two; of what a document has, the first."""
    said = [(str(talk), str(one)) for talk, one in Message.objects.values_list("conversation_id", "pk")]
    given = [(str(corpus), str(agent)) for corpus, agent in Assignment.objects.values_list("corpus_id", "agent_id")]
    taken = [(agent, corpus) for corpus, agent in given]
    units = [(str(corpus), str(one)) for corpus, one in Document.objects.values_list("corpus_id", "pk")]
    first = list({talk: (talk, one) for talk, one in said}.values())
    files = [(str(source), str(one)) for source, one in SourceFile.objects.values_list("source_id", "pk")]
    told = [(str(hook), str(one)) for hook, one in Delivery.objects.values_list("webhook_id", "pk")]
    reached = ReachableTable.objects.values_list("agent_id", "table__source_id").distinct()
    begun = [(document, "1") for _corpus, document in units]
    return {
        ("conversations", "before"): first,
        ("conversations", "after"): first,
        ("conversations", "versions"): first,
        ("courses", ""): units,
        ("documents", "pages"): begun,
        ("documents", "pictures"): begun,
        ("corpora", "agents"): given,
        ("agents", "corpora"): taken,
        ("data-sources", "files"): files,
        ("webhooks", "deliveries"): told,
        ("messages", "tables"): [(str(one), str(n)) for one, n in AnswerTable.objects.values_list("message_id", "n")],
        ("agents", "data-sources"): [(str(agent), str(source)) for agent, source in reached],
    }


def filled(route: str, rows: Rows, pairs: Pairs) -> Iterator[str]:
    parts, nouns = named_by(route, rows)
    everything = [key for some in rows.values() for key in some]
    assert len(nouns) < 2 or pairs.get(nouns), f"{route}: which rows belong together?"
    for chosen in pairs.get(nouns) or product(*(rows.get(noun, everything) for noun in nouns)):
        yield "".join(piece for pair in zip(parts, (*chosen, ""), strict=True) for piece in pair)


def named_by(route: str, rows: Rows) -> tuple[list[str], tuple[str, ...]]:
    """The text around its parameters, and what each of them names."""
    parts, found = PARAMETER.split(route), PARAMETER.findall(route)
    return parts, tuple(noun_of(part, rows) for part in parts[: len(found)])


def noun_of(before: str, rows: Rows) -> str:
    """What stands before a parameter: `corpora`, or of the admin `chat/trace`."""
    steps = before.strip("/").split("/")
    return next((noun for noun in ("/".join(steps[-2:]), steps[-1]) if noun in rows), steps[-1])
