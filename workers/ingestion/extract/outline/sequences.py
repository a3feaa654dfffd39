"""Which of the lines that could be headings are: those that count on. Pure.

Of all candidates of one family the longest rising sequence is taken (patience sorting, n log n): a mention of another
place is out of the order, whichever it names. Chapters may begin anew in each title, so a sequence is looked for
between what stands above.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from workers.ingestion.extract.outline.places import DECIMAL_RANK, Number, NumberedPlace

NEAR = 3  # a number this far on follows: articles are repealed
FEWEST_DECIMALS = 3
LEAST_SHARE = 0.5  # of numbers that look like headings: below it they count something else

Candidate = tuple[int, NumberedPlace]  # a line's index


def headings_among(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that are headings, in order."""
    families: dict[str, list[Candidate]] = defaultdict(list)
    for one in candidates:
        families[one[1].family].append(one)
    found: list[Candidate] = []
    for family in sorted(families.values(), key=lambda members: min(member[1].rank for member in members)):
        if family[0][1].rank > DECIMAL_RANK:
            found += _decimals(family)
            continue
        borders = sorted(index for index, place in found if place.rank < family[0][1].rank)
        for run in _runs(family, borders):
            found += counted_on(run)
    return sorted(found, key=lambda one: one[0])


def _runs(family: Sequence[Candidate], borders: Sequence[int]) -> list[list[Candidate]]:
    """The family cut where it begins anew below another heading."""
    runs: list[list[Candidate]] = []
    section = -1
    last: Number = (0,)
    for candidate in family:
        now = bisect_left(borders, candidate[0])
        if not runs or (now != section and candidate[1].number[0] <= 1 and last[0] >= 1):
            runs.append([])
        runs[-1].append(candidate)
        section, last = now, candidate[1].number
    return runs


def _rising(run: Sequence[Candidate]) -> list[Candidate]:
    """The longest strictly rising subsequence, of equally long ones the last."""
    tails: list[Number] = []
    ends: list[int] = []
    above: list[int] = []
    for place, (_, candidate) in enumerate(run):
        at = bisect_left(tails, candidate.number)
        tails[at : at + 1] = [candidate.number]
        ends[at : at + 1] = [place]
        above.append(ends[at - 1] if at else -1)
    chain, place = [], ends[-1] if ends else -1
    while place >= 0:
        chain.append(run[place])
        place = above[place]
    return chain[::-1]


def _near(chain: Sequence[Candidate]) -> list[Candidate]:
    """Without numbers that follow nothing: an only one must be the first."""
    numbers = [candidate[1].number for candidate in chain]
    if len(numbers) == 1:
        return list(chain) if numbers[0][0] <= 1 else []
    return [
        candidate
        for place, candidate in enumerate(chain)
        if (place == 0 and numbers[0][0] <= 1)
        or (place and _follows(numbers[place - 1], numbers[place]))
        or (place + 1 < len(numbers) and _follows(numbers[place], numbers[place + 1]))
    ]


def counted_on(family: Sequence[Candidate]) -> list[Candidate]:
    """The longest rising sequence of a family without what follows nothing."""
    return _near(_rising(family))


def _decimals(family: Sequence[Candidate]) -> list[Candidate]:
    chain = counted_on(family)
    several = [one for one in chain if len(one[1].number) > 1]
    if chain and chain[0][1].family.endswith("-") and not several:  # "AC-1", "AC-2": a number alone counts here
        return chain if len(chain) >= FEWEST_DECIMALS else []
    if len(several) < FEWEST_DECIMALS or len(several) < LEAST_SHARE * sum(len(one[1].number) > 1 for one in family):
        return []
    parents = {place.number[0] for _, place in several}
    return [one for one in chain if len(one[1].number) > 1 or one[1].number[0] in parents]


def _follows(number: Number, after: Number) -> bool:
    """Whether `after` may be the next heading: the next of its kind, the first below, or the next above."""
    depth = next(
        (d for d, (a, b) in enumerate(zip(number, after, strict=False)) if a != b), min(len(number), len(after))
    )
    if depth == len(number):
        return all(one <= NEAR for one in after[depth:])
    return (
        depth < len(after)
        and 0 < after[depth] - number[depth] <= NEAR
        and all(one <= NEAR for one in after[depth + 1 :])
    )
