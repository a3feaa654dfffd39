"""A world that stands while a module's tests run is to each of them as it was made."""

import shutil
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.storage import default_storage

from accounts.models import User
from corpora.models import Corpus, Document
from tests.world import ALICES_MARK, World

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("turn", ["before", "after"])
def test_what_a_test_does_to_it_no_other_sees(turn: str, standing_world: World) -> None:
    alice, ids = standing_world.people.alice, standing_world.ids
    assert alice.user.name == "Alice"
    assert User.objects.get(pk=alice.user_id).is_active
    assert Corpus.objects.get(pk=ids["alices"]).name == f"{ALICES_MARK} corpus"
    original = Document.objects.get(pk=ids["alices_pdf"]).file
    assert default_storage.exists(original.name)
    assert "another" not in ids

    alice.user.name, ids["another"] = "Alicia", turn
    User.objects.filter(pk=alice.user_id).update(is_active=False)
    Corpus.objects.filter(pk=ids["alices"]).update(name=turn)
    shutil.rmtree(Path(settings.DATA_DIR) / "files")
