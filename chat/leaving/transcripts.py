"""A conversation to take along: as JSON for programs, and as Markdown to read."""

from typing import Any

from django.utils.translation import gettext as _

from chat.models import AnswerTable, Citation, Conversation, Message


def as_json(conversation: Conversation) -> dict[str, Any]:
    messages = conversation.messages.order_by("created_at", "pk").prefetch_related(
        "citations__document__corpus", "tables"
    )
    return {
        "id": conversation.pk,
        "title": conversation.title,
        "agent": conversation.agent.name,
        "project": conversation.project.name if conversation.project else None,
        "created_at": conversation.created_at,
        "context": conversation.context,
        "messages": [message_as_json(message) for message in messages],
    }


def message_as_json(message: Message) -> dict[str, Any]:
    names = ("role", "content", "created_at", "rating", "comment")
    said = {name: getattr(message, name) for name in names} | {"is_shown": not message.is_aside}
    sources = [source_as_json(one.veil()) for one in message.citations.all()]
    return {**said, "sources": [*sources, *(table_as_json(one) for one in message.tables.all())]}


def source_as_json(source: Citation) -> dict[str, Any]:
    names = ("n", "title", "page", "snippet", "cited", "quotes")
    return {**{name: getattr(source, name) for name in names}, "document": source.document_id}


def table_as_json(table: AnswerTable) -> dict[str, Any]:
    names = ("n", "title", "columns", "rows", "numbers", "row_count", "statement", "params", "cited", "is_foreign")
    return {**{name: getattr(table, name) for name in names}, "page": None}


def as_markdown(said: dict[str, Any]) -> str:
    """Questions and answers as they stand, each answer with the list of its sources; without those that were asked
    anew."""
    parts = [f"# {said['title']}", f"{said['agent']}, {said['created_at']:%Y-%m-%d %H:%M}"]
    for message in (one for one in said["messages"] if one["is_shown"]):
        who = _("Question") if message["role"] == Message.Role.USER else _("Answer")
        parts += [f"## {who}, {message['created_at']:%Y-%m-%d %H:%M}", message["content"]]
        parts += [markdown_sources(message["sources"])] if message["sources"] else []
    return "\n\n".join(parts) + "\n"


def markdown_sources(sources: list[dict[str, Any]]) -> str:
    """Under a heading, passages and tables of one place in one line: the answer names them by their numbers."""
    places: dict[str, list[str]] = {}
    for one in sources:
        place = f"{one['title']}{page_of(one)}" if one["title"] else gone(one)
        place += f" ({_('from another service')})" if one.get("is_foreign") else ""
        places.setdefault(place, []).append(f"[{one['n']}]")
    lines = [f"- {', '.join(numbers)} {place}" for place, numbers in places.items()]
    return "\n".join((f"### {_('Sources')}", "", *lines))


def gone(source: dict[str, Any]) -> str:
    if source.get("is_foreign"):
        return _("The service was deleted.")
    return _("The data source was deleted.") if "rows" in source else _("The document was deleted.")


def page_of(source: dict[str, Any]) -> str:
    return f", {_('p.')} {source['page']}" if source["page"] else ""
