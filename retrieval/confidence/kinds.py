"""Amounts and other things of a kind that a question may ask for, and what each looks like in a folded text. Pure."""

import re

from retrieval.text.folding import fold_latin

_NUMBERS = (
    "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|veinte|veinti\\w{2,6}"
    "|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|ciento|mil|two|three|four|five|six|seven|eight"
    "|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand"
)
_ONE = "|un|una|uno|one"  # an article as often as a number: it counts of a time alone
_TIMES = (
    "segundos?|minutos?|horas?|dias?|semanas?|mes|meses|anos?|siglos?|decadas?"
    "|seconds?|minutes?|hours?|days?|weeks?|months?|years?|centur\\w{1,3}|decades?"
)
_DAYS = (
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|january|february"
    "|(?:march|may) \\d|(?<=\\b(?:in|of|by) )(?:march|may)|april|june|july|august|september|october|november|december"
    "|lunes|martes|miercoles|jueves|viernes|sabados?\\b|domingos?\\b|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
)
_CLAUSE = r"\d{1,2}(?:\.\d{1,2}){2}"  # "6.8.1 Verify that users …" counts no users
_AMOUNT = rf"(?<!\w)(?<!\d\.)(?:(?!{_CLAUSE})\d[\d.,/]{{0,15}}|(?:{_NUMBERS})\b)"
_PLACES = (
    "articulo", "capitulo", "seccion", "apartado", "anexo", "tabla", "figura", "pagina", "nivel",
    "chapter", "section", "article", "appendix", "table", "figure", "page", "level", "version",
)  # fmt: skip
COUNTED = "".join(rf"(?<!{place} )" for place in _PLACES) + _AMOUNT  # "Chapter 13 cases" are not thirteen
BEHIND = (  # what is counted: "Saltos (máx 15)", "Puertos: 24", and not "Puertos: 1. De entrada"
    rf"\w{{0,8}}(?:[^\w\n]{{1,3}}max\w{{0,5}}[^\w\n]{{1,3}}|\s?[:=|(]\s?(?!\d{{1,2}}[.)]\s)){_AMOUNT}"
)
_SPAN = re.compile(
    rf"(?<!\w)(?:\d[\d.,/]{{0,15}}|(?:{_NUMBERS}{_ONE})\b)\W{{0,3}}(?:\w{{1,12}}\W{{1,3}}){{0,2}}(?:{_TIMES})\b"
)
_MONEY = re.compile(
    r"\d[\d.,]{0,15}\s{0,2}(?:eur|dolar|dollar|usd|millon|million)|[$€£]\s{0,2}\d|\bmil euros|\d de euros"
    r"|\d,\d\d\b(?!\s?(?:%|[mµnck]?m\b|[mk]?[glvw]\b|[kmg]?hz\b|[kmgt]i?b|m?s\b|db))"  # "0,57 mm" is no price
)
_CURRENCIES = re.compile(
    r"\b(?:pesos?|libras?|pounds?|pence|cent(?:imo|avo)?s?|francos?|francs?|coronas?|soles|bolivares|quetzales|reales"
    r"|yen(?:es|s)?|rupees?|gratis|gratuit[oa]s?|free)\b"
)
# Neither "§ 1307(c)" nor a part of an address, nor a number in base two.
_YEAR = r"(?<![\w.§])(?<!§ )(?![01]{4})(?:1\d{3}|20\d\d)(?:s|-\d\d)?\b(?!\(|\.\d)"
DATE = re.compile(rf"{_YEAR}|\b(?:{_DAYS})\b|\b(?:siglo|century)\b|\d/\d{{1,2}}/\d")
_SHARE = re.compile(r"\d\s{0,2}%|\bpor ciento\b|\bper ?cent\b|\bmitad\b|\bhalf\b")
_AGE = re.compile(
    rf"{_SPAN.pattern}|\b(?:age[ds]?|edad|mayor(?:es)?|menor(?:es)?|over|under)\W(?:\w{{1,8}}\W){{0,2}}\d"
)
_COLOUR = re.compile(
    r"\b(?:blanc|negr|roj|amarill|azul|verde|gris|naranja|morad|violeta|rosa|marron|pardo|dorad|platead|beige|granate"
    r"|turquesa|celeste|crema\b|white|black|red\b|yellow|blue|green|gr[ae]y\b|orange|purple|violet|pink|brown|gold"
    r"|silver|turquoise|cyan|magenta|transparent)|#[0-9a-f]{3}"
)
_MAIL = re.compile(r"\w@\w")
_WEB = re.compile(r"https?:|\bwww\.|\w\.(?:com|org|net|es|eu|edu|gob|gov|io|uk|mx|ar|co|cl|pe)\b")
_CLOCK = re.compile(
    r"(?<![\d.,:])(?:[01]?\d|2[0-3])[:.][0-5]\d\b(?![.:,]\d)|\b\d{1,2} ?(?:h|am|pm)\b|\b\d{1,2} horas\b"
)
# What happens at a time: of a day, of a year, or again and again.
_WHEN = re.compile(
    rf"{DATE.pattern}|{_CLOCK.pattern}|{_SPAN.pattern}|\b(?:semana|week|sesion|session|dia|day) \d"
    r"|\b(?:primavera|verano|otono|invierno|spring|summer|autumn|winter|navidad|christmas|easter|semana santa)\b"
    r"|\b(?:cada|every) (?:\d|dia|noche|semana|mes|ano|day|night|week|month|year)|\btod[oa]s l[oa]s\b"
    r"|\b(?:diari|semanal|mensual|trimestral|semestral|anual|daily|weekly|monthly|quarterly|yearly|annually)"
)
_DIGITS = re.compile(r"\d[\d .()-]{5,18}\d")
A_LENGTH = r" (?:must|should|can|may|could) .{1,120}? be(?: at (?:least|most))?\W{0,9}$"  # behind "how long": no time
_ASKS_PRICE = re.compile(
    r"\bcuanto (?:me |nos |se )?(?:cuesta|cobra|vale|paga)|\ba cuanto (?:sale|asciende)"
    r"|\bhow much (?:do|does|did|is|are|will|would|must|can|should|to)\b.{0,80}\b(?:cost|pay|earn|charge)"
)
_PRICING_WORDS = """
    cuesta cuestan costar vale valen cobra cobran cobrar paga pagan pagar sale salen asciende
    cost costs pay pays earn earns charge charges
"""
PRICING_WORDS = frozenset(_PRICING_WORDS.split())  # they ask, where a price is asked for: what has one, answers
_NAMING_WORDS = """
    color colores correo electronico pagina sitio direccion web url edad telefono
    colour colours colors mail email address website age phone telephone number
"""
NAMING_WORDS = frozenset(_NAMING_WORDS.split())  # they name a kind: "info@example.org" need not be called an address
ASKS = (
    (_ASKS_PRICE, _MONEY),
    (re.compile(r"\b(?:multa|sueldo|precio|tarifa|coste|salario|presupuesto|salary|fine|price|fee|hourly rate)\b"),
     _MONEY),
    (re.compile(r"\bcuanto (?:tiempo|dura|tarda)|\bplazo\b|\bhow often\b|\bhow long\b"
                rf"(?!{A_LENGTH})"
                r"|\blifetime\b"), _SPAN),
    (re.compile(r"\b(?:que|cual es la|which|what) edad\b|\b(?:what|which)(?: is the(?: \w{1,20}){0,2})? age\b"), _AGE),
    (re.compile(r"\b(?:que|cual es el|what|which|what is the) colou?r"), _COLOUR),
    (re.compile(r"\b(?:a que|cual es (?:el|la)|what(?: is|'s)? the|which) "
                r"(?:\w{1,20} ){0,2}(?:e-?mail address|correo|e-?mail)\b"), _MAIL),
    (re.compile(r"\b(?:cual es la|que|what(?: is|'s)? the|which) "
                r"(?:web ?site|url|web address|(?:direccion|pagina) web)\b"), _WEB),
    (re.compile(r"\bporcentaje\b|\bpercentage\b|\bwhat (?:percent|share)\b"), _SHARE),
    (re.compile(r"\b(?:horario|opening hours|(?:what|which) time does|a que hora)\b"), _CLOCK),
    (re.compile(r"\b(?:numero de telefono|telefono|(?:tele)?phone number)\b"), _DIGITS),
    (re.compile(r"\b(?:(?:what is|what's) the|cual es (?:el|la)) (?:maxim|minim)\w{1,2}\b"
                r"(?! (?:organ|autori|authorit|respons|represent|instanc|body))"), re.compile(_AMOUNT)),
    (re.compile(r"\bwhen (?:was|were|did)\b|\b(?:what|which) (?:year|date|century|decade)\b"
                r"|\b(?:que|cual) (?:ano|fecha|siglo|decada)\b"), DATE),
    (re.compile(r"^\W{0,3}cuando (?:es|son|sera|seran) (?:el|la|los|las|mi|tu|su)\b"
                r"|^when (?:is|are) (?:the|my|our)\b(?!.{0,200}\w(?:ed|en|able|[ao]ry)\b)"), _WHEN),
)  # fmt: skip


def asks_price(question: str) -> bool:
    """ "¿Cuánto cuesta …?", "How much do I pay for …?": of what is asked with PRICING_WORDS."""
    return _ASKS_PRICE.search(fold_latin(question)) is not None


def has_price(text: str) -> bool:
    """Whether it has an amount of money, of whatever currency, or says that nothing is paid."""
    folded = fold_latin(text.replace("€", " euro "))
    return _MONEY.search(folded) is not None or _CURRENCIES.search(folded) is not None
