"""Which documents a question means by its names: clearly, perhaps, and what no document is called. Pure.

A clear name is a requirement: only these documents are searched. Words that are a part of a title are a preference.
What has the form of a name and no document is missing: an act by its number, "la Ley de …", what a place is said to be
of, a file.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from retrieval.places.editions import meant_editions
from retrieval.text.asked_names import Mention, MentionKind
from retrieval.text.asked_places import AskedPlace
from retrieval.text.document_names import is_noun

MOST_MEANT = 5  # documents by one name; more than that are a kind of documents, and no name
ENOUGH_OF_A_TITLE = 4  # words in a row that are a whole title; fewer may be what is asked, "historia clínica"
SEVERAL = 2  # words of a phrase that are enough of a name
LARGE_SHARE = 0.6  # of the words behind "ley", "guía": two of three

Found = Mapping[str, Sequence[UUID]]  # the documents in scope by normalized name


@dataclass(frozen=True, slots=True)
class Meant:
    """A clear name and its documents. `is_guess`: by the first letters of titles, which others may share.
    `is_otherwise`: the chapter that was asked for is a unit."""

    mention: Mention
    documents: frozenset[UUID]
    is_guess: bool = False
    is_otherwise: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """`liked` is the share (0..1) of a name that a document has; `nearest` are documents for what is missing."""

    clear: tuple[Meant, ...] = ()
    missing: tuple[Mention, ...] = ()
    liked: Mapping[UUID, float] = field(default_factory=dict)
    nearest: tuple[UUID, ...] = ()

    @property
    def documents(self) -> frozenset[UUID]:
        return frozenset().union(*(one.documents for one in self.clear))

    def without_doubtful(self) -> "Resolution":
        """Without the documents that are a unit where a chapter was asked for; itself where there are none."""
        sure = tuple(one for one in self.clear if not one.is_otherwise)
        return self if len(sure) == len(self.clear) else replace(self, clear=sure)

    def holders(self, place: AskedPlace) -> frozenset[UUID] | None:
        """The documents in which a place is looked for: those named with it, else all that are; None: in any.

        Empty where the document that it is said to be of is missing.
        """
        behind = [one for one in (*self.clear,) if one.mention.holds_a_place]
        gone = [one for one in self.missing if one.holds_a_place]
        nearest = min(
            [*(one.mention for one in behind), *gone],
            key=lambda one: (one.start < place.end, abs(one.start - place.end)),
            default=None,
        )
        if nearest in gone:
            return frozenset()
        meant = [one.documents for one in behind if one.mention is nearest]
        if meant and not any(one.mention.start < place.start for one in self.clear):
            return meant[0]
        return self.documents or (frozenset() if self.missing else None)


def resolve_names(mentions: Sequence[Mention], found: Found, places: Sequence[AskedPlace] = ()) -> Resolution:
    """What the mentions mean among the documents that have their names; `places` are those that are asked for."""
    clear: list[Meant] = []
    missing: list[Mention] = []
    near: Counter[UUID] = Counter()
    for mention in _outermost(mentions):
        meant, is_clear = _meant(mention, found, mentions)
        if is_clear and meant:
            is_guess = _is_guess(mention, found)
            is_otherwise = mention.kind is MentionKind.PLACE and not found.get(mention.names[0])
            clear.append(Meant(mention, meant, is_guess, is_otherwise))
        elif not meant and _must_be(mention):
            missing.append(mention)
            near.update(document for name in mention.names for document in found.get(name, ()))
    if any(one.mention.kind is MentionKind.PLACE for one in clear):  # "la unidad 4 del curso": of a corpus' name
        missing = [one for one in missing if one.is_legal or one.kind is not MentionKind.NOUN]
    clear = _without_doubtful(clear)
    clear, gone = _of_editions(clear, mentions, found, near, places)
    spans = [(one.mention.start, one.mention.end) for one in clear] + [(one.start, one.end) for one in gone]
    missing = [one for one in missing if not any(start <= one.start < end for start, end in spans)]
    missing += gone
    return Resolution(tuple(clear), tuple(missing), _liked(mentions, found), tuple(id for id, _ in near.most_common(3)))


def _of_editions(
    clear: Sequence[Meant], mentions: Sequence[Mention], found: Found, near: Counter[UUID], places: Sequence[AskedPlace]
) -> tuple[list[Meant], list[Mention]]:
    """The clear names narrowed to the editions that are asked for, and the editions that no document is."""
    named = frozenset[UUID]().union(*(one.documents for one in clear if one.mention.kind is not MentionKind.PLACE))
    editions = meant_editions(mentions, found, named, places)
    gone = [one for one in editions if one.missing]
    there = frozenset[UUID]().union(*(one.documents for one in editions))
    if there:
        whole = frozenset(document for one in clear if not one.documents & there for document in one.documents)
        narrowed = [replace(one, documents=one.documents & there or one.documents) for one in clear]
        added = [
            Meant(one.mention, one.documents) for one in editions if not one.missing and not one.documents <= whole
        ]
        return [*narrowed, *added], [one.mention for one in gone]
    for one in gone:
        near.update(one.missing)
        clear = [name for name in clear if not name.documents <= one.missing]
    return list(clear), [one.mention for one in gone]


def _is_guess(mention: Mention, found: Found) -> bool:
    """Whether it is only first letters or two words of a title, or a name behind which something is said that no
    document is called."""
    if mention.kind is MentionKind.PAIR:
        return True
    if mention.kind is MentionKind.NOUN:
        return bool(_unknown_behind(mention, found)) and not _by_most(mention.names, found)
    return mention.kind is MentionKind.SHORT and not _is_written(mention, found)


def _is_written(mention: Mention, found: Found) -> bool:
    """Whether a document writes the abbreviation itself: anything but first letters."""
    return any(found.get(name) for name in mention.names if not name.startswith("initials:"))


def _outermost(mentions: Sequence[Mention]) -> list[Mention]:
    """Without the kinds of documents within the name of another: "el Reglamento de la Ley General de Sanidad"."""
    nouns = [one for one in mentions if one.kind is MentionKind.NOUN]
    return [
        one
        for one in mentions
        if one.kind is not MentionKind.NOUN
        or not any(other.start < one.start and one.end <= other.end for other in nouns)
    ]


def _meant(mention: Mention, found: Found, mentions: Sequence[Mention]) -> tuple[frozenset[UUID], bool]:
    """The documents, and whether the name is a clear one."""
    any_of = frozenset(document for name in mention.names for document in found.get(name, ()))
    match mention.kind:
        case MentionKind.ACT | MentionKind.FILE:
            return any_of, True
        case MentionKind.SHORT:
            said = frozenset(found.get(mention.names[0], ()))
            written = frozenset(found.get(mention.names[-1], ()))
            guessed = written or (any_of if len(any_of) == 1 else frozenset())
            few = len(said or guessed) <= MOST_MEANT
            return said or guessed, bool(said) or (mention.holds_a_place and few)
        case MentionKind.NOUN | MentionKind.LONGER:
            by_noun = _by_noun(mention, found, mentions)
            return by_noun, len(by_noun) <= MOST_MEANT
        case MentionKind.TITLE:
            stems = mention.names[0].removeprefix("title:").split()
            is_name = len(stems) >= ENOUGH_OF_A_TITLE or (len(stems) > 1 and is_noun(mention.text))
            return any_of, (is_name or mention.holds_a_place) and len(any_of) <= MOST_MEANT
        case MentionKind.PLACE:
            own = frozenset(found.get(mention.names[0], ())) or any_of
            return own, len(own) <= MOST_MEANT
        case MentionKind.HOLDER:
            return any_of, len(any_of) <= MOST_MEANT
        case MentionKind.PAIR:
            return any_of, mention.holds_a_place and len(any_of) <= MOST_MEANT
        case _:
            return any_of, False


def _by_noun(mention: Mention, found: Found, mentions: Sequence[Mention]) -> frozenset[UUID]:
    """The documents that have all words of the phrase, or most of several, or all but those behind it that none has; of
    equals those that have them in a row."""
    best = _by_most(mention.names, found, is_whole=mention.kind is MentionKind.LONGER)
    if not best and mention.kind is MentionKind.NOUN and (unknown := _unknown_behind(mention, found)):
        best = _by_most(mention.names[:-unknown], found, is_whole=True)
    inside = [
        one
        for one in mentions
        if one.kind in (MentionKind.PAIR, MentionKind.TITLE) and mention.start <= one.start and one.end <= mention.end
    ]
    rows = Counter(document for one in inside for document in found.get(one.names[0], ()) if document in best)
    top = max(rows.values(), default=0)
    return frozenset(document for document in best if rows[document] == top)


def _by_most(names: Sequence[str], found: Found, *, is_whole: bool = False) -> set[UUID]:
    """The documents that have most of the names, if that is enough of them; `is_whole`: all of several."""
    counts = Counter(document for name in names for document in set(found.get(name, ())))
    most = max(counts.values(), default=0)
    needed = max(SEVERAL, len(names)) if is_whole else min(len(names), max(SEVERAL, LARGE_SHARE * len(names)))
    return {document for document, count in counts.items() if count == most} if most and most >= needed else set()


def _unknown_behind(mention: Mention, found: Found) -> int:
    """How many of the last words no document has with such a noun."""
    known = [n for n, name in enumerate(mention.names, 1) if found.get(name)]
    return len(mention.names) - max(known, default=0)


def _must_be(mention: Mention) -> bool:
    """Whether it is a name though no document has it."""
    match mention.kind:
        case MentionKind.ACT:
            return mention.is_legal
        case MentionKind.NOUN:
            return mention.is_legal or mention.holds_a_place
        case MentionKind.SHORT | MentionKind.HOLDER:
            return mention.holds_a_place
        case _:
            return mention.kind is MentionKind.FILE


def _without_doubtful(clear: Sequence[Meant]) -> list[Meant]:
    """A document that may itself be "la unidad 4", or of which two words are said, is none where another is named, and
    a part of a longer name none where the whole is there."""
    named = [one for one in clear if one.mention.kind is not MentionKind.PLACE]
    kept = [one for one in named if one.mention.kind is not MentionKind.PAIR] or named or list(clear)
    return [one for one in kept if not any(_is_part(one.mention, other.mention) for other in kept)]


def _is_part(mention: Mention, other: Mention) -> bool:
    """Of a title or of a noun's longer name."""
    is_one = mention.kind is MentionKind.TITLE or (
        mention.kind is MentionKind.NOUN and other.kind is MentionKind.LONGER
    )
    is_inside = other.start <= mention.start and mention.end <= other.end
    return is_one and is_inside and other.end - other.start > mention.end - mention.start


def _liked(mentions: Sequence[Mention], found: Found) -> dict[UUID, float]:
    """By document how much of what may be its name the question has: 1 of a whole title, half of two of its words."""
    liked: dict[UUID, float] = {}
    for mention in mentions:
        share = 0.5 if mention.kind in (MentionKind.PAIR, MentionKind.NOUN) else 1.0
        for name in mention.names:
            documents = found.get(name, ())
            for document in documents if len(documents) <= MOST_MEANT else ():
                liked[document] = max(liked.get(document, 0.0), share)
    return liked
