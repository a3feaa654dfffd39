"""What is shipped runs: the whole stack with nothing installed but requirements.txt, walked through nginx.

The tests' own environment has more in it, and what it has hid that a worker could not speak to Redis.
"""

import json
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import patience
from tests.services.documented import carried_out
from tests.services.installation import indexed, new_corpus, upload, uploaded
from tests.services.proxy import UNVERIFIED, TlsCaller
from tests.services.servers import ROOT, wait_until
from tests.services.stack import DOMAIN, Stack
from tests.sign_in import sign_in

FERRY = "# El transbordador\n\nEl transbordador a Isla Baja sale del muelle seis a las siete y cuarto.\n"
ASKED = {  # a file of each format, and what only it answers
    "guia-del-prestamo.pdf": "¿Cuándo entran en vigor las normas del préstamo y qué edición sustituyen?",
    "manual-de-estilo.docx": "¿Cuántas palabras conviene que tenga el primer capítulo y qué tres promesas hace?",
    "glossary.txt": "bucle magnético = hearing loop: a cable in the desk that sends sound straight to a hearing aid",
    "transbordador.md": "¿De qué muelle sale el transbordador a Isla Baja?",
}
LARGE = " marea baja en el muelle de Levante." * 1200  # too large for the short lane
AT_ONCE, UPLOADS = 4, 12


@pytest.fixture(scope="module")
def installation(stack: Stack) -> Stack:
    """By the name under which the logs of its processes are shown beside a test that failed."""
    return stack


@pytest.fixture(scope="module")
def tenants(stack: Stack) -> dict[str, dict[str, str]]:
    """Two organizations, made by the guide's command: their admins' address, password and key."""
    made = {}
    for name, email in (("Instituto Río Verde", "ana@example.org"), ("Colegio del Puerto", "bea@example.org")):
        exchanged = {
            r"\.venv/bin/python": "python",
            "Instituto Río Verde": name,
            r"ana@example\.org": f"{email} --json",
        }
        made[name] = json.loads(carried_out(ORGANIZATION, exchanged, stack.environment, stack.python))["admin"]
    return made


ORGANIZATION, FIRST_START = "### The first organization, and others", "Fill in `DOMAIN`"


def caller_of(stack: Stack, admin: dict[str, str]) -> TlsCaller:
    return TlsCaller(stack.proxy.port, {"Host": DOMAIN, "Authorization": f"Bearer {admin['api_key']}"})


@pytest.fixture(scope="module")
def ana(stack: Stack, tenants: dict[str, dict[str, str]]) -> TlsCaller:
    return caller_of(stack, tenants["Instituto Río Verde"])


@pytest.fixture(scope="module")
def bea(stack: Stack, tenants: dict[str, dict[str, str]]) -> TlsCaller:
    return caller_of(stack, tenants["Colegio del Puerto"])


@pytest.fixture(scope="module")
def agents(ana: TlsCaller, bea: TlsCaller) -> None:
    for person in (ana, bea):
        form = {"name": "Guía", "slug": "guia", "system_prompt": "Responde con lo que dicen los documentos."}
        made = person.call("POST", "/api/agents/", form)
        assert made.status == 201, made.body


@pytest.fixture(scope="module")
def library(ana: TlsCaller, agents: None) -> dict[str, str]:
    """The documents of a corpus by their file's name, a file of each format, once they are indexed."""
    corpus = new_corpus(ana, "guia")
    contents = {name: (ROOT / "samples" / name).read_bytes() for name in ASKED if name != "transbordador.md"}
    contents["transbordador.md"] = FERRY.encode()
    documents = {name: uploaded(ana, corpus, name, content) for name, content in contents.items()}
    for document in documents.values():
        assert indexed(ana, document)["chunk_count"] >= 1
    return documents


def test_the_environment_has_no_development_tools_in_it(shipped_python: str) -> None:
    looked_for = "import importlib.util as u; print(u.find_spec('pytest'))"
    found = subprocess.run([shipped_python, "-c", looked_for], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "None"


def test_the_first_commands_of_the_guide_find_nothing_to_complain_of(stack: Stack) -> None:
    docker = {
        r"docker compose (up|ps).*": "true",
        "docker compose exec web ": "",
        "createsuperuser": "createsuperuser --noinput",
    }
    person = {"DJANGO_SUPERUSER_EMAIL": "root@example.org", "DJANGO_SUPERUSER_PASSWORD": uuid4().hex}
    said = carried_out(FIRST_START, docker, stack.environment | person, stack.python)
    assert "System check identified no issues" in said


def test_every_dependency_answers_and_operations_stay_inside(stack: Stack, ana: TlsCaller) -> None:
    def states() -> dict[str, str]:
        found: dict[str, str] = stack.inside("web2").call("GET", "/readyz").body["dependencies"]
        return found

    wait_until(lambda: set(states().values()) == {"ok"}, patience(10), "every dependency answers")
    assert [ana.call("GET", path).status for path in ("/readyz", "/metrics")] == [404, 404]
    assert ana.call("GET", "/healthz").status == 200


def test_somebody_signs_in_and_a_stranger_does_not(stack: Stack, tenants: dict[str, dict[str, str]]) -> None:
    admin = tenants["Instituto Río Verde"]
    address = f"https://127.0.0.1:{stack.proxy.port}"
    browser = {"Host": DOMAIN, "Origin": f"https://{DOMAIN}"}
    assert sign_in(address, admin["email"], admin["password"], browser, UNVERIFIED) == (200, True)
    assert sign_in(address, admin["email"], "another", browser, UNVERIFIED) == (200, False)


@pytest.mark.parametrize("name", ASKED)
def test_a_document_of_each_format_is_found_and_answered_from(
    ana: TlsCaller, library: dict[str, str], name: str
) -> None:
    events = ana.answers("guia", ASKED[name])
    assert (events[0].name, events[-1].name) == ("sources", "done")
    assert library[name] in {one["document"] for one in events[0].data["sources"]}


def test_an_answer_cites_the_document_that_it_is_from(ana: TlsCaller, library: dict[str, str]) -> None:
    events = ana.answers("guia", ASKED["transbordador.md"])
    cited = {one["document"] for one in events[0].data["sources"] if one["n"] in events[-1].data["cited"]}
    assert cited == {library["transbordador.md"]}


def test_another_organization_sees_nothing_of_it(stack: Stack, bea: TlsCaller, library: dict[str, str]) -> None:
    assert {bea.call("GET", f"/api/documents/{one}/").status for one in library.values()} == {404}
    assert bea.call("GET", "/api/corpora/").body["results"] == []
    for question in ASKED.values():
        assert bea.call("POST", "/api/agents/guia/retrieve/", {"query": question}).body["chunks"] == []
    with psycopg.connect(stack.environment["DATABASE_URL"]) as link:  # as the application's own role, for nobody
        assert link.execute("SELECT count(*) FROM corpora_document").fetchone() == (0,)
        assert link.execute("SHOW is_superuser").fetchone() == ("off",)


def test_a_web_process_and_a_worker_that_are_killed_lose_no_request(
    stack: Stack, ana: TlsCaller, library: dict[str, str], model: ModelServer
) -> None:
    """Readers never notice. Who writes repeats what got no answer, with the same key, and it counts once."""
    corpus = new_corpus(ana)
    model.script(path="embeddings", latency=0.5)
    with reading(ana) as statuses, ThreadPoolExecutor(AT_ONCE) as everybody:
        sent = everybody.map(lambda number: uploaded_at_last(stack, ana, corpus, number), range(UPLOADS))
        # More documents in work than one worker has places: the other has some too.
        wait_until(lambda: in_work(stack) > 4, patience(30), "both workers have documents in their hands")
        for name in ("web2", "worker2"):
            stack.replicas[name].kill()
        documents = list(sent)
        for name in ("web2", "worker2"):  # as `restart: unless-stopped` does
            stack.replicas[name].start()
    model.reset()
    assert len(set(documents)) == UPLOADS
    for document in documents:
        indexed(ana, document, 60)
    rows = "SELECT count(*), count(DISTINCT filename) FROM corpora_document WHERE corpus_id = %s"
    assert stack.query(rows, corpus) == [(UPLOADS, UPLOADS)]
    assert len(statuses) > UPLOADS
    assert set(statuses) == {200}


def test_an_erased_document_leaves_its_receipt_alone(stack: Stack, ana: TlsCaller, library: dict[str, str]) -> None:
    document = library["guia-del-prestamo.pdf"]
    assert ana.call("DELETE", f"/api/documents/{document}/?erase=now").status == 204
    assert ana.call("GET", f"/api/documents/{document}/").status == 404
    found = ana.call("POST", "/api/agents/guia/retrieve/", {"query": ASKED["guia-del-prestamo.pdf"]})
    assert document not in {one["document"] for one in found.body["chunks"]}
    receipt = "SELECT count(*) FROM corpora_erasurereceipt WHERE subject_id = %s"
    wait_until(lambda: stack.query(receipt, document) == [(1,)], patience(30), "the erasure has its receipt")
    assert stack.services.index.count(document) == 0
    if stack.services.objects is not None:
        left = {key for key in stack.services.objects.objects() if document in key}
        assert left == {f"receipts/document-{document}.json"}


def test_no_process_but_those_that_were_killed_has_ended(stack: Stack) -> None:
    """The last of the module: nobody fell over by himself, and the log of none has a traceback."""
    for process in stack.processes:
        assert process.process is not None
        assert process.process.poll() is None, process.tail()
        assert "Traceback" not in process.log.read_text(errors="replace"), process.tail(100)


class reading:
    """Somebody reads through the proxy, again and again, until the block ends; the statuses of what they got."""

    def __init__(self, person: TlsCaller) -> None:
        self.person, self.statuses, self.enough = person, list[int](), threading.Event()
        self.thread = threading.Thread(target=self.read)

    def read(self) -> None:
        while not self.enough.wait(0.05):
            self.statuses.append(self.person.call("GET", "/api/corpora/").status)

    def __enter__(self) -> list[int]:
        self.thread.start()
        return self.statuses

    def __exit__(self, *_: object) -> None:
        self.enough.set()
        self.thread.join()


def uploaded_at_last(stack: Stack, person: TlsCaller, corpus: str, number: int) -> str:
    """The id of a document, sent until an answer comes that is no "try again"."""
    content, name = f"# Parte {number}\n\n{LARGE}".encode(), f"{number}.md"
    until = time.monotonic() + patience(45)  # the key of a process that was killed is held for 20 s more
    while time.monotonic() < until:
        with suppress(OSError, HTTPException):
            answer = upload(person, corpus, name, content, **{"Idempotency-Key": f"part-{number}"})
            if answer.status == 202:
                document: str = answer.body["id"]
                return document
            if answer.body["code"] == "duplicate_document":  # it was taken in, and the answer died with the process
                ((known,),) = stack.query("SELECT id FROM corpora_document WHERE filename = %s", name)
                return str(known)
            if answer.body["code"] != "request_in_progress":
                assert answer.status in (502, 503, 504), answer.body
        time.sleep(0.5)
    raise AssertionError(f"upload {number} was never answered")


def in_work(stack: Stack) -> Any:
    ((count,),) = stack.query(
        "SELECT count(*) FROM corpora_document WHERE status NOT IN ('pending', 'indexed', 'failed')"
    )
    return count
