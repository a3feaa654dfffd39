"""What is said where no answer can be given: why, what stands nearest, and what to do instead, in the question's
language. An outage is told as one, never as if the documents said nothing."""

from collections.abc import Callable, Mapping, Sequence

from django.utils.translation import gettext, override

from agents.llm import EXTRACTIVE, resolve
from agents.models import Agent
from chat.citing.matching import without_addresses
from chat.citing.support import Quote, page_told
from chat.understanding.courtesies import is_courtesy
from retrieval.confidence.gate import Gate
from retrieval.context.narrowing import cited_text
from retrieval.context.snippets import snippet
from retrieval.places.named import Named
from retrieval.results import Retrieval, RetrievedChunk
from retrieval.text.stems import has_subject

QUOTE_WIDTHS = (600, 400, 300)  # characters: the nearest is most often the one that says it
Quotes = Mapping[int, Sequence[Quote | None]]  # of each number, as `sentences_behind` tells them
_MARKS = str.maketrans("", "", '#*`|<>[]«»"“”')


def nothing_behind(_cited: str) -> Quotes:
    """Where nobody can look: a passage is then on the page on which it begins."""
    return {}


def refusal_for(
    agent: Agent,
    retrieval: Retrieval,
    language: str,
    *,
    has_documents: bool = True,
    is_narrowed: bool = False,
    sentences: Callable[[str], Quotes] = nothing_behind,
) -> str:
    """Instead of asking a model; empty where one is to be asked. A strict agent says nothing without sufficient
    context, and the extractive answerer has nothing else to say.

    `is_narrowed`: the conversation looks at some documents only. `sentences` finds what stands behind the citations of
    a text, so that a quotation is told with the page that its citation has.
    """
    is_extractive = resolve(agent.model)[0] == EXTRACTIVE
    is_strict = agent.grounding == Agent.Grounding.STRICT and agent.uses_rag
    if retrieval.sufficient or not (is_strict or is_extractive):
        return ""
    with override(language):
        if retrieval.gate is Gate.DISABLED:
            return _unasked(retrieval.query) if is_extractive else ""
        if not has_documents:
            return _without_documents()
        said = [_why(retrieval, is_narrowed=is_narrowed)]
        if retrieval.chunks:
            said += [gettext("The nearest passages are:"), _nearest(retrieval, sentences)]
        return "\n\n".join([*said, _ways_on(retrieval, is_narrowed=is_narrowed)])


def refusal_of_calls(unanswered: Sequence[str], refusal: str, language: str) -> str:
    """The same where data or other services (by name, "" where none is known) were asked in vain."""
    if not unanswered:
        return refusal
    with override(language):
        if names := sorted({one for one in unanswered if one}):
            told = gettext("“%(names)s” could not be asked, or did not answer.") % {"names": _plain(names)}
        else:
            told = gettext("Some data could not be asked for, or did not come.")
        meant = gettext("That does not mean that there is nothing about it. Ask again; if it stays so, tell an admin.")
    return f"{told} {meant}\n\n{refusal}"


def _unasked(question: str) -> str:
    if is_courtesy(question):
        return gettext("Ask me what you want to know: I look it up in your documents and quote what they say.")
    return gettext(
        "I answer without searching documents, and no language model is configured here, so I cannot answer. Ask an "
        "agent that reads documents, or an admin to configure a model."
    )


def _without_documents() -> str:
    return gettext(
        "No documents are assigned to me that you can read, so there is nothing that I could answer from. Assign me a "
        "corpus, or ask another agent."
    )


def _why(retrieval: Retrieval, *, is_narrowed: bool) -> str:
    if retrieval.degraded == "index_unavailable":
        return gettext(
            "I could not search your documents: the search index does not answer at the moment. That does not mean "
            "that they say nothing about it."
        )
    if retrieval.gate is Gate.DEGRADED:
        return gettext(
            "I could search your documents by their words alone, because the embedding server does not answer at the "
            "moment, and that found too little. It does not mean that they say nothing about it."
        )
    if retrieval.named.is_missing:
        return _missing(retrieval.named)
    if not (has_subject(retrieval.query) or is_narrowed):
        return gettext("Your question does not say what it is about, so I cannot tell which passages answer it.")
    return gettext("I don't have enough information in your documents to answer that.")


def _missing(named: Named) -> str:
    """What was asked for by its name and is not there, and what there is in its place."""
    if named.missing_documents:
        said = gettext("“%(names)s” is not among your documents, so I cannot say what it says.")
        sentences = [said % {"names": _plain(named.missing_told or named.missing_documents)}]
    else:
        documents = _plain(named.documents) or gettext("your documents")
        sentences = _of_places(named, documents)
    if others := [title for title in named.nearest if title not in named.documents]:
        sentences.append(gettext("What is there and comes nearest: %(titles)s.") % {"titles": _plain(others)})
    return " ".join(sentences)


def _of_places(named: Named, documents: str) -> list[str]:
    """Of pages also which there are; one that is there without text is not told as missing."""
    blank = [one for one in named.missing_places if one in named.blank_places]
    gone = [one for one in named.missing_places if one not in named.blank_places]
    sentences = []
    if gone:
        said = gettext("There is no “%(names)s” in %(documents)s.")
        sentences.append(said % {"names": _plain(gone), "documents": documents})
        if named.pages:
            sentences.append(gettext("It has the pages %(pages)s.") % {"pages": named.pages})
        elif named.pages is not None:
            sentences.append(gettext("It is not divided into pages."))
    if blank:
        said = gettext("“%(names)s” in %(documents)s has no text.")
        sentences.append(said % {"names": _plain(blank), "documents": documents})
    return sentences


def _plain(names: Sequence[str]) -> str:
    return ", ".join(_unmarked(name).rstrip(".") for name in names)


def _unmarked(text: str) -> str:
    """On one line without what Markdown would read as marks; "_" within a word is none: "plan_2024"."""
    return " ".join(word.strip("_") for word in text.translate(_MARKS).split())


def _ways_on(retrieval: Retrieval, *, is_narrowed: bool) -> str:
    if retrieval.gate is Gate.DEGRADED:
        return gettext("Ask again in a minute; if it stays so, tell an admin.")
    ways = [gettext("Ask in other words, or name the document that should say it; another agent may read others.")]
    if is_narrowed:
        ways.insert(0, gettext("This conversation looks at some documents only: let it look at all of them."))
    return " ".join(ways)


def _nearest(retrieval: Retrieval, sentences: Callable[[str], Quotes]) -> str:
    """A line of Markdown for each. The number stands behind the quotation: that is what the passage is cited for, not
    where it is found."""
    nearest = retrieval.chunks[: len(QUOTE_WIDTHS)]
    told = [_said(one, retrieval.query, width) for one, width in zip(nearest, QUOTE_WIDTHS, strict=False)]
    quoted = [f"- «{one}» [{n}]" for n, one in enumerate(told, 1)]
    behind = sentences("\n".join(quoted))
    places = [_place(one, behind.get(n, ())) for n, one in enumerate(nearest, 1)]
    return "\n".join(f"{line} — {place}" for line, place in zip(quoted, places, strict=True))


def _said(passage: RetrievedChunk, question: str, width: int) -> str:
    """Of what is cited, without its own marks, which would set the line otherwise."""
    return _unmarked(snippet(question, without_addresses(cited_text(passage)), width))


def _place(passage: RetrievedChunk, quotes: Sequence[Quote | None]) -> str:
    quote = next((one for one in quotes if one), None)
    page = page_told(quote["page"], quote.get("page_label", "")) if quote else page_told(passage.page)
    place = _unmarked(" › ".join(dict.fromkeys((passage.title, *passage.heading_path))))
    return f"{place}, {page}" if page else place
