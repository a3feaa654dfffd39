"""Mail of accounts. What opens something (links to join, to reset, to confirm) never goes to a log."""

import logging
from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)

NOT_A_SERVER = ("accounts.identity.mail.UnsentMail", ".console.EmailBackend", ".dummy.EmailBackend")


class UnsentMail(BaseEmailBackend):
    """What stands for a mail server where none is set up: it sends nothing, and says that, not what."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        logger.warning("%d mail(s) not sent: EMAIL_URL names no mail server (docs/settings.md)", len(email_messages))
        return 0


def is_mail_set_up() -> bool:
    """Whether mail reaches anybody: not on a terminal, not nowhere."""
    return not settings.EMAIL_BACKEND.endswith(NOT_A_SERVER)


def deliver(address: str, subject: str, template: str, **context: object) -> bool:
    """Send a mail in the current language. False when it reaches nobody: no server is set up, or it did not take it."""
    body = render_to_string(template, context)
    try:
        sent = send_mail(" ".join(subject.split()), body, settings.DEFAULT_FROM_EMAIL, [address])
    except (OSError, UnicodeError):  # smtplib's errors and refused connections; a domain that has no ASCII form
        logger.warning("A mail was not sent: %s", template)
        return False
    return bool(sent) and is_mail_set_up()
