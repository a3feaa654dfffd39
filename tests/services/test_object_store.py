"""Originals in an S3 bucket: taken in, read by a worker, served, erased; refused when the store refuses."""

import pytest

from tests.live import Caller
from tests.services.conftest import object_store_or_skip
from tests.services.installation import Background, Installation, Web, indexed, new_corpus, upload, uploaded
from tests.services.servers import ObjectStore, wait_until

AGENT = "investigador-tecnico"
TEXT = b"# Archivo\n\nEl archivo guarda nueve mil mapas.\n"


@pytest.fixture(scope="module")
def objects_wanted(wanted: None) -> bool:
    object_store_or_skip()
    return True


@pytest.fixture(scope="module")
def store(installation: Installation) -> ObjectStore:
    assert installation.services.objects is not None
    return installation.services.objects


@pytest.fixture(scope="module")
def admin(installation: Installation, web: Web, worker: Background, beat: Background) -> Caller:
    return installation.caller(web)


@pytest.fixture(scope="module")
def corpus(admin: Caller) -> str:
    return new_corpus(admin, AGENT)


def test_an_original_goes_to_the_bucket_and_comes_back_as_it_was(
    admin: Caller, corpus: str, store: ObjectStore
) -> None:
    document = uploaded(admin, corpus, "archivo.md", TEXT)
    assert f"{corpus}/{document}/original.md" in store.objects()
    indexed(admin, document)
    content = admin.call("GET", f"/api/documents/{document}/content/")
    assert (content.status, content.body) == (200, TEXT)
    assert content.headers["content-disposition"].startswith("attachment")
    assert content.headers["cache-control"] == "no-store"


def test_an_erased_document_leaves_its_receipt_alone(admin: Caller, corpus: str, store: ObjectStore) -> None:
    document = uploaded(admin, corpus, "borrar.md", TEXT + b"Y atlas.\n")
    indexed(admin, document)
    assert admin.call("DELETE", f"/api/documents/{document}/?erase=now").status == 204
    receipt = f"receipts/document-{document}.json"  # what is erased again after a restore from a backup
    wait_until(lambda: {key for key in store.objects() if document in key} == {receipt}, 30, "the original is gone")


def test_a_store_that_is_down_refuses_the_upload_and_leaves_no_row(
    admin: Caller, corpus: str, installation: Installation, store: ObjectStore
) -> None:
    count = "SELECT count(*) FROM corpora_document WHERE deleted_at IS NULL"  # an erasure may just be ending
    before = installation.query(count)
    store.stop()
    try:
        answer = upload(admin, corpus, "nada.md", TEXT + b"Ni planos.\n")
        assert (answer.status, answer.body["code"]) == (503, "storage_unavailable")
        assert installation.query(count) == before
        assert admin.call("GET", "/readyz").body["dependencies"]["files"] == "down"
    finally:
        store.start()
    indexed(admin, uploaded(admin, corpus, "nada.md", TEXT + b"Ni planos.\n"))


def test_a_store_that_refuses_is_said_so_and_leaves_no_row(
    admin: Caller, corpus: str, installation: Installation, store: ObjectStore
) -> None:
    before = store.objects()
    count = "SELECT count(*) FROM corpora_document WHERE deleted_at IS NULL"  # an erasure may just be ending
    rows = installation.query(count)
    hidden = store.bucket.rename(store.bucket.with_name("hidden"))  # as if somebody had deleted the bucket
    try:
        answer = upload(admin, corpus, "sin-cubo.md", TEXT + b"Ni nada.\n")
        assert (answer.status, answer.body["code"]) == (503, "storage_unavailable")
        assert admin.call("GET", "/readyz").body["dependencies"]["files"] == "down"
    finally:
        hidden.rename(store.bucket)
    assert installation.query(count) == rows
    assert store.objects() == before


def test_a_worker_waits_for_a_store_that_is_down(
    admin: Caller, corpus: str, store: ObjectStore, worker: Background
) -> None:
    worker.stop()
    document = uploaded(admin, corpus, "espera.md", TEXT + b"Y globos.\n")
    store.stop()
    worker.start()
    try:
        address = f"/api/documents/{document}/"
        wait_until(lambda: admin.call("GET", address).body["error"] is not None, 40, "it says why it waits")
        waiting = admin.call("GET", address).body
        assert (waiting["status"], waiting["error"]["code"]) == ("pending", "service_unavailable")
    finally:
        store.start()
    indexed(admin, document, 60)
