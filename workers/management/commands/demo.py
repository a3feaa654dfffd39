"""`manage.py demo`: the sample organization (API.md, "Commands")."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from accounts.management.base import DatabaseCommand
from corpora.models import Document
from workers import inline, sample
from workers.progress import ProgressBar


class Command(DatabaseCommand):
    help = "Make the sample organization and print its logins and API keys. Repeatable."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        made = sample.create_sample()
        if inline.owns_index():
            self.ingest(made)
        if options["json"]:
            self.stdout.write(json.dumps(sample_as_json(made)))
        else:
            self.tell(made)

    def ingest(self, made: sample.SampleOrganization) -> None:
        waiting = list(
            Document.objects.alive()
            .filter(corpus__in=made.corpora, status=Document.Status.PENDING)
            .values_list("pk", flat=True)
        )
        bar = ProgressBar(self.stderr, "sample documents", len(waiting))
        inline.work_off(waiting, lambda document: bar.step(document.filename))
        bar.end()

    def tell(self, made: sample.SampleOrganization) -> None:
        self.stdout.write(f"Sample organization: {made.organization.name}")
        for login in made.logins:
            self.stdout.write(f"  {login.role:<7} {login.email:<24} password {login.password}   key {login.api_key}")


def sample_as_json(made: sample.SampleOrganization) -> dict[str, Any]:
    return {
        "organization": {"slug": made.organization.slug, "name": made.organization.name},
        "users": [asdict(login) for login in made.logins],
        "agents": [{"id": str(agent.pk), "slug": agent.slug} for agent in made.agents],
        "corpora": [{"id": str(corpus.pk), "name": corpus.name} for corpus in made.corpora],
    }
