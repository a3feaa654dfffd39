"""Questions that name a place of a document, in the ways people name one, each with the place that is meant."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bench.answers.numbers import in_words, ordinal, roman
from bench.answers.papers import Paper
from bench.answers.sections import Place, is_elsewhere

_TITLE = re.compile(
    r"(?P<rank>Ley Orgánica|Ley|Real Decreto Legislativo|Real Decreto-ley|Real Decreto|Decreto|Orden) "
    r"(?P<number>[A-Z]{0,3}/?\d{1,4}/\d{4}), de \d{1,2} de [a-z]+,\s+"
    r"(?P<rest>[^.]{10,400}?)(?:\.| Jefatura| Ministerio)"
)
_OPENINGS = re.compile(
    r"^(?:por (?:el|la) que se (?:aprueba el texto refundido de la |regula |establecen? |modifica )"
    r"|básica reguladora de |reguladora de |de |sobre )"
)
_SHORT = {"Real Decreto Legislativo": "RDL", "Real Decreto": "RD", "Ley Orgánica": "LO", "Real Decreto-ley": "RD-ley"}
_LONGEST_NAME = 70
_SAYS_NOTHING = re.compile(r"\d+|pages?|template", re.I).fullmatch


@dataclass(frozen=True)
class Reference:
    """A question and the places that answer it, any of which may come first; `form` is how it was put."""

    text: str
    places: tuple[Place, ...]
    form: str


@dataclass(frozen=True)
class Law:
    """What a statute is called: "Ley 41/2002", "RDL 1/2015", and by what it is about; `of` is "de la" or "del"."""

    number: str
    short: str
    subject: str

    @property
    def of(self) -> str:
        return f"{'de la' if self.number.startswith(('Ley', 'Orden')) else 'del'} {self.number}"

    @property
    def of_subject(self) -> str:
        rank = self.number.split(" ")[0] if self.number.startswith("Ley ") else "norma"
        if self.subject.startswith("Ley "):
            return f"de la {self.subject}"
        return f"de la {rank.capitalize() if rank == 'Ley' else rank} {self.subject}"


def law_of(paper: Paper) -> Law | None:
    """Read from the first page, where a statute's title stands."""
    match = _TITLE.search(" ".join(paper.pages[0].split()))
    if match is None:
        return None
    rest = match["rest"].split(", y ")[0]
    subject = _OPENINGS.sub("", rest)
    joint = "" if rest.startswith(("General", "Orgánica")) or "Ley " in rest else "de "
    if "texto refundido de la Ley" in rest:
        subject = rest.split("texto refundido de la ", 1)[1]
    elif joint:
        subject = joint + subject
    rank, number = match["rank"], match["number"]
    return Law(f"{rank} {number}", f"{_SHORT.get(rank, rank)} {number}", _cut(subject))


def _cut(name: str) -> str:
    """As people abbreviate a long title: until the first joint behind a few words."""
    words = name.split()
    for place, word in enumerate(words):
        if place >= 5 and word.strip(",") in {"y", "en", "a", "con"}:
            return " ".join(words[:place]).rstrip(",")
    return name[:_LONGEST_NAME].rsplit(" ", 1)[0] if len(name) > _LONGEST_NAME else name


def of_laws(places: Iterable[Place], most: int) -> list[Reference]:
    """At most `most`, every place in one form after another until there are enough."""
    by_paper: dict[Paper, list[Place]] = {}
    for place in places:
        by_paper.setdefault(place.paper, []).append(place)
    named = [(law, places) for paper, places in by_paper.items() if (law := law_of(paper)) is not None]
    rounds = [
        question
        for turn in range(len(_ARTICLE_FORMS))
        for law, of_one in named
        for question in _ask_each(law, of_one, turn)
    ]
    return _spread(rounds, most)


def _spread(questions: list[Reference], most: int) -> list[Reference]:
    """Evenly chosen, in order."""
    step = max(1.0, len(questions) / most)
    return [questions[int(number * step)] for number in range(min(most, len(questions)))]


def _ask_each(law: Law, places: list[Place], turn: int) -> Iterator[Reference]:
    articles = [place for place in places if place.kind == "articulo"]
    for index, (place, after) in enumerate(zip(articles, [*articles[1:], None], strict=True)):
        form = _ARTICLE_FORMS[(index + turn) % len(_ARTICLE_FORMS)]
        if made := form(law, place, after):
            yield Reference(made[0], made[1], form.__name__.strip("_"))
    for index, place in enumerate(place for place in places if place.kind.startswith("disposicion")):
        kind = place.kind.replace("disposicion", "disposición")
        counted = "única" if "única" in place.heading else ordinal(int(place.number))
        texts = (f"{kind} {counted} {law.of}", f"¿Qué dice la {kind} {counted} {law.of_subject}?")
        yield Reference(texts[(index + turn) % 2], (place,), "disposicion")
    for place in places:
        if place.kind == "anexo":
            yield Reference(f"anexo {roman(int(place.number))} {law.of}", (place,), "anexo")


Made = tuple[str, tuple[Place, ...]] | None


def _number(law: Law, place: Place, _after: Place | None) -> Made:
    return f"¿Qué dice el artículo {place.number} {law.of}?", (place,)


def _art(law: Law, place: Place, _after: Place | None) -> Made:
    return f"art. {place.number} {law.of}", (place,)


def _short(law: Law, place: Place, _after: Place | None) -> Made:
    return f"art. {place.number} {law.short}", (place,)


def _title(law: Law, place: Place, _after: Place | None) -> Made:
    return f"artículo {place.number} {law.of_subject}", (place,)


def _words(law: Law, place: Place, _after: Place | None) -> Made:
    if not place.number.isdigit():
        return None
    return f"¿Qué establece el artículo {in_words(int(place.number))} {law.of}?", (place,)


def _part(law: Law, place: Place, _after: Place | None) -> Made:
    """A paragraph of the article that is there."""
    parts = re.findall(r"^(\d{1,2})\. [A-ZÁÉÍÓÚ]", place.raw[0], re.M)
    if not parts:
        return None
    return f"artículo {place.number}.{parts[min(1, len(parts) - 1)]} {law.of}", (place,)


def _two(law: Law, place: Place, after: Place | None) -> Made:
    return (f"arts. {place.number} y {after.number} {law.of}", (place, after)) if after else None


def _reversed(law: Law, place: Place, _after: Place | None) -> Made:
    return f"{law.number}, artículo {place.number}: ¿de qué trata?", (place,)


def _roman(law: Law, place: Place, _after: Place | None) -> Made:
    if not place.number.isdigit() or int(place.number) < 2:
        return None
    return f"artículo {roman(int(place.number))} {law.of}", (place,)


def _summary(law: Law, place: Place, _after: Place | None) -> Made:
    return f"Resume el artículo {place.number} {law.of_subject}", (place,)


_ARTICLE_FORMS = (_number, _art, _short, _title, _words, _part, _two, _reversed, _roman, _summary)

_FORMS = {
    "requirement": ("V{n}", "What does requirement {n} say?", "¿Qué pide el requisito V{n}?", "{n}"),
    "clause": ("V{n}", "§ {n}", "section {n}", "¿De qué trata la sección V{n}?"),
    "chapter": ("chapter {n}", "What is chapter {n} about?", "chapter {r}", "capítulo {n}"),
    "appendix": ("appendix {n}", "What does Appendix {n} contain?"),
    "table": ("Table {n}", "What does table {n} show?", "tabla {n}"),
    "heading": ('What does the section "{n}" say?', "{n}"),
}


def of_others(
    places: Iterable[Place], papers: Sequence[Paper], most: int, skipped: Iterable[str] = ()
) -> list[Reference]:
    """Of standards and handbooks. The document is named where another one has the same number or heading, and in every
    other question; as many of each paper and kind as there are of the fewest, then more."""
    places = [place for place in places if place.paper.group not in set(skipped) and not law_of(place.paper)]
    queues = [spread_over(places, paper, kind) for paper in dict.fromkeys(p.paper for p in places) for kind in _FORMS]
    chosen: list[Reference] = []
    for turn in range(max(map(len, queues), default=0)):
        for queue in queues:
            if turn < len(queue) and len(chosen) < most:
                place = queue[turn]
                forms = _FORMS[place.kind]
                count = int(place.number) if place.number.isdigit() else 1
                text = forms[turn % len(forms)].format(n=place.number, r=roman(count))
                is_shared = is_elsewhere(place, papers)
                if is_shared or (turn % 2 and place.kind != "heading"):
                    text = f"{text.rstrip('?')} ({name_of(place.paper)})" + ("?" if text.endswith("?") else "")
                chosen.append(Reference(text, (place,), place.kind))
    return chosen


def spread_over(places: Iterable[Place], paper: Paper, kind: str) -> list[Place]:
    """Of one paper and kind, spread over it: every seventh first, then those between."""
    of_one = [place for place in places if place.paper is paper and place.kind == kind]
    return [place for start in range(7) for place in of_one[start::7]]


def name_of(paper: Paper) -> str:
    """What people call it: the words of its file's name, without those that say only what file it is."""
    words = re.split(r"[-_\s]+", paper.path.stem)
    return " ".join(
        word.upper() if len(word) < 5 else word for word in words if len(word) > 2 and not _SAYS_NOTHING(word)
    )
