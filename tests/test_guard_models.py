"""Every model belongs to a tenant and is read through a scope; no module looks a row up by a bare id (R2)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db.models import Model

from accounts.identity.oauth.rows import OAuthAccessToken, OAuthClient, OAuthCode, OAuthGrant, OAuthRefreshToken
from accounts.limits.rows import LimitSetting, LimitUse, SpendingReservation
from accounts.models import (
    ApiKey,
    AuditEvent,
    IdempotentReply,
    Invitation,
    Membership,
    Organization,
    SignIn,
    ToolCall,
    User,
)
from agents.models import Agent, Assignment, ReachableTable, ReachableTool
from chat.models import AnswerTable, Citation, Conversation, DailyUsage, Export, Message, Project, Trace
from corpora.models import (
    Chunk,
    Corpus,
    CorpusCounts,
    Document,
    DocumentName,
    DocumentText,
    ErasureReceipt,
    MetadataValue,
    Section,
    UnitReading,
)
from corpora.rows.deletable import deletion
from evaluation.models import EvaluationRun, Question, QuestionSet
from foreign.models import ForeignTool, ToolServer
from provisioning.models import DirectoryGroup, DirectoryToken, DirectoryUser
from retrieval.models import CachedEmbedding, Flags, MeasuredCalibration, SpaceState
from sign_on.models import IdentityProvider, MailDomain, ProvidedIdentity
from tests.directories import directory_group_of, directory_user_of
from tests.factories import (
    AgentFactory,
    AssignmentFactory,
    ConversationFactory,
    CorpusFactory,
    DocumentFactory,
    ExportFactory,
    MessageFactory,
    ProjectFactory,
)
from tests.hooks import hook_of
from tests.imports import HOUSE
from tests.lookups import SCOPE_VERBS, Lookup, sources, unguarded
from tests.people import People
from tests.shops import grant, shop
from tests.sign_on import domain_of_organization, identity_of, provider_of
from tests.tool_servers import server_of, tool_of
from tools.models import DataSource, Dimension, Metric, SourceColumn, SourceFile, SourceTable
from webhooks.models import Delivery, DeliveryAttempt, Webhook
from workers.models import Claim

WITHOUT_ASKERS = {"config", "retrieval", "workers"}  # whose rows are looked up by scopes and by the system
ROOT = Path(__file__).resolve().parent.parent

TENANT_PATHS: dict[type[Model], str] = {
    Membership: "organization",
    Invitation: "organization",
    DirectoryToken: "organization",
    DirectoryUser: "organization",
    DirectoryGroup: "organization",
    ApiKey: "membership__organization",
    OAuthGrant: "membership__organization",
    OAuthCode: "grant__membership__organization",
    OAuthAccessToken: "grant__membership__organization",
    OAuthRefreshToken: "grant__membership__organization",
    AuditEvent: "organization",
    IdempotentReply: "membership__organization",
    LimitSetting: "organization",
    LimitUse: "organization",
    SpendingReservation: "organization",
    ToolCall: "organization",
    Corpus: "organization",
    Document: "corpus__organization",
    CorpusCounts: "corpus__organization",
    MetadataValue: "corpus__organization",
    DocumentText: "document__corpus__organization",
    Section: "document__corpus__organization",
    DocumentName: "document__corpus__organization",
    Chunk: "document__corpus__organization",
    UnitReading: "membership__organization",
    Agent: "organization",
    Assignment: "agent__organization",
    ReachableTable: "agent__organization",
    ReachableTool: "agent__organization",
    ToolServer: "organization",
    ForeignTool: "server__organization",
    DataSource: "organization",
    SourceFile: "source__organization",
    SourceTable: "source__organization",
    SourceColumn: "table__source__organization",
    Webhook: "organization",
    Delivery: "webhook__organization",
    DeliveryAttempt: "delivery__webhook__organization",
    IdentityProvider: "organization",
    MailDomain: "organization",
    ProvidedIdentity: "organization",
    Metric: "table__source__organization",
    Dimension: "table__source__organization",
    Export: "organization",
    Project: "organization",
    Conversation: "organization",
    Message: "conversation__organization",
    Citation: "message__conversation__organization",
    AnswerTable: "message__conversation__organization",
    Trace: "agent__organization",
    DailyUsage: "organization",
    QuestionSet: "organization",
    Question: "question_set__organization",
}
WITHOUT_TENANT: dict[type[Model], str] = {
    Organization: "is the tenant",
    User: "a person, who may belong to several tenants by memberships; only `accounts` looks one up",
    CachedEmbedding: "vectors by hash of text and model, no id and no text; read by nobody but the provider",
    Flags: "switches of the installation",
    MeasuredCalibration: "numbers of an embedding space, which all tenants share",
    ErasureReceipt: "outlives its tenant: ids and counts alone; shown by organization and owner where it is shown",
    SpaceState: "an embedding space, which all tenants share",
    SignIn: "a person's session, whichever of their tenants it works in; reached from the user who asks",
    OAuthClient: "a program that registered itself, before anybody let it in; seen by who did",
    Claim: "which process does something that only one may do: a name and a time",
    EvaluationRun: "measures alone; one of a data set of the command line belongs to no tenant",
}
# Models without a verb of their own: reached from a row that was read through one.
REACHED_FROM: dict[type[Model], str] = {
    Invitation: "organization=membership.organization, or by the hash of the token that only its receiver knows",
    DirectoryToken: "by the hash of its secret; listed in the admin alone, which scopes by organization",
    ApiKey: "membership.api_keys, or by the hash of its secret",
    OAuthGrant: "membership.oauth_grants",
    OAuthCode: "the code itself, which is the credential",
    OAuthAccessToken: "the hash of the token, which is the credential",
    OAuthRefreshToken: "the same",
    AuditEvent: "written by accounts.audit; read in the admin alone, which scopes by organization",
    IdempotentReply: "membership=…",
    LimitSetting: "organization_id=membership.organization_id (accounts.limits.amounts), or the page's organization",
    LimitUse: "organization_id=membership.organization_id (accounts.limits.uses)",
    SpendingReservation: "the same, or the id of what spends, which its process made",
    ToolCall: "written by accounts.audit; read in the admin alone, which scopes by organization",
    CorpusCounts: "the corpora in hand (`with_counts`); the database writes it",
    DocumentText: "document.texts",
    Citation: "message.citations",
    AnswerTable: "message.tables",
    Trace: "message.trace, or without a message written by chat.retrievals; read in the admin alone",
    DailyUsage: "counts, written by upkeep; read in the admin alone, which scopes by organization",
    Question: "question_set.questions",
    SourceFile: "source.files",
    SourceTable: "source.tables, or those that an agent in hand was given",
    SourceColumn: "table.columns",
    ForeignTool: "server.tools, or those that an agent in hand was lent",
    Delivery: "webhook.deliveries; the queue asks all of them, and sends each to its own",
    DeliveryAttempt: "delivery.tries",
    Metric: "table.metrics",
    Dimension: "table.dimensions",
}
ROWS: dict[type[Model], Callable[[Membership], Any]] = {
    Membership: lambda member: member,
    DirectoryUser: lambda member: directory_user_of(member),
    DirectoryGroup: lambda member: directory_group_of(member.organization),
    Corpus: lambda member: CorpusFactory(personal_of=member),
    Document: lambda member: DocumentFactory(corpus=CorpusFactory(personal_of=member)),
    MetadataValue: lambda member: MetadataValue.objects.create(
        corpus=CorpusFactory(personal_of=member), name="unit", value="1", documents=1
    ),
    Section: lambda member: DocumentFactory(
        corpus=CorpusFactory(personal_of=member), headings=[[1, "Artículo 1. Objeto", 0, 18]]
    ).sections.first(),
    DocumentName: lambda member: DocumentName.objects.create(
        document=DocumentFactory(corpus=CorpusFactory(personal_of=member)), key=uuid4()
    ),
    UnitReading: lambda member: UnitReading.objects.create(
        membership=member, document=DocumentFactory(corpus=CorpusFactory(personal_of=member))
    ),
    Chunk: lambda member: DocumentFactory(corpus=CorpusFactory(personal_of=member)).chunks.first(),
    Agent: lambda member: AgentFactory(organization=member.organization),
    Assignment: lambda member: AssignmentFactory(corpus=CorpusFactory(personal_of=member)),
    DataSource: lambda member: shop(member.organization),
    ToolServer: lambda member: server_of(member.organization),
    ReachableTool: lambda member: ReachableTool.objects.create(
        agent=AgentFactory(organization=member.organization), tool=tool_of(server_of(member.organization))
    ),
    Webhook: lambda member: hook_of(member.organization),
    IdentityProvider: lambda member: provider_of(member.organization),
    MailDomain: lambda member: domain_of_organization(member.organization, f"{uuid4().hex}.test"),
    ProvidedIdentity: lambda member: identity_of(member),
    ReachableTable: lambda member: reachable_table(member),
    Project: lambda member: ProjectFactory(of=member),
    Export: lambda member: ExportFactory(of=member),
    Conversation: lambda member: ConversationFactory(of=member),
    Message: lambda member: MessageFactory(conversation=ConversationFactory(of=member)),
    QuestionSet: lambda member: QuestionSet.objects.create(organization=member.organization, name="Loans"),
}


def reachable_table(member: Membership) -> ReachableTable:
    agent = AgentFactory(organization=member.organization)
    grant(agent, *shop(member.organization).tables.all()[:1])
    return ReachableTable.objects.get(agent=agent)


ALL_VERBS = SCOPE_VERBS | {"of_organization"}  # which alone is no scope where members own rows
VERBS = [
    (model, verb)
    for model in ROWS
    for verb in sorted(ALL_VERBS - {"in_scope"})
    if hasattr(model._default_manager.all(), verb)
]

# Queries that need no verb, each with its reason; one that is no longer there must go from here.
TRUSTED: dict[tuple[str, str], str] = {
    (
        "tools/files/buckets.py",
        "DataSource.objects.filter(is_due, kind=DataSource.Kind.BUCKET, is_active=True)",
    ): "the upkeep's: what is brought goes into the rows of the source that it was brought for",
    (
        "accounts/admin/auditing/names.py",
        "Membership.objects.filter(pk__in=ids, organization__in=homes).select_related('user')",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "accounts/admin/auditing/names.py",
        "Invitation.objects.filter(pk__in=ids, organization__in=homes).values_list('pk', 'email')",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "accounts/admin/auditing/names.py",
        "ApiKey.objects.filter(pk__in=ids, membership__organization__in=homes).values_list('pk', 'name')",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "corpora/admin/knowledge.py",
        "Document.objects.filter(pk__in=ids, corpus__corpus_type=Corpus.Type.GLOBAL, corpus__organization__in=homes)",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "corpora/admin/knowledge.py",
        "Corpus.objects.shared().filter(pk__in=ids, organization__in=homes).values_list('pk', 'name')",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "agents/admin/agents.py",
        "Agent.objects.filter(pk__in=ids, organization__in=homes).values_list('pk', 'name')",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "agents/admin/matrix.py",
        "Assignment.objects.filter(agent__in=list(shown_agents), corpus__in=list(shown_corpora))",
    ): "the matrix's rows, of the organization that its caller administers",
    (
        "chat/admin/home.py",
        "Trace.objects.filter(created_at__gte=first_moment(since))",
    ): "counted, and narrowed to the organization in the next line",
    (
        "chat/admin/home.py",
        "Document.objects.alive().filter(corpus__corpus_type=Corpus.Type.GLOBAL, corpus__deleted_at=None)",
    ): "counted, and narrowed to the organization in the next line",
    (
        "evaluation/admin/question_sets.py",
        "QuestionSet.objects.filter(pk__in=ids, organization__in=homes).values_list('pk', 'name')",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "tools/admin/sources.py",
        "DataSource.objects.filter(pk__in=ids, organization__in=homes).values_list('pk', 'name')",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "tools/admin/sources.py",
        "SourceFile.objects.filter(source__in=[one.pk for one in chosen]).count()",
    ): "counts what goes with rows in hand",
    (
        "tools/admin/sources.py",
        "SourceTable.objects.filter(source__in=[one.pk for one in chosen]).count()",
    ): "counts what goes with rows in hand",
    (
        "agents/admin/tool_calls.py",
        "DataSource.objects.filter(pk=OuterRef('source_id'), organization=OuterRef('organization'))",
    ): "a name for each call, of the call's own organization",
    (
        "tools/admin/tables.py",
        "SourceTable.objects.filter(pk__in=ids, source__organization__in=homes).values_list('pk', 'name')",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "webhooks/admin/hooks.py",
        "Webhook.objects.filter(pk__in=ids, organization__in=homes)",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "provisioning/admin/kept.py",
        "DirectoryUser.objects.filter(pk__in=ids, organization__in=homes)",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "provisioning/admin/kept.py",
        "DirectoryGroup.objects.filter(pk__in=ids, organization__in=homes)",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "provisioning/admin/tokens.py",
        "DirectoryToken.objects.filter(pk__in=ids, organization__in=homes)",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "provisioning/api/dispatching.py",
        "DirectoryGroup.users.through.objects.filter(directorygroup__in=",
    ): "who is in the groups in hand",
    ("provisioning/tokens.py", "DirectoryToken.objects.select_related("): "the token is the credential",
    ("webhooks/admin/hooks.py", "Delivery.objects.filter(webhook__in="): "counts what goes with rows in hand",
    (
        "webhooks/admin/deliveries.py",
        "DeliveryAttempt.objects.filter(delivery=OuterRef('pk'))",
    ): "the last outcome of deliveries that the admin's list has",
    (
        "webhooks/announcing.py",
        "Webhook.objects.filter(organization_id=organization, is_active=True)",
    ): "who listens in the organization in which something happened",
    ("webhooks/delivering.py", "Webhook.objects.with_work()"): "upkeep: whose turn it is; each is told its own",
    ("webhooks/delivering.py", "Webhook.objects.filter(pk=webhook, failing_since=None)"): "the one that was told",
    ("webhooks/delivering.py", "Webhook.objects.filter(pk=webhook, is_active=True)"): "the one that was told",
    ("webhooks/delivering.py", "Delivery.objects.filter(attempts__gte="): "upkeep: whose process died",
    ("webhooks/delivering.py", "Webhook.objects.filter(is_active=False)"): "upkeep: who is switched off",
    ("webhooks/delivering.py", "Delivery.objects.filter(webhook__in="): "upkeep: what waits for who is switched off",
    ("webhooks/quotas.py", "Webhook.objects.filter(is_active=True)"): "upkeep: which organizations want to be told",
    (
        "webhooks/quotas.py",
        "Delivery.objects.filter(webhook__organization=organization",
    ): "what the organization in hand was told today",
    (
        "sign_on/admin/providers.py",
        "IdentityProvider.objects.filter(pk__in=ids, organization__in=homes)",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "sign_on/admin/domains.py",
        "MailDomain.objects.filter(pk__in=ids, organization__in=homes)",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "sign_on/admin/identities.py",
        "ProvidedIdentity.objects.filter(pk__in=ids, organization__in=homes)",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "sign_on/admin/providers.py",
        "ProvidedIdentity.objects.filter(organization__in=",
    ): "counts what goes with rows in hand",
    ("sign_on/domains.py", "MailDomain.objects.exclude(proved_at=None)"): "upkeep: whose turn it is",
    ("sign_on/pages/leading.py", "IdentityProvider.objects.filter(is_active=True)"): "nobody has signed in yet",
    (
        "sign_on/pages/signing.py",
        "IdentityProvider.objects.select_related('organization').filter(pk=pk)",
    ): "nobody has signed in yet: the address names where they want to",
    (
        "accounts/identity/addresses.py",
        "Invitation.objects.filter(email__iexact=former)",
    ): "the address that its owner has just left",
    (
        "chat/understanding/course.py",
        "Citation.objects.filter(message__in=answers, cited=True)",
    ): "of the conversation in hand, which is the asker's own",
    (
        "chat/stream/keeping.py",
        "Message.objects.filter(pk__in=messages)",
    ): "the answers that this process writes: whether they are there",
    ("accounts/invitations.py", "Invitation.objects.select_related('organization').filter(token_hash="): (
        "the token is the credential"
    ),
    (
        "accounts/admin/auditing/names.py",
        "OAuthGrant.objects.filter(pk__in=ids, membership__organization__in=homes)",
    ): "names for the audit log, of the organizations whose events are shown",
    ("accounts/identity/oauth/grants.py", "OAuthRefreshToken.objects.filter(grant=OuterRef('pk'), revoked=None)"): (
        "a subquery of the member's own grants"
    ),
    (
        "accounts/identity/oauth/grants.py",
        "OAuthAccessToken.objects.filter(expires__gt=",
    ): "the token is the credential",
    (
        "accounts/identity/oauth/validator.py",
        "OAuthRefreshToken.objects.select_for_update(of=('self',)).filter(token_checksum=",
    ): "the token is the credential",
    ("accounts/identity/oauth/grants.py", "OAuthGrant.objects.filter(created_at__lt="): "upkeep: what is over",
    ("accounts/identity/oauth/grants.py", "OAuthCode.objects.filter(expires__lt="): "upkeep: what is over",
    ("accounts/identity/oauth/grants.py", "OAuthRefreshToken.objects.filter(revoked__lt="): "upkeep: what is over",
    ("accounts/identity/oauth/grants.py", "OAuthRefreshToken.objects.filter(revoked=None, access_token"): (
        "upkeep: what is over"
    ),
    ("accounts/identity/oauth/grants.py", "OAuthAccessToken.objects.filter(expires__lt="): "upkeep: what is over",
    ("accounts/keys.py", "ApiKey.objects.usable()"): "the secret is the credential",
    (
        "accounts/admin/people.py",
        "ApiKey.objects.filter(membership__in=chosen).count()",
    ): "counts what goes with rows in hand",
    (
        "corpora/uploads/inventory.py",
        "Document.objects.filter(corpus=folder)",
    ): "upkeep and commands alone: which files of the store a row names, of every corpus",
    ("corpora/admin/knowledge.py", "Document.objects.alive().filter(corpus__in="): "counts what goes with rows in hand",
    (
        "corpora/admin/knowledge.py",
        "Corpus.objects.personal().filter(deleted_at=None)",
    ): "counts; narrowed to one organization",
    ("agents/admin/agents.py", "Assignment.objects.filter(agent__in="): "counts what goes with rows in hand",
    ("chat/admin/operations.py", "Agent.objects.of_organization(membership)"): "the agents of the admin's organization",
    ("evaluation/admin/question_sets.py", "Question.objects.filter(question_set__in=ids).count()"): (
        "counts what goes with rows in hand"
    ),
    ("evaluation/cases.py", "Citation.objects.filter(message=OuterRef('pk'))"): "a subquery of messages in scope",
    ("agents/lookup.py", "Agent.objects.filter(organization_id=organization"): (
        "the caller's organization; `agent_for` leaves out what the caller may not see"
    ),
    ("agents/granting.py", "SourceTable.objects.filter(reached_by__agent=agent, source__is_active=True,"): (
        "the organization of the agent in hand"
    ),
    ("agents/granting.py", "ForeignTool.objects.offered().filter(reached_by__agent=agent, server__organization_id="): (
        "the organization of the agent in hand"
    ),
    ("agents/scopes.py", "Corpus.objects.shared().filter(organization_id=organization,"): (
        "the organization of the question set in hand, or that an operator names"
    ),
    ("corpora/rows/counting/mending.py", "MetadataValue.objects.filter(documents__lte=0)"): (
        "upkeep: what no document says any more"
    ),
    (
        "corpora/removal.py",
        "Document.objects.alive().select_for_update(of=('self',), no_key=True).filter(pk__in=wanted)",
    ): "locks the rows in hand",
    ("corpora/uploads/inventory.py", "Document.objects.filter(pk__in=filter(_is_id, document_ids))"): (
        "names of files, compared with what the store has"
    ),
    ("corpora/uploads/originals.py", "Document.objects.exclude(corpus=corpus_id)"): (
        "whether a file that the store has is a document's that was moved; nothing of it is shown"
    ),
    (
        "corpora/uploads/intake.py",
        "Corpus.objects.select_for_update(no_key=True).filter(pk=corpus_id",
    ): "locks the row in hand",
    (
        "corpora/removal.py",
        "Corpus.objects.select_for_update(no_key=True).filter(pk=corpus_id",
    ): "locks the row in hand",
    ("chat/admin/erasing.py", "Corpus.objects.shared().filter(is_in_trash())"): (
        "the trash of global corpora; narrowed to one organization, but for operators"
    ),
    ("chat/admin/erasing.py", "Document.objects.filter(is_in_trash(), corpus__corpus_type="): "as above",
    ("chat/leaving/erasing.py", "Document.objects.filter(corpus__in=ids).update"): "of corpora in hand, to be erased",
    ("chat/leaving/exports.py", "Export.objects.filter(organization_id=organization_id, created_at__lte="): (
        "of whoever may have something in it that is being erased"
    ),
    ("chat/leaving/exports.py", "Export.objects.filter(pk__in=[export.pk for export in ended]"): "the same, in hand",
    ("chat/leaving/exports.py", "Export.objects.filter(expires_at__lte="): "upkeep: removes what has expired",
    ("chat/leaving/exports.py", "Export.objects.filter(pk__in=folders)"): "upkeep: ids of files without a row",
    ("chat/api/views.py", "Citation.objects.select_related('document__corpus')"): (
        "narrowed by Prefetch to one conversation's"
    ),
    ("chat/api/views.py", "Trace.objects.only('message'"): "narrowed by Prefetch to one conversation's",
    ("chat/answering/records.py", "Message.objects.unclosed().filter(pk=answer.message)"): (
        "closes the answer that this process began"
    ),
    ("chat/answering/records.py", "Message.objects.unclosed().filter(pk=attempt.message"): (
        "what was found for the answer that this process began"
    ),
    ("chat/answering/records.py", "Message.objects.filter(pk=message, status="): (
        "closes the answer that this process began"
    ),
    (
        "chat/answering/records.py",
        "Citation.objects.filter(message_id=answer.message",
    ): "closes the answer that this process began",
    (
        "chat/answering/records.py",
        "Trace.objects.filter(message_id=answer.message)",
    ): "closes the answer that this process began",
    ("chat/answering/records.py", "AnswerTable.objects.filter(message_id="): "of the answer that this process writes",
    ("chat/stream/keeping.py", "AnswerTable.objects.filter(message_id__in=texts)"): "upkeep: the same answers' sources",
    (
        "chat/citing/rows.py",
        "AnswerTable.objects.filter(source_id=source_id)",
    ): "empties what is left of a deleted source",
    (
        "agents/admin/tool_calls.py",
        "ForeignTool.objects.filter(pk=OuterRef('tool_id'), server__organization=OuterRef('organization'))",
    ): "a name for each call, of the call's own organization",
    (
        "foreign/admin/servers.py",
        "ToolServer.objects.filter(pk__in=ids, organization__in=homes).values_list('pk', 'name')",
    ): "names for the audit log, of the organizations whose events are shown",
    (
        "foreign/admin/servers.py",
        "ForeignTool.objects.filter(server__in=[one.pk for one in chosen]).count()",
    ): "counts what goes with rows in hand",
    (
        "agents/admin/tool_calls.py",
        "ToolServer.objects.filter(pk=OuterRef('source_id'), organization=OuterRef('organization'))",
    ): "a name for each call, of the call's own organization",
    ("chat/stream/keeping.py", "Message.objects.filter(pk__in=same"): "the answers that this process writes",
    ("chat/stream/keeping.py", "Message.objects.streaming()"): "stops and readers of answers; ids and times alone",
    ("chat/stream/keeping.py", "Message.objects.broken_off()"): "upkeep: closes what nobody writes any more",
    ("chat/stream/keeping.py", "Citation.objects.filter(message_id__in=texts)"): "upkeep: the same answers' sources",
    ("chat/stream/keeping.py", "Citation.objects.filter(pk__in=said)"): "upkeep: the same answers' sources",
    ("chat/stream/elsewhere.py", "Message.objects.filter(pk=self.message"): "an answer that its reader was checked for",
    ("chat/stream/elsewhere.py", "Trace.objects.filter(message=row)"): "an answer that its reader was checked for",
    ("chat/admin/trace.py", "Chunk.objects.served()"): "narrowed to the organization's global corpora",
    ("chat/admin/usage.py", "Trace.objects.filter(created_at__gte=first_moment(since), agent__adaptive=True)"): (
        "counts; narrowed to one organization"
    ),
    ("chat/pages/transcript.py", "Trace.objects.only('message'"): "narrowed by Prefetch to one conversation's",
    ("chat/pages/transcript.py", "Citation.objects.select_related"): "narrowed by Prefetch to one conversation's",
    ("chat/admin/usage.py", "Agent.objects.filter(pk__in=list(asked))"): "names of those whose questions were counted",
    ("chat/usage/counting.py", "DailyUsage.objects.aggregate(last=Max('day'))"): "a date: which days are counted",
    ("chat/usage/counting.py", "DailyUsage.objects.filter(day__gte=since)"): "counts; narrowed to one organization",
    ("chat/usage/counting.py", "Message.objects.filter(**within)"): "counts; narrowed to one organization, or upkeep",
    ("chat/usage/counting.py", "Trace.objects.filter(**within)"): "counts; narrowed to one organization, or upkeep",
    ("chat/admin/usage.py", "Document.objects.alive().filter(status="): "counts; narrowed to one organization",
    ("accounts/admin/limits.py", "LimitSetting.objects.filter(**key)"): "names the organization of the page",
    ("accounts/admin/limits.py", "LimitSetting.objects.update_or_create(**key"): "names the organization of the page",
    ("accounts/limits/amounts.py", "LimitSetting.objects.filter(organization_id=organization)"): (
        "the amounts of the caller's organization"
    ),
    ("accounts/limits/size.py", "Membership.objects.active().filter(organization_id=organization).count()"): (
        "how many members an organization has, told as one of four classes"
    ),
    ("chat/pages/context_forms.py", "Corpus.objects.filter(pk__in=scope.corpus_ids"): "names of the scope in hand",
    ("accounts/limits/uses.py", "LimitUse.objects.exclude(name__in=LIMITS)"): "upkeep: of limits that are no more",
    ("accounts/limits/uses.py", "SpendingReservation.objects.filter(expires_at__lt="): "upkeep: nobody settles them",
    ("agents/admin/tool_calls.py", "Agent.objects.filter(pk=OuterRef('agent_id'), organization="): (
        "names agents of the call's organization"
    ),
    ("agents/admin/tool_calls.py", "Corpus.objects.shared().filter(pk=OuterRef('corpus_id'), organization="): (
        "names global corpora of the call's organization"
    ),
}


def own_models() -> list[type[Model]]:
    return [model for model in apps.get_models() if model._meta.app_label in HOUSE]


def test_every_model_has_a_tenant_or_a_reason_for_having_none() -> None:
    known = set(TENANT_PATHS) | set(WITHOUT_TENANT)
    assert {model for model in own_models() if model not in known} == set()


@pytest.mark.parametrize("model", TENANT_PATHS, ids=lambda model: model.__name__)
def test_the_path_to_the_tenant_leads_there_and_never_ends_in_nothing(model: type[Model]) -> None:
    here = model
    for step in TENANT_PATHS[model].split("__"):
        field = here._meta.get_field(step)
        assert not field.null, f"{here.__name__}.{step}"
        assert field.related_model is not None
        here = field.related_model
    assert here is Organization


@pytest.mark.parametrize("model", TENANT_PATHS, ids=lambda model: model.__name__)
def test_every_model_of_a_tenant_has_a_scope_verb_or_is_reached_from_a_row(model: type[Model]) -> None:
    verbs = ALL_VERBS & set(dir(model._default_manager.all()))
    assert verbs or model in REACHED_FROM
    assert not (verbs and model in REACHED_FROM)
    assert not verbs or model in ROWS, "a model with a verb is tested below"


@pytest.mark.parametrize(("model", "verb"), VERBS, ids=lambda value: getattr(value, "__name__", value))
def test_a_scope_verb_finds_the_own_row_and_nobody_elses(model: type[Model], verb: str, people: People) -> None:
    mine, theirs = ROWS[model](people.alice), ROWS[model](people.charlie)
    if verb == "in_trash_of":
        model._default_manager.update(**deletion(None))
    found = set(getattr(model._default_manager.all(), verb)(people.alice).values_list("pk", flat=True))
    assert mine.pk in found
    assert theirs.pk not in found


def found_in_the_code() -> list[Lookup]:
    models = frozenset(model.__name__ for model in TENANT_PATHS)
    modules = sources(
        ROOT,
        [app for app in HOUSE if app not in WITHOUT_ASKERS],
        ("management", "models", "visibility"),
    )
    return [lookup for path, source in modules for lookup in unguarded(source, path, models)]


def test_no_module_looks_a_row_up_by_a_bare_id() -> None:
    trusted = list(TRUSTED)
    assert [
        lookup
        for lookup in found_in_the_code()
        if not any(lookup.module == module and lookup.text.startswith(text) for module, text in trusted)
    ] == []


def test_every_trusted_query_is_still_there() -> None:
    lookups = found_in_the_code()
    for module, text in TRUSTED:
        assert any(lookup.module == module and lookup.text.startswith(text) for lookup in lookups), (module, text)


@pytest.mark.parametrize(
    "planted",
    [
        "Corpus.objects.get(pk=pk)",
        "Corpus.objects.filter(pk=pk).first()",
        "Corpus.objects.filter(id=request.data['corpus']).first()",
        "Document.objects.alive().filter(corpus_id=corpus_id)",
        "Document.objects.filter(corpus=UUID(value))",
        "Chunk.objects.in_bulk(ids)",
        "Conversation.objects.all()",
        "Corpus._default_manager.get(pk=pk)",
        "Project.corpora.through.objects.filter(project_id=project_id)",
        "get_object_or_404(Corpus, pk=pk)",
        "get_object_or_404(models.Corpus, pk=pk)",
        "get_object_or_404(Corpus.objects.select_related('owner'), pk=pk)",
    ],
)
def test_a_planted_bare_lookup_is_found(planted: str) -> None:
    models = frozenset(model.__name__ for model in TENANT_PATHS)
    assert list(unguarded(f"def view(request, pk):\n    return {planted}\n", "corpora/planted.py", models))


@pytest.mark.parametrize(
    "fine",
    [
        "Corpus.objects.readable_by(membership).filter(pk=pk)",
        "get_object_or_404(Corpus.objects.writable_by(membership), pk=pk)",
        "Corpus.objects.filter(pk=corpus.pk).update(name='')",
        "Invitation.objects.filter(organization=membership.organization)",
        "Message.objects.create(conversation=conversation)",
        "User.objects.filter(pk=pk)",
    ],
)
def test_a_scoped_lookup_is_left_alone(fine: str) -> None:
    models = frozenset(model.__name__ for model in TENANT_PATHS)
    assert not list(unguarded(f"def view(request, pk):\n    return {fine}\n", "corpora/fine.py", models))
