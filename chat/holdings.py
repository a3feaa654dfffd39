"""What a member and an organization have here, as the limits count it: projects, and answers that are written now."""

from django.db import connection

from accounts.limits.stock import Held, counter_of
from accounts.models import Membership
from chat.models import WRITER_SILENT, Conversation, Message, Project
from config.concurrency.clock import present_in_sql, present_parameter


@counter_of("streams")
def count_streams(by: Membership) -> dict[str, Held]:
    """The answers that stream are the slots: nothing is given back, and one whose writer has died counts no more
    (ADR 0013). By SQL of our own: every question waits for it, and building the query set costs more than asking."""
    ops = connection.ops
    message, conversation = (ops.quote_name(one._meta.db_table) for one in (Message, Conversation))
    ids = Conversation._meta.pk
    statement = (
        "SELECT coalesce(sum(CASE WHEN c.owner_id = %s THEN 1 ELSE 0 END), 0), count(*) "  # noqa: S608 - our own names
        f"FROM {message} m JOIN {conversation} c ON c.id = m.conversation_id "
        f"WHERE m.status = 'streaming' AND m.writer_seen_at >= {present_in_sql(connection.vendor)} "
        "AND c.organization_id = %s"
    )
    owner, organization = (ids.get_db_prep_value(one, connection) for one in (by.user_id, by.organization_id))
    with connection.cursor() as cursor:
        cursor.execute(statement, [owner, present_parameter(connection, -WRITER_SILENT), organization])
        own, every = cursor.fetchone()
    return {"streams": Held(int(own), int(every))}


@counter_of("projects")
def count_projects(by: Membership) -> dict[str, Held]:
    kept = Project.objects.filter(organization_id=by.organization_id)
    return {"projects": Held(kept.filter(owner=by.user_id).count(), kept.count())}
