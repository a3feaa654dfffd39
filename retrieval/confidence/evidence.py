"""How far the best passages stand out as an answer, beyond the relevance of each: what the score is corrected by. Pure.

Relevance says how much of a question a passage has. In documents of one field many have much of any question about that
field. Those that answer have its words close together, stand out from the other passages that the words find, and have
the names that were asked for and an answer of the kind that was asked for.

The correction is added to the score of SPEC §4: it lowers by much and raises by little, so that a question that nothing
answers does not pass for one that is answered, and one that is found in one place is not refused for its few words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from retrieval.confidence.closeness import AskedWords
from retrieval.confidence.expected import Expected, expected
from retrieval.confidence.names import named_stems
from retrieval.text.folding import words_only

READ = 12  # passages, best first
KINDS_READ = 8  # of those, for the kind of answer
BEYOND = 11  # hits behind the first that are what it stands out from
MOST_PROMINENT = 4.0  # times the mean of those
# Chosen on every second work of docs/answers.md and a quarter of XQuAD's questions, with the most of the answerable
# refused that are now; many like these do as well.
WINDOW_WEIGHT, PROMINENCE_WEIGHT, PAIRS_WEIGHT, USUAL = 0.6, 0.5, 0.4, 0.82
HIGHEST, LOWEST = 0.2, -0.5  # what closeness and prominence may add
WITHOUT_NAME, WITHOUT_AMOUNT, WITHOUT_DEFINITION = -0.3, -0.3, -0.2


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage with what stands above it."""

    text: str
    headings: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of a question's passages. `window` and `pairs` 0..1 of the closest passage, `prominence` a logarithm; whether all
    names are there, and whether an answer of the kind that is asked for is."""

    window: float
    pairs: float
    prominence: float
    has_names: bool
    expects: Expected
    is_met: bool

    def correction(self) -> float:
        """What is added to the score."""
        close = WINDOW_WEIGHT * self.window + PROMINENCE_WEIGHT * self.prominence + PAIRS_WEIGHT * self.pairs
        added = min(HIGHEST, max(LOWEST, close - USUAL))
        if not self.has_names:
            added += WITHOUT_NAME
        if not self.is_met:
            added += WITHOUT_AMOUNT if self.expects.kind == "amount" else WITHOUT_DEFINITION
        return added


def evidence_of(question: str, passages: Sequence[Shown], word_scores: Sequence[float]) -> Evidence:
    """Of passages, best first, and of the BM25 scores of all hits, best first."""
    read = passages[:READ]
    asked = AskedWords(question, [passage.text for passage in read])
    each = [asked.closeness(folded, one.headings) for folded, one in zip(asked.folded, read, strict=True)]
    kind = expected(question, asked.content)
    return Evidence(
        window=max((one.window for one in each), default=0.0),
        pairs=max((one.pairs for one in each), default=0.0),
        prominence=prominence(word_scores),
        has_names=_has_names(named_stems(question), asked, read),
        expects=kind,
        is_met=any(kind.is_met(one.text, one.headings) for one in read[:KINDS_READ]),
    )


def prominence(scores: Sequence[float]) -> float:
    """How far the best hit stands out: the logarithm of its score over the mean of those behind it, at most log 4.

    Hits that there are not count as 0: where the scope is narrowed, the best can only stand out more.
    """
    if not scores or scores[0] <= 0.0:
        return 0.0
    behind = sum(scores[1 : BEYOND + 1]) / BEYOND
    return log(min(MOST_PROMINENT, scores[0] / max(behind, scores[0] / MOST_PROMINENT)))


def _has_names(names: Sequence[str], asked: AskedWords, read: Sequence[Shown]) -> bool:
    """Whether one passage, with what stands above it, has all the names."""
    wanted = [b" " + name.encode() for name in names if name.isascii()]
    if not wanted:
        return True
    above = (b" " + words_only(passage.headings) for passage in read)
    return any(
        all(name in folded or name in over for name in wanted) for folded, over in zip(asked.folded, above, strict=True)
    )
