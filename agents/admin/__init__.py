"""The admin of agents. Django imports this package for what it registers."""

from agents.admin import agents as agents
from agents.admin import tool_calls as tool_calls
