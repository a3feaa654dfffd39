"""Where a planted word stands: every column of every table, every file under a folder."""

from collections.abc import Iterator
from pathlib import Path

from django.db import connection


def tables_with(word: str) -> dict[str, int]:
    """Rows that hold the word, by `table.column`, of all columns that can hold text, whoever's table it is."""
    with connection.cursor() as cursor:
        names = connection.introspection.django_table_names(only_existing=True, include_views=False)
        found = {}
        for table in sorted(names):
            cursor.execute(f"SELECT * FROM {table} LIMIT 0")
            for name in [column[0] for column in cursor.description]:
                quoted = connection.ops.quote_name(name)
                cursor.execute(f"SELECT count(*) FROM {table} WHERE {said(quoted)} LIKE %s", [f"%{word}%"])
                if count := cursor.fetchone()[0]:
                    found[f"{table}.{name}"] = count
    return found


def said(column: str) -> str:
    """A column as text. What is kept as bytes are vectors and nothing else."""
    return f"CAST({column} AS TEXT)"


def files_with(word: str, folder: Path) -> list[str]:
    """Files under a folder whose bytes, or whose names, hold the word."""
    return [str(path.relative_to(folder)) for path in files_of(folder) if holds(path, word)]


def files_of(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def holds(path: Path, word: str) -> bool:
    return word in path.name or word.encode() in path.read_bytes()
