"""The words of an export are in the language of who asked for it, and a transcript names its sources."""

import zipfile
from typing import Any

import pytest
from django.utils import translation

from chat.leaving.exports import request_export
from chat.leaving.transcripts import markdown_sources
from chat.models import Export
from tests.factories import ConversationFactory, MessageFactory
from tests.people import People
from workers.jobs.export import export_next

pytestmark = pytest.mark.django_db


def entries_of(export: Export) -> dict[str, str]:
    export.refresh_from_db()
    with export.file.open("rb") as file, zipfile.ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.parametrize(
    ("language", "readme", "heading"),
    [("en", "What is yours in Acervo", "## Question"), ("es", "Lo que es tuyo", "## Pregunta")],
)
def test_an_export_speaks_the_language_of_who_asked_for_it(
    people: People, language: str, readme: str, heading: str
) -> None:
    MessageFactory(conversation=ConversationFactory(of=people.alice), role="user", content="What is due?")
    with translation.override(language):
        export = request_export(people.alice)
    with translation.override("es" if language == "en" else "en"):  # the worker's own
        assert export_next()
    found = entries_of(export)
    assert found["README.txt"].startswith(readme)
    assert heading in next(text for name, text in found.items() if name.endswith(".md"))


def test_an_export_that_was_asked_for_before_languages_were_kept_is_made_too(people: People) -> None:
    export = request_export(people.alice)
    Export.objects.update(language="")
    assert export_next()
    assert entries_of(export)["README.txt"].startswith("Lo que es tuyo")


def test_sources_have_a_heading_and_passages_of_one_place_a_line() -> None:
    def source(n: int, title: str, page: int | None = None) -> dict[str, Any]:
        return {"n": n, "title": title, "page": page}

    sources = [source(1, "Notes"), source(2, "Law", 3), source(3, "Notes"), source(4, "Law", 5), source(5, "", 9)]
    with translation.override("en"):
        said = markdown_sources(sources)
    lines = ["- [1], [3] Notes", "- [2] Law, p. 3", "- [4] Law, p. 5", "- [5] The document was deleted."]
    assert said.splitlines() == ["### Sources", "", *lines]
