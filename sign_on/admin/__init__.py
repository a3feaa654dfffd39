"""The admin of single sign-on. Django imports this package for what it registers."""

from sign_on.admin import domains as domains
from sign_on.admin import identities as identities
from sign_on.admin import providers as providers
