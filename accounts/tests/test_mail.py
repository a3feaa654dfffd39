"""Links that open something never reach a log, and a deployment without mail fails its check."""

import logging
import smtplib
from collections.abc import Sequence
from typing import Any

import pytest
from django.core.mail import EmailMessage, send_mail
from django.core.mail.backends import smtp
from django.core.mail.backends.base import BaseEmailBackend

from accounts import checks
from accounts.identity.mail import deliver, is_mail_set_up
from config.env import mail
from tests.cast import browser, make_cast

CONSOLE = "django.core.mail.backends.console.EmailBackend"
SMTP = "django.core.mail.backends.smtp.EmailBackend"
UNSENT = "accounts.identity.mail.UnsentMail"


class Refusing(BaseEmailBackend):
    """A mail server that is down."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        raise ConnectionRefusedError("refused")


@pytest.mark.parametrize(
    ("url", "printed", "backend"),
    [
        ("", False, UNSENT),
        ("consolemail://", False, UNSENT),
        ("", True, CONSOLE),
        ("smtp+tls://user:password@mail.example.org:587", False, SMTP),
        ("smtp+tls://user:password@mail.example.org:587", True, SMTP),
    ],
)
def test_mail_is_printed_in_development_alone(
    url: str, printed: bool, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if url:
        monkeypatch.setenv("EMAIL_URL", url)
    else:
        monkeypatch.delenv("EMAIL_URL", raising=False)
    assert mail(printed=printed)["EMAIL_BACKEND"] == backend


@pytest.mark.parametrize("backend", [CONSOLE, UNSENT, "django.core.mail.backends.dummy.EmailBackend"])
def test_a_deployment_without_mail_fails_its_check(backend: str, settings: Any) -> None:
    settings.EMAIL_BACKEND = backend
    assert [found.id for found in checks.a_deployment_needs_mail(None)] == ["acervo.E004"]
    assert not is_mail_set_up()


def test_a_deployment_with_a_mail_server_passes(settings: Any) -> None:
    settings.EMAIL_BACKEND = SMTP
    assert checks.a_deployment_needs_mail(None) == []


def test_what_is_not_sent_is_not_logged_either(
    settings: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = UNSENT
    with caplog.at_level(logging.DEBUG):
        assert send_mail("Subject", "the-link", "acervo@example.org", ["alice@example.org"]) == 0
    told = caplog.text + "".join(capfd.readouterr())
    assert "EMAIL_URL" in told
    for secret in ("the-link", "alice@example.org", "Subject"):
        assert secret not in told


@pytest.mark.django_db
def test_a_reset_link_is_in_no_log_without_a_mail_server(
    settings: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = UNSENT
    make_cast()
    with caplog.at_level(logging.DEBUG):
        page = browser(None).post("/accounts/password/reset/", {"email": "alice@example.org"}, follow=True)
    assert "/reset/key/" not in caplog.text + "".join(capfd.readouterr())
    assert "This installation has no mail server" in page.content.decode()


def test_a_mail_server_that_is_down_is_told_to_the_caller(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.EMAIL_BACKEND = "accounts.tests.test_mail.Refusing"
    assert not deliver("alice@example.org", "Subject", "accounts/address_taken_mail.txt")
    assert "alice" not in caplog.text


class Reached(smtp.EmailBackend):
    """A mail server that is there; what it is told is not looked at."""

    def open(self) -> bool:
        self.connection = smtplib.SMTP()
        return False


def test_an_address_that_no_mail_can_go_to_is_told_to_the_caller(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Django's check takes an ideographic full stop, and its mail does not."""
    settings.EMAIL_BACKEND = "accounts.tests.test_mail.Reached"
    assert not deliver("ceo@\u3002example.org", "Subject", "accounts/address_taken_mail.txt")
    assert "ceo" not in caplog.text
