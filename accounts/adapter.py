"""How django-allauth behaves here: accounts are made by invitation, never by open sign-up."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class InvitationOnlyAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no type information
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
