"""Template tags that every page uses."""

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from accounts.pages.forms import InviteForm
from accounts.templatetags.acervo import ago, control


@pytest.mark.parametrize(
    ("since", "said"),
    [
        (timedelta(), "ahora mismo"),
        (timedelta(seconds=59), "ahora mismo"),
        (timedelta(minutes=3, seconds=20), "hace 3\xa0minutos"),
        (timedelta(days=1, hours=5), "hace 1\xa0día"),
    ],
)
def test_how_long_ago_is_said_in_one_unit(since: timedelta, said: str) -> None:
    with translation.override("es"):
        assert ago(timezone.now() - since) == said


def test_a_control_has_no_placeholder_beside_its_label() -> None:
    form = InviteForm()
    form.fields["email"].widget.attrs["placeholder"] = "Email address"
    assert "placeholder" not in control(form["email"])
    assert 'autocomplete="off"' in control(form["email"])
