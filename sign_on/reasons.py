"""Reasons in words: for who did not get in, and for the admin who has to find out why."""

from typing import Any

from django.utils.translation import gettext_lazy as _

# For the person; whatever is not named here is the provider's fault, or that of how it is set up.
TO_PEOPLE: dict[str, Any] = {
    "state": _(
        "This sign-in was not begun in this browser, or was finished already. Start again from the sign-in page."
    ),
    "too_late": _("The sign-in took too long. Start again from the sign-in page."),
    "denied": _(
        "Your organization's sign-in page did not let you in, or you left it. Start again from the sign-in page."
    ),
    "unverified": _(
        "Your organization does not say that your email address is verified. Ask an admin of your organization."
    ),
    "foreign_domain": _(
        "Your email address there does not belong to a domain of this organization. Ask an admin of your organization."
    ),
    "address_taken": _(
        "Your email address belongs to somebody else's sign-in here. Ask an admin of your organization to remove that."
    ),
    "account_exists": _(
        "There is an account with your email address already, and it does not belong to the organization. Ask an admin "
        "of your organization to invite you."
    ),
    "not_member": _("You no longer belong to the organization here. Ask an admin of your organization."),
    "inactive": _("This account is switched off. Ask an admin of your organization."),
    "operator": _("This account signs in with its password, not through an organization."),
    "busy": _("Too many people are signing in. Try again in a minute."),
}
TO_OTHERS = _("Signing in through your organization does not work at the moment. Ask an admin of your organization.")

TO_ADMINS: dict[str, Any] = {
    "ok": _("the provider answers"),
    "not_allowed": _("whoever runs this installation does not allow this host"),
    "private": _("the host is of a private network, which whoever runs this installation does not allow"),
    "unknown": _("the host is not known"),
    "no_url": _("the address is not written as one"),
    "not_encrypted": _("the address does not begin with https://"),
    "port": _("the port is one of another service"),
    "timeout": _("the provider takes too long"),
    "certificate": _("the provider's certificate is not valid for its name"),
    "unreachable": _("the provider cannot be reached"),
    "no_http": _("the provider does not answer as a web server"),
    "no_json": _("the provider does not answer with JSON"),
    "too_much": _("the provider's answer is too long"),
    "status": _("the provider refuses the request: look at the client ID and the client secret"),
    "redirect": _("the provider leads to another address: enter the issuer that it names itself"),
    "other_issuer": _("the provider names itself by another issuer: enter that one, to the letter"),
    "no_endpoints": _("the provider's metadata lacks addresses"),
    "no_key": _("the provider's keys do not have the one that signed"),
    "no_secret": _("the client secret was sealed with a key that is lost: enter it anew"),
    "no_token": _("the provider sent no ID token"),
    "algorithm": _("the ID token is signed in a way that is not accepted"),
    "signature": _("the ID token's signature is wrong"),
    "expired": _("the ID token has expired, or the clocks differ"),
    "audience": _("the ID token is for another client"),
    "issuer": _("the ID token names another issuer"),
    "nonce": _("the ID token answers another request"),
    "claims": _("the ID token lacks claims"),
    "provider_error": _("the provider reported an error"),
    "unverified": _("the address is missing, or not said to be verified (claim email_verified)"),
    "foreign_domain": _("the address is of no domain that this organization has proven"),
    "address_taken": _("the address belongs to another identity of the provider: remove that identity"),
    "account_exists": _("the address has an account that is no member here: invite them"),
    "not_member": _("the person was removed from the organization: invite them"),
    "inactive": _("the account is switched off"),
    "operator": _("the account is a platform operator's"),
    "busy": _("too many sign-ins at once"),
    "incomplete": _("the entity ID, the sign-in address or the certificate is missing"),
    "no_xml": _("the response is not written as one of SAML 2.0, or holds a comment, a DTD or an unknown condition"),
    "no_metadata_xml": _("the metadata is not written as XML in UTF-8, or holds a DTD or entities: take those out"),
    "many_assertions": _("the response does not hold exactly one assertion"),
    "encrypted": _("the assertion is encrypted, which is not read here: switch that off at the provider"),
    "unsigned": _("neither the assertion nor the response is signed"),
    "misplaced": _("a signature of the response does not belong to what it stands in"),
    "weak": _("the response is signed in a way that is not accepted: choose RSA or ECDSA with SHA-256"),
    "forged": _("the signature fits none of the certificates: enter the one that the provider signs with"),
    "certificate_expired": _("the certificates have expired: enter the one that the provider signs with"),
    "stale": _("the assertion is not valid yet or no more, or the clocks differ"),
    "other_audience": _("the assertion is for another audience: enter our entity ID at the provider"),
    "other_recipient": _("the response is for another address: enter the one of our assertion consumer"),
    "other_request": _("the response answers no sign-in that was begun here"),
    "other_entity": _("the response names another entity ID: enter that one, to the letter"),
    "no_subject": _("the assertion does not say who somebody is by a name that stays, such as a persistent NameID"),
    "replayed": _("the assertion was used before"),
    "no_entity": _("this is no metadata of one SAML 2.0 provider with a sign-in address for redirects"),
    "no_certificate": _("the metadata holds no certificate, or one of a weak key, or more than five"),
    "wants_signed": _("the provider asks for signed requests, which are not made here: switch that off there"),
    "resting": _("the provider took too long a moment ago: try again in half a minute"),
}


def told_person(reason: str) -> Any:
    return TO_PEOPLE.get(reason, TO_OTHERS)


def told_admin(reason: str) -> Any:
    return TO_ADMINS.get(reason, reason)
