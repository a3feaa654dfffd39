"""What the admin's history said of rows inside others' pages, before it said it without their names."""

import json
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType

from agents.models import Agent
from tests.factories import UserFactory

NAMED = [
    {"changed": {"fields": ["name"]}},
    {"added": {"name": "assignment", "object": "Tutor ← Secret notes"}},
    {"changed": {"name": "question", "object": "Secret?", "fields": ["text"]}},
]


@pytest.mark.django_db
def test_names_of_inner_rows_are_forgotten_and_everything_else_stays() -> None:
    kinds = {"user": UserFactory(), "content_type": ContentType.objects.get_for_model(Agent), "action_flag": CHANGE}
    for message in (json.dumps(NAMED), 'said by hand: "object"', '["object"]', json.dumps(NAMED[:1])):
        LogEntry.objects.create(**kinds, object_id="1", object_repr="Tutor", change_message=message)
    import_module("workers.migrations.0004_nameless_histories").forget_names(apps, None)
    first, by_hand, odd, plain = LogEntry.objects.order_by("pk")
    assert "Secret" not in first.change_message
    assert "“…”" in first.get_change_message()
    assert json.loads(first.change_message)[2]["changed"]["fields"] == ["text"]
    assert (by_hand.change_message, odd.change_message) == ('said by hand: "object"', '["object"]')
    assert plain.change_message == json.dumps(NAMED[:1])
