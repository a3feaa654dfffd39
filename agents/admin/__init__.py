"""The admin of agents. Django imports this package for what it registers."""

from agents.admin import agents as agents
