"""A furnished world that stands while a module's tests run: each test has it as it was made, and undoes what it does.

To furnish one takes longer than most of the requests that are sent to it. It lies in a transaction around those of the
tests, which are savepoints in it; a test gets rows' objects and files of its own. No test that commits may share it,
and whoever counts rows in a module that has it says whose.
"""

import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.test import override_settings
from django.utils import translation

from tests.people import People
from tests.world import World

Standing = tuple[Any, Path]


@pytest.fixture(scope="module")
def furnishing() -> Callable[[], Any]:
    """How it is furnished; a module may have another way."""
    return lambda: World.furnished(People.assembled())


@pytest.fixture(scope="module")
def furnished_once(
    django_db_setup: None,
    django_db_blocker: Any,
    tmp_path_factory: pytest.TempPathFactory,
    furnishing: Callable[[], Any],
) -> Iterator[Standing]:
    folder = tmp_path_factory.mktemp("standing")
    storages = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(folder / "files"), "base_url": None},
        },
    }
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    translation.deactivate()
    around = transaction.atomic()
    around._from_testcase = True  # type: ignore[attr-defined]
    with django_db_blocker.unblock(), around:
        with override_settings(DATA_DIR=folder, STORAGES=storages, PASSWORD_HASHERS=hashers, QUOTAS=False):
            world = furnishing()
        cache.clear()
        with django_db_blocker.block():
            yield world, folder
        transaction.set_rollback(True)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def standing_world(furnished_once: Standing, db: None) -> Any:
    """The module's world. What this test does to its rows and files no other sees."""
    world, folder = furnished_once
    shutil.copytree(folder, settings.DATA_DIR, dirs_exist_ok=True)
    return deepcopy(world)
