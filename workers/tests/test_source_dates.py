"""The date of a source as requirement and as preference, edited without embedding anything (SPEC §4, "Filters")."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from corpora.descriptions import describe
from corpora.models import Document
from retrieval.results import RetrievalPolicy
from retrieval.search import retrieve
from tests.library import Library, upload
from workers.jobs import metadata

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_date_of_the_source_is_required_preferred_and_edited_without_embedding(
    library: Library, worker: Callable[[], int]
) -> None:
    for year in (2019, 2024):
        text = f"# Tarifas\n\nLas tarifas de la biblioteca del año {year} son gratuitas.\n"
        upload(library.loans, library.admin, f"{year}.md", text, source_date=date(year, 6, 1))
    assert worker() == 2

    def years(**policy: Any) -> list[str]:
        found = retrieve(
            "tarifas de la biblioteca", library.writer.scope_for(library.alicia), RetrievalPolicy(**policy)
        )
        return [str(one.source_date)[:4] for one in found.chunks if one.source_date]

    assert set(years()) == {"2019", "2024"}
    assert years(requirements={"source_date": ["2020.."]}) == ["2024"]
    assert years(requirements={"source_date": ["..2018", "2019"]}) == ["2019"]
    assert years(requirements=(("source_date", ["2019"]), ("source_date", ["2024"]))) == []
    assert years(preferences={"source_date": ["2019"]})[0] == "2019"
    assert years(preferences={"source_date": ["2024"]})[0] == "2024"
    older = Document.objects.get(filename="2019.md")
    assert describe(older, library.admin, source_date=date(2024, 1, 1))
    assert metadata.copy_next(), "what the worker does with the signal"
    assert years(requirements={"source_date": ["2024"]}) == ["2024", "2024"]
