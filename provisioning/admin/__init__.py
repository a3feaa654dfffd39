"""The admin of directories. Django imports this package for what it registers."""

from provisioning.admin import kept as kept
from provisioning.admin import tokens as tokens
