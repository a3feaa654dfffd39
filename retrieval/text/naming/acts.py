"""Legal acts by their number: "Ley 39/2015", "Reglamento (UE) 2016/679", "Ley N° 20.744", "Ley 1480 de 2011". Pure.

Most count anew every year, and the year is a part of the number, however it is written. A number of five figures or
more is counted through, and needs none: "20.744", "20744".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
# Those that may be told by a number without its year; what else is, only with the sign for a number, "N°".
_ALONE = r"ley\sorganica|ley|(?:real\s)?decreto(?:[\s-]{1,3}ley|\slegislativo)?|(?:resolucion|circular)(?=\s{0,3}n)"
_SIGN = r"(?:n\.?\s?[ouº°]m?(?:ero)?\.?|nro\.?)\s{0,2}"
_PLAIN = r"\d{1,3}(?:\.\d{3}){1,2}|\d{1,6}"
_OF_A_YEAR = r"(?:\sdel?\s(?P<year>(?:19|20)\d\d))?"
_DATED = re.compile(
    rf"(?<![^\W_])(?:(?P<kind>{_ACT_NAMES}|l\.\s?o\.|r\.\s?d\.\s?l(?:eg)?\.|r\.\s?d\.)\s{{0,3}}"
    rf"(?:\((?:ue|ce|cee|eu|ec)\)\s{{0,3}})?(?:{_SIGN})?)?"
    r"(?P<series>[a-z]{2,4}/)?(?P<number>\d{1,5}/\d{4}|\d{4}/\d{1,5}|(?<=directiva )\d{2}/\d{1,4})(?![\w/])"
)
_UNDATED = re.compile(
    rf"(?<![^\W_])(?:(?P<kind>{_ALONE})"
    rf"(?:\s(?:nacional|nac\.?|federal|provincial))?\s{{0,3}}(?P<sign>{_SIGN})?|(?P<only>{_SIGN}))"
    rf"(?P<number>{_PLAIN}){_OF_A_YEAR}(?![\w/]|\.\d)"
)
_GAPS = re.compile(r"[\s-]+")
_GAPS_OF_SHORT = re.compile(r"[\s.-]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
FEWEST_FIGURES = 2  # of a number without a sign: "la ley 3 de Newton" is none
FIGURES_ALONE = 4  # of one without the word for an act: "N° 24.013"
COUNTED_THROUGH = 5  # figures of a number that no year begins again


@dataclass(frozen=True, slots=True)
class Act:
    """An act as some folded text names it; `kind` is "" where only its number stands, which begins at `counted`."""

    kind: str
    number: str
    start: int
    counted: int
    end: int

    @property
    def year(self) -> str:
        found = _YEAR.search(self.number) if "/" in self.number else None
        return found[0] if found else ""

    @property
    def numbers(self) -> tuple[str, ...]:
        """The number, and without the year behind it: "39" of "39/2015"."""
        plain, _, year = self.number.partition("/")
        is_counted = plain.isdigit() and _YEAR.fullmatch(year) and not _YEAR.fullmatch(plain)
        return (self.number, plain) if is_counted else (self.number,)


def act_kinds(written: str) -> tuple[str, ...]:
    """The kinds of act that a folded word for one may mean: "rdl" two, "l.o." one."""
    spelled = _GAPS.sub(" ", written.replace(".", "")).strip()
    return _ACTS.get(spelled, ()) or _ACTS.get(_GAPS_OF_SHORT.sub("", written), ())


def acts_in(folded: str) -> Iterator[Act]:
    """Legal acts by number, in folded text, in order."""
    dated = [
        Act(one["kind"] or "", (one["series"] or "") + one["number"], one.start(), one.start("number"), one.end())
        for one in _DATED.finditer(folded)
    ]
    undated = [act for one in _UNDATED.finditer(folded) if (act := _undated(one))]
    there = {at for one in dated for at in range(one.start, one.end)}
    yield from sorted([*dated, *(one for one in undated if one.start not in there)], key=lambda one: one.start)


def _undated(found: re.Match[str]) -> Act | None:
    """None of what only looks like one: a few figures, or a year, "ley 2015"."""
    digits = found["number"].replace(".", "")
    is_dotted = digits != found["number"]
    if found["only"]:
        is_one = len(digits) >= FIGURES_ALONE
    else:
        is_one = bool(found["sign"] or found["year"] or is_dotted) or (
            len(digits) >= FEWEST_FIGURES and not _YEAR.fullmatch(digits)
        )
    if not is_one:
        return None
    number = f"{digits}/{found['year']}" if found["year"] and len(digits) < COUNTED_THROUGH else digits
    counted = found.start("sign" if found["sign"] else "only" if found["only"] else "number")
    return Act(found["kind"] or "", number, found.start(), counted, found.end())
