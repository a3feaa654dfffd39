"""SQL is read, never trusted: from somebody's text to a statement of our own that can read what is allowed alone.

Three walls, each of which holds by itself against most attacks:

1. what a statement is made of is on a list (`allowed`), node by node;
2. every table is replaced by a reading of its allowed columns, in which what is masked is a constant: so nothing that
   is done with the row (a star, the row as a document, a join on all columns of one name) meets anything else;
3. what is run is rendered from the tree. Comments, quoting and encodings of the text end here.

The engines have walls of their own behind these (`tools.engines`).
"""

import hashlib
import logging
import re
from collections.abc import Iterator, Mapping

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import DialectType
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.optimizer.qualify import qualify

from tools.sql.allowed import ANY_PARTS, CLAUSES, NAMED, NODES, ROOTS, TYPES
from tools.sql.binding import bind
from tools.sql.mysql import MySQLAsRead, MySQLAsRun, check_joins
from tools.sql.readings import fold_ascii, name_tables, put_readings
from tools.sql.size import check_repeating, check_size
from tools.sql.statements import ReadableStatement, Scalar, SqlRefused, Tables

MOST_CHARACTERS, MOST_OFFSET, MOST_RENDERED = 10_000, 1_000_000, 3_000_000
READ_AS: dict[str, DialectType] = {"mysql": MySQLAsRead}
RUN_AS: dict[str, DialectType] = {"mysql": MySQLAsRun}
RUN_COMMENT = re.compile(r"/\*M?!")  # MySQL and MariaDB run what stands in such a comment
CAPITALS_DO_NOT_MATTER = ("duckdb", "sqlite")
WORD = re.compile(r"[A-Za-z_]{0,40}|CURRENT ROW")

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # its warnings quote the statement


def read_sql(
    sql: str, dialect: str, tables: Tables, values: Mapping[str, Scalar] | None = None, most_rows: int = 1_000
) -> ReadableStatement:
    """The statement that is run in the place of `sql`: one SELECT over `tables`, of at most `most_rows` and one more,
    by which a caller sees that there are others. Raises SqlRefused."""
    tree = parse_query(sql, dialect)
    check_size(tree)
    _check(tree)
    if dialect == "mysql":
        check_joins(tree)
    _limit(tree, most_rows + 1)
    try:
        fingerprint = _fingerprint(tree, dialect)
        name_tables(tree, tables)
        schema, is_folded = _schema(tables, dialect), dialect in CAPITALS_DO_NOT_MATTER
        named = {fold_ascii(one): one for one in (*_column_names(tables), *(one.alias_or_name for one in tree.selects))}
        tree = qualify(tree, dialect=dialect, schema=schema, expand_stars=True, validate_qualify_columns=True)
        _check(tree)  # what names were resolved to: a row as a whole is a kind of its own
        check_repeating(tree)
        _check_names(tree)
        if is_folded:
            _name_as_written(tree, named)
        read = put_readings(tree, tables, is_folded)
        bound = bind(tree, dialect, values or {})
        run_as = RUN_AS.get(dialect, dialect)
        rendered = tree.sql(dialect=run_as, comments=False, unsupported_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise SqlRefused("The statement names what is not there: %(names)s", names=_first_line(error)) from None
    except SqlRefused:
        raise
    except Exception:
        raise SqlRefused("The statement cannot be resolved.") from None
    if len(rendered) > MOST_RENDERED:
        raise SqlRefused("The statement is too long once it is written out.")
    return ReadableStatement(rendered, bound, fingerprint, read)


def parse_query(sql: str, dialect: str) -> exp.Query:
    """One SELECT, of which nothing else is known yet. Raises SqlRefused."""
    if len(sql) > MOST_CHARACTERS:
        raise SqlRefused("The statement has more than %(most)d characters.", most=MOST_CHARACTERS)
    if not sql.isprintable() and set(filter(lambda one: not one.isprintable(), sql)) - set("\n\r\t"):
        raise SqlRefused("The statement has characters that cannot be seen.")
    if dialect == "mysql" and RUN_COMMENT.search(sql):
        raise SqlRefused("A comment is for people alone, and does not begin with an exclamation mark.")
    read_as = READ_AS.get(dialect, dialect)
    try:
        found = [one for one in sqlglot.parse(sql, read=read_as, error_level=ErrorLevel.RAISE) if one is not None]
    except SqlglotError as error:
        raise SqlRefused("This is no SQL of %(dialect)s: %(why)s", dialect=dialect, why=_first_line(error)) from None
    except Exception:  # the parser stumbles over what nobody has thought of (IndexError, RecursionError)
        raise SqlRefused("This is no SQL of %(dialect)s.", dialect=dialect) from None
    if len(found) != 1 or not isinstance(found[0], ROOTS):
        raise SqlRefused("Write one SELECT and nothing else.")
    root: exp.Query = found[0]
    return root


def _first_line(error: Exception) -> str:
    text = str(error).partition("\n")[0]
    return "".join(one for one in text if one.isprintable()).replace("\x1b", "")[:200]


def _check(tree: exp.Expr) -> None:
    """Every node is of a kind that is allowed and has allowed parts alone."""
    for node in tree.walk():
        if type(node) not in NODES:
            raise _not_allowed(node)
        if type(node) not in ANY_PARTS:
            _check_parts(node)
        if type(node) not in NAMED:
            _check_words(node)


def _check_words(node: exp.Expr) -> None:
    """What is a word to the parser (a unit of time, a side of a join) is rendered as it is: it must be one."""
    for part in node.args.values():
        if isinstance(part, str) and not WORD.fullmatch(part):
            raise SqlRefused("This is not allowed here: %(name)s.", name=type(node).__name__)


def _check_parts(node: exp.Expr) -> None:
    used = {name for name, part in node.args.items() if part not in (None, False, [], "")}
    if unknown := used - CLAUSES[type(node)]:
        raise _not_allowed(node, ", ".join(sorted(unknown)).strip("_"))
    if isinstance(node, exp.Select) and not node.expressions:
        raise SqlRefused("Write one SELECT and nothing else.")
    if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
        raise SqlRefused("Rows come from tables, not from functions.")
    if isinstance(node, exp.DataType) and node.this not in TYPES:
        raise SqlRefused("A value can be cast to numbers, text, dates and times alone.")
    if isinstance(node, exp.Replace):
        _check_replacement(node)
    if isinstance(node, exp.With) and node.parent and node.parent.parent is not None:
        raise SqlRefused("WITH stands at the beginning of the statement.")


def _check_replacement(node: exp.Replace) -> None:
    """By texts that stand there, the second no longer than the first: so no value grows."""
    said = (node.expression, node.args.get("replacement"))
    texts = [str(one.this) for one in said if isinstance(one, exp.Literal) and one.is_string]
    sizes = [(len(one), len(one.encode())) for one in texts]
    if len(texts) < 2 or any(new > old for old, new in zip(*sizes, strict=True)):
        raise SqlRefused("REPLACE has two texts between quotes, and the second is not longer than the first.")


def _column_names(tables: Tables) -> Iterator[str]:
    return (column.name for table in tables for column in table.columns)


def _name_as_written(tree: exp.Query, named: Mapping[str, str]) -> None:
    """The answer's columns, which resolving has folded, and where they are spoken of (in ORDER BY): as the statement
    calls them, else as the table does."""
    order = tree.args.get("order")
    spoken = [one for one in order.find_all(exp.Column) if not one.table] if order else []
    for one in (*tree.selects, *spoken):
        if one.alias_or_name in named:
            name = exp.to_identifier(named[one.alias_or_name], quoted=True)
            one.set("alias" if isinstance(one, exp.Alias) else "this", name)


def _check_names(tree: exp.Expr) -> None:
    """A name that was not resolved (in HAVING and ORDER BY) is that of a result's column, or of nothing."""
    aliases = {one.alias for select in tree.find_all(exp.Select) for one in select.expressions}
    if unknown := {one.name for one in tree.find_all(exp.Column) if not one.table} - aliases:
        raise SqlRefused("The statement names what is not there: %(names)s", names=", ".join(sorted(unknown))[:200])


def _not_allowed(node: exp.Expr, parts: str = "") -> SqlRefused:
    """By the name that whoever wrote it would call it by."""
    if isinstance(node, exp.Anonymous):
        name = "".join(one for one in str(node.this) if one.isalnum() or one == "_")[:60]
    else:
        name = node.sql_name() if isinstance(node, exp.Func) else type(node).__name__
    if parts:
        return SqlRefused("This is not allowed here: %(name)s with %(parts)s.", name=name, parts=parts)
    if isinstance(node, exp.Func):
        return SqlRefused("This is not allowed here: the function %(name)s.", name=name)
    return SqlRefused("This is not allowed here: %(name)s.", name=name)


def _limit(tree: exp.Query, most: int) -> None:
    """At most so many rows, whatever was asked for; numbers alone, so that none is computed."""
    for node in tree.find_all(exp.Limit, exp.Offset):
        said = node.expression
        if not (isinstance(said, exp.Literal) and said.is_int and int(said.this) <= MOST_OFFSET):
            raise SqlRefused("LIMIT and OFFSET are whole numbers.")
    asked = tree.args.get("limit")
    rows = min(int(asked.expression.this), most) if asked else most
    tree.set("limit", exp.Limit(expression=exp.Literal.number(rows)))


def _schema(tables: Tables, dialect: str) -> dict[str, object]:
    nested: dict[str, dict[str, dict[str, str]]] = {}
    for table in tables:
        nested.setdefault(_quoted(table.schema, dialect), {})[_quoted(table.name, dialect)] = {
            _quoted(column.name, dialect): "unknown" for column in table.columns
        }
    return dict(nested)


def _quoted(name: str, dialect: str) -> str:
    """As a quoted name: one with a capital letter or a space is meant as it is written."""
    return exp.to_identifier(name, quoted=True).sql(dialect=dialect)


def _fingerprint(tree: exp.Expr, dialect: str) -> str:
    """Of the shape: constants and values are left out."""
    shape = tree.copy()
    for literal in list(shape.find_all(exp.Literal)):
        literal.replace(exp.Placeholder())
    return hashlib.sha256(shape.sql(dialect=dialect, comments=False).encode()).hexdigest()[:16]
