"""The audit log's one entrance (RELIABILITY R27)."""

from typing import Any

from django.db.models import Model

from accounts.models import AuditEvent, Membership, Organization, User


def record(by: Membership, action: str, subject: Model, **changes: Any) -> None:
    """Append who did what to which row. `changes` holds flags, roles and ids, never document or message text."""
    record_for(by.organization, by.user, action, subject, **changes)


def record_for(organization: Organization, actor: User | None, action: str, subject: Model, **changes: Any) -> None:
    """As `record`, for acts without a membership: commands and platform operators."""
    AuditEvent.objects.create(
        organization=organization,
        actor=actor,
        action=action,
        object_type=str(subject._meta.model_name),
        object_id=str(subject.pk),
        changes=changes,
    )
