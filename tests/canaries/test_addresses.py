"""That the canaries know what to ask every address for, said before the minutes that they take."""

import pytest

from tests.canaries.addresses import LEFT_OUT, named_by, pairs_by_nouns, rows_by_noun
from tests.routes import routes


@pytest.mark.django_db
def test_of_every_address_that_names_two_rows_it_is_known_which_belong_together() -> None:
    rows, pairs = rows_by_noun(), pairs_by_nouns()
    named = {route: named_by(route, rows)[1] for route in set(routes()) - LEFT_OUT if "(" not in route}
    assert not {route: nouns for route, nouns in named.items() if len(nouns) > 1 and nouns not in pairs}
    assert any(len(nouns) > 1 for nouns in named.values())
