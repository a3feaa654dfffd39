"""`manage.py doctor`: is this installation in order, and what to do where it is not (docs/deploy.md, "The doctor")."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from retrieval.spaces import opened
from workers.upkeep.doctor.examinations import EXAMINATIONS
from workers.upkeep.doctor.findings import DoctorWishes, Finding, Result, examine

MARKS = {Result.OK: "ok", Result.WARN: "WARN", Result.FAIL: "FAIL"}


class Command(BaseCommand):
    help = "Examine this installation; exit code 1 if something is wrong. Changes nothing."
    requires_system_checks = ()  # one of its examinations
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="an object, for programs")
        parser.add_argument("--only", nargs="+", choices=sorted(EXAMINATIONS), metavar="NAME", help="only these")
        parser.add_argument("--seconds", type=float, default=30.0, help="for all examinations, which run at once")
        parser.add_argument(
            "--mail-to", default="", metavar="ADDRESS", help="send a mail there; otherwise none is sent"
        )
        parser.add_argument("--organization", default="", metavar="SLUG", help="ask the models of its agents")
        parser.add_argument("--url", default="", help="the site's public address, to be asked as a browser would")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = {name: one for name, one in EXAMINATIONS.items() if name in (options["only"] or EXAMINATIONS)}
        wishes = DoctorWishes(options["mail_to"], options["organization"], options["url"])
        disk = {name: chosen.pop(name) for name in ("disk",) if name in chosen}  # told before anything else is touched
        found: list[Finding] = []
        try:
            for each in (disk, chosen):
                more = examine(each, wishes, options["seconds"])
                found += more
                if not options["json"]:
                    self.tell(more)
        finally:
            opened.close()
        worst = max((one.result for one in found), key=list(Result).index, default=Result.OK)
        if options["json"]:
            self.stdout.write(json.dumps({"result": worst, "findings": [asdict(one) for one in found]}, indent=1))
        if worst is Result.FAIL:
            raise CommandError("Something is wrong.") if not options["json"] else SystemExit(1)

    def tell(self, found: list[Finding]) -> None:
        for one in found:
            self.stdout.write(f"{MARKS[one.result]:<5} {one.name:<13} {one.said}")
            if one.advice:
                self.stdout.write(f"{'':<19} → {one.advice}")
        self.stdout.flush()
