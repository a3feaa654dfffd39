"""Credentials at rest: sealed with keys that can be changed; settings that are none are told at the start."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command

from tests.factories import OrganizationFactory
from tools import checks
from tools.models import DataSource
from tools.sealing import SealLost, seal_json, unseal_json

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def test_what_was_sealed_is_read_with_any_of_the_keys_and_with_no_other(settings: Any) -> None:
    settings.DATA_SOURCE_KEYS = [OLD]
    sealed = seal_json({"password": "zurribanda"})
    assert "zurribanda" not in sealed
    settings.DATA_SOURCE_KEYS = [NEW, OLD]
    assert unseal_json(sealed) == {"password": "zurribanda"}
    settings.DATA_SOURCE_KEYS = [NEW]
    with pytest.raises(SealLost):
        unseal_json(sealed)


def test_without_the_setting_the_key_is_the_installations_own(settings: Any) -> None:
    settings.DATA_SOURCE_KEYS = []
    sealed = seal_json(1)
    assert unseal_json(sealed) == 1
    settings.SECRET_KEY = "another " * 8
    with pytest.raises(SealLost):
        unseal_json(sealed)


@pytest.mark.django_db
def test_a_key_is_changed_without_writing_credentials_again(settings: Any, capsys: pytest.CaptureFixture[str]) -> None:
    organization = OrganizationFactory()
    for name, keys in (("lost", [Fernet.generate_key().decode()]), ("kept", [OLD])):
        settings.DATA_SOURCE_KEYS = keys
        source = DataSource(organization=organization, name=name, kind="postgresql")
        source.keep_credentials("reader", "zurribanda")
        source.save()
    DataSource.objects.create(organization=organization, name="files", kind="duckdb")
    settings.DATA_SOURCE_KEYS = [NEW, OLD]
    call_command("reseal_sources")
    assert "sealed anew: 1" in capsys.readouterr().out
    settings.DATA_SOURCE_KEYS = [NEW]
    assert DataSource.objects.get(name="kept").open_credentials()["password"] == "zurribanda"


@pytest.mark.parametrize(
    ("name", "right", "wrong", "check"),
    [
        ("DATA_SOURCE_KEYS", [OLD, NEW], ["secret"], checks.keys_are_keys),
        ("DATA_SOURCE_NETWORKS", ["10.0.0.0/8", "fd00::/8", "10.1.2.3"], ["10.0.0.0/99"], checks.networks_are_networks),
        ("DATA_SOURCE_HOSTS", ["*", ".a.org", "b.org"], ["https://b.org"], checks.source_hosts_are_hosts),
        ("DATA_SOURCE_HOSTS", [], ["*.b.org"], checks.source_hosts_are_hosts),
    ],
)
def test_settings_that_are_none_are_told(name: str, right: Any, wrong: Any, check: Any, settings: Any) -> None:
    setattr(settings, name, right)
    assert check(None) == []
    setattr(settings, name, wrong)
    assert len(check(None)) == 1
