"""Weights, temperatures, speeds and powers: how each is asked for, and what one looks like in a folded text:
"¿Cuánto pesa la HV-450?" is answered by "Peso: 12 kg", that shares no word with it. Pure.
"""

import re
from dataclasses import dataclass

from retrieval.text.folding import fold_latin

_NUMBER = (
    r"(?:\d|\b(?:un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte|treinta|cuarenta|cincuenta"
    r"|sesenta|setenta|ochenta|noventa|cien|mil|medio|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half)\b)"
)
_LONGEST_BETWEEN = 60  # characters of a table's signs and names between what heads a column and a number in it


@dataclass(frozen=True, slots=True)
class Quantity:
    """`asks` for it; `words` are the question's that only ask; `amounts` are numbers with a unit of it, or behind what
    it is called; `named` is what a column or a line of it is called."""

    asks: re.Pattern[str]
    words: frozenset[str]
    amounts: re.Pattern[str]
    named: re.Pattern[str]

    def is_told_by(self, text: str, above: str) -> bool:
        """Whether a statement has an amount of it, or a number that is called so there or above it."""
        folded = fold_latin(text)
        if self.amounts.search(folded):
            return True
        return any(one.isdigit() for one in folded) and bool(self.named.search(f"{fold_latin(above)} {folded}"))


def _quantity(asks: str, words: str, units: str, named: str) -> Quantity:
    return Quantity(
        re.compile(asks),
        frozenset(words.split()),
        re.compile(rf"{_NUMBER}\s{{0,2}}(?:{units})|\b(?:{named})[^.;:!?]{{0,{_LONGEST_BETWEEN}}}[:|\s(]\s?\d"),
        re.compile(rf"\b(?:{named})"),
    )


MEASURED = "peso|weight|temperatura|temperature|velocidad|speed"

# Not what may be told in other units as well: how fast something is reported, how high a fine, how long a password is;
# nor lengths, which are as often of something else: of ways, of distances.
_QUANTITIES = (
    _quantity(
        r"\bcuanto (?:me |se )?pesan?\b|\bque peso tienen?\b|\bcual es el peso\b|\bhow heavy\b"
        r"|^\W{0,9}(?:el |the )?(?:peso|weight) (?:del?|of) "
        r"|\bhow much (?:do|does|did)\b.{1,80}\bweigh\b|\bwhat(?: is|'s) the weight\b",
        "pesa pesan peso tiene tienen heavy weigh weighs weight",
        r"(?:(?:kg|gr?|mg|kilos?|kilogram\w{0,2}|gram\w{0,2}|tonelad\w{1,2}|tonn?es?|lbs?|pounds?|oz|ounces?|libras?"
        r"|[kmgt]i?b|bytes)\b"  # of a file
        r"|%(?=.{0,60}\b(?:nota|calificacion|evaluacion|marks?|grade|total)\b))",  # of an exam in it
        r"pes(?:o|an?)\b|weigh|masa\b",
    ),
    _quantity(
        r"\b(?:que|cual es la) temperatura\b|^\W{0,9}(?:la |the )?(?:temperatura|temperature) (?:del?|of) "
        r"|\b(?:what|which) temperature\b|\bwhat(?: is|'s) the temperature\b"
        r"|\bhow (?:hot|cold)\b",
        "temperatura temperature hot cold alcanza alcanzan",
        r"(?:[°º]|oc\b|grados|degrees|celsius|fahrenheit|[cfk]\b)",
        r"temperatura|temperature",
    ),
    _quantity(
        r"\b(?:que|cual es la) velocidad\b|^\W{0,9}(?:la |the )?(?:velocidad|speed) (?:del?|of) "
        r"|\bwhat(?: is|'s) the speed\b"
        r"|\bhow fast (?:is|are|(?:do|does|can)\b.{1,60}\b(?:go|run|fly|drive|spin|move))\b",
        "velocidad speed fast",
        r"(?:[kc]?m/[hs]|kmh|mph|rpm|[kmgt]?bps|[kmgt]b/s|[kmg]bits?/s|nudos|knots|[kmg]?hz|revoluciones|kilometros por"
        r"|miles (?:per|an)|mach|m?s|segundos?|seconds?|minutos?|minutes?)\b",
        r"velocidad|speed",
    ),
    _quantity(
        r"\bque potencia (?:tiene|consume|necesita|maxim|nominal)|\bcual es la potencia\b|\bcuanto consumen?\b"
        r"|\bhow powerful\b|\bhow much (?:power|electricity|energy|fuel) (?:do|does)\b",
        "potencia tiene consume consumen power powerful electricity energy fuel",
        r"(?:[kmg]?wh?|watts?|vatios?|kilovatios?|cv|hp|caballos|l/100|litros?|lit(?:er|re)s?|[km]?ah?|gallons?|kcal)\b",
        r"potencia|consum|power",
    ),
)


def asked_quantity(question: str) -> Quantity | None:
    """What of the kind a question asks for, if anything."""
    folded = fold_latin(question)
    return next((one for one in _QUANTITIES if one.asks.search(folded)), None)
