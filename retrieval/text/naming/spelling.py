"""A question that is written in capitals throughout, as it is spelled otherwise: its case says nothing. Pure.

"¿QUÉ DICE EL ARTÍCULO 8 DE LA LOPD?" is "¿Qué dice el artículo 8 de la LOPD?". What is no word but letters stays in
capitals: Roman numerals, codes with figures, and what nobody could say as a word. "OWASP DNS" alone is no sentence, and
stays as it is.
"""

import re

from retrieval.text.document_names import NOUNS
from retrieval.text.folding import fold_latin
from retrieval.text.place_words import KINDS
from retrieval.text.references import UNITS, is_roman
from retrieval.text.stems import ASKS, STOP_WORDS, words

LONGEST_QUESTION = 2_000  # characters that are spelled anew
LONGEST_LETTERS = 8  # of what may be first letters
SHORTEST_WORD = 7  # letters of what is a word and no first letters, whatever stands beside it
SHORT = 4  # letters of a name behind a place
COUNTED = "0"  # stands for a place's number
ORDINAL_SIGNS = frozenset("ºª")  # small letters, as Unicode has it

_WORDS = frozenset({*STOP_WORDS, *ASKS, *KINDS, *NOUNS})
_OF = frozenset({"de", "del", "la", "el", "of", "the"})
_CHUNK = re.compile(r"\S+")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
# How words of Spanish and English begin and end beside their vowels, if with more than one letter.
_BEGIN = """
    bl br ch chl chr cl cr dr dw fl fr gh gl gn gr kn kr ll ph phr pl pr ps pt rh sc sch scr sh shr sk sl sm sn sp sph
    spl spr sq st str sw th thr thw tr ts tw wh wr
"""
_END = """
    bs bt ch ck cks ct cts dd ds dth ff ffs fs ft fts gh ghs ght ghts gm gn gns gs ks lb lch ld lds lf lfs lk lks ll lls
    lm lms lp lps ls lt lth lts mb mbs mn mp mps mpt mpts ms nc nch nct nd nds ng ngs ngth ngths nk nks nn nns ns nst nt
    nth nths nts nx ph phs ps pt pts rb rbs rc rch rd rds rf rfs rg rk rks rl rld rlds rls rm rms rn rns rp rps rr rs
    rsh rst rt rth rths rts sh sk sks sm sms sp sps ss st sts tch th ths tt ts tz wd wds wl wls wn wns ws xt xth xts
"""
_BEGINNINGS, _ENDINGS = frozenset(_BEGIN.split()), frozenset(_END.split())


def plainly_spelled(question: str) -> str:
    """The question; of one in capitals with its first letter alone in capitals, and what is no word."""
    shown = question[:LONGEST_QUESTION]
    if not _is_in_capitals(shown):
        return question
    spelled, end = [], 0
    before: tuple[str, ...] = ()
    for chunk in _CHUNK.finditer(shown):
        said, before = _spelled(chunk[0], before)
        spelled += [shown[end : chunk.start()], said]
        end = chunk.end()
    plain = "".join(spelled) + shown[end:]
    first = next((at for at, sign in enumerate(plain) if sign.isalpha()), 0)
    return plain[:first] + plain[first : first + 1].upper() + plain[first + 1 :] + question[LONGEST_QUESTION:]


def _is_in_capitals(question: str) -> bool:
    """Whether it says something with words, and none has a small letter."""
    cased = (sign for sign in question if sign.isalpha() and sign not in ORDINAL_SIGNS)
    if not all(map(str.isupper, cased)):
        return False
    said = words(question)
    return len(said) > 1 and any(word in _WORDS or _is_long(word) for word in said)


def _is_long(word: str) -> bool:
    return len(word) >= SHORTEST_WORD and not _is_first_letters(word)


def _spelled(chunk: str, before: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """What stands between spaces, and the words behind which the next one stands: the last one, and those that lead
    from a place with its number to what has it, "8", "de", "la"."""
    if any(map(str.isdigit, chunk)) or "_" in chunk:
        return chunk, (COUNTED,)
    parts, end = [], 0
    for match in _LETTERS.finditer(chunk):
        word = fold_latin(match[0])
        parts += [chunk[end : match.start()], match[0] if _stays(word, before) else match[0].lower()]
        before, end = _with_word(word, before), match.end()
    return "".join(parts) + chunk[end:], before


def _with_word(word: str, before: tuple[str, ...]) -> tuple[str, ...]:
    if before and before[0] == COUNTED and word in _OF:
        return (*before, word)
    is_counted = bool(before) and before[-1] in KINDS and (is_roman(word) or word in UNITS)
    return (COUNTED,) if is_counted else (word,)


def _stays(word: str, before: tuple[str, ...]) -> bool:
    """Whether a word is written in capitals in ordinary spelling, too: of a letter where it counts a place, of a short
    one behind "artículo 8 del"."""
    last = before[-1] if before else ""
    if len(word) == 1:
        return last in KINDS or word not in STOP_WORDS
    is_holder = len(word) <= SHORT and len(before) > 1 and before[0] == COUNTED
    return word not in _WORDS and (is_holder or is_roman(word) or _is_first_letters(word))


def _is_first_letters(word: str) -> bool:
    """Whether nobody could say it as a word: "lopd", "rgpd", "asvs"."""
    if len(word) > LONGEST_LETTERS or not (word.isascii() and word.isalpha()):
        return False
    beginning = word[: len(word) - len(word.lstrip(_CONSONANTS))]
    ending = word[len(word.rstrip(_CONSONANTS)) :]
    if beginning == word:
        return True
    is_odd_end = ending == "q" or (len(ending) > 1 and ending not in _ENDINGS)
    return is_odd_end or (len(beginning) > 1 and beginning not in _BEGINNINGS)
