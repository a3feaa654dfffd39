"""Sessions in the database, each opened by its key: before it is read nobody is known, and rows have no owner."""

from typing import Any

from django.contrib.sessions.backends import db

from accounts.tenancy.scope import system_scope


class SessionStore(db.SessionStore):
    """Django's, with the statements about `django_session` in the system's name and nothing else."""

    def _get_session_from_db(self) -> Any:
        with system_scope():
            return super()._get_session_from_db()  # type: ignore[misc]  # not in the stubs

    def exists(self, session_key: str) -> bool:
        with system_scope():
            return super().exists(session_key)

    def save(self, must_create: bool = False) -> None:
        with system_scope():
            super().save(must_create)

    def delete(self, session_key: str | None = None) -> None:
        with system_scope():
            super().delete(session_key)

    @classmethod
    def clear_expired(cls) -> None:
        with system_scope():
            super().clear_expired()
