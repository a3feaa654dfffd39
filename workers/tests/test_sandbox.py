"""The sandbox: what a document does to its child stays in the child (RELIABILITY R14)."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.tests import documents
from workers.ingestion.extract.extracted import Extracted, HeadingSpan, PageSpan, PictureSpot
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.reading import Reading, ReadRequest
from workers.ingestion.sandbox import wire
from workers.ingestion.sandbox.pool import ChildLimits, Sandbox, SandboxUnavailable, read_in_sandbox

ROOT = Path(__file__).resolve().parents[2]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="this wall exists on Linux only")
MEGABYTE = 1024 * 1024
PLAIN = ReadRequest("text/plain")


@pytest.fixture(scope="module")
def hostile() -> Iterator[Sandbox]:
    limits = ChildLimits(address_space=256 * MEGABYTE, cpu_seconds=1, wall_seconds=2)
    sandbox = Sandbox("workers.tests.hostile", limits)
    yield sandbox
    sandbox.close()


def zygote_pid(sandbox: Sandbox) -> int:
    process = sandbox._zygote._process
    assert process is not None
    return process.pid


def fails_with(sandbox: Sandbox, act: str) -> str:
    with pytest.raises(ExtractionError) as caught:
        sandbox.read(act.encode(), PLAIN)
    return caught.value.code


def achieved(sandbox: Sandbox, act: str) -> str:
    return text_of(sandbox.read(act.encode(), PLAIN))


def text_of(outcome: Reading | Extracted) -> str:
    return outcome.text if isinstance(outcome, Extracted) else outcome.extracted.text


def gone(pid: int, within: float = 5.0) -> bool:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":  # its new parent has not looked yet: it runs no more
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    ("act", "code"),
    [
        ("exit 3", "extraction_crashed"),
        ("segfault", "extraction_crashed"),
        ("native-kill", "extraction_crashed"),
        ("hog", "extraction_memory"),
        pytest.param("native-hog", "extraction_memory", marks=LINUX),
        ("spin", "extraction_timeout"),
        ("sleep 60", "extraction_timeout"),
        ("stubborn", "extraction_timeout"),
        ("lie not json", "extraction_crashed"),
        ("flood", "extraction_memory"),
    ],
)
def test_the_death_of_a_child_fails_its_document_only(hostile: Sandbox, act: str, code: str) -> None:
    achieved(hostile, "echo before")
    zygote = zygote_pid(hostile)
    assert fails_with(hostile, act) == code
    assert achieved(hostile, "echo after") == "after"
    assert zygote_pid(hostile) == zygote


@pytest.mark.parametrize("act", ["connect", "write /tmp/acervo-sandbox-escape", "read /etc/hostname"])
def test_the_child_opens_neither_socket_nor_file(hostile: Sandbox, act: str) -> None:
    assert achieved(hostile, act) in ("PermissionError", "OSError", "gaierror")
    assert not Path("/tmp/acervo-sandbox-escape").exists()


@LINUX
def test_native_code_in_the_child_opens_no_socket(hostile: Sandbox) -> None:
    assert achieved(hostile, "native-socket") == "refused"


@pytest.mark.skipif(os.getuid() == 0, reason="root is not bound by RLIMIT_NPROC")
def test_native_code_in_the_child_cannot_fork(hostile: Sandbox) -> None:
    assert achieved(hostile, "native-fork") == "refused"


def test_the_child_has_no_secret_and_no_descriptor_of_the_server(
    hostile: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    hostile.close()
    with open(__file__) as held:
        os.set_inheritable(held.fileno(), True)
        assert "OPENAI_API_KEY" not in achieved(hostile, "environment")
        assert achieved(hostile, "descriptors") == "0 1 2 3 4"


def test_concurrent_extractions_do_not_mix(hostile: Sandbox) -> None:
    acts = [f"echo {number}" for number in range(40)] + ["exit 1", "sleep 0.2", "segfault"] * 3
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda act: _outcome(hostile, act), acts))
    assert outcomes[:40] == [str(number) for number in range(40)]
    assert outcomes[40:] == ["extraction_crashed", "nothing happened", "extraction_crashed"] * 3


def test_children_run_side_by_side(hostile: Sandbox) -> None:
    achieved(hostile, "echo start")
    began = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda act: _outcome(hostile, act), ["sleep 1"] * 4)) == ["nothing happened"] * 4
    assert time.monotonic() - began < 2.5


def _outcome(sandbox: Sandbox, act: str) -> str:
    try:
        return achieved(sandbox, act)
    except ExtractionError as error:
        return error.code


def test_a_zygote_that_was_killed_is_replaced_without_notice(hostile: Sandbox) -> None:
    achieved(hostile, "echo before")
    first = zygote_pid(hostile)
    os.kill(first, signal.SIGKILL)
    assert achieved(hostile, "echo after") == "after"
    assert achieved(hostile, "echo later") == "later"
    assert zygote_pid(hostile) != first


def test_a_document_that_kills_zygotes_fails_alone(hostile: Sandbox) -> None:
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(_outcome, hostile, "sleep 0.5") for _ in range(3)]
        time.sleep(0.2)
        assert fails_with(hostile, "kill-zygote") == "extraction_crashed"
        assert [outcome.result() for outcome in waiting] == ["nothing happened"] * 3


@LINUX
def test_children_die_with_their_zygote(hostile: Sandbox) -> None:
    achieved(hostile, "echo start")
    zygote = zygote_pid(hostile)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_outcome, hostile, "sleep 1")
        time.sleep(0.3)
        children = Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split()
        os.kill(zygote, signal.SIGKILL)
        assert children
        assert all(gone(int(child)) for child in children)


def test_closing_leaves_no_process(hostile: Sandbox) -> None:
    achieved(hostile, "echo start")
    zygote = zygote_pid(hostile)
    hostile.close()
    with pytest.raises(ProcessLookupError):
        os.kill(zygote, 0)
    assert achieved(hostile, "echo again") == "again"


def test_a_zygote_that_cannot_start_is_the_machines_fault() -> None:
    with pytest.raises(SandboxUnavailable):
        Sandbox("workers.tests.no_such_module").read(b"x", PLAIN)


def test_an_interpreter_that_is_gone_is_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(SandboxUnavailable):
        Sandbox().read(b"x", PLAIN)


def run_script(script: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@LINUX
def test_the_zygote_ends_when_its_server_is_killed() -> None:
    server = run_script("""
        import time
        from workers.ingestion.reading import ReadRequest
        from workers.ingestion.sandbox import pool as sandbox
        sandbox.read_in_sandbox(b"hola", ReadRequest("text/plain"))
        print(sandbox._sandbox._zygote._process.pid, flush=True)
        time.sleep(60)
    """)
    with server:
        assert server.stdout is not None
        zygote = int(server.stdout.readline())
        assert not gone(zygote, within=0.1)
        server.kill()
        assert gone(zygote)


@pytest.mark.parametrize("library", ["billiard", "multiprocessing"])
def test_daemonic_workers_extract_too(library: str) -> None:
    """Celery's prefork workers are daemonic billiard processes, forked after the parent may have used a zygote."""
    script = f"""
        import {library} as processes
        from workers.ingestion.reading import ReadRequest
        from workers.ingestion.sandbox import pool as sandbox

        def work(queue):
            text = sandbox.read_in_sandbox(b"hola", ReadRequest("text/plain")).extracted.text
            queue.put((text, processes.current_process().daemon, sandbox._sandbox._zygote._process.pid))

        def main():
            sandbox.read_in_sandbox(b"hola", ReadRequest("text/plain"))
            own = sandbox._sandbox._zygote._process.pid
            context = processes.get_context("fork")
            queue = context.Queue()
            workers = [context.Process(target=work, args=(queue,), daemon=True) for _ in range(2)]
            [worker.start() for worker in workers]
            answers = [queue.get(timeout=20) for _ in workers]
            [worker.join() for worker in workers]
            sandbox.read_in_sandbox(b"hola", ReadRequest("text/plain"))
            assert sandbox._sandbox._zygote._process.pid == own
            assert len({{own, *(pid for _, _, pid in answers)}}) == 3
            print(*(f"{{text}} {{daemon}}" for text, daemon, _ in answers), sep=", ")

        main()
    """
    with run_script(script) as server:
        assert server.communicate(timeout=60)[0].strip() == "hola True, hola True"
    assert server.returncode == 0


def test_a_real_document_passes_from_bytes_and_from_a_path(tmp_path: Path) -> None:
    content = documents.pdf([["Primera página"], ["Segunda página"]])
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    request = ReadRequest(documents.PDF, (800, 256))
    reading = read_in_sandbox(content, request)
    assert reading == read_in_sandbox(path, request)
    extracted = reading.extracted
    assert [extracted.text[page.start : page.end].strip() for page in extracted.pages] == [
        "Primera página",
        "Segunda página",
    ]


def test_every_format_is_read_without_opening_another_file() -> None:
    """The child cannot open files: whatever a parser loads lazily must be loaded by the zygote."""
    samples = {
        documents.PDF: documents.pdf([["hola"]], outline=[("hola", 0, 0)], password=""),
        documents.DOCX: documents.docx(lambda document: document.add_paragraph("hola", style="List Number")),
        documents.MARKDOWN: b"# hola",
        documents.TEXT: "hola ".encode("utf-16"),
    }
    for media_type, content in samples.items():
        reading = read_in_sandbox(content, ReadRequest(media_type, (800,)))
        assert "hola" in reading.extracted.text
        assert reading.terms[0].indices
    without_parts = documents.docx_of_xml("<w:p><w:r><w:t>hola</w:t></w:r></w:p>")
    assert read_in_sandbox(without_parts, ReadRequest(documents.DOCX)).extracted.text == "hola"
    cyrillic = "Привет, как дела? Это обычный русский текст для проверки кодировки. "
    assert (
        read_in_sandbox((cyrillic * 5).encode("cp1251"), ReadRequest(documents.TEXT)).extracted.text
        == (cyrillic * 5).strip()
    )


def test_a_pdf_nested_beyond_reason_is_stopped_on_time() -> None:
    sandbox = Sandbox(limits=ChildLimits(cpu_seconds=1, wall_seconds=5))
    try:
        started = time.monotonic()
        with pytest.raises(ExtractionError) as caught:
            sandbox.read(documents.deep_pdf(100_000), ReadRequest(documents.PDF))
        assert caught.value.code in ("extraction_timeout", "corrupt_document", "empty_document")
        assert time.monotonic() - started < 5
    finally:
        sandbox.close()


def test_the_answer_survives_the_wire() -> None:
    pages, headings = (PageSpan(1, 0, 2), PageSpan(2, 2, 3)), (HeadingSpan(1, "Á", 0, 1),)
    extracted = Extracted("Á\nb", pages, headings, "t", 2, {"unit": "Bucles", "tags": ("a", "b")})
    extracted = replace(extracted, pictures=(PictureSpot(1, 1, 30, 40, "Á"), PictureSpot(1, 2, 3, 4)))
    assert wire.decode_reading(wire.encode_reading(extracted, ()), PLAIN) == extracted


GOOD = (
    '{"text": "ab", "pages": [[0, 2]], "headings": [[1, "a", 0, 1]], "title": "", "page_count": 1, '
    '"metadata": {"unit": "3", "tags": ["c"]}, "furniture": [[1, 2]], "labels": [[1, "ii"]], '
    '"pictures": [[1, 2, 30, 40, "said"]]}'
)


@pytest.mark.parametrize(
    ("part", "lie"),
    [
        ("[[0, 2]]", "[[0, 3]]"),
        ("[[0, 2]]", "[[1, 2]]"),
        ("[[0, 2]]", "[[0, 1]]"),
        ("[[0, 2]]", "[[0, 2], [2, 2]]"),
        ("[[0, 2]]", '[["0", 2]]'),
        ("[[0, 2]]", "7"),
        ("0, 1]]", "0, 3]]"),
        ("0, 1]]", "-1, 1]]"),
        ("0, 1]]", "1, 1]]"),
        ('[[1, "a"', '[[0, "a"'),
        ('[[1, "a"', '[[true, "a"'),
        ('[[1, "a"', "[[1, 5"),
        ('"ab"', "null"),
        ('"ab"', r'"a\u0000"'),
        ('"page_count": 1', '"page_count": -1'),
        ('"page_count": 1', '"page_count": 5001'),
        ('"metadata": {"unit": "3", "tags": ["c"]}', '"metadata": []'),
        ('"metadata": {"unit": "3", "tags": ["c"]}', '"metadata": {"corpus_id": "3"}'),
        ('"unit": "3"', '"unit": ["3"]'),
        ('"unit": "3"', '"unit": "' + "3" * 256 + '"'),
        ('["c"]', '"c"'),
        ('["c"]', "[3]"),
        ('["c"]', "[" + ", ".join(['"c"'] * 21) + "]"),
        ("[[1, 2]]", "[[0, 1]]"),  # the heading stands there
        ("[[1, 2]]", "[[1, 3]]"),
        ("[[1, 2]]", "[[2, 1]]"),
        ("[[1, 2]]", '[["1", 2]]'),
        ("[[1, 2]]", "null"),
        ("[[1, 2]]", "[[1, 2], [1, 2]]"),
        ('"ii"', '"' + "i" * 21 + '"'),
        ('"ii"', '"\\n"'),
        ('"ii"', "2"),
        ('[1, "ii"]', '[1, "ii"], [1, "i"]'),
        ("[[1, 2, 30", "[[3, 2, 30"),
        ("[[1, 2, 30", "[[-1, 2, 30"),
        ("[[1, 2, 30", "[[1, 0, 30"),
        ("[[1, 2, 30", "[[1, 501, 30"),
        ("[[1, 2, 30", "[[true, 2, 30"),
        ("[[1, 2, 30", "[[1, 2, 20001"),
        ('30, 40, "said"]', '30, 40, "said"], [0, 1, 3, 4, ""]'),
        ('"said"', '"' + "i" * 301 + '"'),
        ('"said"', r'"\u0000"'),
        ('[[1, 2, 30, 40, "said"]]', "[[1]]"),
        ('[[1, 2, 30, 40, "said"]]', "null"),
        (GOOD, '{"error": "no_such_code", "cause": ""}'),
        (GOOD, '{"error": "corrupt_document"}'),
        (GOOD, "[]"),
        (GOOD, "\xff"),
    ],
)
def test_a_lying_answer_is_refused(part: str, lie: str) -> None:
    assert text_of(wire.decode_reading(GOOD.encode(), PLAIN)) == "ab"
    assert part in GOOD
    with pytest.raises(ExtractionError) as caught:
        wire.decode_reading(GOOD.replace(part, lie, 1).encode("latin-1"), PLAIN)
    assert caught.value.code == "extraction_crashed"
