"""What no reader should meet on a page: ids, JSON, values of the code, and words of the other language."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import unfold
from django.apps import apps
from django.conf import settings
from django.utils.translation import override

from chat.answering.state import State
from chat.rendering.codes import CODES
from retrieval.confidence.gate import Gate
from tests.msgids import texts_of_template

UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
JSON = re.compile(r"\{\s*[\"'][\w ]+[\"']\s*:|\[\s*[\[{\"']|\{\}")
UNSEEN = {"script", "style", "template", "svg", "head", "code", "pre", "textarea"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
SAID = ("placeholder", "aria-label", "title", "alt")  # attributes that are read out or shown
PARTS = re.compile(r"%\([a-z_]+\)[sd]|\n+")
FOLDED = ("Technical details", "Detalles técnicos")
LEAST_WORDS = 2
SPANISH_TOO = {"No", "General", "Error"}


class Visible(HTMLParser):
    """The pieces of text of a page that somebody can see, without what is folded as technical details. Icons of the
    admin are words that a font draws as pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.pieces: list[tuple[str, str]] = []  # where, and what
        self.folds: list[int] = []  # how deep what nobody reads stands: technical details, icons

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.pieces += [(f"{tag}[{name}]", value) for name, value in attrs if name in SAID and value]
        if tag not in VOID:
            self.open.append(tag)
            if "material-symbols" in (dict(attrs).get("class") or ""):
                self.folds.append(len(self.open))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass
        self.folds = [depth for depth in self.folds if depth <= len(self.open)]

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if text in FOLDED and "details" in self.open:
            self.folds.append(len(self.open) - 1 - self.open[::-1].index("details") + 1)
        if text and not UNSEEN & set(self.open) and not self.folds:
            self.pieces.append((self.open[-1] if self.open else "", text))


def visible(html: str) -> list[tuple[str, str]]:
    reader = Visible()
    reader.feed(html)
    return reader.pieces


@cache
def every_pair() -> list[tuple[str, str]]:
    """English and Spanish of the catalogue, a plural by itself."""
    text = (Path(settings.BASE_DIR) / "locale/es/LC_MESSAGES/django.po").read_text(encoding="utf-8")
    text = re.sub(r'"\n"', "", text)
    return re.findall(
        r'^msgid(?:_plural)? "(.+)"\n(?:msgid_plural ".*"\n)?msgstr(?:\[\d\])? "(.+)"', text, re.MULTILINE
    )


@cache
def translations() -> list[tuple[str, str]]:
    """Those that differ."""
    return [(en, es) for en, es in every_pair() if en != es]


def spoken(texts: set[str], others: set[str]) -> list[str]:
    """Pieces of at least two words that only the one language has."""
    known = " \n ".join(others).lower()
    pieces = {piece.strip(" .:…,;·()“”«»") for text in texts for piece in PARTS.split(text.replace("\\n", "\n"))}
    return [one for one in pieces if len(one.split()) >= LEAST_WORDS and len(one) > 8 and one.lower() not in known]


@cache
def foreign_to(language: str) -> tuple[re.Pattern[str], ...]:
    """Patterns of the words of the other language, whole and in any case."""
    english, spanish = ({pair[n] for pair in translations()} for n in (0, 1))
    wrong = spoken(english, spanish) if language == "es" else spoken(spanish, english)
    wrong.sort(key=len, reverse=True)
    return tuple(
        re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, wrong[n : n + 300]))})(?!\w)", re.IGNORECASE)
        for n in range(0, len(wrong), 300)
    )


@cache
def words_of_others(language: str) -> frozenset[str]:
    """What the other language says in one word and this one otherwise: wrong as all that a heading or a label says."""
    english, spanish = ({pair[n].lower() for pair in every_pair()} for n in (0, 1))
    return frozenset(filter(str.isalpha, english - spanish if language == "es" else spanish - english))


@cache
def words_of_a_library(language: str) -> frozenset[str]:
    """What the administration's own pages say in English, also where our catalogue has nothing for it."""
    if language != "es":
        return frozenset()
    pages = Path(unfold.__file__).parent.rglob("*.html")
    asked = {" ".join(text.split()) for page in pages for text in texts_of_template(page.read_text(encoding="utf-8"))}
    return frozenset(one for one in asked if "%" not in one) - {es for _en, es in every_pair()} - SPANISH_TOO


@cache
def raw_values(language: str) -> frozenset[str]:
    """Values of choices and states that read otherwise in this language."""
    with override(language):
        found = {
            str(value)
            for model in apps.get_models()
            for field in model._meta.concrete_fields
            for value, label in field.choices or ()
            if str(value).lower() not in str(label).lower() and str(value).isascii() and not str(value).isdigit()
        }
    known = {pair[language == "es"].lower() for pair in every_pair()}
    found |= {one.value for one in (*State, *Gate) if "_" in one.value} | {code for code in CODES if "_" in code}
    found |= {"HIGH", "MEDIUM", "LOW", "NONE", "threshold", "rank", "embed"}
    return frozenset(one for one in found if one and one.lower() not in known)


def words_astray(where: str, text: str, language: str) -> str:
    """What of it is not in this language, "" where all is; what is marked is a document's."""
    is_other = text.lower() in words_of_others(language) or text in words_of_a_library(language)
    if where != "mark" and is_other:
        return f"not {language} in {where}: {text!r}"
    found = next(filter(None, (pattern.search(text) for pattern in foreign_to(language))), None)
    return f"not {language} in {where}: {found[0]!r} in {text[:100]!r}" if found else ""


def stray_in(html: str, language: str) -> Iterator[str]:
    """Each thing that should not be there, with where it is."""
    for where, text in visible(html):
        if UUID.search(text):
            yield f"id in {where}: {text[:80]}"
        if JSON.search(text):
            yield f"JSON in {where}: {text[:80]}"
        if text in raw_values(language) or any("_" in one and one in text for one in raw_values(language)):
            yield f"raw value in {where}: {text[:80]}"
        if wrong := words_astray(where, text, language):
            yield wrong
