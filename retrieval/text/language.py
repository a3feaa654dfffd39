"""Which language a text is written in, from its function words: enough to choose a stemmer, nothing more."""

import re
from collections.abc import Mapping

from retrieval.text.folding import fold_latin
from retrieval.text.place_words import KINDS

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NUMBERED_ONE = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,12}) {1,3}I(?![\w'’])")
_WINDOW = 2_000  # characters; a long text is judged by its head, its middle and its tail
_SUFFIX_WEIGHT = 0.5  # an ending is weaker evidence than a function word
_SIGN_WEIGHT = 2.0  # a letter that only one of these languages writes is stronger
# Where the evidence is shared ("capa de transporte"), the expected languages win.
_EXPECTED = {"es": 0.1, "en": 0.1}

_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "es": "el la los las un una unos unas de del al a en y e o u que qué se su sus por para con sin"
        " sobre no es son fue era eran ser está están como cómo más pero este esta estos estas eso"
        " ese esa lo le les ha han hay hasta desde entre cuando cuándo donde dónde quién quien"
        " cuál cuáles cual cuánto cuántos cuántas muy también ya si sí mi me nos según puede"
        " pueden debe tiene tienen hace hizo durante porque todo todos otra otro cada mientras así"
        " cuanto cuantos cuantas",
        "en": "the of and to in a an is are was were be been that this these those it its for on with"
        " as by at from or not but which what who whom whose when where why how many much did does"
        " do has have had he she they his her their them we you your our can could should would"
        " will may must there if than then into about after before between during while also other"
        " such no so because i my me us",
        "pt": "o os as um uma uns umas de do da dos das em no na nos nas e ou que se seu sua seus suas"
        " por para com sem sobre não é são foi era ser está como mais mas este esta isso esse essa"
        " ao aos à às pelo pela há até entre quando onde quem qual quais quantos quantas muito"
        " também já você eu ele ela eles",
        "fr": "le la les un une des de du au aux à en et ou que qui quoi se son sa ses par pour avec"
        " sans sur ne pas est sont était être ce cet cette ces il elle ils elles on nous vous dans"
        " plus mais comme quand où quel quelle combien très aussi leur leurs d'un d'une c'est l'on"
        " n'est",
        "it": "il lo la i gli le un uno una di del della dei delle degli dello al alla ai nel nella in"
        " e o che chi si suo sua per con senza su non è sono era essere questo questa come più ma"
        " quando dove quale quali quanto quanti molto anche da dal dalla",
        "de": "der die das den dem des ein eine einen einem einer und oder dass nicht ist sind war"
        " waren sein wird werden mit von zu zum zur im in auf für an als auch wie was wer wann wo"
        " warum welche welcher sich bei aus nach über ich er sie es wir ihr",
        "ca": "el la els les un una uns unes de del dels al als a en i o que què es seu seva per amb"
        " sense no és són va ser està com més però aquest aquesta això hi ha fins entre quan on"
        " qui quin quina molt també ja",
    }.items()
}
_LANGUAGES = {
    word: tuple(language for language, other in _WORDS.items() if word in other)
    for words in _WORDS.values()
    for word in words
}
_SIGNS = {"es": "ñ¿¡", "pt": "ãõ", "fr": "êœëû", "de": "äöß", "ca": "·"}
_ENDINGS = {
    "es": (
        "ción",
        "ciones",
        "sión",
        "cion",
        "idad",
        "idades",
        "miento",
        "mente",
        "ería",
        "ando",
        "iendo",
        "ados",
    ),
    "en": (
        "tion",
        "tions",
        "sion",
        "ing",
        "ness",
        "ment",
        "ity",
        "ies",
        "ship",
        "ous",
        "ful",
        "ly",
        "'s",
        "’s",
    ),
    "pt": ("ção", "ções", "dade"),
    "fr": ("tés", "eux", "euse", "ement"),
    "it": ("zione", "zioni", "mento"),
    "de": ("ung", "ungen", "keit", "heit", "lich"),
}
_ANY_ENDING = tuple(ending for endings in _ENDINGS.values() for ending in endings)


def detect(text: str) -> str:
    """The ISO 639-1 code of the language of `text`, or "" where there is no evidence or it is balanced.

    Meant for Spanish and English, documents and one-line questions alike; the other languages are here so
    that a French or Portuguese text is not taken for Spanish.
    """
    scores = _scores(_NUMBERED_ONE.sub(_without_number, _sample(text)).lower())
    ranked = sorted(scores, key=lambda language: scores[language], reverse=True)
    best, second = ranked[0], ranked[1]
    return best if scores[best] > scores[second] else ""


def _without_number(found: re.Match[str]) -> str:
    """ "Anexo I" counts in Roman, and has neither the English "I" nor the Catalan "i"."""
    return found[1] if fold_latin(found[1]) in KINDS else found[0]


def _sample(text: str) -> str:
    if len(text) <= 3 * _WINDOW:
        return text
    middle = (len(text) - _WINDOW) // 2
    return " ".join((text[:_WINDOW], text[middle : middle + _WINDOW], text[-_WINDOW:]))


def _scores(text: str) -> dict[str, float]:
    """Evidence by language; a word of several languages is worth its share to each."""
    scores = dict.fromkeys(_WORDS, 0.0)
    for word in _WORD.findall(text):
        if languages := _LANGUAGES.get(word):
            for language in languages:
                scores[language] += 1 / len(languages)
        elif word.endswith(_ANY_ENDING):
            for language, endings in _ENDINGS.items():
                scores[language] += _SUFFIX_WEIGHT if word.endswith(endings) else 0
    for language, signs in _SIGNS.items():
        scores[language] += _SIGN_WEIGHT * sum(text.count(sign) for sign in signs)
    for language, bonus in _EXPECTED.items():
        scores[language] += bonus if scores[language] else 0
    return scores
