"""Readers are told a language by its name, in theirs."""

import pytest
from django.utils.translation import override

from corpora.metadata.languages import language_name


@pytest.mark.parametrize(
    ("code", "reader", "name"),
    [("es", "en", "Spanish"), ("es", "es", "Español"), ("en", "es", "Inglés"), ("zz", "en", "zz")],
)
def test_a_language_is_told_by_its_name(code: str, reader: str, name: str) -> None:
    with override(reader):
        assert language_name(code) == name
