"""Numbers as people write them in references: in words, ordinals, Roman."""

_UP_TO_29 = (
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho"
    " diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho"
    " veintinueve"
)
_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa"
_ORDINALS = (
    "primera segunda tercera cuarta quinta sexta séptima octava novena décima undécima duodécima decimotercera"
    " decimocuarta decimoquinta decimosexta decimoséptima decimoctava decimonovena vigésima"
)
_ROMAN = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def in_words(number: int) -> str:
    """Spanish cardinals, 1 to 199: 41 is "cuarenta y uno"."""
    if number >= 100:
        return "cien" if number == 100 else f"ciento {in_words(number - 100)}"
    if number < 30:
        return _UP_TO_29.split()[number - 1]
    ten, unit = _TENS.split()[number // 10 - 3], number % 10
    return f"{ten} y {in_words(unit)}" if unit else ten


def ordinal(number: int) -> str:
    """Feminine, as of a disposición, 1 to 29."""
    return _ORDINALS.split()[number - 1] if number <= 20 else f"vigésima {ordinal(number - 20)}"


def roman(number: int) -> str:
    written = ""
    for value, signs in _ROMAN:
        while number >= value:
            written, number = written + signs, number - value
    return written


WORDS = {in_words(number): number for number in range(1, 200)} | {"ciento": 100}
ORDINALS = {ordinal(number): number for number in range(1, 30)} | {"única": 1}
ROMANS = {roman(number): number for number in range(1, 60)}
