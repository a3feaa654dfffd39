"""Each alert fires at its threshold and not just below, has a runbook, and asks for what the product tells."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deployment.rules import CASES, Case
from tests.services.servers import ROOT

ALERTS = ROOT / "deploy" / "alerts.yml"
RULES: dict[str, Any] = {
    rule["alert"]: rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]
}
RUNBOOKS = (ROOT / "docs" / "runbooks.md").read_text(encoding="utf-8")
PARTS = ("**What it means.**", "**Look at**", "**Do**")


def promtool(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """ACERVO_REQUIRE_PROMTOOL: its absence is a failure, as in CI, which installs it where it can."""
    program = shutil.which("promtool")
    if program is None:
        if os.environ.get("ACERVO_REQUIRE_PROMTOOL"):
            pytest.fail("promtool is not installed (Debian's package prometheus)")
        pytest.skip("promtool is not installed (Debian's package prometheus)")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def firing(case: Case, which: str) -> dict[str, Any]:
    """One of promtool's tests: whether it fires at the end of the series."""
    fires = [{"labels": "{}", "value": 1}] if which == "at" else []
    asked = f'count by () (ALERTS{{alertname="{case.alert}",alertstate="firing"}})'
    return {
        "name": f"{case.alert} {which} its threshold",
        "interval": case.step,
        "input_series": case.series(which),
        "promql_expr_test": [{"expr": asked, "eval_time": case.ends, "exp_samples": fires}],
    }


def written(folder: Path, case: Case, rule: dict[str, Any], *which: str) -> str:
    """A file of promtool's with the tests of one rule, which is alone in a file of its own: all would cost minutes."""
    alone, tests = folder / f"{case.alert}.yml", folder / f"{case.alert}.test.yml"
    alone.write_text(yaml.safe_dump({"groups": [{"name": "one", "rules": [rule]}]}))
    told = {
        "rule_files": [str(alone)],
        "evaluation_interval": case.step,
        "tests": [firing(case, one) for one in which],
    }
    tests.write_text(yaml.safe_dump(told))
    return str(tests)


def test_each_alert_fires_at_its_threshold_and_not_just_below(tmp_path: Path) -> None:
    done = promtool("test", "rules", *(written(tmp_path, one, RULES[one.alert], "below", "at") for one in CASES))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("threshold", "fails"), [(">= 61", "at"), (">= 59", "below")])
def test_a_rule_that_fires_too_late_or_too_early_is_found(threshold: str, fails: str, tmp_path: Path) -> None:
    """The test of the tests."""
    case = next(one for one in CASES if one.alert == "ErasureLate")
    rule = {**RULES["ErasureLate"], "expr": RULES["ErasureLate"]["expr"].replace(">= 60", threshold)}
    assert promtool("test", "rules", written(tmp_path, case, rule, fails)).returncode != 0


def test_the_rules_as_they_are_shipped_are_read() -> None:
    done = promtool("check", "rules", str(ALERTS))
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_case() -> None:
    assert [case.alert for case in CASES] == list(RULES)


def test_every_alert_has_a_runbook_and_a_summary() -> None:
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", RUNBOOKS, re.MULTILINE | re.DOTALL))
    assert list(sections) == list(RULES)
    for name, rule in RULES.items():
        assert rule["annotations"]["runbook"] == f"docs/runbooks.md#{name.lower()}"
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["labels"]["severity"] in ("page", "ticket", "review")
        assert [part for part in PARTS if part not in sections[name]] == [], name
