"""What a folder becomes beside its documents: a name for people, a course where it is one, and an agent that answers
from it."""

import logging
from pathlib import Path

from django.conf import settings
from django.utils.text import slugify

from accounts.models import Membership
from agents.assignments import assign_corpus
from agents.models import Agent, Assignment
from agents.presets import PRESETS
from corpora.metadata.units import leading_number
from corpora.models import Corpus

logger = logging.getLogger(__name__)

FEWEST_UNITS = 2


def titles_of(names: list[str]) -> dict[str, str]:
    """A title for each folder; its own name where two would be called the same."""
    titles = {name: title_of_folder(name) for name in names}
    taken = [title.casefold() for title in titles.values()]
    return {name: title if taken.count(title.casefold()) == 1 else name for name, title in titles.items()}


def title_of_folder(name: str) -> str:
    """`redes-de_computadores` is "Redes de computadores"; a name that has spaces or capitals is one already."""
    if " " in name or name != name.lower():
        return name[:150]
    words = name.replace("_", " ").replace("-", " ").split()
    title = " ".join(words) or name
    return (title[:1].upper() + title[1:])[:150]


def is_course_folder(folder: Path) -> bool:
    """Whether most of its files are Markdown whose name begins with a number: 01-redes.md, 02-osi.md, …"""
    names = [path.name for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]
    units = [name for name in names if name.lower().endswith((".md", ".markdown")) and leading_number(name) is not None]
    return len(units) >= FEWEST_UNITS and 2 * len(units) > len(names)


def mark_course(corpus: Corpus) -> None:
    """Its documents are units from now on. Who has unmarked it does so once: only its first visit asks for this."""
    corpus.is_course = True
    corpus.save(update_fields=["is_course", "updated_at"])


def ensure_agent(corpus: Corpus, admin: Membership) -> Agent | None:
    """An agent of INGEST_AGENT's preset that answers from the corpus, unless one does already; None where none is
    made."""
    preset = PRESETS.get(settings.INGEST_AGENT)
    if preset is None or Assignment.objects.filter(corpus=corpus).exists():
        return None
    made = {**preset.settings, "name": corpus.name}
    agent = Agent.objects.create(organization=admin.organization, slug=free_slug(corpus, admin), **made)
    assign_corpus(agent, corpus.pk, admin)
    logger.info("agent %s answers from the watched corpus %s", agent.pk, corpus.pk)
    return agent


def free_slug(corpus: Corpus, admin: Membership) -> str:
    """Of the corpus' name, with a number where another agent has it."""
    wanted = slugify(corpus.name)[:70] or f"{settings.INGEST_AGENT}-{corpus.pk.hex[:8]}"
    taken = set(Agent.objects.filter(organization=admin.organization).values_list("slug", flat=True))
    return next(one for one in (wanted, *(f"{wanted}-{n}" for n in range(2, len(taken) + 3))) if one not in taken)
