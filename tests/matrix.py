"""The matrix of RELIABILITY R2: for every route and method, what each kind of caller is answered.

A case is `(method, path, rule, body)`. Names in braces are rows of the `World`; `{alices}` is a thing of Alice's
own, `{shared}` one of the organization. A rule says what the callers with credentials get; those without usable
credentials get 401 from the API and are sent to the sign-in page by pages.
"""

from dataclasses import dataclass
from typing import Any

CALLERS = (
    *("owner", "owner_key", "member", "admin"),
    *("stranger", "foreign_admin", "foreign_key"),
    *("anonymous", "deactivated", "deactivated_key", "revoked_key"),
)
OUTSIDERS = ("stranger", "foreign_admin", "foreign_key")
KEYS = ("owner_key", "foreign_key", "deactivated_key", "revoked_key")
WITHOUT_CREDENTIALS = ("anonymous", "deactivated", "deactivated_key", "revoked_key")
SIGN_IN = 302


@dataclass(frozen=True, slots=True)
class Rule:
    owner: int
    member: int
    admin: int
    outsider: int
    foreign_admin: int = 0  # as other outsiders, unless it says otherwise

    def expected(self, *, page: bool, method: str = "GET") -> dict[str, int]:
        by_caller = {
            "owner": self.owner,
            "owner_key": self.owner,
            "member": self.member,
            "admin": self.admin,
            "stranger": self.outsider,
            "foreign_admin": self.foreign_admin or self.outsider,
            "foreign_key": self.outsider,
        }
        by_caller |= dict.fromkeys(WITHOUT_CREDENTIALS, SIGN_IN if page else 401)
        if page:  # pages know sessions only, and want the CSRF token that a program does not have
            by_caller |= dict.fromkeys(KEYS, SIGN_IN if method == "GET" else 403)
        return by_caller


@dataclass(frozen=True, slots=True)
class Case:
    method: str
    path: str
    rule: Rule
    body: Any = None
    page: bool = False
    public: bool = False
    is_revalidated: bool = False  # its own browser may keep it, and asks anew each time whether it may show it
    from_elsewhere: bool = False  # another site's page posts it, which has no CSRF token
    door: tuple[int, int] | None = None  # a page of sign-in: for those who are signed in, and for all others

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def expected(self) -> dict[str, int]:
        """The status for each caller."""
        if self.door:
            inside, outside = self.door
            programs = outside if self.method == "GET" or self.from_elsewhere else 403  # which have no CSRF token
            outsiders = dict.fromkeys(WITHOUT_CREDENTIALS, outside) | dict.fromkeys(KEYS, programs)
            return dict.fromkeys(CALLERS, inside) | outsiders
        if not self.public:
            return self.rule.expected(page=self.page, method=self.method)
        return dict.fromkeys(CALLERS, 200)


def own(ok: int) -> Rule:
    """Alice's own things: for everybody else they do not exist, not even for the admin."""
    return Rule(ok, 404, 404, 404)


def shared(ok: int) -> Rule:
    return Rule(ok, ok, ok, 404)


def kept_by_admins(ok: int, refused: int = 403) -> Rule:
    """Things of the organization that its admins alone may change."""
    return Rule(refused, refused, ok, 404)


def everybody(ok: int) -> Rule:
    """Lists and creation: each caller in their own organization."""
    return Rule(ok, ok, ok, ok)


def every_admin(ok: int, refused: int) -> Rule:
    return Rule(refused, refused, ok, refused, ok)


QUESTION = {"messages": [{"role": "user", "content": "How long does a loan last?"}], "stream": False}
COUNTED = "SELECT region, count(*) AS n FROM customers GROUP BY region"
ORDER_COUNT = {"table": "orders", "name": "pedidos", "aggregate": "count"}
TREND = {"agent": "{agent}", "entity": "pedidos", "period": "month"}
CHOSEN: Any = [{"name": "orders", "columns": [{"name": "id"}]}]
HOOK = {"url": "https://hooks.example.org/new", "events": ["document.indexed"]}
UPLOAD = "a small file"  # replaced by a fresh file, since a file can be read once

API = (
    Case("GET", "/api/corpora/", everybody(200)),
    Case("POST", "/api/corpora/", everybody(201), {"name": "New"}),
    Case("POST", "/api/corpora/", every_admin(201, 403), {"name": "New", "corpus_type": "global"}),
    Case("GET", "/api/corpora/{alices}/", own(200)),
    Case("GET", "/api/corpora/{shared}/", shared(200)),
    Case("PATCH", "/api/corpora/{alices}/", own(200), {"name": "Renamed"}),
    Case("PATCH", "/api/corpora/{shared}/", kept_by_admins(200), {"name": "Renamed"}),
    Case("DELETE", "/api/corpora/{alices}/", own(204)),
    Case("DELETE", "/api/corpora/{shared}/", kept_by_admins(204)),
    Case("GET", "/api/corpora/{alices}/documents/", own(200)),
    Case("GET", "/api/corpora/{shared}/documents/", shared(200)),
    Case("POST", "/api/corpora/{alices}/documents/", own(202), UPLOAD),
    Case("POST", "/api/corpora/{shared}/documents/", kept_by_admins(202), UPLOAD),
    *(
        Case(
            "POST",
            f"/api/corpora/{{{here}}}/documents/move/",
            rule,
            {"documents": [f"{{{here}_document}}"], "to": f"{{{to}}}"},
        )
        for here, to, rule in (
            ("alices", "alices_second", own(200)),
            ("shared", "shared_second", kept_by_admins(200)),
            ("alices", "shared", Rule(403, 404, 404, 404)),
            ("shared", "alices", Rule(403, 403, 404, 404)),
        )
    ),
    Case("POST", "/api/corpora/{alices}/facts/", own(202), {"text": "Water boils at 100 degrees."}),
    Case("POST", "/api/corpora/{shared}/facts/", kept_by_admins(202), {"text": "Water boils at 100 degrees."}),
    Case("DELETE", "/api/corpora/{alices}/facts/?key=boiling", own(204)),
    Case("DELETE", "/api/corpora/{shared}/facts/?key=boiling", kept_by_admins(204)),
    Case("GET", "/api/documents/{alices_document}/", own(200)),
    Case("GET", "/api/documents/{shared_document}/", shared(200)),
    Case("PATCH", "/api/documents/{alices_document}/", own(200), {"unit": "2"}),
    Case("PATCH", "/api/documents/{shared_document}/", kept_by_admins(200), {"unit": "2"}),
    Case("DELETE", "/api/documents/{alices_document}/", own(204)),
    Case("DELETE", "/api/documents/{shared_document}/", kept_by_admins(204)),
    Case("POST", "/api/documents/{alices_document}/reprocess/", own(202)),
    Case("POST", "/api/documents/{shared_document}/reprocess/", kept_by_admins(202)),
    Case("GET", "/api/documents/{alices_document}/content/", own(200)),
    Case("GET", "/api/documents/{shared_document}/content/", shared(200)),
    Case("GET", "/api/documents/{alices_document}/chunks/", own(200)),
    Case("GET", "/api/documents/{shared_document}/chunks/", shared(200)),
    Case("GET", "/api/documents/{alices_pdf}/pages/1/?start=0&end=4", own(200)),
    Case("GET", "/api/documents/{shared_pdf}/pages/1/?start=0&end=4", shared(200)),
    Case("GET", "/api/documents/{alices_pdf}/pages/1/image/?width=200", own(200), is_revalidated=True),
    Case("GET", "/api/documents/{shared_pdf}/pages/1/image/?width=200", shared(200), is_revalidated=True),
    Case("GET", "/api/documents/{alices_drawing}/pictures/1/?width=200", own(200), is_revalidated=True),
    Case("GET", "/api/documents/{shared_drawing}/pictures/1/?width=200", shared(200), is_revalidated=True),
    Case("GET", "/api/trash/", everybody(200)),
    Case("DELETE", "/api/trash/", everybody(204)),
    Case("DELETE", "/api/trash/{alices_trashed}/", own(204)),
    Case("DELETE", "/api/trash/{shared_trashed}/", kept_by_admins(204, 404)),
    Case("POST", "/api/trash/{alices_trashed}/restore/", own(204)),
    Case("POST", "/api/trash/{shared_trashed}/restore/", kept_by_admins(204, 404)),
    Case("GET", "/api/agents/", everybody(200)),
    Case("POST", "/api/agents/", every_admin(201, 403), {"name": "New agent"}),
    Case("GET", "/api/agents/{agent}/", shared(200)),
    Case("GET", "/api/agents/{slug}/", shared(200)),
    Case("PATCH", "/api/agents/{agent}/", kept_by_admins(200), {"name": "Renamed"}),
    Case("DELETE", "/api/agents/{agent}/", kept_by_admins(204)),
    Case("GET", "/api/agents/{agent}/corpora/", shared(200)),
    Case("POST", "/api/agents/{agent}/corpora/", own(201), {"corpus": "{alices_second}"}),
    Case("POST", "/api/agents/{agent}/corpora/", kept_by_admins(201), {"corpus": "{shared_second}"}),
    Case("DELETE", "/api/agents/{agent}/corpora/{alices}/", own(204)),
    Case("DELETE", "/api/agents/{agent}/corpora/{shared}/", kept_by_admins(204)),
    Case("POST", "/api/agents/{agent}/retrieve/", shared(200), {"query": "loan"}),
    Case("GET", "/api/tools/", everybody(200)),
    Case("POST", "/api/tools/retrieve/", shared(200), {"agent": "{agent}", "query": "loan"}),
    Case("POST", "/api/tools/upsert_knowledge/", own(200), {"corpus": "{alices}", "text": "Water boils."}),
    Case("POST", "/api/tools/upsert_knowledge/", kept_by_admins(200), {"corpus": "{shared}", "text": "Water boils."}),
    Case("POST", "/api/tools/query/", shared(200), {"agent": "{agent}", "source": "{source}", "sql": COUNTED}),
    Case("POST", "/api/tools/query_analytics/", shared(200), {"agent": "{agent}", "metric": "pedidos"}),
    Case("POST", "/api/tools/get_trends/", shared(400), TREND),  # it has no time, which is said to who may ask alone
    Case("POST", "/api/tools/forecast/", shared(400), {"agent": "{agent}", "metric": "pedidos", "horizon": 3}),
    Case("GET", "/api/agents/{agent}/data-sources/", shared(200)),
    Case("PUT", "/api/agents/{agent}/data-sources/{source}/", kept_by_admins(200), {"tables": ["{source_table}"]}),
    Case("GET", "/api/data-sources/", every_admin(200, 403)),
    Case("POST", "/api/data-sources/", every_admin(201, 403), {"name": "New", "kind": "sqlite"}),
    Case("GET", "/api/data-sources/{source}/", kept_by_admins(200)),
    Case("PATCH", "/api/data-sources/{source}/", kept_by_admins(200), {"name": "Renamed"}),
    Case("DELETE", "/api/data-sources/{source}/", kept_by_admins(204)),
    Case("POST", "/api/data-sources/{source}/check/", kept_by_admins(200)),
    Case("GET", "/api/data-sources/{source}/schema/", kept_by_admins(200)),
    Case("GET", "/api/data-sources/{source}/files/", kept_by_admins(200)),
    Case("POST", "/api/data-sources/{source}/files/", kept_by_admins(201), UPLOAD),
    Case("DELETE", "/api/data-sources/{source}/files/{source_file}/", kept_by_admins(204)),
    Case("GET", "/api/data-sources/{source}/tables/", kept_by_admins(200)),
    Case("PUT", "/api/data-sources/{source}/tables/", kept_by_admins(200), {"tables": CHOSEN}),
    Case("GET", "/api/webhooks/", every_admin(200, 403)),
    Case("POST", "/api/webhooks/", every_admin(201, 403), HOOK),
    Case("GET", "/api/webhooks/{webhook}/", kept_by_admins(200)),
    Case("PATCH", "/api/webhooks/{webhook}/", kept_by_admins(200), {"description": "Renamed"}),
    Case("DELETE", "/api/webhooks/{webhook}/", kept_by_admins(204)),
    Case("POST", "/api/webhooks/{webhook}/test/", kept_by_admins(202)),
    Case("POST", "/api/webhooks/{webhook}/secret/", kept_by_admins(200)),
    Case("GET", "/api/webhooks/{webhook}/deliveries/", kept_by_admins(200)),
    Case("POST", "/api/webhooks/{webhook}/deliveries/{delivery}/again/", kept_by_admins(202)),
    Case("GET", "/api/data-sources/{source}/metrics/", kept_by_admins(200)),
    Case("PUT", "/api/data-sources/{source}/metrics/", kept_by_admins(200), {"metrics": [ORDER_COUNT]}),
    Case("POST", "/api/agents/{agent}/chat/", shared(200), QUESTION),
    Case("POST", "/api/agents/{agent}/chat/", own(200), QUESTION | {"conversation": "{conversation}"}),
    Case("POST", "/api/agents/{agent}/chat/", own(200), QUESTION | {"project": "{project}"}),
    Case("POST", "/api/agents/{agent}/chat/", own(200), QUESTION | {"corpus": "{alices}"}),
    Case("POST", "/api/agents/{agent}/chat/", shared(200), QUESTION | {"corpus": "{shared}"}),
    Case("GET", "/api/messages/{message}/events/", own(200)),
    Case("POST", "/api/messages/{message}/stop/", own(202)),
    Case("POST", "/api/messages/{message}/feedback/", own(200), {"rating": 1}),
    Case("GET", "/api/conversations/", everybody(200)),
    Case("GET", "/api/conversations/?project={project}", own(200)),
    Case("GET", "/api/conversations/{conversation}/", own(200)),
    Case("PATCH", "/api/conversations/{conversation}/", own(200), {"title": "Renamed"}),
    Case("PATCH", "/api/conversations/{conversation}/", own(200), {"project": "{project}"}),
    Case("PATCH", "/api/conversations/{conversation}/", own(200), {"context": {"filters": {"unit": ["2"]}}}),
    Case("DELETE", "/api/conversations/{conversation}/", own(204)),
    Case("GET", "/api/projects/", everybody(200)),
    Case("POST", "/api/projects/", everybody(201), {"name": "New"}),
    Case("POST", "/api/projects/", own(201), {"name": "New", "corpora": ["{alices}"]}),
    Case("GET", "/api/projects/{project}/", own(200)),
    Case("PATCH", "/api/projects/{project}/", own(200), {"name": "Renamed"}),
    Case("PATCH", "/api/projects/{project}/", own(200), {"corpora": ["{alices}"]}),
    Case("DELETE", "/api/projects/{project}/", own(204)),
    Case("GET", "/api/schema/", everybody(200)),
    Case("GET", "/v1/models", everybody(200)),
    Case("POST", "/mcp", everybody(200), {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    Case("POST", "/v1/chat/completions", shared(200), QUESTION | {"model": "{slug}"}),
)

SCIM_USER = "urn:ietf:params:scim:schemas:core:2.0:User"
# Of the directory's own token alone (provisioning/tests): no session and no key is anybody there.
DIRECTORY = tuple(
    Case(method, f"/scim/v2/{path}", everybody(401), {"schemas": [SCIM_USER]} if method in ("POST", "PUT") else None)
    for path, methods in (
        ("Users", ("GET", "POST")),
        ("Groups", ("GET", "POST")),
        ("Users/{directory_user}", ("GET", "PUT", "PATCH", "DELETE")),
        ("Groups/{directory_group}", ("GET", "PUT", "PATCH", "DELETE")),
        ("ServiceProviderConfig", ("GET",)),
        ("ResourceTypes", ("GET",)),
        ("ResourceTypes/User", ("GET",)),
        ("Schemas", ("GET",)),
        (f"Schemas/{SCIM_USER}", ("GET",)),
        ("unknown", ("GET",)),
    )
    for method in methods
)

PAGES = tuple(
    Case(method, path, rule, body, page=True)
    for method, path, rule, body in (
        ("GET", "/", everybody(200), None),
        ("GET", "/api/docs/", everybody(200), None),
        ("GET", "/account/", everybody(200), None),
        ("POST", "/account/name/", everybody(302), {"name": "Renamed"}),
        ("GET", "/account/email/", everybody(302), None),  # the password first
        ("POST", "/account/email/", everybody(302), {"email": "new@example.org"}),
        ("GET", "/account/email/{token}/", everybody(404), None),
        ("POST", "/account/email/{token}/", everybody(404), None),
        ("POST", "/account/sessions/{session}/end/", own(302), None),
        ("POST", "/account/sessions/end/", everybody(302), None),
        ("POST", "/account/keys/", everybody(200), {"name": "New"}),
        ("POST", "/account/keys/{key}/revoke/", own(302), None),
        ("GET", "/account/programs/", everybody(200), None),
        ("POST", "/account/programs/{program}/revoke/", own(302), None),
        ("GET", "/oauth/authorize", everybody(400), None),  # by no program; the others are tested in test_oauth.py
        ("POST", "/oauth/authorize", everybody(400), {"answer": "allow"}),
        ("POST", "/account/organization/", everybody(302), {"organization": "{organization}"}),
        ("GET", "/members/", every_admin(200, 404), None),
        ("POST", "/members/invite/", every_admin(200, 404), {"email": "new@example.org", "role": "member"}),
        ("POST", "/members/two-factor/", every_admin(302, 404), {"required": ""}),
        ("POST", "/members/{bob}/role/", kept_by_admins(302, 404), {"role": "admin"}),
        ("POST", "/members/{bob}/remove/", kept_by_admins(302, 404), None),
        ("POST", "/members/invitations/{invitation}/resend/", kept_by_admins(200, 404), None),
        ("POST", "/members/invitations/{invitation}/revoke/", kept_by_admins(302, 404), None),
        ("GET", "/corpora/", everybody(200), None),
        ("GET", "/corpora/new/", everybody(200), None),
        ("POST", "/corpora/new/", everybody(302), {"name": "New", "corpus_type": "personal"}),
        ("GET", "/corpora/{alices}/", own(200), None),
        ("GET", "/corpora/{shared}/", shared(200), None),
        ("GET", "/corpora/{alices}/edit/", own(200), None),
        ("GET", "/corpora/{shared}/edit/", kept_by_admins(200, 404), None),
        ("POST", "/corpora/{alices}/edit/", own(302), {"name": "Renamed"}),
        ("POST", "/corpora/{shared}/edit/", kept_by_admins(302, 404), {"name": "Renamed"}),
        ("POST", "/corpora/{alices}/facts/", own(302), {"title": "Boiling", "text": "Water boils at 100 degrees."}),
        ("POST", "/corpora/{shared}/facts/", kept_by_admins(302, 404), {"title": "Boiling", "text": "At 100 degrees."}),
        ("POST", "/corpora/{alices}/activate/", own(302), {"active": "1"}),
        ("POST", "/corpora/{shared}/activate/", kept_by_admins(302, 404), {"active": "1"}),
        ("POST", "/corpora/{alices}/delete/", own(302), None),
        ("POST", "/corpora/{shared}/delete/", kept_by_admins(302, 404), None),
        ("GET", "/corpora/{alices}/documents/", own(200), None),
        ("GET", "/corpora/{shared}/documents/", shared(200), None),
        ("POST", "/corpora/{alices}/documents/upload/", own(302), UPLOAD),
        ("POST", "/corpora/{shared}/documents/upload/", kept_by_admins(302, 404), UPLOAD),
        *(
            (method, f"/corpora/{{{corpus}}}/documents/selected/", rule, {"document": f"{{{corpus}_document}}", **said})
            for corpus, rule in (("alices", own(302)), ("shared", kept_by_admins(302, 404)))
            for method, said in (
                ("POST", {"action": "delete"}),
                ("POST", {"action": "retry"}),
                ("POST", {"action": "describe", "unit": "2"}),
            )
        ),
        ("POST", "/corpora/{alices}/documents/restore/", own(302), {"deleted": "2026-11-23T12:00:00+00:00"}),
        ("POST", "/corpora/{shared}/documents/restore/", kept_by_admins(302, 404), None),
        *(
            ("POST", "/corpora/{alices}/documents/selected/", own(302), {"document": "{alices_document}", **said})
            for said in ({"action": "move", "to": "{alices_second}"}, {"action": "move", "to": "{shared}"})
        ),
        (
            *("POST", "/corpora/{shared}/documents/selected/", kept_by_admins(302, 404)),
            {"document": "{shared_document}", "action": "move", "to": "{shared_second}"},
        ),
        ("POST", "/corpora/{alices}/documents/back/", own(302), {"moved": "2026-11-23T12:00:00+00:00"}),
        ("POST", "/corpora/{shared}/documents/back/", kept_by_admins(302, 404), None),
        ("POST", "/corpora/{alices}/progress/", own(200), {"busy": "{alices_document}"}),
        ("POST", "/corpora/{shared}/progress/", shared(200), {"busy": "{alices_document}"}),
        ("GET", "/corpora/{alices}/agents/", own(200), None),
        ("GET", "/corpora/{shared}/agents/", shared(200), None),
        ("POST", "/corpora/{alices_second}/agents/{agent}/", own(200), None),
        # A refusal is shown in the panel; that nothing changes is tested in the guard.
        ("POST", "/corpora/{shared_second}/agents/{agent}/", shared(200), None),
        ("DELETE", "/corpora/{alices}/agents/{agent}/", own(200), None),
        ("DELETE", "/corpora/{shared}/agents/{agent}/", shared(200), None),
        ("GET", "/documents/{alices_document}/", own(200), None),
        ("GET", "/documents/{shared_document}/", shared(200), None),
        ("GET", "/documents/{alices_pdf}/pages/1/?start=0&end=4&mark=0-4", own(200), None),
        ("GET", "/documents/{shared_pdf}/pages/1/?start=0&end=4&mark=0-4", shared(200), None),
        ("POST", "/documents/{alices_document}/describe/", own(302), {"unit": "2"}),
        ("POST", "/documents/{shared_document}/describe/", kept_by_admins(302, 404), {"unit": "2"}),
        ("POST", "/documents/{alices_document}/title/", own(302), {"title": "Renamed"}),
        ("POST", "/documents/{shared_document}/title/", kept_by_admins(302, 404), {"title": "Renamed"}),
        ("POST", "/documents/{alices_document}/retry/", own(302), None),
        ("POST", "/documents/{shared_document}/retry/", kept_by_admins(302, 404), None),
        ("POST", "/documents/{alices_document}/delete/", own(302), None),
        ("POST", "/documents/{shared_document}/delete/", kept_by_admins(302, 404), None),
        ("GET", "/trash/", everybody(200), None),
        ("POST", "/trash/empty/", everybody(302), None),
        ("POST", "/trash/{alices_trashed}/restore/", own(302), None),
        ("POST", "/trash/{shared_trashed}/restore/", kept_by_admins(302, 404), None),
        ("POST", "/trash/{alices_trashed}/erase/", own(302), None),
        ("POST", "/trash/{shared_trashed}/erase/", kept_by_admins(302, 404), None),
        ("GET", "/courses/{alices}/", own(200), None),
        ("GET", "/courses/{shared}/", shared(200), None),
        ("GET", "/courses/{alices}/{alices_document}/", own(200), None),
        ("GET", "/courses/{shared}/{shared_document}/", shared(200), None),
        ("POST", "/courses/{alices}/{alices_document}/read/", own(302), {"read": "1"}),
        ("POST", "/courses/{shared}/{shared_document}/read/", shared(302), {"read": "1"}),
        ("GET", "/account/usage/", everybody(200), None),
        ("GET", "/account/data/", everybody(200), None),
        # A wrong password is told on the page; what a right one does is tested in chat/tests/test_leaving.py.
        ("POST", "/account/delete/", everybody(200), {"password": "wrong", "agreed": "on"}),
        ("POST", "/account/exports/", everybody(302), None),
        ("GET", "/account/exports/progress/", everybody(200), None),
        ("GET", "/account/exports/{export}/", own(200), None),
        ("POST", "/account/exports/{export}/delete/", own(302), None),
        ("GET", "/documents/{alices_document}/ask/", own(200), None),
        ("GET", "/documents/{shared_document}/ask/", shared(200), None),
        ("GET", "/agents/", everybody(200), None),
        ("GET", "/agents/{slug}/", shared(200), None),
        ("GET", "/agents/{slug}/documents/?q=a", shared(200), None),
        ("GET", "/agents/{slug}/data/", shared(200), None),
        ("POST", "/agents/{slug}/data/", shared(200), None),
        ("POST", "/agents/{slug}/ask/", shared(302), {"question": "a"}),
        ("GET", "/?agent={slug}&q=a", everybody(302), None),
        ("GET", "/conversations/", everybody(200), None),
        ("GET", "/conversations/list/", everybody(200), None),
        ("GET", "/find/?q=a", everybody(200), None),
        ("GET", "/conversations/{conversation}/", own(200), None),
        ("GET", "/conversations/{conversation}/before/{message}/", own(200), None),
        ("GET", "/conversations/{conversation}/after/{message}/", own(200), None),
        ("GET", "/conversations/{conversation}/download/", own(200), None),
        ("POST", "/conversations/{conversation}/rename/", own(302), {"title": "Renamed"}),
        ("POST", "/conversations/{conversation}/rename/", own(302), {"title": "Renamed", "project": "{project}"}),
        ("POST", "/conversations/{conversation}/context/", own(302), {"mode": "filters"}),
        ("GET", "/conversations/{conversation}/documents/?q=a", own(200), None),
        ("POST", "/conversations/{conversation}/pin/", own(302), None),
        ("POST", "/conversations/{conversation}/versions/{question}/", own(302), None),
        ("POST", "/conversations/{conversation}/delete/", own(302), None),
        ("GET", "/messages/{message}/", own(200), None),
        ("GET", "/messages/{message}/tables/9/", own(200), None),
        ("GET", "/messages/{message}/follow-ups/", own(200), None),
        ("GET", "/projects/", everybody(200), None),
        ("POST", "/projects/", everybody(302), {"name": "New"}),
        ("GET", "/projects/{project}/", own(200), None),
        ("GET", "/projects/{project}/edit/", own(200), None),
        ("POST", "/projects/{project}/edit/", own(302), {"name": "Renamed"}),
        ("POST", "/projects/{project}/delete/", own(302), None),
    )
)

NOBODY_ASKED = Rule(200, 200, 200, 200)
PUBLIC = tuple(
    Case("GET", path, NOBODY_ASKED, public=True)
    for path in (
        *("/favicon.ico", "/healthz", "/readyz", "/metrics", "/invitations/{token}/"),
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
    )
)

# The pages of django-allauth. What needs the password once more leads there (302); who has no second factor has none to
# remove (404).
DOORS = tuple(
    Case(method, f"/accounts/{path}", NOBODY_ASKED, body, page=True, door=(inside, outside))
    for method, path, inside, outside, body in (
        ("GET", "login/", 302, 200, None),
        ("POST", "login/", 302, 200, {"login": "nobody@example.org", "password": "a guess"}),
        ("GET", "organization/", 200, 200, None),
        ("POST", "organization/", 200, 200, {"email": "nobody@nowhere.test"}),
        ("GET", "organization/{provider}/", 302, 302, None),  # not from its own form: to that one first
        ("GET", "organization/{provider}/callback/", 403, 403, None),
        ("GET", "organization/{provider}/metadata/", 404, 404, None),  # it is one of OpenID Connect
        ("GET", "logout/", 200, 302, None),
        ("POST", "logout/", 302, 302, None),
        ("GET", "reauthenticate/", 200, 302, None),
        ("POST", "reauthenticate/", 200, 302, {"password": "a guess"}),
        ("GET", "password/change/", 200, 302, None),
        ("POST", "password/change/", 200, 302, {"oldpassword": "a guess"}),
        ("GET", "password/reset/", 200, 200, None),
        ("POST", "password/reset/", 200, 200, {"email": "no address"}),
        ("GET", "password/reset/done/", 200, 200, None),
        ("GET", "password/reset/key/done/", 200, 200, None),
        ("GET", "password/reset/key/nobody-nothing/", 200, 200, None),
        ("POST", "password/reset/key/nobody-nothing/", 200, 200, None),
        ("GET", "2fa/", 200, 302, None),
        ("GET", "2fa/authenticate/", 302, 302, None),
        ("POST", "2fa/authenticate/", 302, 302, {"code": "123456"}),
        ("GET", "2fa/reauthenticate/", 302, 302, None),
        ("POST", "2fa/reauthenticate/", 302, 302, {"code": "123456"}),
        ("GET", "2fa/totp/activate/", 302, 302, None),
        ("POST", "2fa/totp/activate/", 302, 302, {"code": "123456"}),
        ("GET", "2fa/totp/deactivate/", 404, 302, None),
        ("POST", "2fa/totp/deactivate/", 404, 302, None),
        ("GET", "2fa/recovery-codes/", 404, 302, None),
        ("GET", "2fa/recovery-codes/generate/", 302, 302, None),
        ("POST", "2fa/recovery-codes/generate/", 302, 302, None),
        ("GET", "2fa/webauthn/add/", 302, 302, None),
        ("POST", "2fa/webauthn/add/", 302, 302, {"credential": "{{}}"}),
        ("GET", "2fa/webauthn/login/", 302, 302, None),
        ("POST", "2fa/webauthn/login/", 302, 302, {"credential": "{{}}"}),
        ("GET", "2fa/webauthn/reauthenticate/", 302, 302, None),
        ("POST", "2fa/webauthn/reauthenticate/", 302, 302, {"credential": "{{}}"}),
        ("GET", "2fa/webauthn/keys/1/remove/", 302, 302, None),
        ("POST", "2fa/webauthn/keys/1/remove/", 302, 302, None),
    )
)

CONSUMER = "/accounts/organization/{provider}/consumer/"
POSTED = (Case("POST", CONSUMER, NOBODY_ASKED, {}, page=True, from_elsewhere=True, door=(404, 404)),)
CASES = API + DIRECTORY + PAGES + DOORS + POSTED + PUBLIC
