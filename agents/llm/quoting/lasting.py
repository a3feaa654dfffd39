"""How long something lasts: "¿Cuánto dura el préstamo?" wants a duration of the loan, no date, price or fine. Pure."""

import re
from collections.abc import Collection

from retrieval.text.folding import fold_latin

LONGEST = 1_200  # characters of a sentence that are looked at
SAME = 5  # letters of a word that is the question's, too

_NUMBERS = (
    "una?|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|veinte|veinti\\w{2,8}"
    "|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|medi[oa]"
    "|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\w{3,5}teen|twenty|thirty|forty|fifty|sixty"
    "|seventy|eighty|ninety|hundred|half an"
)
_UNITS = (
    "segundos?|minutos?|horas?|dias?|semanas?|mes(?:es)?|trimestres?|semestres?|cursos?|anos?|siglos?|decadas?"
    "|seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|terms?|years?|centur(?:y|ies)|decades?"
)
# "21 días", "dos (2) meses", "five working days"; "1 día por día" and "0,50 € cada 7 días" are rates.
_SPAN = re.compile(
    rf"(?<!\bcada )(?<!\bevery )(?<!\bpor )(?<!\bper )(?<![\w.,/-])(?:\d[\d.,]{{0,9}}|(?:{_NUMBERS})\b)[\s-]"
    rf"(?:\(\w{{1,12}}\)\s)?(?:(?:calendar|working|business|full|school|consecutive|more)\s)?(?:{_UNITS})\b"
    rf"(?!\s(?:por|per|de retraso|of delay)\b)"
)
_LASTS = r"dura(?:r|n|cion|ra|ran)?|durante|caducan?|caducidad|vencen?|valid[oa]s?|validez|vigencia|vigentes?"
_LASTING = re.compile(rf"\b(?:{_LASTS}|lasts?|lasting|duration|expires?|valid|validity|runs for|term of|for up to)\b")
_ONLY_LASTS = re.compile(r"dura\w{0,4}|lasts?|lasting|duration")
_FINES = re.compile(
    r"\b(?:multas?|sancion\w{0,5}|recargos?|penaliza\w{0,8}|suspension\w{0,2}|retrasos?|mora|infraccion\w{0,2}"
    r"|fine[sd]?|penalt(?:y|ies)|surcharges?|suspended|overdue|late (?:fees?|returns?))\b"
)
_PRICES = re.compile(r"[€$£%]|\b(?:euros?|dollars?|pounds?|por ciento|per ?cent)\b")


def is_lasting_word(word: str) -> bool:
    """Whether a folded word of a question only asks how long: it is nothing that lasts."""
    return _ONLY_LASTS.fullmatch(word) is not None


def says_it_lasts(sentence: str) -> bool:
    """Whether a sentence has a duration, and a word for lasting: "caduca a los cinco años"."""
    folded = fold_latin(sentence[:LONGEST])
    return _SPAN.search(folded) is not None and _LASTING.search(folded) is not None


def has_duration(folded: str, asked: Collection[str]) -> bool:
    """Whether a folded sentence has a duration, and not the one of a fine or a delay, unless the question, whose words
    are `asked`, is about that; beside a price or a share only with a word for lasting."""
    if not _SPAN.search(folded[:LONGEST]):
        return False
    if _PRICES.search(folded[:LONGEST]) and not _LASTING.search(folded[:LONGEST]):
        return False
    begun = {word[:SAME] for word in asked}
    fines = {found[0][:SAME] for found in _FINES.finditer(folded[:LONGEST])}
    return not fines or not fines.isdisjoint(begun)
