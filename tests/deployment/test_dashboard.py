"""The dashboard is of Grafana's schema, asks what Prometheus understands, and shows all that the product tells."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

from config.metrics.serving import exposed_metrics
from tests.deployment.test_alerts import RULES, promtool
from tests.services.servers import ROOT
from workers.upkeep.backlog import Backlog

GRAFANA = ROOT / "deploy" / "grafana"
BOARD: dict[str, Any] = json.loads((GRAFANA / "dashboards" / "acervo.json").read_text(encoding="utf-8"))
OF_GRAFANA = {"$__rate_interval": "5m", "$__range": "6h"}
OF_PROMETHEUS = {"up", "ALERTS"}
WORDS = {"and", "or", "unless", "bool", "on", "ignoring", "group_left", "group_right", "offset"}
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
PANELS = {"timeseries": "TimeSeries", "stat": "Stat", "bargauge": "BarGauge"}
PATH = "@grafana/schema/dist/esm/raw/composable/{0}/panelcfg/x/{1}PanelCfg_types.gen"
# Enumerations as the words that stand in files.
PLAIN = "type Plain<T> = T extends string ? `${T}` : T extends (infer U)[] ? Plain<U>[] : "
PLAIN += "T extends object ? { [K in keyof T]: Plain<T[K]> } : T;"


def queries() -> Iterator[tuple[str, str]]:
    """Each with the title of its panel, as Grafana sends it."""
    for panel in BOARD["panels"]:
        for target in panel.get("targets", ()):
            said = target["expr"]
            for name, value in OF_GRAFANA.items():
                said = said.replace(name, value)
            yield panel["title"], said


def metrics_in(expression: str) -> set[str]:
    """The metrics that an expression names: what is neither label, function, keyword nor number."""
    bare = re.sub(r"\{.*?\}|\[.*?\]|\"[^\"]*\"", " ", expression, flags=re.DOTALL)
    bare = re.sub(r"\b(by|without|on|ignoring)\s*\([^)]*\)|\boffset\s+\w+", " ", bare)
    return set(re.findall(r"\b[a-zA-Z_]\w*\b(?!\s*\()", bare)) - WORDS


def told_metrics() -> dict[str, set[str]]:
    """By each metric of the product its names on the wire."""
    ours = [one for one in REGISTRY.collect() if not re.match(r"(python|process)_", one.name)]
    return {
        one.name: {sample.name for sample in one.samples} or {one.name + suffix for suffix in SUFFIXES[one.type]}
        for one in (*ours, *Backlog().collect())
    }


@pytest.fixture
def told(db: None) -> dict[str, set[str]]:
    assert exposed_metrics()  # loads whatever tells something
    return told_metrics()


def test_every_query_is_one_that_prometheus_understands(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{n}", "expr": said} for n, (_title, said) in enumerate(queries())]
    (tmp_path / "queries.yml").write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = promtool("check", "rules", str(tmp_path / "queries.yml"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_rules_and_panels_name_only_what_the_product_tells(told: dict[str, set[str]]) -> None:
    known = set().union(*told.values()) | OF_PROMETHEUS
    asked = [*queries(), *((name, rule["expr"]) for name, rule in RULES.items())]
    assert {title: metrics_in(said) - known for title, said in asked if metrics_in(said) - known} == {}


def test_everything_that_the_product_tells_is_shown(told: dict[str, set[str]]) -> None:
    shown = set().union(*(metrics_in(said) for _title, said in queries()))
    assert {name for name, names in told.items() if not names & shown} == set()


def test_names_in_an_expression_are_found() -> None:
    said = 'sum by (le, stage) (rate(a_bucket{stage=~"x|y"}[5m])) / on (le) b_total offset 7d >= 1.3 * vector(c) and d'
    assert metrics_in(said) == {"a_bucket", "b_total", "c", "d"}


def typed_board() -> str:
    """The dashboard as TypeScript: a property that the schema does not have, or a wrong one, is an error."""
    lines = ["import type { Dashboard, GraphFieldConfig } from '@grafana/schema';", PLAIN]
    lines += [f"import type {{ Options as {name} }} from '{PATH.format(kind, name)}';" for kind, name in PANELS.items()]
    lines.append(f"export const board: Plain<Dashboard> = {json.dumps(BOARD)};")
    for panel in (one for one in BOARD["panels"] if one["type"] in PANELS):
        options = json.dumps(panel["options"])
        lines.append(f"export const options{panel['id']}: Plain<{PANELS[panel['type']]}> = {options};")
        if custom := panel["fieldConfig"]["defaults"].get("custom"):
            lines.append(f"export const custom{panel['id']}: Plain<GraphFieldConfig> = {json.dumps(custom)};")
    return "\n".join(lines)


def compiled(source: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """GRAFANA_SCHEMA: a folder with npm's @grafana/schema and typescript in its node_modules, as CI installs them."""
    packages = os.environ.get("GRAFANA_SCHEMA")
    if not packages or not shutil.which("node"):
        pytest.skip("GRAFANA_SCHEMA names no folder with npm's @grafana/schema and typescript")
    (folder / "node_modules").symlink_to(Path(packages) / "node_modules")
    (folder / "board.ts").write_text(source, encoding="utf-8")
    options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"]
    command = ["node", "node_modules/typescript/bin/tsc", *options, "board.ts"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_dashboard_is_of_grafanas_schema(tmp_path: Path) -> None:
    done = compiled(typed_board(), tmp_path)
    assert done.returncode == 0, done.stdout


def test_what_the_schema_does_not_have_is_found(tmp_path: Path) -> None:
    """The test of the test."""
    source = typed_board().replace('"colorMode": "value"', '"colorMode": "violet"')
    done = compiled(source.replace('"graphTooltip": 1', '"grafTooltip": 1'), tmp_path)
    assert "violet" in done.stdout
    assert "grafTooltip" in done.stdout


def test_the_stack_mounts_what_grafana_and_prometheus_read() -> None:
    services = yaml.safe_load((ROOT / "compose.yml").read_text())["services"]
    mounts = [one.split(":") for name in ("prometheus", "grafana") for one in services[name]["volumes"]]
    files = {target: ROOT / source for source, target, *_ in mounts if source.startswith("./")}
    assert all(path.exists() for path in files.values()), files
    (provider,) = yaml.safe_load((GRAFANA / "provisioning/dashboards/acervo.yml").read_text())["providers"]
    assert files[provider["options"]["path"]] == GRAFANA / "dashboards"
    assert files["/etc/grafana/provisioning"] == GRAFANA / "provisioning"
