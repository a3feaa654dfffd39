"""An audit event as a sentence: who did what to which thing, by its name."""

import re
from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import Name
from accounts.models import AuditEvent, Membership

Names = Mapping[Name, str]

# A thing with its name, and one that is personal or gone. People are called by their name alone.
THINGS = {
    "agent": (_("the agent “%(name)s”"), _("an agent that is no longer there")),
    "corpus": (_("the corpus “%(name)s”"), _("a corpus that is personal or no longer there")),
    "document": (_("the document “%(name)s”"), _("a document that is personal or no longer there")),
    "assignment": ("%(name)s", _("an assignment")),
    "datasource": (_("the data source “%(name)s”"), _("a data source that is no longer there")),
    "toolserver": (_("the tool server “%(name)s”"), _("a tool server that is no longer there")),
    "sourcetable": (_("the table “%(name)s”"), _("a table that is no longer chosen")),
    "webhook": (_("the webhook “%(name)s”"), _("a webhook that is no longer there")),
    "identityprovider": (_("single sign-on by “%(name)s”"), _("a provider of single sign-on that is no longer there")),
    "maildomain": (_("the mail domain “%(name)s”"), _("a mail domain that is no longer there")),
    "providedidentity": (_("the identity of %(name)s at the provider"), _("an identity that is no longer there")),
    "membership": ("%(name)s", _("somebody who has left")),
    "user": ("%(name)s", _("somebody who has left")),
    "invitation": ("%(name)s", _("somebody whose invitation is no longer there")),
    "directorytoken": (_("the directory token “%(name)s”"), _("a directory token that is no longer there")),
    "directoryuser": (_("what the directory says of %(name)s"), _("somebody of the directory who is no longer there")),
    "directorygroup": (_("the directory group “%(name)s”"), _("a directory group that is no longer there")),
    "apikey": (_("the API key “%(name)s”"), _("an API key that is no longer there")),
    "oauthgrant": (_("the program “%(name)s”"), _("a program that is no longer connected")),
    "organization": (_("the organization “%(name)s”"), _("an organization that is no longer there")),
    "questionset": (_("the question set “%(name)s”"), _("a question set that is no longer there")),
    "question": (_("the question “%(name)s”"), _("a question that is no longer there")),
    "evaluationrun": ("%(name)s", _("an evaluation run")),
    "export": ("%(name)s", _("a copy of their data")),
}
FAMILIES = {
    "people": (
        _("Members and invitations"),
        ("membership", "invitation", "directoryuser", "directorygroup"),
    ),
    "access": (
        _("Passwords, second factors and keys"),
        (
            *("user", "apikey", "oauthgrant", "directorytoken"),
            *("identityprovider", "maildomain", "providedidentity"),
        ),
    ),
    "agents": (_("Agents and what they read"), ("agent", "assignment", "datasource", "sourcetable", "toolserver")),
    "knowledge": (_("Corpora and documents"), ("corpus", "document")),
    "evaluation": (_("Evaluation"), ("questionset", "question", "evaluationrun")),
    "organization": (_("Organization"), ("organization", "export", "webhook")),
}
OF_ANYTHING = {
    "created": _("%(who)s created %(what)s"),
    "changed": _("%(who)s changed %(what)s"),
    "deleted": _("%(who)s deleted %(what)s"),
    "moved": _("%(who)s moved %(what)s to %(corpus)s"),
    "restored": _("%(who)s took %(what)s out of the trash"),
    "erased": _("%(who)s had %(what)s erased for good"),
    "reprocessed": _("%(who)s had %(what)s read again"),
    "revoked": _("%(who)s revoked %(what)s"),
    "connected": _("%(who)s let in %(what)s"),
    "limited": _("%(who)s changed the limits of %(what)s"),
    "evaluated": _("%(who)s ran the evaluation of %(what)s"),
    "took cases": _("%(who)s took questions from feedback into %(what)s"),
    "made questions": _("%(who)s had questions made for %(what)s"),
    "assigned": _("%(who)s let %(agent)s read %(corpus)s"),
    "unassigned": _("%(who)s took %(corpus)s away from what %(agent)s reads"),
    "granted": _("%(who)s chose what %(agent)s reads of %(what)s"),
    "checked": _("%(who)s checked %(what)s"),
    "renewed": _("%(who)s made a new secret for %(what)s"),
    "tested": _("%(who)s sent a test to %(what)s"),
    "sent again": _("%(who)s had something sent again to %(what)s"),
    "disabled": _("%(what)s was switched off because it failed"),
    "proved": _("%(who)s proved %(what)s"),
    "lost": _("%(what)s counts no more: its record is gone"),
    "linked": _("%(who)s signed in through the organization's provider for the first time"),
    "unlinked": _("%(who)s removed %(what)s"),
    "asked for": _("%(who)s asked for %(what)s"),
    "deactivated": _("%(who)s switched off the membership of %(what)s"),
    "activated": _("%(who)s switched on the membership of %(what)s"),
    "removed": _("%(who)s removed %(what)s from the organization"),
    "invited": _("%(who)s invited %(what)s as %(role)s"),
    "resent": _("%(who)s sent the invitation of %(what)s again"),
    "accepted": _("%(who)s joined as %(role)s"),
    "password_changed": _("%(who)s changed their password"),
    "password_reset": _("%(who)s set a new password for %(what)s"),
    "second_factor_added": _("%(who)s set up a second factor"),
    "second_factor_changed": _("%(who)s changed or removed a second factor"),
    "second_factor_reset": _("%(who)s reset the two-factor sign-in of %(what)s"),
    "email_changed": _("%(who)s changed the email address of %(what)s"),
}
PARTS = {  # what is changed with a row and is no column of it, where the rows themselves are called at more length
    "files": _("files"),
    "metrics": _("metrics"),
    "username": _("user name"),
    "password": _("password"),
    "credential": _("credential"),
}
CONTRACTED = re.compile(r"\b(de|a) el ")
ROLES = {
    Membership.Role.ADMIN.value: _("%(who)s made %(what)s an admin"),
    Membership.Role.MEMBER.value: _("%(who)s made %(what)s a member without admin rights"),
}
OF_ONESELF = {
    "password_reset": _("%(who)s set a new password by mail"),
    "email_changed": _("%(who)s changed their email address"),
    "second_factor_reset": _("%(who)s reset their two-factor sign-in"),
}


def sentence(event: AuditEvent, names: Names) -> str:
    """Without a full stop. What a later release wrote, and this one has no words for, is said to be that."""
    pointed = {
        "what": (event.object_type, event.object_id),
        "agent": ("agent", str(event.changes.get("agent", ""))),
        "corpus": ("corpus", str(event.changes.get("corpus", ""))),
    }
    things = {place: thing(names, place, *key) for place, key in pointed.items()}
    said = contracted(str(template(event)) % {"who": "%(who)s", "role": role(event), **things})
    named = {place: names.get(key, "") for place, key in pointed.items()}
    more = details(event)
    return said % {"who": actor(event), **named} + (f": {', '.join(more)}" if more else "")


def contracted(said: str) -> str:
    """Spanish writes “de el” and “a el” as one word. Before names are put in, which stay as they are."""
    return CONTRACTED.sub(r"\1l ", said)


def template(event: AuditEvent) -> Any:
    """The more special one first."""
    of_person = event.object_type == "user" and event.object_id == str(event.actor_id)
    if of_person and event.action in OF_ONESELF:
        return OF_ONESELF[event.action]
    if event.object_type == "membership" and event.action == "changed":
        return ROLES.get(str(event.changes.get("role")), OF_ANYTHING["changed"])
    if event.object_type == "membership" and event.action == "created":
        return _("%(who)s made %(what)s a member")
    if event.object_type == "invitation" and event.action == "revoked":
        return _("%(who)s withdrew the invitation of %(what)s")
    if event.object_type in ("corpus", "document") and event.action == "deleted" and not event.changes.get("at_once"):
        return _("%(who)s moved %(what)s to the trash")
    return OF_ANYTHING.get(event.action, _("%(who)s did something to %(what)s that this version has no words for"))


def actor(event: AuditEvent) -> str:
    """Commands act without anybody, and who was erased leaves nobody."""
    if event.changes.get("by_directory"):
        return gettext("The directory")
    if event.actor is None:
        return gettext("Somebody unnamed (a command, or a person erased since)")
    return f"{event.actor.name} ({event.actor.email})" if event.actor.name else event.actor.email


def thing(names: Names, place: str, kind: str, pk: str) -> str:
    """With `%(place)s` for its name."""
    named, gone = THINGS.get(kind, ("%(name)s", _("something")))
    return str(named) % {"name": f"%({place})s"} if names.get((kind, pk)) else str(gone)


def role(event: AuditEvent) -> str:
    is_admin = event.changes.get("role") == Membership.Role.ADMIN.value
    return gettext("an admin") if is_admin else gettext("a member")


def details(event: AuditEvent) -> list[str]:
    """Which fields were changed, of switches with what they are now, and how many of what was counted."""
    if count := event.changes.get("count"):
        return [ngettext("%(count)d question", "%(count)d questions", count) % {"count": count}]
    if event.action != "changed" or event.object_type == "membership":
        return []
    listed = event.changes.get("fields") or list(event.changes)
    return [said for name in listed if (said := field_said(event, str(name)))]


def field_said(event: AuditEvent, name: str) -> str:
    label = field_label(event.object_type, name)
    value = event.changes.get(name)
    if label and isinstance(value, bool):
        return f"{label} ({gettext('yes') if value else gettext('no')})"
    return label


def field_label(kind: str, name: str) -> str:
    """Of a column its name, of the rows that belong to one what they are; "" for what has no words."""
    if name in PARTS:
        return str(PARTS[name])
    model = next((one for one in apps.get_models() if one._meta.model_name == kind), None)
    try:
        found: Any = model._meta.get_field(name) if model else None
    except FieldDoesNotExist:
        return ""
    if found is None or not found.auto_created:
        return str(getattr(found, "verbose_name", ""))
    return str(found.related_model._meta.verbose_name_plural)


def family_choices() -> list[tuple[str, str]]:
    return [(name, capfirst(str(label))) for name, (label, _kinds) in FAMILIES.items()]
