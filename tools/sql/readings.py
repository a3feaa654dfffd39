"""Tables of a statement: each is one that may be read, and is replaced by a reading of what may be read of it."""

from sqlglot import exp

from tools.sql.statements import ReadableColumn, ReadableTable, SqlRefused, Tables

MASK = "•••"
OWN = "acervo_"  # names that we give; a table of the source that is called so cannot be asked for


def name_tables(tree: exp.Query, tables: Tables) -> None:
    """Give every table its schema and its name as it is kept; every part of WITH a name of ours.

    A part of WITH is visible from the part after it on, and not in itself: what has its name before that is a table.
    So is what is left over: it is looked for among those that may be read, and refused if it is not there.
    """
    with_ = tree.args.get("with_")
    renamed: dict[str, str] = {}
    for n, part in enumerate(with_.expressions if with_ else (), 1):
        _name_within(part.this, tables, renamed)
        called = _folded(part.args["alias"].this)
        if called in renamed:
            raise SqlRefused("Two parts of WITH are called %(name)s.", name=called)
        renamed[called] = f"{OWN}{n}"
        part.args["alias"].set("this", exp.to_identifier(renamed[called], quoted=True))
    _name_within(tree, tables, renamed, besides=with_)


def _name_within(tree: exp.Expr, tables: Tables, renamed: dict[str, str], besides: exp.With | None = None) -> None:
    for table in list(tree.find_all(exp.Table)):
        if besides and table.find_ancestor(exp.With) is besides:
            continue
        called = table.this
        alias = table.args.get("alias") or exp.TableAlias(this=called.copy())
        if not table.args.get("db") and _folded(called) in renamed:
            named = exp.Table(this=exp.to_identifier(renamed[_folded(called)], quoted=True), alias=alias)
        else:
            found = _found(table, tables)
            schema, name = (exp.to_identifier(one, quoted=True) for one in (found.schema, found.name))
            named = exp.Table(this=name, db=schema, alias=alias)
        table.replace(named)


def _found(table: exp.Table, tables: Tables) -> ReadableTable:
    """The table that a statement means. Capitals do not matter: two whose names differ in them alone are ambiguous."""
    schema = table.args.get("db")
    found = [
        one
        for one in tables
        if one.name.lower() == table.name.lower() and (schema is None or one.schema.lower() == schema.name.lower())
    ]
    exact = [one for one in found if one.name == table.name and (schema is None or one.schema == schema.name)]
    if len(exact or found) != 1:
        said = ", ".join(sorted({one.name for one in tables})[:50]) or "–"
        raise SqlRefused("There is no one table of this name that may be read. These may be: %(names)s.", names=said)
    return (exact or found)[0]


def _folded(name: exp.Expr) -> str:
    return name.name.lower()


def fold_ascii(name: str) -> str:
    """As DuckDB and SQLite compare names, and `sqlglot` resolves them there."""
    return name.encode().lower().decode()


def put_readings(tree: exp.Expr, tables: Tables, is_folded: bool) -> tuple[ReadableTable, ...]:
    """In the place of each table a query of its allowed columns; then no table is left that is not in one. Which these
    were, each once. `is_folded`: the names of what was resolved were."""
    read: dict[ReadableTable, None] = {}
    for table in list(tree.find_all(exp.Table)):
        if not table.args.get("db"):
            if not table.name.startswith(OWN):
                raise SqlRefused("A table has no place among those that may be read.")
            continue
        found = _found(table, tables)  # anew: where capitals do not matter, resolving has folded its name
        read[found] = None
        table.replace(exp.Subquery(this=_reading(found, is_folded), alias=table.args["alias"].copy()))
    return tuple(read)


def _reading(table: ReadableTable, is_folded: bool) -> exp.Select:
    name, schema = (exp.to_identifier(one, quoted=True) for one in (table.name, table.schema))
    return exp.Select(
        expressions=[_read(column, is_folded) for column in table.columns],
        from_=exp.From(this=exp.Table(this=name, db=schema)),
    )


def _read(column: ReadableColumn, is_folded: bool) -> exp.Expr:
    name = fold_ascii(column.name) if is_folded else column.name
    read: exp.Expr = exp.Column(this=exp.to_identifier(column.name, quoted=True))
    if column.is_masked:
        read = exp.Cast(this=exp.Literal.string(MASK), to=exp.DataType.build("text"))
    elif name == column.name:
        return read
    return exp.Alias(this=read, alias=exp.to_identifier(name, quoted=True))
