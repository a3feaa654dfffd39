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
    edition:4.0.3              which edition of it it is (`text.editions`)
    token:asvs                 a word of its title or file that is written in capitals
    said:garcia                who wrote it, the year of it: what is said of it beside its title

Words are stems without function words (`text.stems`), so that "de la" and plural forms do not matter.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from retrieval.text.editions import edition_names
from retrieval.text.folding import fold_latin
from retrieval.text.references import heading_key
from retrieval.text.stems import STOP_WORDS, stem, words

LONGEST_TITLE = 500  # characters of a title that are looked at
BEGINNING = 4_000  # of a text: where a document says what it is called
MOST_STEMS = 24
MOST_NAMES = 160
SHORTEST_SAID, MOST_SAID = 3, 8  # letters of a word of an author's name, and words
SHORTEST_INITIALS, LONGEST_INITIALS = 3, 8

# Folded kinds of legal acts and the ways to write them; of several kinds any may be meant.
_ACTS: dict[str, tuple[str, ...]] = {
    "ley organica": ("ley organica",),
    "lo": ("ley organica",),
    "ley foral": ("ley foral",),
    "ley": ("ley", "ley organica", "ley foral"),
    "real decreto legislativo": ("real decreto legislativo",),
    "rdleg": ("real decreto legislativo",),
    "rdlg": ("real decreto legislativo",),
    "real decreto ley": ("real decreto ley",),
    "rdl": ("real decreto legislativo", "real decreto ley"),
    "real decreto": ("real decreto",),
    "rd": ("real decreto",),
    "decreto legislativo": ("decreto legislativo", "real decreto legislativo"),
    "decreto ley": ("decreto ley", "real decreto ley"),
    "decreto": ("decreto", "real decreto"),
    "orden": ("orden",),
    "resolucion": ("resolucion",),
    "circular": ("circular",),
    "instruccion": ("instruccion",),
    "acuerdo": ("acuerdo",),
    "reglamento": ("reglamento",),
    "regulation": ("reglamento", "regulation"),
    "directiva": ("directiva",),
    "directive": ("directiva", "directive"),
    "decision": ("decision",),
}
_ACT_NAMES = "|".join(
    name.replace(" ", r"[\s-]{1,3}") if " " in name else rf"{name}" for name in sorted(_ACTS, key=len, reverse=True)
)
_ACT = re.compile(
    rf"(?<![^\W_])(?:(?P<kind>{_ACT_NAMES}|l\.\s?o\.|r\.\s?d\.\s?l(?:eg)?\.|r\.\s?d\.)\s{{0,3}}"
    r"(?:\((?:ue|ce|cee|eu|ec)\)\s{0,3})?(?:n\.?\s?[ouº°]m?\.?\s{0,2})?)?"
    r"(?P<series>[a-z]{2,4}/)?(?P<number>\d{1,5}/\d{4}|\d{4}/\d{1,5}|(?<=directiva )\d{2}/\d{1,4})(?![\w/])"
)
_DATE = re.compile(
    r",?\s{0,3}(?:de\s)?\d{1,2}\.?\s{1,2}(?:de\s)?(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre"
    r"|octubre|noviembre|diciembre|january|february|march|april|may|june|july|august|september|october|november"
    r"|december)(?:\sde\s\d{4})?,?"
)
_APPROVED = re.compile(
    r"por (?:el|la) que se aprueban? (?:el|la) (?:texto refundido de (?:el |la )?)?|texto refundido de (?:el |la )?"
)
_SHORT = re.compile(
    r"(?:\(|[«\"“])\s?(?:en adelante,?|in short,?|hereinafter,?)?\s?(?:el |la |the )?[«\"“]?"
    r"(?P<short>[A-Z][A-Za-z]{0,3}[A-Z]{1,8})[»\"”]?\s?\)"
    r"|en adelante,? (?:el |la )?[«\"“]?(?P<later>[A-Z][A-Za-z]{0,3}[A-Z]{1,8})(?![A-Za-z])"
)
_SUBTITLE = re.compile(r"\s[—–|-]\s|:\s|\s?\(")
_COUNTED = re.compile(
    r"^(?:[a-z]{1,12}\.?\s)?\d{1,3}(?:\.\d{1,3}){0,3}\s?[.:)—–-]\s{0,3}|^u\.?\s?\d{1,3}\s?[.:)—–-]?\s{0,3}"
)
_FILE_COUNT = re.compile(r"^0{0,2}(?P<number>\d{1,3})[-_. ]")
_GAPS = re.compile(r"[\s-]+")
_GAPS_OF_SHORT = re.compile(r"[\s.-]+")
_FIGURES = re.compile(r"[\d\s]{0,12}")
_TOKEN = re.compile(r"[^\W\d_]{2,8}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_EXTENSION = re.compile(r"\.[a-z]{2,5}$")

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


def act_kinds(written: str) -> tuple[str, ...]:
    """The kinds of act that a folded word for one may mean: "rdl" two, "l.o." one."""
    spelled = _GAPS.sub(" ", written.replace(".", "")).strip()
    return _ACTS.get(spelled, ()) or _ACTS.get(_GAPS_OF_SHORT.sub("", written), ())


def acts_in(folded: str) -> Iterator[re.Match[str]]:
    """Legal acts by number, in folded text; the group "kind" is None where only a number stands."""
    return _ACT.finditer(folded)


def act_number(match: re.Match[str]) -> str:
    return (match["series"] or "") + match["number"]


def names_of(title: str, filename: str, beginning: str = "", said: str = "") -> frozenset[str]:
    """All names of a document; `beginning` is how its text begins, `said` are its authors and its year."""
    title, beginning = title[:LONGEST_TITLE], beginning[:BEGINNING]
    folded = fold_latin(title)
    own = _own_act(folded) or _act_that_begins(beginning)
    titles = list(dict.fromkeys([folded, *([own] if own else []), *_first_line(title, beginning)]))
    found: dict[str, None] = {}
    for name in _all(titles, title, filename, beginning, own, said):
        found.setdefault(name)
        if len(found) >= MOST_NAMES:
            break
    return frozenset(found)


def _all(titles: Iterable[str], title: str, filename: str, beginning: str, own: str, said: str) -> Iterator[str]:
    if own and (act := next(acts_in(own), None)):
        yield from (f"law:{kind} {act_number(act)}" for kind in act_kinds(act["kind"] or "")[:1])
        yield f"number:{act_number(act)}"
    yield from _of_file(filename)
    if key := heading_key(title):
        yield f"place:{key}"
    yield from (f"short:{short}" for short in _shorts(title, beginning))
    editions = edition_names(title, filename, beginning)
    year = _YEAR.search(act_number(act)) if own and (act := next(acts_in(own), None)) else None
    yield from editions
    yield from (f"token:{token}" for token in _tokens(title, filename, beginning))
    others = [stem(word) for word in words(said[:LONGEST_TITLE]) if len(word) >= SHORTEST_SAID][:MOST_SAID]
    yield from map(said_name, others)
    years = [one.removeprefix("edition:") for one in editions] + ([year[0]] if year else [])
    others += [one for one in years if _YEAR.fullmatch(one)]
    for one in titles:
        for core in _cores(one):
            yield from _of_core(core, others)


def _first_line(title: str, beginning: str) -> list[str]:
    """How the text calls itself where its title does not say what it is: "Ordenanza de terrazas" of "bop_118"."""
    line = beginning.lstrip("#* ").split("\n", 1)[0][:LONGEST_TITLE]
    return [fold_latin(line)] if not is_noun(title) and words(line)[:1] and words(line)[0] in NOUNS else []


def _own_act(folded_title: str) -> str:
    """The title from the act that it names first, where it begins with one; "" of a title that names another's."""
    act = next(acts_in(folded_title), None)
    is_own = act is not None and act["kind"] and len(folded_title[: act.start()].split()) <= 2
    return folded_title[act.start() :] if is_own and act else ""


def _act_that_begins(beginning: str) -> str:
    """The act that a line of the beginning opens with, its date behind it: the document's own and no reference."""
    for line in beginning.splitlines():
        folded = fold_latin(line[:LONGEST_TITLE])
        act = next(acts_in(folded), None)
        if (
            act
            and act["kind"]
            and _FIGURES.fullmatch(folded[: act.start()])
            and folded[act.end() :].startswith(", de ")
        ):
            return folded[act.start() :].split(". ", 1)[0]
    return ""


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


def _shorts(title: str, beginning: str) -> Iterator[str]:
    """Abbreviations in brackets in the title, or where the text says them of itself, behind its own title."""
    texts = [title]
    if len(title) >= 12 and (place := beginning.find(title[:60])) >= 0:
        texts.append(beginning[place : place + len(title) + 80])
    for folded_way in ("presente ley", "presente reglamento", "este documento", "this document"):
        if (place := fold_latin(beginning).find(folded_way)) >= 0:
            texts.append(beginning[place : place + 80])
    for text in texts:
        for match in _SHORT.finditer(text):
            yield fold_latin(match["short"] or match["later"])


def _cores(folded_title: str) -> list[str]:
    """The title; it without its number, its date, its subtitle; and what it approves."""
    act = next(acts_in(folded_title), None)
    plain = folded_title.replace(act_number(act), " ", 1) if act else folded_title
    plain = " ".join(_DATE.sub(" ", plain).split())
    plain = _COUNTED.sub("", plain)
    cores = [plain, _SUBTITLE.split(plain, maxsplit=1)[0], plain.split(",", 1)[0]]
    if approved := _APPROVED.search(plain):
        cores.append(plain[approved.end() :])
    return [core for core in dict.fromkeys(cores) if core.strip()]


def _of_core(core: str, others: Iterable[str] = ()) -> Iterator[str]:
    """`others`: what beside the title tells it from others of its kind, "el decreto de 2011"."""
    spelled = [word for word in words(core) if word not in STOP_WORDS][:MOST_STEMS]
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


def _initials(spelled: Iterable[str]) -> Iterator[str]:
    """Of the first words: what an abbreviation leaves out stands mostly last."""
    letters = "".join(word[0] for word in spelled if word.isalpha())[:LONGEST_INITIALS]
    yield from (letters[:n] for n in range(SHORTEST_INITIALS, len(letters) + 1))


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
