"""The admin's own forms, filled in with what is not theirs: every field, inline and hidden id, actions and exports.

The forms are read from the pages, as a browser has them; what is not in them is sent as well.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client

from accounts.admin.scope import OrganizationAdmin
from tests.attacks.foreign import ELSEWHERE, MARK, Landscape, differences, leaks, watched
from tests.attacks.forms import Form, forms_of
from tests.attacks.places import Sending, undone
from tests.bodies import body_of
from tests.test_admin_isolation import ROWS, SCOPED, url
from tests.test_guard_models import TENANT_PATHS

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.usefixtures("in_this_thread")]

UNASKED = ("organization", "owner", "user", "membership", "agent", "corpus", "question_set", "id", "pk", "uploaded_by")
FLAGS = {
    "is_superuser": "on",
    "is_staff": "on",
    "role": "admin",
    "corpus_type": "global",
    "slug": "taken-over",
    "version": "9",
}
each_model = pytest.mark.parametrize("model", SCOPED, ids=lambda model: model.__name__)


@pytest.fixture(scope="module")
def furnishing() -> Callable[[], Landscape]:
    return Landscape.made


@pytest.fixture
def land(standing_world: Landscape) -> Landscape:
    return standing_world.seen_by("admin")


@pytest.fixture
def ada(land: Landscape) -> Client:
    client = land.own.caller("admin")
    client.raise_request_exception = False
    return client


def pages_of(model: type[Model], land: Landscape) -> Iterator[str]:
    """The pages of a model that have a form."""
    row = ROWS[model](land.own.people.ada)
    yield url(model, "change", row.pk)
    yield url(model, "add")


def posted_form(client: Client, path: str) -> Form | None:
    """The largest form of a page that is sent back to it."""
    page = client.get(path)
    if page.status_code != 200:
        return None
    found = [form for form in forms_of(page.content.decode()) if form.method == "post" and form.action in ("", path)]
    return max(found, key=lambda form: len(form.fields), default=None)


def id_names(form: Form) -> Iterator[str]:
    """Names that may carry an id: choices, hidden fields, the same of an inline that is not there yet."""
    for name in sorted(form.choices - set(UNASKED)):
        if not name.endswith("_FORMS") and name != "csrfmiddlewaretoken":
            yield name.replace("__prefix__", "0")
    for name in form.fields:
        if name.endswith("-TOTAL_FORMS"):
            yield f"{name.removesuffix('-TOTAL_FORMS')}-0-id"


def kinds_for(name: str, land: Landscape) -> list[str]:
    """The foreign ids of the tables that fields of this name lead to, and some of others."""
    name = name.rpartition("-")[2]
    fields = [field for model in TENANT_PATHS for field in model._meta.get_fields() if field.name == name]
    tables = {
        f"{one.related_model._meta.app_label}/{one.related_model._meta.model_name}"
        for one in fields
        if one.related_model
    }
    kinds = [kind for kind, one in land.foreign.items() if name in ("id", "pk") or land.tables.get(one) in tables]
    return [*kinds[:12], *ELSEWHERE]


def with_inline(form: Form, name: str) -> dict[str, Any]:
    """The form's fields with its inlines counted so that the first one is read."""
    fields: dict[str, Any] = {key: value for key, value in form.fields.items() if "__prefix__" not in key}
    prefix = name.rpartition("-0-")[0]
    if prefix and f"{prefix}-TOTAL_FORMS" in fields:
        fields[f"{prefix}-TOTAL_FORMS"] = ["1"]
        fields[f"{prefix}-INITIAL_FORMS"] = ["1" if name.endswith(("-id", "-pk")) else "0"]
    return fields


@each_model
def test_a_foreign_id_in_any_field_of_a_form_does_nothing(model: type[Model], land: Landscape, ada: Client) -> None:
    found: list[str] = []
    before = land.traces()
    for path in pages_of(model, land):
        form = posted_form(ada, path)
        for name in (*id_names(form), "") if form else ():
            fields = with_inline(form, name)

            def send(one: str, name: str = name, path: str = path, fields: dict[str, Any] = fields) -> Any:
                carried = {name: one} if name else dict.fromkeys(UNASKED, one)
                return watched(land, before, lambda: Sending("POST", path, {**fields, **carried}, "form").sent_by(ada))

            found += [f"{path} {name}: {one}" for one in differences(land, send, kinds_for(name, land))]
    assert not found, "\n".join(found)


@each_model
def test_what_a_form_does_not_ask_for_is_not_taken(model: type[Model], land: Landscape, ada: Client) -> None:
    """Roles, flags and places of rows that no field is there for."""
    for path in pages_of(model, land):
        form = posted_form(ada, path)
        if form is None:
            continue
        plain = {name: value for name, value in form.fields.items() if "__prefix__" not in name}
        unasked = {name: value for name, value in FLAGS.items() if name not in plain}

        def after(extra: dict[str, str], path: str = path, plain: dict[str, Any] = plain) -> list[tuple[Any, ...]]:
            ada.post(path, {**plain, **extra})
            rows = model._default_manager.order_by("pk").values()
            moving = ("id", "created_at", "updated_at", "modified_at", "not_before", "token_hash", "expires_at")
            return sorted(str({name: one for name, one in row.items() if name not in moving}) for row in rows)

        assert undone(lambda after=after: after({})) == undone(lambda after=after, extra=unasked: after(extra)), path


@each_model
def test_an_action_on_foreign_and_own_rows_together_touches_the_own_alone(
    model: type[Model], land: Landscape, ada: Client
) -> None:
    page = admin.site._registry[model]
    own = ROWS[model](land.own.people.ada)
    before = land.traces()
    for action in (
        "delete_selected",
        *(name if isinstance(name, str) else name.__name__ for name in page.actions or ()),
    ):
        chosen = [str(own.pk), *land.foreign.values()]
        sent = {"action": action, "_selected_action": chosen, "post": "yes"}

        def act(sent: dict[str, Any] = sent) -> tuple[Any, Any]:
            answer = ada.post(url(model, "changelist"), sent)
            answer.body = body_of(answer)
            return answer, land.traces()

        answer, after = undone(act)
        assert after == before, action
        assert leaks(answer, str(own.pk), land.foreign.values()) == [], action


@each_model
def test_a_list_shows_filters_and_searches_nothing_foreign(model: type[Model], land: Landscape, ada: Client) -> None:
    page = admin.site._registry[model]
    asked: list[dict[str, str]] = [{}, {"q": MARK}, {"all": ""}, {"e": "1"}, {"p": "999"}]
    for item in page.list_filter:
        name = item if isinstance(item, str) else item[0] if isinstance(item, tuple) else ""
        asked += [{f"{name}__id__exact": one} for one in land.foreign.values()] if name else []
    for query in asked:
        answer = ada.get(url(model, "changelist"), query)
        answer.body = answer.content
        sent = next(iter(query.values()), "")
        assert answer.status_code in (200, 302, 400), query
        assert leaks(answer, sent, land.foreign.values()) == [], query


def test_a_popup_offers_nothing_foreign(land: Landscape, ada: Client) -> None:
    for model in admin.site._registry:
        if isinstance(admin.site._registry[model], OrganizationAdmin):
            popup = ada.get(url(model, "changelist"), {"_popup": "1", "_to_field": "id"})
            popup.body = popup.content
            assert not leaks(popup, "", land.foreign.values())


def test_the_forms_are_found(land: Landscape, ada: Client) -> None:
    """The suite above would hold as well if it saw no form."""
    names = {
        model.__name__: {
            name for path in pages_of(model, land) for name in (getattr(posted_form(ada, path), "fields", ()))
        }
        for model in SCOPED
    }
    assert {"name", "csrfmiddlewaretoken"} <= names["Agent"]
    assert sum(len(found) > 2 for found in names.values()) >= 5
