"""The admin's side bar, in the order of an organization's work. Settings name `sidebar` in UNFOLD."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.admin.scope import admin_membership, is_operator


def item(title: Any, icon: str, url_name: str, *arguments: Any) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": reverse(url_name, args=arguments)}


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Groups of links; pages that only operators have are offered to operators alone."""
    return [
        group(
            "",
            item(_("Back to Acervo"), "arrow_back", "dashboard") | {"active": False},
            item(_("Home"), "home", "admin:index") | {"active": request.path == reverse("admin:index")},
        ),
        group(
            _("Knowledge"),
            item(_("Corpora"), "library_books", "admin:corpora_corpus_changelist"),
            item(_("Documents"), "description", "admin:corpora_document_changelist"),
            item(_("Data sources"), "database", "admin:tools_datasource_changelist"),
        ),
        group(
            _("Agents"),
            item(_("Agents"), "smart_toy", "admin:agents_agent_changelist") | {"active": on_agents(request)},
            item(_("Foreign tools"), "extension", "admin:foreign_toolserver_changelist"),
            item(_("Agents and corpora"), "grid_on", "admin:agents_matrix"),
        ),
        group(
            _("Evaluation"),
            item(_("Question sets"), "quiz", "admin:evaluation_questionset_changelist"),
            item(_("Runs"), "monitoring", "admin:evaluation_evaluationrun_changelist"),
        ),
        group(_("People"), *people_links(request)),
        group(_("Operations"), *operation_links(request)),
    ]


def people_links(request: HttpRequest) -> Iterator[dict[str, Any]]:
    yield item(_("Members"), "group", "admin:accounts_membership_changelist")
    yield item(_("Invitations"), "mail", "admin:accounts_invitation_changelist")
    yield item(_("API keys"), "key", "admin:accounts_apikey_changelist")
    yield item(_("Connected programs"), "extension", "admin:accounts_oauthgrant_changelist")
    organizations = _("Organizations") if is_operator(request) else _("Organization")
    yield item(organizations, "domain", "admin:accounts_organization_changelist")
    sign_in = item(_("Organization sign-in"), "passkey", "admin:sign_on_identityprovider_changelist")
    yield sign_in | {"active": on_sign_on(request)}
    directory = item(_("Directory"), "sync", "admin:provisioning_directorytoken_changelist")
    yield directory | {"active": request.path.startswith(reverse("admin:app_list", args=["provisioning"]))}
    if membership := admin_membership(request):
        yield item(_("Limits"), "speed", "admin:accounts_limits", membership.organization_id)
    if is_operator(request):
        yield item(_("Users"), "person", "admin:accounts_user_changelist")


def operation_links(request: HttpRequest) -> Iterator[dict[str, Any]]:
    yield item(_("Usage"), "bar_chart", "admin:chat_usage")
    yield item(_("Traces"), "manage_search", "admin:chat_trace_changelist") | {"active": on_traces(request)}
    yield item(_("Playground"), "science", "admin:chat_playground")
    yield item(_("Tool calls"), "build", "admin:accounts_toolcall_changelist")
    yield item(_("Webhooks"), "webhook", "admin:webhooks_webhook_changelist") | {"active": on_webhooks(request)}
    yield item(_("Audit log"), "history", "admin:accounts_auditevent_changelist")
    yield item(_("Trash"), "delete", "admin:corpora_trash")
    yield item(_("Erasure receipts"), "receipt_long", "admin:corpora_erasurereceipt_changelist")
    if is_operator(request):
        yield item(_("Flags"), "toggle_on", "admin:retrieval_flags_changelist")
        yield item(_("Embedding spaces"), "hub", "admin:retrieval_spacestate_changelist")


def on_agents(request: HttpRequest) -> bool:
    """The matrix lies below the agents' address."""
    return request.path.startswith(reverse("admin:agents_agent_changelist")) and "/matrix/" not in request.path


def on_traces(request: HttpRequest) -> bool:
    """Usage and playground lie below the traces' address; only one of the three is marked."""
    others = (reverse("admin:chat_usage"), reverse("admin:chat_playground"))
    return request.path.startswith(reverse("admin:chat_trace_changelist")) and request.path not in others


def on_webhooks(request: HttpRequest) -> bool:
    """Their log is reached from them."""
    return request.path.startswith(reverse("admin:app_list", args=["webhooks"]))


def on_sign_on(request: HttpRequest) -> bool:
    """Domains and identities are reached from it."""
    return request.path.startswith(reverse("admin:app_list", args=["sign_on"]))


def group(title: Any, *items: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "separator": bool(title), "items": list(items)}
