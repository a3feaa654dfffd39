"""System checks: what is counted for all is counted in one place (`CACHE_URL`) and as it was meant (`LIMITS`), and mail
goes out (`EMAIL_URL`)."""

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning
from django.core.checks import register as register_check
from django.db import DatabaseError, connection

from accounts.identity.mail import is_mail_set_up
from accounts.limits.declared import LIMITS, Per

OF_ONE_PROCESS = ("LocMemCache", "DummyCache")
NO_MAIL = "EMAIL_URL names no mail server: nothing is sent, and nobody can reset a password."
MAIL_ADVICE = "Set it, for example to smtp+tls://USER:PASSWORD@HOST:587 (docs/settings.md)."
ADVICE = "Set CACHE_URL to a Redis server that all processes share."
BEFORE_LIMITS = (
    "QUOTA_QUESTIONS_PER_MINUTE", "QUOTA_STREAMS_PER_USER", "QUOTA_DOCUMENTS_PER_USER", "QUOTA_BYTES_PER_USER",
)  # fmt: skip
ROLE_ADVICE = (
    "Give DATABASE_URL a role that owns nothing and is no superuser, and the owner's URL to `migrate` as "
    'DATABASE_OWNER_URL (docs/deploy.md, "Two roles").'
)


def register_account_checks() -> None:
    register_check(several_processes_need_one_cache)
    register_check(a_deployment_needs_mail, deploy=True)
    register_check(limits_are_known)
    register_check(limits_are_on, deploy=True)
    register_check(former_quotas_are_not_read)
    register_check(the_application_is_under_the_rules, Tags.security, deploy=True)


def several_processes_need_one_cache(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Limits on failed sign-ins, and who changes the embedding space, are kept in the cache."""
    if not str(settings.CACHES["default"]["BACKEND"]).endswith(OF_ONE_PROCESS):
        return []
    if not settings.WORKERS_EMBEDDED:
        problem = (
            "CELERY_BROKER_URL is set, so web and workers are several processes, but the cache is the memory of each: "
            "failed sign-ins would be counted in each by itself."
        )
        return [Error(problem, hint=ADVICE, id="acervo.E002")]
    if not settings.EMBEDDED:
        problem = "QDRANT_URL or PGVECTOR_URL allows several web processes, but the cache is the memory of one."
        return [Warning(problem, hint=f"{ADVICE} One process alone needs none.", id="acervo.W002")]
    return []


def a_deployment_needs_mail(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Without it nobody can reset a password or prove an address, and nobody hears that theirs was changed."""
    if is_mail_set_up():
        return []
    return [Error(NO_MAIL, hint=MAIL_ADVICE, id="acervo.E004")]


def limits_are_known(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A misspelt limit would be none."""
    hint = f'LIMITS is like {{"user": {{"questions": 60}}, "organization": {{}}}}; known: {", ".join(LIMITS)}.'
    return [Error(wrong, hint=hint, id="acervo.E008") for wrong in faults_of_limits(settings.LIMITS)]


def limits_are_on(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if settings.QUOTAS:
        return []
    hint = "Unset QUOTAS; LIMITS changes single amounts (docs/limits.md)."
    return [Warning("QUOTAS=off: nobody's questions, documents or money are limited.", hint=hint, id="acervo.W009")]


def faults_of_limits(said: Any) -> list[str]:
    if not isinstance(said, dict) or not all(isinstance(amounts, dict) for amounts in said.values()):
        return ["LIMITS is not an object of objects."]
    faults = [f"LIMITS names {per!r}; a limit is per user or per organization." for per in said.keys() - set(Per)]
    for amounts in said.values():
        faults += [f"LIMITS names {name!r}, which is no limit." for name in amounts.keys() - LIMITS.keys()]
        faults += [
            f"LIMITS gives {name!r} an amount that is none."
            for name, amount in amounts.items()
            if not is_amount(amount, has_parts=name not in LIMITS or LIMITS[name].factor > 1)
        ]
    return faults


def is_amount(said: Any, *, has_parts: bool) -> bool:
    """Half a question would be none: only megabytes and dollars have parts."""
    if isinstance(said, bool) or not isinstance(said, int | float) or said < 0:
        return False
    return has_parts or float(said).is_integer()


def former_quotas_are_not_read(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Whoever set one would think that it still holds."""
    return [
        Warning(f"{name} is no longer read.", hint="Set LIMITS instead (docs/limits.md).", id="acervo.W008")
        for name in BEFORE_LIMITS
        if name in os.environ
    ]


def the_application_is_under_the_rules(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Row-level security binds neither a superuser nor a role with BYPASSRLS, and an owner can take it away (R9)."""
    if connection.vendor != "postgresql":
        return []
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
            passes = cursor.fetchone()[0]
            cursor.execute("SELECT count(*) FROM pg_tables WHERE tableowner = current_user AND schemaname = 'public'")
            owns = cursor.fetchone()[0]
    except DatabaseError:
        return []  # what cannot be reached is /readyz's to tell
    if passes:
        problem = "The database role of DATABASE_URL is a superuser or has BYPASSRLS: row-level security does nothing."
        return [Warning(problem, hint=ROLE_ADVICE, id="acervo.W003")]
    if owns:
        problem = "The database role of DATABASE_URL owns tables, so it could take their row-level security away."
        return [Warning(problem, hint=ROLE_ADVICE, id="acervo.W004")]
    return []
