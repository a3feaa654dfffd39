"""The admin of webhooks. Django imports this package for what it registers."""

from webhooks.admin import deliveries as deliveries
from webhooks.admin import hooks as hooks
