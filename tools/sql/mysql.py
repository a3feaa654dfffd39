"""MySQL's and MariaDB's SQL: read as theirs, and run without a text between quotes.

What ends a text depends on a setting of the session there (NO_BACKSLASH_ESCAPES, ANSI_QUOTES), so texts and values go
as hexadecimal digits, which mean the same in every session. The driver binds no values either: it would write them
into the statement itself.
"""

from typing import Any

from sqlglot import TokenType, exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.generators.mysql import MySQLGenerator
from sqlglot.parsers.mysql import MySQLParser
from sqlglot.time import format_time

from tools.sql.statements import Scalar, SqlRefused

CHARSET = "_utf8mb4"


class MySQLAsRead(MySQL):
    """As `sqlglot` reads it, but that CAST(… AS CHAR) is one to a text, and NOW() the moment."""

    class Tokenizer(MySQL.Tokenizer):
        KEYWORDS = {**MySQL.Tokenizer.KEYWORDS, "CHAR": TokenType.VARCHAR}

    class Parser(MySQLParser):
        FUNCTIONS = {**MySQLParser.FUNCTIONS, "NOW": exp.CurrentTimestamp.from_arg_list}


class MySQLAsRun(MySQLAsRead):
    class Generator(MySQLGenerator):
        def literal_sql(self, expression: exp.Literal) -> str:
            return _digits(expression.this) if expression.is_string else super().literal_sql(expression)

        def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
            """A text that is cast to a text is one, and takes the collation of what it is compared with."""
            if expression.this.is_string and expression.to.this == exp.DType.TEXT:
                return self.sql(expression, "this")
            return super().cast_sql(expression, safe_prefix)

        def format_time(self, expression: exp.Expr, *mappings: Any) -> str | None:
            pattern = expression.args.get("format")
            if not (isinstance(pattern, exp.Literal) and pattern.is_string):
                return super().format_time(expression, *mappings)
            dialect = self.dialect
            return _digits(format_time(pattern.this, dialect.INVERSE_TIME_MAPPING, dialect.INVERSE_TIME_TRIE) or "")


def check_joins(tree: exp.Expr) -> None:
    """`sqlglot` would write a FULL JOIN as a UNION, which has fewer rows."""
    if any(one.side == "FULL" for one in tree.find_all(exp.Join)):
        raise SqlRefused("MySQL has no FULL JOIN.")


def _digits(text: str) -> str:
    return f"{CHARSET} x'{text.encode().hex()}'"


def value_in_place(value: Scalar) -> exp.Expr:
    if isinstance(value, str):
        return exp.Introducer(this=exp.var(CHARSET), expression=exp.HexString(this=value.encode().hex()))
    return exp.convert(value)
