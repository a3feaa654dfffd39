"""The admin of people. Django imports this package for what it registers."""

from accounts.admin import people as people
from accounts.admin import programs as programs
from accounts.admin.auditing import log as log
