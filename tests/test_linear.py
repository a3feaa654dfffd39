"""What meets a stranger's text takes time in proportion to it (RELIABILITY R0): expressions, renderers, extractors."""

import ast
import gc
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.hostile_texts import OURS, PROBES, SHAPES, expressions_tested
from tests.imports import modules

TIMES = 4  # how much longer the second text is
MEASURED = 3  # times before it is believed: a machine that hesitates once does not do so again
MOST = 8.0  # times the time of the first
CLEARLY = 6.0  # the same, where it is measured once: a square would be sixteen
BENEATH_NOTICE = 0.025  # seconds: the square of 16,000 steps would take far more
CAP = 1.0  # seconds for the longer text
HANGS_AFTER = 10  # seconds of processor time
EXPRESSIONS = ("compile", "sub", "subn", "search", "match", "fullmatch", "findall", "finditer", "split")


class Hangs(Exception):
    pass


@contextmanager
def watched() -> Iterator[None]:
    """An expression that goes through all possibilities would never come back; it looks for signals now and then."""

    def give_up(*_: Any) -> None:
        raise Hangs

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, HANGS_AFTER)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def seconds(meet: Callable[[str], Any], text: str, tries: int = 1) -> float:
    """Of processor time; the best of so many tries."""
    best = float("inf")
    for _ in range(tries):
        started = time.thread_time()
        meet(text)
        best = min(best, time.thread_time() - started)
    return best


def grows_too_fast(meet: Callable[[str], Any], make: Callable[[int], str], size: int) -> str:
    """What is wrong; "" if nothing is. Only what is not clearly in proportion is measured more than once."""
    short, long = make(size), make(size * TIMES)
    try:
        with watched():
            seconds(meet, short)
            second = seconds(meet, long)
            if second < BENEATH_NOTICE or second <= min(CAP, CLEARLY * seconds(meet, short)):
                return ""
            for _ in range(MEASURED):
                first, second = seconds(meet, short, 4), seconds(meet, long, 2)
                if second <= BENEATH_NOTICE or (second <= CAP and second <= MOST * first):
                    return ""
    except Hangs:
        return f"more than {HANGS_AFTER} s"
    return f"{first * 1000:.1f} ms, then {second * 1000:.1f} ms"


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBES)
def test_four_times_the_text_takes_about_four_times_the_time(name: str) -> None:
    probe = PROBES[name]
    found = {shape: grows_too_fast(probe.meet, make, probe.size) for shape, make in SHAPES.items()}
    assert {shape: wrong for shape, wrong in found.items() if wrong} == {}


def test_the_square_of_a_text_would_be_found() -> None:
    assert grows_too_fast(lambda text: re.sub(" +$", "", text), SHAPES["  and a letter"], 4_000)


def test_what_never_ends_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_linear.HANGS_AFTER", 0.2)
    endless = re.compile(r"\[(?:\d{1,3}[, ]*)+\]")  # what read citations in 0.1.0: each digit doubled its time
    assert grows_too_fast(endless.search, SHAPES["digits in brackets"], 4_000).startswith("more than")


def test_every_expression_is_tested_or_meets_only_our_own_text() -> None:
    found = set(expressions())
    assert found - set(expressions_tested()) - OURS.keys() == set(), "give it a probe in tests/hostile_texts.py"
    assert {*expressions_tested(), *OURS} - found == set(), "it is no longer there"


def test_an_expression_is_found_wherever_it_stands() -> None:
    source = "A = re.compile('a')\nB: int = {k: re.compile(k) for k in 'ab'}\ndef f(x):\n    return re.sub('a', 'b', x)"
    assert list(expressions_in("m", ast.parse(source))) == ["m:A", "m:B", "m:f"]


def expressions() -> Iterator[str]:
    """Where the house has an expression, as `module:NAME` of what it is given to, else of the function around it."""
    for module in modules().values():
        yield from expressions_in(module.name, module.tree)


def expressions_in(module: str, tree: ast.AST, around: str = "") -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        name = name_of(node) or around
        if isinstance(node, ast.Call) and is_expression(node):
            yield f"{module}:{name}"
        yield from expressions_in(module, node, name)


def name_of(node: ast.AST) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return node.target.id if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else ""


def is_expression(call: ast.Call) -> bool:
    """Of `re`, a field that checks by one, or a look-up by one."""
    if any((keyword.arg or "").endswith(("__regex", "__iregex")) for keyword in call.keywords):
        return True
    function = call.func
    if not isinstance(function, ast.Attribute):
        return isinstance(function, ast.Name) and function.id in ("RegexField", "RegexValidator")
    is_of_re = isinstance(function.value, ast.Name) and function.value.id == "re" and function.attr in EXPRESSIONS
    return is_of_re or function.attr in ("RegexField", "RegexValidator")
