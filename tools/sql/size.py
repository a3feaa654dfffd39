"""How large a statement may be, before and after it is resolved: the resolving of a small one can make a huge one."""

from collections.abc import Iterator

from sqlglot import exp

from tools.sql.statements import SqlRefused

MOST_NODES, DEEPEST, MOST_TABLES, MOST_WITH_ALIASES, MOST_REPEATING = 800, 40, 16, 3_000, 3
# Of what these are made of, one dialect or another writes a part several times: within one another, each time more.
REPEATING = (
    exp.DateTrunc, exp.TimestampTrunc, exp.DateDiff, exp.StrPosition, exp.Initcap, exp.Ceil, exp.Floor, exp.Ordered,
)  # fmt: skip


def check_size(tree: exp.Expr) -> None:
    """Raises SqlRefused for what would take long to resolve. Measured in tools/tests/test_sql_gate.py."""
    if sum(1 for _ in tree.walk()) > MOST_NODES:
        raise SqlRefused("The statement is too long.")
    if max(_depths(tree)) > DEEPEST:
        raise SqlRefused("The statement is nested too deeply.")
    if sum(1 for _ in tree.find_all(exp.Table)) > MOST_TABLES:
        raise SqlRefused("The statement names more than %(most)d tables.", most=MOST_TABLES)
    _check_aliases(tree)
    check_repeating(tree)


def check_repeating(tree: exp.Expr) -> None:
    """Also for what names were resolved to. Thirty DATE_TRUNC within one another would be written 2^30 times."""
    waiting = [(tree, 0)]
    while waiting:
        node, around = waiting.pop()
        around += isinstance(node, REPEATING)
        if around > MOST_REPEATING:
            raise SqlRefused(
                "More than %(most)d roundings, searches or orders lie within one another.", most=MOST_REPEATING
            )
        waiting.extend((one, around) for one in node.iter_expressions())


def _depths(tree: exp.Expr) -> Iterator[int]:
    """How deep each leaf lies, without recursion."""
    waiting = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        yield depth
        waiting.extend((one, depth + 1) for one in node.iter_expressions())


def _check_aliases(tree: exp.Expr) -> None:
    """An alias that is used elsewhere is replaced by what it stands for: of one that is made of others, which are made
    of others, thirty would become a thousand million nodes."""
    sizes: dict[str, int] = {}
    for select in tree.find_all(exp.Select):
        named = {one.alias.lower(): one for one in select.expressions if isinstance(one, exp.Alias)}
        for name, aliased in named.items():
            sizes[name] = max(sizes.get(name, 0), sum(1 for _ in aliased.walk()))
            if used := {one.name.lower() for one in _bare(aliased)} & (set(named) - {name}):
                said = ", ".join(sorted(used))[:100]
                raise SqlRefused(
                    "Write the table before the column, or what the alias stands for: %(names)s.", names=said
                )
    if sum(sizes.get(one.name.lower(), 0) for one in _bare(tree)) > MOST_WITH_ALIASES:
        raise SqlRefused("The statement is too long with its aliases.")


def _bare(tree: exp.Expr) -> Iterator[exp.Column]:
    return (one for one in tree.find_all(exp.Column) if not one.table)
