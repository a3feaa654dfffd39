"""Reads source code for queries that look rows up by a bare id instead of through a scope (DESIGN.md).

A query of a tenant's model is guarded when its chain has a scope verb, when it only makes rows, or when what it
filters by is a row in hand: `filter(pk=corpus.pk)`, `filter(organization=membership.organization)`. What a client may
have sent (`pk=pk`, `corpus_id=self.kwargs["pk"]`, `token_hash=…`) is not.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SCOPE_VERBS = frozenset(
    {
        "readable_by",
        "writable_by",
        "in_scope",
        "owned_by",
        "visible_to",
        "usable_by",
        "in_organization_of",
        "in_trash_of",
    }
)
MAKERS = frozenset({"create", "bulk_create", "get_or_create", "none"})
MANAGERS = frozenset({"objects", "_default_manager", "_base_manager"})
SHORTCUTS = frozenset({"get_object_or_404", "get_list_or_404"})


@dataclass(frozen=True, slots=True)
class Lookup:
    """An unguarded query: where, and its text from the model on."""

    module: str
    line: int
    text: str


def unguarded(source: str, module: str, models: frozenset[str]) -> Iterator[Lookup]:
    tree = ast.parse(source)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        found = chain_of(node, parents, models) or shortcut_on_a_model(node, models)
        if found is not None and not is_guarded(found):
            yield Lookup(module, found.lineno, ast.unparse(found))


def chain_of(node: ast.AST, parents: dict[ast.AST, ast.AST], models: frozenset[str]) -> ast.expr | None:
    """The whole chain of calls that begins at `Model.objects`."""
    if not (isinstance(node, ast.Attribute) and node.attr in MANAGERS and names_a_model(node.value, models)):
        return None
    top: ast.expr = node
    while (parent := parents.get(top)) is not None:
        if not (isinstance(parent, ast.Attribute) or (isinstance(parent, ast.Call) and parent.func is top)):
            break
        assert isinstance(parent, ast.expr)
        top = parent
    return top


def names_a_model(node: ast.expr, models: frozenset[str]) -> bool:
    """`Corpus`, `models.Corpus`, and `Project.corpora.through`."""
    named = ast.unparse(node)
    return named.rpartition(".")[2] in models or named.endswith(".through")


def shortcut_on_a_model(node: ast.AST, models: frozenset[str]) -> ast.expr | None:
    """`get_object_or_404(Corpus, pk=pk)`: Django then asks the model's own manager."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SHORTCUTS:
        return node if node.args and names_a_model(node.args[0], models) else None
    return None


def is_guarded(chain: ast.expr) -> bool:
    calls = [node for node in ast.walk(chain) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    verbs = {node.func.attr for node in calls if isinstance(node.func, ast.Attribute)}
    if verbs & (SCOPE_VERBS | MAKERS):
        return True
    filters = [node for node in calls if isinstance(node.func, ast.Attribute) and node.func.attr in ("filter", "get")]
    return any(is_row_in_hand(keyword) for node in filters for keyword in node.keywords)


def is_row_in_hand(keyword: ast.keyword) -> bool:
    """`corpus=corpus`, or a row's own key: `pk=corpus.pk`, `organization_id=membership.organization_id`."""
    name, value = keyword.arg or "", keyword.value
    if isinstance(value, ast.Name):
        return value.id == name and name not in ("pk", "id") and not name.endswith("_id")
    if isinstance(value, ast.Attribute):
        return value.attr in ("pk", "organization") or value.attr.endswith("_id")
    return False


def sources(root: Path, apps: tuple[str, ...], left_out: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """(path, source) of every module of these apps, but for tests, migrations and what is called as in `left_out`."""
    for app in apps:
        for path in sorted((root / app).rglob("*.py")):
            if not {"tests", "migrations", *left_out}.intersection((*path.relative_to(root).parts[1:-1], path.stem)):
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
