"""Presets turned into agents of an organization."""

from dataclasses import fields

from accounts.models import Organization
from agents.models import Agent
from agents.presets import Preset

NOT_AGENT_FIELDS = {"slug", "language"}


def create_from(preset: Preset, organization: Organization) -> Agent:
    """The organization's agent with the preset's slug; made with the preset's settings when it is missing."""
    settings = {one.name: getattr(preset, one.name) for one in fields(preset) if one.name not in NOT_AGENT_FIELDS}
    agent, _created = Agent.objects.get_or_create(organization=organization, slug=preset.slug, defaults=settings)
    return agent
