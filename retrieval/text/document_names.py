"""What documents are called: by number, by title or a part of it, by an abbreviation, by their file. Pure.

A name is kept and looked for as one normalized text that begins with its kind:

    law:ley 41/2002            a legal act by its kind and number
    number:41/2002             the same without its kind
    title:guia presta          a whole title, or what of it is left without number, date and subtitle
    short:lopd                 an abbreviation that the document gives itself
    initials:lgs               the first letters of its title's words
    noun:ley autono            a word for a kind of document, with another word of its title
    pair:autono pacien         two words of a title that follow each other
    file:04-ipv4.md            its file's name
    place:unidad:4             what it is itself: the fourth unit, annex, chapter
    edition:4.0.3              which edition of it it is (`text.naming.editions`)
    token:asvs                 a word of its title or file that is written in capitals
    said:garcia                who wrote it, the year of it: what is said of it beside its title
    asked:como me inscribo     a question that is one of its headings (`text.asked_headings`)

Words are stems without function words (`text.stems`), so that "de la" and plural forms do not matter.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from retrieval.text.folding import fold_latin
from retrieval.text.naming.acts import Act, act_kinds, acts_in
from retrieval.text.naming.editions import edition_names
from retrieval.text.references import heading_key
from retrieval.text.stems import STOP_WORDS, stem, words

LONGEST_TITLE = 500  # characters of a title that are looked at
BEGINNING = 4_000  # of a text: where a document says what it is called
MOST_STEMS = 24
MOST_NAMES = 160
SHORTEST_SAID, MOST_SAID = 3, 8  # letters of a word of an author's name, and words
SHORTEST_INITIALS, LONGEST_INITIALS = 3, 8
TOP_LINES, HEAD_LINES, TITLE_LINES = 3, 12, 4  # of a text: where what an act is called stands, and goes on
LONGEST_LINE = 12  # words of a first line that is a title
SUBJECT = 6  # characters behind an act's number within which no title ends: "Ley 11.544. Jornada"

# Words for kinds of documents: who says one, with what follows it, means a document and not a matter.
_LEGAL = """
    ley reglamento decreto directiva estatuto estatutos ordenanza constitucion codigo act law regulation directive
"""
_OTHER = """
    guia manual informe acta contrato convenio plan politica protocolo norma normativa estandar libro curso
    apuntes circular resolucion instruccion pliego bases convocatoria lease bylaws memoria glosario carta orden
    boletin folleto handbook guide guidelines policy report contract agreement standard specification charter
    book course notes glossary memo minutes readme faq
"""
LEGAL_NOUNS = frozenset(_LEGAL.split())
NOUNS = LEGAL_NOUNS | frozenset(_OTHER.split())

_DATE = re.compile(
    r",?\s{0,3}(?:de\s)?\d{1,2}\.?\s{1,2}(?:de\s)?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre"
    r"|octubre|noviembre|diciembre|january|february|march|april|may|june|july|august|september|october|november"
    r"|december)(?:\sde\s\d{4})?,?"
)
_APPROVED = re.compile(
    r"por (?:el|la) que se aprueban? (?:el|la) (?:texto refundido de (?:el |la )?)?|texto refundido de (?:el |la )?"
)
_SHORT = re.compile(
    r"(?:\((?!(?:UE|EU|CEE?|EC)\)\s{0,3}\d)|[«\"“])\s?"
    r"(?:en adelante,?|in short,?|hereinafter,?)?\s?(?:el |la |the )?[«\"“]?"
    r"(?P<short>[A-Z][A-Za-z]{0,3}[A-Z]{1,8})[»\"”]?\s?\)"
    r"|en adelante,? (?:el |la )?[«\"“]?(?P<later>[A-Z][A-Za-z]{0,3}[A-Z]{1,8})(?![A-Za-z])"
)
_SUBTITLE = re.compile(r"\s[—–|-]\s|:\s|\s?\(")
_COUNTED = re.compile(
    r"^(?:[a-z]{1,12}\.?\s)?\d{1,3}(?:\.\d{1,3}){0,3}\s?[.:)—–-]\s{0,3}|^u\.?\s?\d{1,3}\s?[.:)—–-]?\s{0,3}"
)
_FILE_COUNT = re.compile(r"^0{0,2}(?P<number>\d{1,3})[-_. ]")
_FIGURES = re.compile(r"[\d\s]{0,12}")
_FIGURE = re.compile(r"\d")
_FILE_YEAR = re.compile(r"(?<=\d)[_-](?=(?:19|20)\d\d(?!\d))")
_FILE_GAPS = re.compile(r"[_\s-]{1,9}")
_BRACKETS = re.compile(r"\((?P<name>[^()]{4,120})\)")
_HOLDS = re.compile(
    rf"(?:ley|decreto|act) (?:del?|of)(?: (?:la|el|the))? (?=(?:{'|'.join(sorted(LEGAL_NOUNS))})(?!\w))"
)
_LAST_EDITION = re.compile(r",?\s(?:version|edition|edicion|release|v\.?)\s?\d{1,3}(?:\.\d{1,3}){0,3}\Z")
_TOKEN = re.compile(r"[^\W\d_]{2,8}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_EXTENSION = re.compile(r"\.[a-z]{2,5}$")


def names_of(title: str, filename: str, beginning: str = "", said: str = "") -> frozenset[str]:
    """All names of a document; `beginning` is how its text begins, `said` are its authors and its year."""
    title, beginning = title[:LONGEST_TITLE], beginning[:BEGINNING]
    act, own = _own_act(title, filename, beginning)
    titles = list(dict.fromkeys([fold_latin(title), *own, *_first_line(title, filename, beginning)]))
    found: dict[str, None] = {}
    for name in _all(titles, title, filename, beginning, act, said):
        found.setdefault(name)
        if len(found) >= MOST_NAMES:
            break
    return frozenset(found)


def _all(titles: Sequence[str], title: str, filename: str, beginning: str, act: Act | None, said: str) -> Iterator[str]:
    if act:
        yield from (f"law:{kind} {number}" for kind in act_kinds(act.kind)[:1] for number in act.numbers)
        yield f"number:{act.number}"
    yield from _of_file(filename)
    if key := heading_key(title):
        yield f"place:{key}"
    editions = edition_names(title, filename, beginning)
    yield from editions
    yield from (f"token:{token}" for token in _tokens(title, filename, beginning))
    others = [stem(word) for word in words(said[:LONGEST_TITLE]) if len(word) >= SHORTEST_SAID][:MOST_SAID]
    yield from map(said_name, others)
    years = [one.removeprefix("edition:") for one in editions] + ([act.year] if act and act.year else [])
    others += [one for one in years if _YEAR.fullmatch(one)]
    cores = list(dict.fromkeys(core for one in titles for core in _cores(one)))
    yield from (f"short:{short}" for short in _shorts(title, filename, beginning, cores))
    for core in cores:
        yield from _of_core(core, others)


def _first_line(title: str, filename: str, beginning: str) -> list[str]:
    """How the text calls itself where its title does not say what it is: "Ordenanza de terrazas" of "bop_118"; behind a
    title that is only the file's name, in any words."""
    line = beginning.lstrip("#* ").split("\n", 1)[0][:LONGEST_TITLE]
    said = words(line)
    is_file = words(title) == words(_EXTENSION.sub("", filename.lower())) and 1 < len(said) <= LONGEST_LINE
    return [fold_latin(line)] if not is_noun(title) and (is_file or (said and said[0] in NOUNS)) else []


def _own_act(title: str, filename: str, beginning: str) -> tuple[Act | None, list[str]]:
    """The act that a document is, as its title says, its text or its file, and what it is called in full: by its title
    from there on, and by the lines with which its text begins."""
    folded = fold_latin(title)
    act = next(acts_in(folded), None)
    if act and act.kind and len(folded[: act.start].split()) <= 2:
        own, called = act, [folded[act.start :]]
    elif act and (kind := _kind_of_itself(folded, act)):
        own, called = replace(act, kind=kind), []
    else:
        own, called = None, []
    of_text, line = _act_that_begins(beginning)
    own = own or of_text or _act_of_file(filename)
    return own, [*called, line] if own and of_text and of_text.number == own.number else called


def _kind_of_itself(folded: str, act: Act) -> str:
    """The kind of the act that a title is, where its number stands behind what it is called: "Ley de Empleo. Ley N°
    24.013", "Ley de Empleo N° 24.013"; "" of a title that names another's."""
    before = folded[: act.start].split()
    if not before:
        return act.kind
    own = before[0] if act_kinds(before[0]) else ""
    is_one = own == act.kind or (not own and before[0] in LEGAL_NOUNS) if act.kind else bool(own)
    return (act.kind or own) if is_one and (not act.kind or before[-1][-1] in ".:,(-–—") else ""


def _act_of_file(filename: str) -> Act | None:
    """The act with which a file's name begins, or that stands behind another number: "BOE-A-2015-10565 Ley 39_2015"."""
    folded = _FILE_GAPS.sub(" ", _FILE_YEAR.sub("/", _EXTENSION.sub("", fold_latin(filename)))).strip()
    act = next(acts_in(folded), None)
    return act if act and act.kind and (not act.start or _FIGURE.search(folded[: act.start])) else None


def _act_that_begins(beginning: str) -> tuple[Act | None, str]:
    """The act that a line of the beginning opens with, and the title that it has there: the document's own and no
    reference, as its date is behind it, or as it stands at the top."""
    lines = [line for line in (one.strip("#* ") for one in beginning.splitlines()) if line]
    for at, line in enumerate(lines):
        folded = fold_latin(line[:LONGEST_TITLE])
        act = next(acts_in(folded), None)
        if act and act.kind and _FIGURES.fullmatch(folded[: act.start]):
            is_own = folded[act.end :].startswith(", de ") or _is_a_title(line, folded, act, at)
        else:
            is_own = act is not None and at < TOP_LINES and bool(_kind_of_itself(folded, act))
        if act and is_own:
            return replace(act, kind=act.kind or _kind_of_itself(folded, act)), _whole_title(lines, at, act)
    return None, ""


def _is_a_title(line: str, folded: str, act: Act, at: int) -> bool:
    """Whether a line that an act begins is the first one, or at the top and nothing but the act and its subject, or not
    far below and written in capitals."""
    is_apart = not folded[act.end :] or folded[act.end] in ".:;(-–—"
    shouts = line[act.start : act.counted].strip().isupper()
    return at == 0 or (at < TOP_LINES and is_apart) or (at < HEAD_LINES and shouts)


def _whole_title(lines: Sequence[str], at: int, act: Act) -> str:
    """The line from the act on, what it is about behind its number, and the lines on which that goes on."""
    title = fold_latin(lines[at][:LONGEST_TITLE])
    for line in lines[at + 1 : at + TITLE_LINES]:
        if title.endswith((".", ")")) or heading_key(line):
            break
        title = f"{title} {fold_latin(line[:LONGEST_TITLE])}"
    title = title[:LONGEST_TITLE] if act.end < LONGEST_TITLE else title
    begin = act.start if _FIGURES.fullmatch(title[: act.start]) else 0  # else it is called so before its number
    end = title.find(". ", act.end + SUBJECT)
    return title[begin : end if end >= 0 else None]


def _of_file(filename: str) -> Iterator[str]:
    folded = fold_latin(filename).strip()
    if not folded:
        return
    yield f"file:{folded}"
    bare = _EXTENSION.sub("", folded)
    yield f"file:{bare}"
    if counted := _FILE_COUNT.match(folded):
        yield f"place:unidad:{counted['number']}"
    yield from _of_core(" ".join(words(bare)))


def _tokens(title: str, filename: str, beginning: str) -> Iterator[str]:
    """What is written in capitals: in a title that is not all so, or in the text of what the file is called."""
    spelled = _TOKEN.findall(title) if title != title.upper() else []
    yield from (fold_latin(word) for word in spelled if word.isupper())
    written = {word for word in _TOKEN.findall(f"{title} {beginning}") if word.isupper()}
    yield from (word for word in _TOKEN.findall(fold_latin(filename)) if word.upper() in written)


def _shorts(title: str, filename: str, beginning: str, cores: Iterable[str]) -> Iterator[str]:
    """Abbreviations in brackets in the title, or where the text says them of itself, behind its own title; and the
    first letters of a name that are written in capitals as one word, or that the title has in brackets."""
    texts = [title]
    if len(title) >= 12 and (place := beginning.find(title[:60])) >= 0:
        texts.append(beginning[place : place + len(title) + 80])
    for folded_way in ("presente ley", "presente reglamento", "este documento", "this document"):
        if (place := fold_latin(beginning).find(folded_way)) >= 0:
            texts.append(beginning[place : place + 80])
    for text in texts:
        for match in _SHORT.finditer(text):
            yield fold_latin(match["short"] or match["later"])
    written = {fold_latin(one["short"] or one["later"]) for one in _SHORT.finditer(beginning)}
    written |= {fold_latin(word) for word in _TOKEN.findall(filename) if word.isupper()}
    for core in cores:
        letters = _letters(_content(core))
        yield from (one for one in sorted(written) if len(one) >= SHORTEST_INITIALS and letters.startswith(one))
        yield from (
            letters for name in _in_brackets(core) if len(letters := _letters(_content(name))) >= SHORTEST_INITIALS
        )


def _in_brackets(folded_title: str) -> list[str]:
    """Names that a title gives in brackets: "(General Data Protection Regulation)"."""
    found = [one["name"] for one in _BRACKETS.finditer(folded_title) if next(acts_in(one["name"]), None) is None]
    return [one for one in found if not NOUNS.isdisjoint([*words(one)[:1], *words(one)[-1:]])]


def _cores(folded_title: str) -> list[str]:
    """The title; it without its number, its date, its subtitle, its edition; what it approves, and what it is called in
    brackets."""
    act = next(acts_in(folded_title), None)
    plain = folded_title
    if act:
        before = folded_title[: act.start]
        plain = f"{before} {'' if is_noun(before) else act.kind} {folded_title[act.end :]}"
    plain = " ".join(_DATE.sub(" ", plain).split())
    plain = _COUNTED.sub("", plain)
    cores = [plain, _SUBTITLE.split(plain, maxsplit=1)[0], plain.split(",", 1)[0], *_in_brackets(plain)]
    cores.append(_LAST_EDITION.sub("", plain))
    if approved := _APPROVED.search(plain):
        cores.append(plain[approved.end() :])
    cores += [one[inner.end() :] for one in cores if (inner := _HOLDS.match(one)) and is_noun(one[inner.end() :])]
    return [core for core in dict.fromkeys(cores) if core.strip()]


def _content(core: str) -> list[str]:
    return [word for word in words(core) if word not in STOP_WORDS][:MOST_STEMS]


def _of_core(core: str, others: Iterable[str] = ()) -> Iterator[str]:
    """`others`: what beside the title tells it from others of its kind, "el decreto de 2011"."""
    spelled = _content(core)
    named = [stem(word) for word in spelled]
    if not named:
        return
    yield title_name(named)
    nouns = [stem(word) for word in spelled if word in NOUNS]
    if not LEGAL_NOUNS.isdisjoint(spelled):
        nouns += ["norma"]  # which people call any of them
    for noun in dict.fromkeys(nouns):
        yield from (noun_name(noun, other) for other in dict.fromkeys([*named, *others]))
    yield from (pair_name(first, second) for first, second in pairwise(named))
    yield from (f"initials:{letters}" for letters in _initials(spelled))


def _initials(spelled: Sequence[str]) -> Iterator[str]:
    """Of the first words: what an abbreviation leaves out stands mostly last. Of two words only where the first says
    what it is, "Código Civil"."""
    letters = _letters(spelled)
    if len(letters) == 2 and spelled[0] in LEGAL_NOUNS:
        yield letters
    yield from (letters[:n] for n in range(SHORTEST_INITIALS, len(letters) + 1))


def _letters(spelled: Iterable[str]) -> str:
    return "".join(word[0] for word in spelled if word.isalpha())[:LONGEST_INITIALS]


def title_name(named: Iterable[str]) -> str:
    return "title:" + " ".join(named)


def noun_name(noun: str, other: str) -> str:
    return f"noun:{noun} {other}"


def said_name(word: str) -> str:
    return f"said:{word}"


def pair_name(first: str, second: str) -> str:
    return f"pair:{first} {second}"


def is_noun(text: str) -> bool:
    """Whether a word for a kind of document is in a text."""
    return not NOUNS.isdisjoint(words(text))
