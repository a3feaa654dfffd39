"""Answers without a language model: the sentences of the sources that answer the question (SPEC §6)."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from itertools import islice
from typing import NamedTuple

from agents.llm.base import DOUBTFUL, Completion, Finished, ModelRequest, Passage, StreamEvent, TextDelta, Usage
from agents.llm.quoting.announcing import ONE_THING
from agents.llm.quoting.asked_for.kinds import AMOUNTS, has_kind, kind_of_question, plainly_asked
from agents.llm.quoting.composing import cite, compose
from agents.llm.quoting.lacking import lacks_what_was_asked
from agents.llm.quoting.laid.layout import undressed
from agents.llm.quoting.quotable import title_shown, unmarked
from agents.llm.quoting.selecting import Chosen, opening_statements, select_statements, stands_out
from agents.llm.quoting.statements import Statement, statements_of
from retrieval.places.about import says_only_where
from retrieval.places.pages import page_place
from retrieval.places.source import without_source
from retrieval.text.asked_headings import question_name
from retrieval.text.lines.sentences import SENTENCE_END
from retrieval.text.stems import words

PRINTED = 5  # lines of a place that are told as they are
MOST_OUTLINED = 15  # headings
MOST_PLACES, SEVERAL = 4, 2  # that are quoted for one question
MOST_SHARED = 3  # documents that are quoted for one place
NEAREST = 2  # sentences that are shown where none answers
FEWEST_LETTERS = 16  # of an answer below its question
FEWEST_WORDS = 4  # of a heading that is a sentence
WORDS_PER_DELTA = 4
_LEADERS = " .…"  # behind a title in contents
_OTHER_COLUMNS = " .✓0123456789"  # behind a requirement: "… can change their password. ✓ ✓ 620 5.1.1.2"

# These speak in the question's language, which is not always the page's; hence no gettext.
INTRODUCTION = {
    "es": "*No soy un modelo de lenguaje: cito literalmente lo que dicen las fuentes.*",
    "en": "*I am not a language model: I quote what the sources say, word for word.*",
}
NEAREST_INTRODUCTION = {
    "es": "No he encontrado una frase que lo diga claramente. Lo más cercano que dicen los documentos:",
    "en": "I found no sentence that clearly says it. The nearest that the documents say:",
}
SHARED_INTRODUCTION = {
    "es": "Varios documentos tienen lo que se nombra, y la pregunta no dice en cuál. Esto dice cada uno:",
    "en": "Several documents have what is named, and the question does not say which one is meant. What each says:",
}
ALSO_IN = {"es": "También lo tienen:", "en": "These have it, too:"}
OUTLINE_INTRODUCTION = {"es": "Sus apartados son:", "en": "Its sections are:"}
NO_INFORMATION = {
    "es": "No tengo información suficiente en los documentos para responder a esa pregunta.",
    "en": "I don't have enough information in the documents to answer that question.",
}


class Reply(NamedTuple):
    """`is_doubtful`: what is quoted may not be the answer, and the text says so."""

    text: str
    is_doubtful: bool = False


class ExtractiveClient:
    """A `ModelClient` that needs nothing: no key, no server, no download."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Groups of words, without artificial delay. It counts no tokens, because it costs none."""
        whole = await asyncio.to_thread(reply_to, request)
        said = whole.text.split(" ")
        for start in range(0, len(said), WORDS_PER_DELTA):
            group = " ".join(said[start : start + WORDS_PER_DELTA])
            yield TextDelta(group if start + WORDS_PER_DELTA >= len(said) else group + " ")
            await asyncio.sleep(0)
        yield Usage(0, 0)
        yield Finished(DOUBTFUL if whole.is_doubtful else "stop")

    async def complete(self, request: ModelRequest) -> Completion:
        return Completion((await asyncio.to_thread(reply_to, request)).text)


def reply_to(request: ModelRequest) -> Reply:
    """The answer; it says that it is no language model once in a conversation, below its first one."""
    passages = _of_the_places(request.passages, request.places)
    if shared := _by_document(passages, request.shared_by):
        said = _of_each(request, shared)
    else:
        said = answer(
            request.question,
            passages,
            request.language,
            is_named=bool(request.places),
            searched=request.searched,
            is_about=bool(request.outline),
            places=request.places,
        )
        if not said.is_doubtful:
            said = said._replace(text="\n\n".join((said.text, *_outlined(request))))
    introduction = INTRODUCTION[_spoken(request.language)]
    has_said_so = any(introduction in one.content for one in request.messages if one.role == "assistant")
    if has_said_so or not request.passages:
        return said
    return said._replace(text=f"{said.text}\n\n{introduction}")


def _by_document(passages: Sequence[Passage], titles: Sequence[str]) -> list[list[Passage]]:
    """The passages of each document that has one of the titles, in their order."""
    found: dict[tuple[str, str], list[Passage]] = {}
    for one in passages:
        if one.title in titles:
            found.setdefault((one.document, one.title), []).append(one)
    return list(found.values())


def _of_each(request: ModelRequest, shared: Sequence[Sequence[Passage]]) -> Reply:
    """What a place says in each of the documents that have it, below their names: which one is meant is not said."""
    spoken = _spoken(request.language)
    told = []
    for own in shared[:MOST_SHARED]:
        said = answer(request.question, own, request.language, is_named=True, searched=request.searched).text
        told.append(f"**{title_shown(own[0].title)}**\n\n{said.removeprefix(NEAREST_INTRODUCTION[spoken]).strip()}")
    others = Counter(request.shared_by) - Counter(own[0].title for own in shared[:MOST_SHARED])
    if others:
        told.append(ALSO_IN[spoken] + "\n\n" + "\n".join(f"- {title_shown(one)}" for one in others.elements()))
    return Reply("\n\n".join((SHARED_INTRODUCTION[spoken], *told)), is_doubtful=True)


def _outlined(request: ModelRequest) -> list[str]:
    """The headings of what is asked about, below a sentence that says so; nothing where there are none."""
    if not request.outline:
        return []
    told, more = request.outline[:MOST_OUTLINED], len(request.outline) - MOST_OUTLINED
    lines = [f"- {title_shown(title)}" for title in told] + ([f"- … (+{more})"] if more > 0 else [])
    return [OUTLINE_INTRODUCTION[_spoken(request.language)], "\n".join(lines)]


def _of_the_places(passages: Sequence[Passage], places: Sequence[str]) -> Sequence[Passage]:
    """Those below a heading, or on a page, that the question names: what others say is no answer to it; all where none
    is."""
    named = frozenset(places)
    return [one for one in passages if not named.isdisjoint(_places_of(one))] or passages


def _places_of(passage: Passage) -> tuple[str, ...]:
    """Its headings, and its page."""
    return (*passage.headings, page_place(passage.document, passage.page))


def answer(
    question: str,
    passages: Sequence[Passage],
    language: str,
    *,
    is_named: bool = False,
    searched: str = "",
    is_about: bool = False,
    places: Sequence[str] = (),
) -> Reply:
    """The whole answer in Markdown; `language` of the question (`es`, else English), passages best first. `is_named`:
    they are what the question names, and need not have its words. `searched`: the question with the subject that it
    leaves to what was said before; where that is no addition to it, it is what is asked: of "¿y la tercera?".
    `is_about`: what is named is to be told from its beginning, as what it is about. `places`: the headings of what is
    named: where nothing else is asked of several, how each of them begins, and of one that is the question itself how
    it does."""
    meant = question if not searched or searched.startswith(question.strip()) else searched
    has = frozenset(word for one in passages for word in words(one.text))
    asked = plainly_asked(without_source(meant, lambda name: has.isdisjoint(words(name))))
    statements = statements_of(passages)
    nearest = NEAREST_INTRODUCTION[_spoken(language)]
    chosen = select_statements(asked, statements)
    is_clear = stands_out(chosen)
    is_heading = bool(whole := question_name(meant)) and whole in map(question_name, places)
    asks_for_all = is_named and (is_about or says_only_where(searched or question, places))
    if asks_for_all or is_heading or (is_named and not is_clear):
        chosen = _openings(passages, places)
    if chosen:
        said = compose(chosen, kind_of_question(asked))
        has_it = _answers_its_heading if is_heading else _has_what_was_asked
        is_sure = asks_for_all or ((is_named or is_clear) and has_it(asked, chosen))
        is_sure = is_sure and not (is_named and _are_headings(chosen, passages))
        return Reply(said) if is_sure else Reply(f"{nearest}\n\n{said}", is_doubtful=True)
    if is_named and (printed := _printed(passages) or _headed(passages)):
        lines_answer = _lines_answer(asked, passages[0].text) if is_heading else not _asks_for_one_thing(asked)
        is_sure = asks_for_all or lines_answer
        return Reply(printed) if is_sure else Reply(f"{nearest}\n\n{printed}", is_doubtful=True)
    if not (first := _first_of_each(statements)):
        return Reply(NO_INFORMATION[_spoken(language)])
    return Reply(f"{nearest}\n\n{_list(first)}", is_doubtful=True)


def _has_what_was_asked(asked: str, chosen: Sequence[Chosen]) -> bool:
    return not lacks_what_was_asked(asked, chosen)


def _answers_its_heading(asked: str, chosen: Sequence[Chosen]) -> bool:
    """Whether what stands below a question says more than "See chapter 4." and has the number or the date that it asks
    for; that it defines or explains need not be seen."""
    letters = sum(sum(map(str.isalpha, one.statement.text)) for one in chosen)
    is_block = any(one.statement.is_whole for one in chosen)
    is_amount = kind_of_question(asked) in AMOUNTS
    return (letters >= FEWEST_LETTERS or is_block) and not (is_amount and lacks_what_was_asked(asked, chosen))


def _lines_answer(asked: str, text: str) -> bool:
    """The same of lines that are no sentences."""
    has = has_kind(text, kind_of_question(asked), frozenset(words(asked)))
    return sum(map(str.isalpha, text)) >= FEWEST_LETTERS and has is not False


def _asks_for_one_thing(asked: str) -> bool:
    return kind_of_question(asked) in ONE_THING


def _openings(passages: Sequence[Passage], places: Sequence[str]) -> list[Chosen]:
    """How the passages begin; of several places those of each, in their order."""
    of_each = [[one for one in passages if place in _places_of(one)] for place in places[:MOST_PLACES]]
    if len(found := list(filter(None, of_each))) < SEVERAL:
        found = [list(passages)]
    return [one for own in found for one in opening_statements(statements_of(own))]


def _are_headings(chosen: Sequence[Chosen], passages: Sequence[Passage]) -> bool:
    """Whether what is quoted of a place is no more than its title."""
    known = frozenset(_named(heading) for one in passages for heading in one.headings)
    return all(_named(one.statement.text) in known for one in chosen)


def _named(line: str) -> str:
    """A title's line without what leads to its page."""
    return undressed(line).rstrip(_LEADERS)


def _spoken(language: str) -> str:
    return "es" if language[:2] == "es" else "en"


def _first_of_each(statements: Sequence[Statement]) -> list[Statement]:
    first: dict[int, Statement] = {}
    for one in statements:
        if not one.is_whole:
            first.setdefault(one.n, one)
    return list(first.values())[:NEAREST]


def _printed(passages: Sequence[Passage]) -> str:
    """The first lines of a place of which no sentence can be told from a heading; "" where it has but its own."""
    for one in passages[:1]:
        known = frozenset(("", *map(_named, one.headings)))
        lines = (undressed(unmarked(line)) for line in one.text.splitlines() if _named(line) not in known)
        told = (line for line in lines if any(map(str.isalnum, line)))  # a rule says nothing
        return "\n".join(f"- {cite(line, one.n)}" for line in islice(told, PRINTED))
    return ""


def _headed(passages: Sequence[Passage]) -> str:
    """The heading of a place that has nothing below it, as far as it is a sentence: "2.1.5 Verify that users can change
    their password."; else ""."""
    for one in passages[:1]:
        line = undressed(unmarked(next((line for line in one.text.splitlines() if line.strip()), "")))
        said = line.rstrip(_OTHER_COLUMNS)
        said += line[len(said) :][:1].strip()  # its stop
        end = SENTENCE_END.search(f"{said} ")
        if end and len(words(said[: end.end()])) >= FEWEST_WORDS:
            return f"- {cite(said[: end.end()], one.n)}"
    return ""


def _list(quoted: Sequence[Statement]) -> str:
    return "\n".join(f"- {cite(one.text, one.n)}" for one in quoted)
