"""Where sentences end, for who quotes or shortens them. Pure.

Chunking cuts elsewhere (`workers.ingestion.chunk.segments`), on purpose: to it the end of every line is one, and before
a figure it may cut, since an end that is missed makes a passage too long; here the lines of a paragraph are joined, and
"art. / 14.2" is no end, since one that is wrong makes half a quotation. One for both would move the chunks of every
document that is stored, and with them the ids that conversations cite.
"""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from retrieval.text.folding import fold
from retrieval.text.lines.columns import are_rows
from retrieval.text.lines.fields import is_field
from retrieval.text.stems import STOP_WORDS

Span = tuple[int, int]  # characters [start, end)

SHORTEST = 20  # characters; what is shorter, such as the number of a section, belongs to the sentence behind it
# Not "no": "No. Se puede …" is an answer, and before a figure there is no end anyway.
_ABBREVIATIONS = (
    "n p v cf ed ee ej fr lt pp sr dr mr ms st vs art arq cap dña dra eds etc fig inc ing lda ldo lic mrs núm"
    " num pág pag ref rev sec sgt sra sta sto tel vol apdo arts avda caps capt dpto figs gral hnos ilma ilmo"
    " mons núms nums párr págs pags prof secs sras sres vols srta rvdo aprox depto excma excmo profa profs"
    " srtas messrs approx"
)
# A sentence ends at its mark (and what closes after it) before white space, or at an empty line. Not before a figure or
# a small letter, nor at the point of an initial or an abbreviation: "Art. 14.2", "etc. y otros", "(e.g. `sha512`)".
_LENGTHS = groupby(_ABBREVIATIONS.split(), len)  # a look behind is of one length
_NO_END = "".join(rf"(?<!\b(?i:{'|'.join(short)})\.)" for _length, short in _LENGTHS) + r"(?<!\b(?i:[eiv]\.[ge])\.)"
# A paragraph's number in the middle of a line, ". 2. The …", begins a sentence and ends none.
_NUMBER = r"(?<![.:;!?…]\s\d\.)(?<![.:;!?…]\s\d\d\.)"
_NOT_BEFORE = r"(?!\s+(?!\d\d?\.[-–—]?\s[A-ZÁÉÍÓÚÑ¿¡«“])[\da-záéíóúüñ])"
SENTENCE_END = re.compile(
    rf"[.!?…](?![^\s\"'»”’)\]]){_NO_END}{_NUMBER}(?<!\b[A-ZÁÉÍÓÚÑ]\.)[\"'»”’)\]]*(?=\s){_NOT_BEFORE}"
    r"|(?=\n[^\S\n]*\n)"
)


def sentences(text: str, shortest: int = SHORTEST) -> list[Span]:
    """Where each sentence of at least `shortest` characters is, without the white space around it, in order."""
    edges = [0]
    for match in SENTENCE_END.finditer(text):
        if match.end() - edges[-1] >= shortest:
            edges.append(match.end())
    spans = (_strip(text, start, end) for start, end in pairwise((*edges, len(text))))
    return [span for span in spans if span[0] < span[1]]


def _strip(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


MOST_TITLE_WORDS = 6
TITLE_SHARE = 0.5  # of the length of the line below it, that a title has at most: a line that goes on is full


def below_title(text: str) -> int:
    """Where a text goes on whose first line is a title in the type of what stands right below it, "Limpieza" above "La
    linterna se limpia …"; 0 where its first line is no title."""
    line, _, below = text.partition("\n")
    title, after = line.strip(), below.lstrip().partition("\n")[0].rstrip()
    is_short = title != "" and len(title.split()) <= MOST_TITLE_WORDS and len(title) <= TITLE_SHARE * len(after)
    if not is_short or any(sign in title for sign in ".,:;!?…|") or fold(title.split()[-1]) in STOP_WORDS:
        return 0
    is_capital = title[0].isupper() and after.lstrip('¿¡«“"')[:1].isupper()
    return len(text) - len(below.lstrip()) if is_capital else 0


# Lines that stand by themselves: items, headings, rows of a table. What follows a heading or a row is another line.
_OWN_LINE = re.compile(
    r"^[^\S\n]{0,9}(?:(?P<alone>#{1,6}\s|\|)|[-*+•▪◦–—]\s|\(?\d{1,3}(?:\.\d{1,3}){0,3}[.)º]\s|\(?[a-zñ]\)\s)", re.M
)
_LINE = re.compile(r"^[^\n]*", re.M)


def statements(text: str) -> list[Span]:
    """Sentences that keep to their line where it stands by itself: an item, a heading, a row, one of several fields. In
    order."""
    edges = {0, len(text)}
    lines = list(_LINE.finditer(text))
    said = [line[0] for line in lines]
    fields, rows = list(map(is_field, said)), are_rows(said)
    for place, line in enumerate(lines):
        own = _OWN_LINE.match(text, line.start())
        is_one_of_fields = fields[place] and (
            True in fields[max(0, place - 1) : place] or True in fields[place + 1 : place + 2]
        )
        if own or rows[place] or is_one_of_fields:
            edges.add(line.start())
        if rows[place] or (own and own["alone"]):
            edges.add(line.end())
    spans = []
    for start, end in pairwise(sorted(edges)):
        spans += [(start + first, start + last) for first, last in sentences(text[start:end], shortest=1)]
    return spans


LETTER_BULLET = "o "  # as manual pages print it; in Spanish it is a word
FEWEST_BULLETS = 2
ENDS_BEFORE_A_BULLET = ".:;!?"


def has_letter_bullets(lines: Sequence[str]) -> bool:
    """Whether "o" begins lines more often than it stands within them, and mostly behind what has ended or another that
    does: a Spanish sentence goes on with it in the middle."""
    begun, after_an_end = 0, 0
    begins_one = False
    for above, line in zip(["", *lines], lines, strict=False):
        is_begun = line.lstrip().startswith(LETTER_BULLET)
        begins_one = is_begun and (begins_one or not above.strip() or above.rstrip()[-1] in ENDS_BEFORE_A_BULLET)
        begun, after_an_end = begun + is_begun, after_an_end + begins_one
    inside = sum(line.count(f" {LETTER_BULLET}") for line in map(str.lstrip, lines))
    return begun >= FEWEST_BULLETS and begun > inside and after_an_end * 2 >= begun
