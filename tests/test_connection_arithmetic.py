"""The tables of connections and of a year in docs/deploy.md add up, with the numbers that are shipped."""

import ast
import re
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml

from tests.test_docs import read_variables, shown_default

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = {"web processes": 50, "worker processes": 100, "beat": 1, "migrate": 1}


def rows() -> dict[str, str]:
    """What is counted, and how, in the order of the table."""
    text = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    section = text.split("\n### Connections\n", 1)[1].split("\n#", 1)[0]
    cells = (line.strip("|").split("|") for line in section.splitlines() if line.startswith("| "))
    return {what.strip(): how.strip() for what, how in list(cells)[1:] if "---" not in what}


def sums() -> list[str]:
    """Every `a × b = c` of the two tables."""
    text = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8").split("\n### Connections\n", 1)[1]
    tables = [line for line in text.split("\n## ", 1)[0].splitlines() if line.startswith("| ")]
    return [found for line in tables for found in re.findall(r"[\d(][\d.()×+/ ]* = [\d.]+", line)]


def shipped() -> dict[str, int]:
    pooler = ConfigParser(comment_prefixes=(";",))
    pooler.read(ROOT / "deploy" / "pgbouncer.ini")
    names = ("max_client_conn", "default_pool_size", "reserve_pool_size")
    postgres = " ".join(yaml.safe_load((ROOT / "compose.yml").read_text())["services"]["postgres"]["command"])
    found = re.search(r"max_connections=(\d+)", postgres)
    pool = shown_default(read_variables()["DATABASE_POOL"])
    assert found
    assert pool
    return {
        **{name: int(pooler["pgbouncer"][name]) for name in names},
        "max_connections": int(found[1]),
        "pool": int(pool.strip("`")),
    }


def value(expression: str) -> float:
    tree = ast.parse(expression.replace("×", "*"), mode="eval")
    assert all(isinstance(node, ast.Expression | ast.BinOp | ast.Constant | ast.operator) for node in ast.walk(tree))
    return float(eval(compile(tree, "deploy.md", "eval")))


@pytest.mark.parametrize("said", sums())
def test_each_line_is_right(said: str) -> None:
    left, _, right = said.partition(" = ")
    assert value(left) == pytest.approx(value(right), rel=0.005)


def test_the_sums_are_those_of_the_lines_above_them() -> None:
    for party, limit in (("PgBouncer", "max_client_conn"), ("PostgreSQL", "max_connections")):
        parts = [how.rpartition(" = ")[2] for what, how in rows().items() if what.startswith(f"to {party}:")]
        (total,) = (how for what, how in rows().items() if what.startswith(f"to {party}, of `{limit}`"))
        assert total.partition(" = ")[0].split(" + ") == parts
        assert value(total.rpartition(" = ")[2]) <= shipped()[limit]
        assert f"of `{limit}` {shipped()[limit]}" in "".join(rows())


def test_the_numbers_are_those_that_are_shipped() -> None:
    found, ours = rows(), shipped()
    for name, count in PROCESSES.items():
        (how,) = (how for what, how in found.items() if name in what.replace("`", "") and " × " in how)
        assert how.startswith(f"{count} × {ours['pool']} = "), name
    assert found["to PostgreSQL: PgBouncer's, with its reserve"].startswith(
        f"{ours['default_pool_size']} + {ours['reserve_pool_size']} = "
    )
    busy = value(found["busy at once, of 40"].rpartition(" = ")[2])
    assert busy <= ours["default_pool_size"] == 40


def test_every_process_of_the_stack_goes_through_the_pooler() -> None:
    compose = yaml.safe_load((ROOT / "compose.yml").read_text())
    pooler = ConfigParser(comment_prefixes=(";",))
    pooler.read(ROOT / "deploy" / "pgbouncer.ini")
    port = pooler["pgbouncer"]["listen_port"]
    assert f"@pgbouncer:{port}/" in compose["x-app"]["environment"]["DATABASE_URL"]
    assert "@postgres:5432/" in compose["services"]["migrate"]["environment"]["DATABASE_OWNER_URL"], "past the pooler"
    assert pooler["pgbouncer"]["pool_mode"] == "transaction"
    assert "jit=off" in compose["services"]["postgres"]["command"], "which the pooler does not pass on"
