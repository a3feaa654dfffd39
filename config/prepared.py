"""Querysets whose SQL is made once: the same conditions, without building and compiling them for every question.

What is kept is the statement, never a row: each call asks the database anew (SPEC §2.3). Measured (CPU, SQLite):

                          built each time   prepared
    membership of a key   0.45 ms           0.10 ms
    scope of an agent     0.63 ms           0.04 ms
    16 chunks confirmed   0.94 ms           0.20 ms
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID, uuid4

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import QuerySet

Row = TypeVar("Row")
Value = UUID | str | Sequence[UUID]
Shape = tuple[tuple[str, int], ...]  # by name: the length of a list of UUIDs, ONE_UUID or ONE_TEXT
ONE_UUID, ONE_TEXT = -1, -2
STATEMENTS = 512  # kept; a list of another length makes another statement


class _Place(NamedTuple):
    """Where a parameter's value comes from: the caller's value of this name, or this one of its list."""

    name: str
    position: int


class _Statement(NamedTuple):
    queryset: QuerySet[Any, Any]
    compiler: Any
    sql: str
    parameters: tuple[Any, ...]


class Prepared(Generic[Row]):
    """`Prepared(build)(**values)` is `list(build(**values))`. Safe to share between threads.

    `build` is called with random stand-ins of the same kinds, so it may only hand its values to conditions as they
    are, and may ask for nothing else that changes, such as the time.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        self._build = build

    def __call__(self, **values: Value) -> list[Row]:
        """The rows. Raises TypeError for a value that is neither a UUID, a text nor a sequence of UUIDs."""
        statement = _statement(self._build, tuple((name, _kind(value)) for name, value in values.items()))
        return _rows(statement, values) if statement else []


def _kind(value: Value) -> int:
    if isinstance(value, UUID):
        return ONE_UUID
    if isinstance(value, str):
        return ONE_TEXT
    if isinstance(value, Sequence):
        return len(value)
    raise TypeError(f"{type(value).__name__} cannot be put into a prepared statement")


@lru_cache(maxsize=STATEMENTS)
def _statement(build: Callable[..., QuerySet[Any, Any]], shape: Shape) -> _Statement | None:
    """The compiled query with places instead of the stand-ins; None when nothing can meet its conditions."""
    stand_ins = {name: _stand_in(kind) for name, kind in shape}
    queryset = build(**stand_ins)
    compiler = queryset.query.get_compiler(using=queryset.db)
    try:
        sql, parameters = compiler.as_sql()
    except EmptyResultSet:  # an empty list of ids
        return None
    places = {
        one: _Place(name, position)
        for name, bound in _bound(stand_ins, queryset.db).items()
        for position, one in enumerate(bound)
    }
    converters = compiler.get_converters([column for column, *_ in compiler.select])
    compiler.get_converters = lambda _columns: converters  # which Django looks up for every column of every query
    return _Statement(queryset, compiler, sql, tuple(_place(one, places) for one in parameters))


def forget_statements() -> None:
    """Compile everything anew: for tests that change what querysets are made of."""
    _statement.cache_clear()


def _stand_in(kind: int) -> Any:
    if kind == ONE_UUID:
        return uuid4()
    return uuid4().hex + uuid4().hex if kind == ONE_TEXT else [uuid4() for _ in range(kind)]


def _place(parameter: Any, places: Mapping[Any, _Place]) -> Any:
    return places.get(parameter, parameter) if isinstance(parameter, UUID | str) else parameter


def _rows(statement: _Statement, values: Mapping[str, Value]) -> list[Any]:
    """What Django does to evaluate a queryset, with the SQL at hand instead of compiled."""
    queryset, compiler, sql, parameters = statement
    bound = _bound(values, queryset.db)
    filled = tuple(bound[one.name][one.position] if isinstance(one, _Place) else one for one in parameters)
    mine = _copy(compiler)
    mine.connection = connections[queryset.db]  # each thread has its own
    mine.as_sql = lambda *_args, **_options: (sql, filled)
    query = _copy(queryset.query)
    query.get_compiler = lambda *_args, **_options: mine
    asked = _copy(queryset)
    asked._query = query
    return list(asked._iterable_class(asked))


def _bound(values: Mapping[str, Value], database: str) -> Mapping[str, Sequence[UUID | str]]:
    """Every value as a list, each as Django's UUID field binds it: SQLite has no type for it."""
    lists: Mapping[str, Sequence[UUID | str]] = {
        name: [value] if isinstance(value, UUID | str) else value for name, value in values.items()
    }
    if connections[database].features.has_native_uuid_field:
        return lists
    return {name: [one.hex if isinstance(one, UUID) else one for one in listed] for name, listed in lists.items()}


def _copy(original: Any) -> Any:
    """A shallow copy; Django's own clones what is inside, too, which costs more than what is saved here."""
    made = object.__new__(type(original))
    made.__dict__.update(original.__dict__)
    return made
