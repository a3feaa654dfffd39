"""The admin of tool servers. Django imports this package for what it registers."""

from foreign.admin import servers as servers
