"""Sessions in the database, each opened by its key: before it is read nobody is known, and rows have no owner."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db import OperationalError

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
        """Django takes whatever keeps a session from being saved for a sign-out elsewhere, and tells its reader that
        the request is at fault: a database that is away, or whose disk is full, is told as that."""
        with system_scope():
            try:
                super().save(must_create)
            except UpdateError as error:
                if isinstance(error.__context__, OperationalError):
                    raise error.__context__ from error.__context__.__cause__
                raise

    def delete(self, session_key: str | None = None) -> None:
        with system_scope():
            super().delete(session_key)

    @classmethod
    def clear_expired(cls) -> None:
        with system_scope():
            super().clear_expired()
