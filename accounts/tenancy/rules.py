"""Whose rows these are: for each table what a member may read and write, in SQL; of others why they have no rule.

    {organization}  the active organization      {user}  who asks      {admin}  whether an admin asks
    {table}         the table itself: a column without it would be the asked table's, if that has one of the name

Whatever a rule asks of another table is answered under that table's own rule: who may read a chunk is who may read its
document. The system (`system_scope`) reads and writes everything; for nobody all three are NULL, and no row is there.
What is switched off, deleted or not assigned is left to querysets: it is nobody else's.
"""

from typing import NamedTuple


class Rule(NamedTuple):
    """`write` is what a row must meet that is new, has been changed, or is to be deleted; as `read` where nothing else
    is said. `appended`: rows are written once, and neither changed nor deleted by any member."""

    read: str
    write: str = ""
    appended: bool = False


OF_ORGANIZATION = "organization_id = {organization}"
OF_ADMINS = "organization_id = {organization} AND {admin}"
OWN = "organization_id = {organization} AND owner_id = {user}"
OWN_OR_SHARED = "organization_id = {organization} AND (owner_id IS NULL OR owner_id = {user})"
OF_PERSON = "user_id = {user}"
OF_MEMBERSHIP = (
    "EXISTS (SELECT FROM accounts_membership AS held "
    "WHERE held.id = {table}.membership_id AND held.organization_id = {organization} AND held.user_id = {user})"
)
CHANGED_WITH_CORPUS = (
    "EXISTS (SELECT FROM corpora_corpus AS kept "
    "WHERE kept.id = {table}.corpus_id AND (kept.owner_id = {user} OR {admin}))"
)


def following(table: str, column: str) -> str:
    """As the row that `column` points to; planned with each statement, at its best where many rows are read."""
    return f"EXISTS (SELECT FROM {table} AS reached WHERE reached.id = {{table}}.{column})"


OF_SOURCE = following("tools_datasource", "source_id")
OF_TOOL_SERVER = following("foreign_toolserver", "server_id")
OF_SOURCE_TABLE = following("tools_sourcetable", "table_id")

# Questions whose plan is kept, each of one id: for statements that every request sends, which read a dozen rows and are
# planned for longer than they run. What they ask of is under its own rule as well.
LOOKED_UP: dict[str, str] = {
    "acervo_knows_person": (
        "SELECT FROM accounts_membership WHERE user_id = wanted "
        "UNION ALL SELECT FROM accounts_auditevent WHERE actor_id = wanted"
    ),
    "acervo_reads_membership": (
        "SELECT FROM accounts_membership WHERE id = wanted AND organization_id = {organization}"
    ),
    "acervo_reads_corpus": "SELECT FROM corpora_corpus WHERE id = wanted",
    "acervo_reads_document": "SELECT FROM corpora_document WHERE id = wanted",
    "acervo_writes_document": (
        "SELECT FROM corpora_document AS document JOIN corpora_corpus AS kept ON kept.id = document.corpus_id "
        "WHERE document.id = wanted AND (kept.owner_id = {user} OR {admin})"
    ),
    "acervo_reads_conversation": "SELECT FROM chat_conversation WHERE id = wanted",
    "acervo_reads_message": "SELECT FROM chat_message WHERE id = wanted",
}

RULES: dict[str, Rule] = {
    # accounts: people see themselves; admins the people of their organization, and who acted in it
    "accounts_user": Rule("id = {user} OR {admin} AND acervo_knows_person(id)", write="id = {user}"),
    "accounts_user_groups": Rule(OF_PERSON),
    "accounts_user_user_permissions": Rule(OF_PERSON),
    "accounts_organization": Rule("id = {organization}", write="id = {organization} AND {admin}"),
    "accounts_membership": Rule(f"user_id = {{user}} OR ({OF_ADMINS})", write=OF_ADMINS),
    "accounts_invitation": Rule(OF_ADMINS),
    "accounts_apikey": Rule("acervo_reads_membership(membership_id)"),
    # programs: one is seen by who let it in; what only the protocol's endpoints touch, nobody else sees at all
    "accounts_oauthclient": Rule(
        "EXISTS (SELECT FROM accounts_oauthgrant AS held WHERE held.client_id = {table}.id)", write="false"
    ),
    "accounts_oauthgrant": Rule("acervo_reads_membership(membership_id)"),
    "accounts_oauthcode": Rule(following("accounts_oauthgrant", "grant_id")),
    "accounts_oauthaccesstoken": Rule(following("accounts_oauthgrant", "grant_id")),
    "accounts_oauthrefreshtoken": Rule(following("accounts_oauthgrant", "grant_id")),
    "oauth2_provider_idtoken": Rule("false"),
    "oauth2_provider_devicegrant": Rule("false"),
    "accounts_auditevent": Rule(OF_ADMINS, write=OF_ORGANIZATION, appended=True),
    "accounts_idempotentreply": Rule(OF_MEMBERSHIP),
    "accounts_signin": Rule(OF_PERSON),
    "accounts_limitsetting": Rule(OF_ORGANIZATION, write=OF_ADMINS),
    "accounts_limituse": Rule(OF_ORGANIZATION),
    "accounts_spendingreservation": Rule(OF_ORGANIZATION),
    "accounts_toolcall": Rule(OF_ADMINS, write=OF_ORGANIZATION, appended=True),
    "mfa_authenticator": Rule("user_id = {user} OR {admin} AND acervo_knows_person(user_id)", write=OF_PERSON),
    "account_emailaddress": Rule(OF_PERSON),
    "account_emailconfirmation": Rule(following("account_emailaddress", "email_address_id")),
    "django_admin_log": Rule(OF_PERSON),
    "django_session": Rule("false"),  # a session's key opens it: only its store, before anybody is known, reads one
    # provisioning: admins keep what their directory says, and the directory acts as one of them
    "provisioning_directorytoken": Rule(OF_ADMINS),
    "provisioning_directoryuser": Rule(OF_ADMINS),
    "provisioning_directorygroup": Rule(OF_ADMINS),
    "provisioning_directorygroup_users": Rule(following("provisioning_directoryuser", "directoryuser_id")),
    # corpora: global ones are everybody's to read and an admin's to change, personal ones their owner's alone
    "corpora_corpus": Rule(
        OWN_OR_SHARED, write="organization_id = {organization} AND (owner_id = {user} OR owner_id IS NULL AND {admin})"
    ),
    "corpora_document": Rule(
        following("corpora_corpus", "corpus_id"),
        write=CHANGED_WITH_CORPUS,
    ),
    "corpora_corpuscounts": Rule("acervo_reads_corpus(corpus_id)", write=CHANGED_WITH_CORPUS),
    "corpora_metadatavalue": Rule("acervo_reads_corpus(corpus_id)", write=CHANGED_WITH_CORPUS),
    "corpora_documenttext": Rule("acervo_reads_document(document_id)", write="acervo_writes_document(document_id)"),
    "corpora_section": Rule("acervo_reads_document(document_id)", write="acervo_writes_document(document_id)"),
    "corpora_documentname": Rule("acervo_reads_document(document_id)", write="acervo_writes_document(document_id)"),
    "corpora_chunk": Rule("acervo_reads_document(document_id)", write="acervo_writes_document(document_id)"),
    # how far somebody has read is nobody else's to know, not even an admin's
    "corpora_unitreading": Rule(OF_MEMBERSHIP, write=f"{OF_MEMBERSHIP} AND acervo_reads_document(document_id)"),
    # a person who has left reads no receipt any more: theirs is the organization's to answer for
    "corpora_erasurereceipt": Rule(
        f"owner_id = {{user}} OR (owner_id IS NULL OR kind = 'user') AND {OF_ADMINS}",
        write=f"owner_id = {{user}} OR owner_id IS NULL AND {OF_ADMINS}",
    ),
    # tools: sources are kept by admins; members read through agents, in whose name the source is asked
    "tools_datasource": Rule(OF_ORGANIZATION, write=OF_ADMINS),
    "tools_sourcefile": Rule(OF_SOURCE, write=f"{OF_SOURCE} AND {{admin}}"),
    "tools_sourcetable": Rule(OF_SOURCE, write=f"{OF_SOURCE} AND {{admin}}"),
    "tools_sourcecolumn": Rule(OF_SOURCE_TABLE, write=f"{OF_SOURCE_TABLE} AND {{admin}}"),
    # webhooks: admins keep them and read what was sent, and members are told that they may not; what is announced, the
    # system writes
    "webhooks_webhook": Rule(OF_ORGANIZATION, write=OF_ADMINS),
    "webhooks_delivery": Rule(f"{following('webhooks_webhook', 'webhook_id')} AND {{admin}}"),
    "webhooks_deliveryattempt": Rule(following("webhooks_delivery", "delivery_id")),
    # single sign-on: admins keep it; who signs in is nobody yet, so what looks is the system
    "sign_on_identityprovider": Rule(OF_ADMINS),
    "sign_on_maildomain": Rule(OF_ADMINS),
    "sign_on_providedidentity": Rule(OF_ADMINS),
    "tools_metric": Rule(OF_SOURCE_TABLE, write=f"{OF_SOURCE_TABLE} AND {{admin}}"),
    "tools_dimension": Rule(OF_SOURCE_TABLE, write=f"{OF_SOURCE_TABLE} AND {{admin}}"),
    # foreign: servers are kept by admins; members call through agents, in whose name the server is asked
    "foreign_toolserver": Rule(OF_ORGANIZATION, write=OF_ADMINS),
    "foreign_foreigntool": Rule(OF_TOOL_SERVER, write=f"{OF_TOOL_SERVER} AND {{admin}}"),
    # agents
    "agents_agent": Rule(OF_ORGANIZATION, write=OF_ADMINS),
    "agents_assignment": Rule(
        "acervo_reads_corpus(corpus_id)",
        write=f"{CHANGED_WITH_CORPUS} AND {following('agents_agent', 'agent_id')}",
    ),
    "agents_reachabletable": Rule(
        following("agents_agent", "agent_id"),
        write=f"{following('agents_agent', 'agent_id')} AND {following('tools_sourcetable', 'table_id')} AND {{admin}}",
    ),
    "agents_reachabletool": Rule(
        following("agents_agent", "agent_id"),
        write=(
            f"{following('agents_agent', 'agent_id')} AND {following('foreign_foreigntool', 'tool_id')} AND {{admin}}"
        ),
    ),
    # chat: an admin reads the records of answers, which hold numbers, and never a conversation
    "chat_project": Rule(OWN),
    "chat_project_corpora": Rule(following("chat_project", "project_id")),
    "chat_conversation": Rule(OWN),
    "chat_message": Rule("acervo_reads_conversation(conversation_id)"),
    "chat_citation": Rule("acervo_reads_message(message_id)"),
    "chat_answertable": Rule("acervo_reads_message(message_id)"),
    "chat_trace": Rule(
        f"acervo_reads_message(message_id) OR {{admin}} AND {following('agents_agent', 'agent_id')}",
        write=f"acervo_reads_message(message_id) OR message_id IS NULL AND {following('agents_agent', 'agent_id')}",
    ),
    "chat_export": Rule(OWN),
    "chat_dailyusage": Rule(OF_ADMINS, write="false"),  # counts, which upkeep writes
    # evaluation
    "evaluation_questionset": Rule(OF_ADMINS),
    "evaluation_question": Rule(following("evaluation_questionset", "question_set_id")),
    "evaluation_evaluationrun": Rule(following("evaluation_questionset", "question_set_id")),
}
WITHOUT_RULE: dict[str, str] = {
    "auth_group": "the installation's, and unused",
    "auth_group_permissions": "the installation's, and unused",
    "auth_permission": "names of what Django knows how to permit",
    "django_content_type": "names of models",
    "django_migrations": "what the schema is made of",
    "retrieval_cachedembedding": "vectors by hash of text and model: no id and no text",
    "retrieval_flags": "switches of the installation",
    "retrieval_measuredcalibration": "numbers of an embedding space, which all tenants share",
    "retrieval_spacestate": "an embedding space, which all tenants share",
    "workers_claim": "which process does what only one may do: a name and a time",
}
