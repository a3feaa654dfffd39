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
    "|secs?|mins?|hrs?|h"
)
# "21 días", "dos (2) meses", "five working days"; "1 día por día" and "0,50 € cada 7 días" are rates, "en 5 días" and
# "tres días antes" say by when.
_SPAN = re.compile(
    r"(?<!\bcada )(?<!\bevery )(?<!\ben )(?<!\bwithin )(?<!\bin )(?<![\w.,/-])"
    rf"(?:\d[\d.,]{{0,9}}|(?:{_NUMBERS})\b)[\s-]"
    rf"(?:\(\w{{1,12}}\)\s)?(?:(?:calendar|working|business|full|school|consecutive|more)\s)?(?:{_UNITS})\b"
    rf"(?!\s(?:por|per|de retraso|of delay|antes|before|previos|prior|de (?:antelacion|anticipacion)|in advance)\b)"
)
_LASTS = r"dura(?:r|n|cion|ra|ran)?|durante|caducan?|caducidad|vencen?|valid[oa]s?|validez|vigencia|vigentes?"
_LASTING = re.compile(rf"\b(?:{_LASTS}|lasts?|lasting|duration|expires?|valid|validity|runs for|term of|for up to)\b")
_SAYS = re.compile(r"\b(?:duran?|durara|duraran|duro|lasts?|lasted)\b")  # it may be no number: "para siempre"
# A number that is told as a duration: "es de 21 días", "por dos años".
_TOLD = re.compile(rf"\b(?:por|de|es|son|sera|seran|hasta|for|of|is|are|be|to) (?={_SPAN.pattern})")
_PERIOD = re.compile(_UNITS)
_ONLY_LASTS = re.compile(r"dura\w{0,4}|lasts?|lasting|duration")
_FINES = re.compile(
    r"\b(?:multas?|sancion\w{0,5}|recargos?|penaliza\w{0,8}|suspension\w{0,2}|retrasos?|mora|infraccion\w{0,2}"
    r"|fine[sd]?|penalt(?:y|ies)|surcharges?|suspended|overdue|late (?:fees?|returns?))\b"
)
_PRICES = re.compile(r"[€$£%]|\b(?:euros?|dollars?|pounds?|por ciento|per ?cent)\b")


def is_period(word: str) -> bool:
    """Whether a folded word is a length of time: "dias", of the column "Plazo (días)"."""
    return _PERIOD.fullmatch(word) is not None


def is_lasting_word(word: str) -> bool:
    """Whether a folded word of a question only asks how long: it is nothing that lasts."""
    return _ONLY_LASTS.fullmatch(word) is not None


def says_it_lasts(sentence: str) -> bool:
    """Whether a sentence says that something lasts, or has a duration and a word for it: "caduca a los cinco años"."""
    folded = fold_latin(sentence[:LONGEST])
    if _SAYS.search(folded):
        return True
    return _SPAN.search(folded) is not None and _LASTING.search(folded) is not None


def tells_a_duration(sentence: str) -> bool:
    """Whether a sentence says so of its number: "exige dos años de experiencia" does not."""
    return says_it_lasts(sentence) or _TOLD.search(fold_latin(sentence[:LONGEST])) is not None


def has_duration(folded: str, asked: Collection[str]) -> bool:
    """Whether a folded sentence has a duration, or says what lasts, and that of no fine or delay, unless the question,
    whose words are `asked`, is about one; beside a price or a share only with a word for lasting."""
    text = folded[:LONGEST]
    begun = {word[:SAME] for word in asked}
    fines = list(_FINES.finditer(text))
    fined = min((one.start() for one in fines), default=LONGEST)
    if begun.intersection(one[0][:SAME] for one in fines):
        fined = LONGEST
    if (says := _SAYS.search(text)) and says.start() < fined:
        return True  # "dura 21 días, y el retraso lleva una multa", "dura hasta final de curso"
    if not _SPAN.search(text) or fined < LONGEST:
        return False
    return not _PRICES.search(text) or _LASTING.search(text) is not None
