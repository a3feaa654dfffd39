"""What a question names, and how much of it is in scope: for the answer to speak of, and for its confidence. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """Titles and headings as the documents have them; what is missing as the question names it.

    `documents` are those in scope that it names clearly, `places` the headings of the sections that it names, or in
    which a line does that begins with what was asked for. Without
    a document of its own name `missing_documents` is what it calls it, perhaps with words behind it, `missing_told` the
    names alone, each once, and `nearest` are titles in scope that share
    most with that; `missing_places` are not in the documents that were named, or in none. `is_sure` is False where
    several documents or sections may be meant. `shared_by`: the titles of the documents that have a place of which the
    question does not say whose it is, the likeliest first; none where its other words decide. `outline`: the headings
    of the section or the document of which the question wants to know what it is about. `blank_places`: of the missing
    places pages that are there without any text. `pages`: which ones the one document has that lacks a page ("1–36"),
    "" where it is not divided into pages; None where no page is missing in one document. Of pages `places` has
    `page_place`.
    """

    documents: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    missing_documents: tuple[str, ...] = ()
    missing_told: tuple[str, ...] = ()
    missing_places: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    is_sure: bool = True
    shared_by: tuple[str, ...] = ()
    outline: tuple[str, ...] = ()
    blank_places: tuple[str, ...] = ()
    pages: str | None = None

    @property
    def is_missing(self) -> bool:
        """Whether something that was asked for by name is not in scope."""
        return bool(self.missing_documents or self.missing_places)


NOTHING_NAMED = Named()
