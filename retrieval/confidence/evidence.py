"""What tells passages that answer from those that are only about the same: the chance that they do. Pure.

Relevance says how much of a question a passage has. In documents of one field many have much of any question about that
field. Those that answer have its words in one sentence, stand out from the other passages that the words find, and have
the names that were asked for and an answer of the kind that was asked for.

The chance is that of a logistic regression. `python -m bench.answers.fitting` fits it, on the works and questions of
docs/answers.md and on the tuning half of XQuAD asked with and without its paragraph; a sum that nobody fitted would
weigh a missing definition, without which hardly any question for one is answered, like any missing word.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, log

from retrieval.confidence.closeness import AskedWords, Closeness
from retrieval.confidence.expected import expected
from retrieval.confidence.names import named_stems
from retrieval.index.base import Candidates
from retrieval.text.folding import words_only
from retrieval.text.stems import STEM_LETTERS

READ = 12  # passages, best first
KINDS_READ = 8  # of those, for the kind of answer
BEYOND = 11  # hits behind the first that are what it stands out from
MOST_PROMINENT = 4.0  # times the mean of those
MOST_NARROWED = 2.0  # the same, where the question itself names the documents that are searched
UNFOUND = 50  # the rank of what a leg did not find
# Fitted with as many of each kind; USUAL is what the chance is raised by, in logits: most questions that people ask
# their documents have an answer. It is the one number that moves the line between refused and let through.
WEIGHTS: Mapping[str, float] = {
    "relevance": 1.18,
    "near": 2.28,
    "first": 2.80,
    "pairs": 2.06,
    "prominence": 2.09,
    "lacks": -1.19,
    "length": 0.82,
    "agreement": 0.67,
    "unnamed": -0.89,
    "undefined": -2.60,
    "uncounted": -2.87,
}
FITTED, USUAL = -6.86, 0.8


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage with what stands above it."""

    text: str
    headings: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of a question's passages.

    `relevance` 0..1 is the score of SPEC §4; `near`, `pairs` and `lacks` 0..1 are of the closest passage, `first` of
    the first (`closeness`); `prominence` and `length` (of the question, in content words) are logarithms; `agreement`
    0..1 is 1 where both legs have the first passage first. `unnamed` is 1 where no passage has all names that were
    asked for. Where the kind of answer that is asked for is in none, the words of the question promise little:
    `undefined` is the closeness and the pairs that do not count, `uncounted` the closeness.
    """

    relevance: float
    near: float
    first: float
    pairs: float
    prominence: float
    lacks: float
    length: float
    agreement: float
    unnamed: float
    undefined: float
    uncounted: float

    def chance(self) -> float:
        """0..1 that the passages answer."""
        logit = FITTED + USUAL + sum(WEIGHTS[name] * value for name, value in asdict(self).items())
        return 1.0 / (1.0 + exp(-logit))


def evidence_of(
    question: str,
    passages: Sequence[Shown],
    candidates: Candidates,
    relevance: float,
    agreement: float = 0.0,
    *,
    is_narrowed: bool = False,
) -> Evidence:
    """Of passages, best first, of what both legs found, and of the relevance of what is kept. `is_narrowed`: to the
    documents that the question names."""
    read = passages[:READ]
    asked = AskedWords(question, [passage.text for passage in read])
    each = [asked.closeness(folded, one.headings) for folded, one in zip(asked.folded, read, strict=True)]
    closest = max(each, key=lambda one: one.window, default=Closeness(0.0, 0.0, 0.0, 1.0))
    pairs = max((one.pairs for one in each), default=0.0)
    kind = expected(question, asked.content)
    is_unmet = not any(kind.is_met(one.text, one.headings) for one in read[:KINDS_READ])
    is_undefined = is_unmet and kind.kind == "definition"
    return Evidence(
        relevance=relevance,
        near=max((one.near for one in each), default=0.0),
        first=each[0].window if each else 0.0,
        pairs=pairs,
        prominence=prominence(
            [hit.score for hit in candidates.sparse], MOST_NARROWED if is_narrowed else MOST_PROMINENT
        ),
        lacks=closest.lacks,
        length=log(1 + len(asked.content)),
        agreement=agreement,
        unnamed=0.0 if _has_names(named_stems(question), asked, read) else 1.0,
        undefined=closest.window + pairs if is_undefined else 0.0,
        uncounted=closest.window if is_unmet and not is_undefined else 0.0,
    )


def prominence(scores: Sequence[float], most: float = MOST_PROMINENT) -> float:
    """How far the best hit stands out: the logarithm of its score over the mean of those behind it, at most that of
    `most`.

    Hits that there are not count as 0: where the scope is narrowed, the best can only stand out more. That says little
    where it is a name in the question that narrows: the few passages of one short law have few others beside them,
    whatever is asked of it.
    """
    if not scores or scores[0] <= 0.0:
        return 0.0
    behind = sum(scores[1 : BEYOND + 1]) / BEYOND
    return log(scores[0] / max(behind, scores[0] / most))


def agreement_on(first: object, candidates: Candidates) -> float:
    """0..1: the product of the reciprocal ranks that the legs give to the first passage's chunk; a leg without hits,
    as when the embedding server is away, has no say."""
    found = 1.0
    for leg in filter(None, (candidates.dense, candidates.sparse)):
        found /= 1 + next((rank for rank, hit in enumerate(leg) if hit.id == first), UNFOUND)
    return found


def _has_names(names: Sequence[str], asked: AskedWords, read: Sequence[Shown]) -> bool:
    """Whether one passage, with what stands above it, has all the names."""
    wanted = [_spellings(name) for name in names if name.isascii()]
    if not wanted:
        return True
    whole = (
        b"%s %s " % (folded, words_only(passage.headings)) for folded, passage in zip(asked.folded, read, strict=True)
    )
    return any(all(any(one in text for one in spelled) for spelled in wanted) for text in whole)


def _spellings(name: str) -> tuple[bytes, ...]:
    """A stem that is no whole word begins one; a short name is one, or its plural: "Excel" is in no "excellent"."""
    begun = f" {name}".encode()
    return (begun,) if len(name) >= STEM_LETTERS else (begun + b" ", begun + b"s ", begun + b"es ")
