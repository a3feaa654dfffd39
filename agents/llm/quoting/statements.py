"""What of the passages may be quoted: each sentence, item and row, and each list, table or code as a whole. Pure."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from agents.llm.base import Passage
from agents.llm.quoting.asked_for.lasting import is_period
from agents.llm.quoting.asked_for.roles import names_its_people
from agents.llm.quoting.laid.layout import Form, LaidBlock, blocks_of, cells_of, is_question
from agents.llm.quoting.quotable import is_ended, names_alone, quotable, unmarked
from retrieval.text.folding import fold_latin
from retrieval.text.lines.fields import is_field
from retrieval.text.stems import STEM_LETTERS, STOP_WORDS, words

MOST_STATEMENTS = 600
LONGEST_ITEM = 250  # characters of an item that is quoted as one
ITEM_CHARACTERS = range(8, 1_201)
_END_SIGNS = " .;,"


@dataclass(frozen=True, slots=True)
class Statement:
    """What may be quoted of passage `n`.

    `text`: the sentence, the item or the row's cells between bars; of a whole block what is told above its lines.
    `line`: which of the block's, None for a whole block. `place`: the passage and which of its statements.
    `words`: of the text, folded. `heading`: of the heading; `above`: of it, the lead, the table's header and the
    question it answers. `is_imprint`: a line below a document's title, with its edition or its people. `around`: of
    the headings around its own; `title`: of its document's title.
    """

    text: str
    n: int
    place: tuple[int, int]
    block: LaidBlock
    line: int | None
    words: tuple[str, ...]
    heading: tuple[str, ...]
    above: tuple[str, ...]
    asked: str = ""
    opens_section: bool = False
    is_imprint: bool = False
    around: tuple[str, ...] = ()
    title: tuple[str, ...] = ()

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(word[:STEM_LETTERS] for word in self.words)

    @property
    def is_whole(self) -> bool:
        return self.line is None


def what_stands_above(one: Statement) -> str:
    """Of a statement: its heading, what introduces its list, the names of its table's columns."""
    return " ".join((one.block.heading, one.block.lead, *one.block.header))


def with_units(one: Statement, counted: Collection[str] = ()) -> str:
    """What a statement says; of a row each whole number with what its column is of, "Máster | 12 | 21 días" below
    "Plazo (días)": periods, and what has one of the stems `counted`."""
    if one.line is None or one.block.form is not Form.TABLE:
        return one.text
    units = [_unit_of(words(name), counted) for name in one.block.header]
    cells = zip_longest(cells_of(one.block.lines[one.line]), units, fillvalue="")
    return " | ".join(f"{cell} {unit}" if unit and cell.isdecimal() else cell for cell, unit in cells)


def _unit_of(header: Sequence[str], counted: Collection[str]) -> str:
    return next((word for word in header if is_period(word) or word[:STEM_LETTERS] in counted), "")


def statements_of(passages: Sequence[Passage]) -> list[Statement]:
    """Each once, where the best passage has it: overlapping passages repeat their border, and copies all they say."""
    found: list[Statement] = []
    seen: set[tuple[str, str]] = set()
    for rank, passage in enumerate(passages):
        position, title = 0, said_words(passage.title)
        for block in blocks_of(passage.text, passage.headings):
            around = said_words(block.outer)
            for one in _of_block(block, passage.n, rank, position):
                key = (_compared(one.text), _compared(one.block.lines[0]) if one.is_whole else "")
                if key not in seen:
                    seen.add(key)
                    found.append(replace(one, is_imprint=_is_imprint(one, title), around=around, title=title))
                    position += 1
        if len(found) >= MOST_STATEMENTS:
            break
    return found[:MOST_STATEMENTS]


def _compared(text: str) -> str:
    """Folded, on one line and without the sign at its end: what two copies of a sentence have in common."""
    return " ".join(fold_latin(text).split()).rstrip(_END_SIGNS)


def _of_block(block: LaidBlock, n: int, rank: int, position: int) -> Iterator[Statement]:
    heading = said_words(block.heading)
    lead = said_words(block.lead)
    if block.form is Form.PARAGRAPH:
        lines: Iterator[tuple[int, str]] = ((0, one) for one in quotable(block.lines[0]))
        above = heading
    else:
        header = " ".join(block.header)
        if len(block.lines) > 1 or block.lead:
            told = f"{unmarked(block.lead)} {header}".strip()
            yield Statement(
                told, n, (rank, position), block, None, said_words(told), heading, heading, "", block.is_first
            )
            position += 1
        lines = _lines(block)
        above = tuple(dict.fromkeys((*heading, *lead, *said_words(header))))
    for number, (line, text) in enumerate(lines):
        asked = block.asked[line] if block.asked else ""
        beside = tuple(dict.fromkeys((*above, *said_words(asked))))
        opens = block.is_first and block.form is Form.PARAGRAPH and number == 0
        place = (rank, position + number)
        yield Statement(text, n, place, block, line, said_words(text), heading, beside, asked, opens)


def _is_imprint(one: Statement, title: Sequence[str]) -> bool:
    """Whether it is a line below the title of its document: "Version 2.1 — Published by …", "Editors: A. Gil"."""
    named = set(title)
    if not one.heading or not (named.issuperset(one.heading) or named.issubset(one.heading)):
        return False
    return names_its_people(one.text) or (one.opens_section and (not is_ended(one.text) or names_alone(one.text)))


def _lines(block: LaidBlock) -> Iterator[tuple[int, str]]:
    """The items and rows that say something alone: of code there are none."""
    if block.form is Form.TABLE:
        width = len(block.header)
        for number, line in enumerate(block.lines[1:], 1):
            if len(cells := cells_of(line)) == width:
                yield number, unmarked(" | ".join(cells))
    elif block.form is Form.ITEMS:
        for number, line in enumerate(block.lines):
            text = unmarked(line)
            if len(text) > LONGEST_ITEM:
                yield from ((number, sentence) for sentence in quotable(line))
            elif (len(text) in ITEM_CHARACTERS or is_field(text)) and not is_question(text) and not text.endswith(":"):
                yield number, text


def said_words(text: str) -> tuple[str, ...]:
    """Folded, each once, without those that say nothing."""
    return tuple(dict.fromkeys(word for word in words(text) if word not in STOP_WORDS))
