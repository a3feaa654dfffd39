"""`python -m tests.contract.fuzz [--seconds N] [--seed N]`: Schemathesis against a served installation.

As an admin of each of two organizations, who is given the other's ids too: no 5xx, nothing that the schema does not
tell (statuses, headers, bodies), no id of the other organization answered. Exit code 0 when all of it holds.
"""

import json
import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()  # what follows knows the models

from corpora.tests.documents import pdf  # noqa: E402
from tests.e2e.server import ROOT  # noqa: E402
from tests.live import Caller  # noqa: E402
from tests.printed import carried, png  # noqa: E402
from tests.processes import Site, send_file, site, upload  # noqa: E402
from tests.services.servers import wait_until  # noqa: E402

# Rows of a kind in each organization: how many are neither deleted nor changed, and how many of the others not deleted.
EACH, LASTING, CHANGED = 10, 3, 3
FACT = "boiling"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
    "nothing_foreign_is_answered",
    "nothing_foreign_is_moved",
    "EachOperationIsReached",
)
# Left out: whether the API refuses all that the schema does not allow, and takes all that it does. A number as a text
# is taken, and a text that is no name of a model is not; neither can be said in a schema.


def furnish(caller: Caller, mark: str) -> dict[str, list[str]]:
    """Rows of every kind that has an id, by kind. Each carries the mark in all its texts."""
    made: dict[str, list[str]] = defaultdict(list)

    def create(path: str, **body: Any) -> Any:
        answer = caller.call("POST", path, body)
        assert answer.status < 300, (path, answer)
        return answer.body

    for n in range(EACH):
        name = f"{mark} {n}"
        corpus = create("/api/corpora/", name=name, description=name, corpus_type="global" if n % 2 else "personal")
        create(f"/api/corpora/{corpus['id']}/facts/", text=f"Water of {name} boils.", title=name, key=FACT)
        agent = create("/api/agents/", name=name, description=name, allows_personal_corpus=True)
        create(f"/api/agents/{agent['id']}/corpora/", corpus=corpus["id"])
        made["corpora"].append(corpus["id"])
        made["agents"].append(agent["slug"] if n % 2 else agent["id"])
        # In what lasts, so that they are not gone with what is deleted first.
        text = f"# {name}\n\nA loan of {name} lasts {n} days.\n".encode()
        made["documents"].append(upload(caller, made["corpora"][n % LASTING], f"{name}.md", text).body["id"])
        if n < LASTING:
            printed = upload(caller, made["corpora"][n], f"{name}.pdf", pdf([[f"A loan of {name} lasts {n} days."]]))
            made["printed"].append(printed.body["id"])
            picture = f"# {name}\n\n![{name}]({carried(png())})\n".encode()
            made["drawn"].append(upload(caller, made["corpora"][n], f"{name} drawn.md", picture).body["id"])
        deleted = upload(caller, made["corpora"][n % LASTING], f"{name} deleted.md", text + b"\n").body["id"]
        assert caller.call("DELETE", f"/api/documents/{deleted}/").status < 300
        made["trash"].append(deleted)
        question = {"role": "user", "content": f"How long does a loan of {name} last?"}
        chat = f"/api/agents/{made['agents'][n % LASTING]}/chat/"
        answer = create(chat, messages=[question], stream=False)
        made["conversations"].append(answer["conversation"])
        made["messages"].append(answer["message"])
        made["projects"].append(create("/api/projects/", name=name)["id"])
        source = create("/api/data-sources/", name=name, kind="duckdb")["id"]
        file = send_file(caller, f"/api/data-sources/{source}/files/", "rows.csv", f"a\n{name}\n".encode())
        made["sources"].append(source)
        made["source_files"].append(file.body["id"])
        hook = create("/api/webhooks/", url="https://hook.invalid/", description=name, events=["answer.rated"])["id"]
        made["webhooks"].append(hook)
        made["deliveries"].append(create(f"/api/webhooks/{hook}/test/")["id"])
    pages = [f"/api/documents/{one}/pages/1/" for one in made["printed"]]
    pages += [f"/api/documents/{one}/pictures/1/?width=200" for one in made["drawn"]]
    wait_until(lambda: all(caller.call("GET", one).status == 200 for one in pages), 60, "pages can be asked for")
    return made


def fuzz(target: Site, key: str, world: dict[str, Any], seconds: int) -> int:
    """Schemathesis' exit code."""
    schema = Path(target.folder) / "openapi.yaml"
    schema.write_text(target.manage("spectacular"))
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", str(schema)),
        *("--exclude-operation-id", "api_trash_empty"),  # nothing would be left to restore
        *("--url", f"http://127.0.0.1:{target.port}", "--header", f"Authorization: Bearer {key}"),
        *("--checks", ",".join(CHECKS), "--seed", str(world["seed"]), "--max-time", str(seconds)),
        *(
            "--max-examples",
            "20",
            "--request-timeout",
            "20",
            "--continue-on-failure",
            "--no-color",
            "--warnings",
            "off",
        ),
        *("--suppress-health-check", "all", "--generation-database", "none", "--output-truncate", "true"),
    ]
    found = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    told = {"SCHEMATHESIS_HOOKS": "tests.contract.hooks", "FUZZ_WORLD": json.dumps(world), "PYTHONPATH": found}
    # In the installation's folder, since it keeps what it has seen in the one that it runs in.
    return subprocess.run(command, env={**os.environ, **told}, cwd=target.folder, check=False).returncode


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(prog="python -m tests.contract.fuzz")
    parser.add_argument("--seconds", type=int, default=120, help="for both organizations together")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory(prefix="acervo-") as folder,
        site(Path(folder), QUOTAS="off", LOG_LEVEL="ERROR") as running,
    ):
        elsewhere = json.loads(running.manage("organization", "Elsewhere", "--admin", "zoe@example.org", "--json"))
        running.start()
        here = next(one["api_key"] for one in running.told["users"] if one["email"].startswith("admin"))
        keys = {"quetzal": here, "axolotl": elsewhere["admin"]["api_key"]}
        rows = {
            mark: furnish(Caller(running.port, {"Authorization": f"Bearer {key}"}), mark) for mark, key in keys.items()
        }
        codes = []
        for own, foreign in (("quetzal", "axolotl"), ("axolotl", "quetzal")):
            world = {"own": rows[own], "foreign": rows[foreign], "foreign_marks": [foreign], "seed": options.seed}
            world |= {"fact": FACT, "lasting": LASTING, "changed": CHANGED}
            codes.append(fuzz(running, keys[own], world, options.seconds // 2))
        sys.stdout.writelines(line + "\n" for line in running.log().splitlines() if " ERROR " in line)
        return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
