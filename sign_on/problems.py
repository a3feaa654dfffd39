"""Why somebody did not get in, and what an admin who keeps single sign-on is refused with (docs/errors.md)."""

from django.utils.translation import gettext_lazy as _

from accounts.problems import Problem


class SignOnRefused(Exception):
    """`reason` is a name that the page and the admin have words for; nothing that a provider said goes further."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ProviderFailed(SignOnRefused):
    """The provider could not be asked, or did not answer as one."""


class TokenRefused(SignOnRefused):
    """What the provider says about somebody is not believed."""


class DomainTaken(Problem):
    status_code = 409
    code = "domain_taken"
    default_detail = _("Another organization has proven this domain. Ask whoever runs this installation.")


class DomainsFull(Problem):
    status_code = 409
    code = "domains_full"
    default_detail = _("There is no room for another domain. Delete one first.")


class EnforcementRefused(Problem):
    status_code = 409
    code = "enforcement_refused"
    default_detail = _(
        "Prove a mail domain and sign in through the provider yourself first: else you would lock yourself out."
    )
