"""The admin of operations. Django imports this package for what it registers."""

from chat.admin import erasing as erasing
from chat.admin import operations as operations
