"""How an attempt went, in words; docs/webhooks.md has what each means."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REASON_WORDS: dict[str, Promise] = {
    "ok": _("taken"),
    "status": _("refused by its server"),
    "redirect": _("its server sends elsewhere, which is not followed"),
    "timeout": _("no answer within five seconds"),
    "unreachable": _("nobody answers there"),
    "certificate": _("its certificate does not prove the host"),
    "no_http": _("what came back is no answer"),
    "not_allowed": _("its host is not among those that the installation allows; whoever runs it can allow it"),
    "private": _("its host leads into a network that the installation does not allow"),
    "unknown": _("its host has no address"),
    "no_url": _("it is not written as an address is"),
    "not_encrypted": _("it does not begin with https://"),
    "port": _("its port is another service's"),
    "no_secret": _("its secret can no longer be read: make a new one"),
}


def reason_in_words(reason: str) -> str:
    return str(REASON_WORDS.get(reason, _("it failed for a reason that this version has no words for")))
