"""Sessions as their user sees them: from where, since when, and how to end them.

The session itself stays Django's row in the database: who deletes it signs that browser out in every process at once.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts.identity.places import browser_of, ip_of
from accounts.models import SignIn, User
from accounts.tenancy.scope import system_scope

NOTED = "noted"  # in the session: under which key, and when, its row was last written
RESOLUTION = timedelta(minutes=5)
MOST_SESSIONS = 100


class SessionNotes:
    """Middleware: keeps a row beside each session that somebody is signed in with.

    After the view, so that the answer to a sign-in leaves a row, too. It costs a look into a session that the view has
    loaded anyway, and a write every five minutes.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.session.accessed:
            note_session(request)
        return response


@system_scope()  # also of a person who has signed in a moment ago, when the request was still nobody's
def note_session(request: HttpRequest) -> None:
    """Write down where the session was seen, unless that was done a moment ago under the same key."""
    if not isinstance(request.user, User) or request.user.pk is None:
        return
    if request.session.session_key is None:
        request.session.save()
    key, now = str(request.session.session_key), time.time()
    former, seen = request.session.get(NOTED, (key, 0.0))
    if former == key and now - seen < RESOLUTION.total_seconds():
        return
    values: dict[str, Any] = {
        "user_id": request.user.pk,
        "session_key": key,  # a changed password gives the session another one
        "last_seen_at": timezone.now(),
        "seen_from": ip_of(request),
        "browser": browser_of(request),
    }
    if not SignIn.objects.filter(session_key=former).update(**values):
        SignIn.objects.bulk_create([SignIn(**values)], ignore_conflicts=True)  # two requests at once
    request.session[NOTED] = [key, now]


@system_scope()  # sessions are nobody's to read
def sign_ins_of(user: User) -> list[SignIn]:
    """Rows of the user's sessions that still open something, the one seen last first; at most MOST_SESSIONS."""
    living = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    return list(user.sign_ins.filter(session_key__in=living)[:MOST_SESSIONS])


def end_session(sign_in: SignIn) -> None:
    end_sessions(SignIn.objects.filter(pk=sign_in.pk))


def end_other_sessions(user: User, kept: str | None = None) -> None:
    """End all of a user's sessions but the one with this key."""
    end_sessions(user.sign_ins.exclude(session_key=kept or ""))


@system_scope()
def end_sessions(ended: QuerySet[SignIn]) -> None:
    keys = list(ended.values_list("session_key", flat=True))
    Session.objects.filter(session_key__in=keys).delete()
    SignIn.objects.filter(session_key__in=keys).delete()


def forget_ended_sessions() -> None:
    """Remove the rows of sessions that are gone: signed out, expired, or ended by a changed password."""
    SignIn.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
