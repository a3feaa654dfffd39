"""Amounts and other things of a kind that a question may ask for, and what each looks like in a folded text. Pure."""

import re

from retrieval.text.folding import fold_latin

_NUMBERS = (
    "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci\\w{3,5}|docena|veinte"
    "|veinti\\w{2,6}|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|ciento|mil|two|three|four|five|six|seven|eight"
    "|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|dozen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand"
)
_ONE = "|un|una|uno|one"  # an article as often as a number: it counts of a time alone
_TIMES = (
    "segundos?|minutos?|horas?|dias?|semanas?|mes|meses|anos?|siglos?|decadas?"
    "|seconds?|minutes?|hours?|days?|weeks?|months?|years?|centur\\w{1,3}|decades?"
)
_DAYS = (
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|january|february|april"
    "|june|july|august|september|october|november|december|lunes|martes|miercoles|jueves|viernes|sabados?|domingos?"
    "|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
)
_VERBS_TOO = (  # "may" and "march" are months beside a number or a word that says when
    "(?:(?<=\\d )|(?<=\\d(?:st|nd|rd|th) )|(?<=\\b(?:in|of|by) )|(?<=\\b(?:last|next|late|from|this|that) )"
    "|(?<=\\b(?:early|since|until|every) ))(?:may|march)|(?:may|march) \\d"
)
_SHORT_MONTHS = "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|ene|abr|ago|dic"
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
    r"\d pesos?\b|\b(?:libras?|pounds?|pence|cent(?:imo|avo)?s?|francos?|francs?|coronas?|soles|bolivares|quetzales"
    r"|reales|yen(?:es|s)?|rupees?|ducados?|maravedi\w{0,3}|duros|escudos?|florines|guineas?|shillings?|gratis|gratuit[oa]s?|free)\b"
)
# Neither "§ 1307(c)" nor a part of an address, nor a number in base two.
_YEAR = (
    r"(?:(?<![\w.§])|(?<=\bc\.)|(?<=\bca\.))(?<!§ )(?:(?<=\b(?:in|en) )|(?<=\bano )|(?![01]{4}))"
    r"(?:1\d{3}|20\d\d)(?:s|-\d\d)?\b(?!\(\w{1,2}\)|\.\d)"
)
_DAY = (  # "12.06.2024", "3/11", "12 Jan"
    r"(?<![\d.])(?:0?[1-9]|[12]\d|3[01])[.-](?:0?[1-9]|1[0-2])[.-](?:(?:19|20)\d\d|\d\d)\b(?![.-]\d)|\d/\d{1,2}/\d"
    rf"|\b\d{{1,2}}[ -](?:{_SHORT_MONTHS})\b|\b(?:{_SHORT_MONTHS})\.? \d{{1,2}}\b"
)
DATE = re.compile(rf"{_YEAR}|{_DAY}|\b(?:{_DAYS}|{_VERBS_TOO})\b|\b(?:siglo|century)\b")
_SHARE = re.compile(r"\d\s{0,2}%|\bpor ciento\b|\bper ?cent\b|\bmitad\b|\bhalf\b")
_AGE = re.compile(
    rf"{_SPAN.pattern}"
    r"|\b(?:age[ds]?|edad|mayor(?:es)?|menor(?:es)?|over|under|least|partir de)\W(?:\w{1,8}\W){0,2}\d"
    rf"|\bage(?:d| of)? (?:{_NUMBERS})\b|\d ?(?:\+|or (?:older|over|more)|o mas)|\b(?:mayor|menor)(?:es)? de edad\b"
    r"|\badults?\b"
)
_COLOUR = re.compile(
    r"\b(?:blanc|negr|roj|amarill|azul|verd|gris|naranj|morad|violet|rosa|marron|pardo|dorad|platead|beige|granate"
    r"|turquesa|celeste|crema|ocre|castan|rubio|caqui|purpura|salmon|carmesi|fucsia|lila|burdeos|albiceleste|white|black"
    r"|red\b|yellow|blue|green|gr[ae]y\b|orange|purple|pink|brown|gold|silver|turquoise|teal|cyan|magenta|navy|maroon"
    r"|burgundy|cream|amber|crimson|khaki|lilac|olive|tan\b|transparent|ral\b|pantone|rgb)"
    r"|\b(?:in|bi|multi)color|colou?rless|#[0-9a-f]{3}"
)
_MAIL = re.compile(r"\w@\w")
_WEB = re.compile(r"https?:|\bwww\.|\blocalhost\b|\w{2}\.[a-z]{2,6}\b")
# Of a telephone: no years "2025-2026", no date, no hours.
_DIGITS = re.compile(
    r"(?<![\d.])(?!(?:19|20)\d\d\W(?:19|20)?\d\d\b)(?!\d{1,2}[.-]\d{1,2}[.-]\d{2,4}\b)\d[\d .()-]{5,18}\d"
)
_SEEN = (_COLOUR, _MAIL, _WEB, _DIGITS)
_CLOCK = re.compile(
    r"(?<![\d.,:])(?:[01]?\d|2[0-4])[:.][0-5]\d\b(?![.:,]\d)"
    r"|\b\d{1,2} ?(?:hs?|hrs?|horas|am|pm|[ap]\. ?m)\b"
    r"|\b(?:noon|midday|midnight|mediodia|medianoche|o.clock)\b"
    r"|\ba las? (?:\d{1,2}|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)\b"
)
# What happens at a time: of a day, of a year, or again and again.
_WHEN = re.compile(
    rf"{DATE.pattern}|{_CLOCK.pattern}|{_SPAN.pattern}|\b(?:semana|week|sesion|session|dia|day) \d"
    r"|\b(?:primavera|verano|otono|invierno|spring|summer|autumn|winter|navidad|christmas|easter|semana santa)\b"
    r"|\b(?:cada|every|each) (?:\d|dia|noche|semana|mes|ano|day|night|week|month|year|term)|\btod[oa]s l[oa]s\b"
    r"|\b(?:diari|semanal|quincenal|mensual|trimestr|semestr|anual|daily|weekly|fortnight|monthly|quarter|yearly|annual)"
    r"|\d(?:st|nd|rd|th)\b|(?<![\d./])\d{1,2}/(?:0?[1-9]|1[0-2])\b(?![./]\d)"
    r"|\b(?:ultimo|primer|last|first) (?:\w{1,10} )?(?:dia|day)\b"
    r"|\b(?:hoy|manana|today|tomorrow|tonight|term|semester)\b|\b(?:once|twice|one|two|times?) an? \w"
)
A_LENGTH = r" (?:must|should|can|may|could) .{1,120}? be(?: at (?:least|most))?\W{0,9}$"  # behind "how long": no time
_ASKS_PRICE = re.compile(
    r"\bcuanto (?:me |nos |se )?(?:cuesta|cobra|vale|paga)|\ba cuanto (?:sale|asciende)"
    r"|\bhow much (?:do|does|did|is|are|will|would|must|can|should|to)\b.{0,80}\b(?:cost|pay|earn|charge)"
)
# As well, but what is asked so may be told without a word for it: in the past, and by the name of a price.
PRICES = "precio|tarifa|coste|price|cost|fee|fare"
_SUMS = f"{PRICES}|cuota|importe|multa|sancion|sueldo|salario|presupuesto|salary|wage|fine|penalty|budget"
_NAMES_PRICE = re.compile(
    r"\bcuanto (?:me |nos |os |te |le |les |se )?(?:ha |han )?(?:costo|costa[rd]|cobr|valio|pago|pagaron|gana)"
    r"|\bhow much (?:was|were)\b.{0,80}\b(?:cost|paid|charged)\b|^\W{0,9}what (?:do|does|did)\b.{1,80}\bcost\b"
    rf"|\b(?:{_SUMS}) (?:(?:\w{{1,20}} )?(?:del?|por|para)|of|for)\b"
)
_FIGURE = re.compile(rf"(?<![\w.,])\d[\d.,]{{0,15}}(?!\d|\s?%)|\b(?:{_NUMBERS}) (?:euro|dolar|dollar|libra|pound|peso)")
_PRICES = re.compile(
    r"\b(?:preci|tarifa|coste|importe|cuantia|pvp|tasa|cuota|euro|eur\b|usd\b|dolar|price|cost|fee|rate|charge|fare|amount"
    r"|salar|sueldo|pay\b|wage|allowance|ayuda)|[$£]"
)
_PRICING_WORDS = """
    cuesta cuestan costar vale valen cobra cobran cobrar paga pagan pagar sale salen asciende
    cost costs pay pays earn earns charge charges
"""
PRICING_WORDS = frozenset(_PRICING_WORDS.split()) | frozenset(
    PRICES.split("|")
)  # they ask, where a price is asked for: what has one, answers
_ASKS_NO_AMOUNT = re.compile(
    r"^\W{0,3}(?:who|may|can|must|do|does|is|are|should|where|why|how (?:do|can)|quien|quienes|pueden?|deben?|donde"
    r"|como|por que|para que)\b"
)
_NAMING_WORDS = """
    color colores correo electronico pagina sitio direccion web url edad telefono
    colour colours colors mail email address website age phone telephone number fax
"""
NAMING_WORDS = frozenset(_NAMING_WORDS.split())  # of CALLED_SO: "info@example.org" need not be called an address
CALLED_SO = (*_SEEN, _AGE)
# What a maximum or a minimum of is a number, and what is on a day: by how the words begin.
_MEASURES = (
    "amount|cantidad|numb|numero|length|longitud|size|tamano|weight|peso|time|tiempo|stay|wage|compensation|salary"
    "|salario|fee|period|plazo|duracion|duration|importe|cuantia|height|altura|width|anchura|distanc|speed|velocidad"
    "|temperatur|dos[ei]|capaci"
)
_EVENTS = (
    "exam|reunion|meeting|fiesta|party|deadline|entrega|vacacion|holiday|partido|match|clase|class|ceremon|gradua|boda"
    "|wedding|concert|concierto|feria|fair|elecci|election|asamblea|assembly|conferenc|congres|simulacro|excursion|trip"
    "|event|inaugur|defensa|convocatoria|retreat|audit"
)
_ASKS = (
    (_ASKS_PRICE, _MONEY),
    (re.compile(r"\b(?:multa|sueldo|precio|tarifa|coste|salario|presupuesto|salary|fine|price|fee|hourly rate)\b"),
     _MONEY),
    (re.compile(r"\bcuanto (?:tiempo|dura|tarda)|\bplazo\b|\bhow often\b|\bhow long\b"
                rf"(?!{A_LENGTH})"
                r"|\blifetime\b"), _SPAN),
    (re.compile(r"\b(?:que|cual es la) edad\b|\b(?:what|which) age\b"
                r"|\bwhat is the (?:minimum|maximum|legal|retirement|average|school|voting|upper|lower) age\b"), _AGE),
    (re.compile(r"\b(?:que|cual es el|what|which|what is the) colou?r(?:es|s)?\b"
                r"(?! (?:code|temperature|depth|profile|scheme|space))"), _COLOUR),
    (re.compile(r"\b(?:what(?: is|'s)?|which) (?:the |your )?e-?mail address\b|\ba que (?:direccion de )?correo\b"
                r"|\bcual es (?:el|su|tu) (?:correo|e-?mail)\b|\bcual es la direccion de (?:correo|e-?mail)\b"), _MAIL),
    (re.compile(r"\bcual es la (?:direccion|pagina) web\b|\bwhat(?: is|'s) the (?:url|web address)\b"), _WEB),
    (re.compile(r"\bporcentaje\b|\bpercentage\b|\bwhat (?:percent|share)\b"), _SHARE),
    (re.compile(r"\b(?:horario|opening hours|(?:what|which) time does|a que hora)\b"), _CLOCK),
    (re.compile(r"\b(?:numero de|que|cual es (?:el|su|tu|vuestro)|a que|en que) (?:telefono|fax)\b"
                r"|\btelefono de (?:contacto|atencion|informacion|emergencias?|urgencias?)\b|\b(?:phone|fax) number\b"
                r"|\btelephone number\b|\bwhat is (?:the|your) (?:tele)?(?:phone|fax)(?: (?:of|for|to)\b|\W{0,3}$)"),
     _DIGITS),
    (re.compile(r"\b(?:(?:what is|what's) the|cual es (?:el|la)) (?:maxim|minim)\w{1,2} "
                rf"(?:of|de|{_MEASURES})"),
     re.compile(rf"{_AMOUNT}|\b(?:unlimited|ilimitad|no (?:maximum|minimum|limit)|sin limite|one|un[oa]?)\b")),
    (re.compile(r"\bwhen (?:was|were|did)\b|\b(?:what|which) (?:year|date|century|decade)\b"
                r"|\b(?:que|cual) (?:ano|fecha|siglo|decada)\b"), DATE),
    (re.compile(rf"^\W{{0,3}}(?:cuando (?:es|son|sera|seran) (?:el|la|los|las|mi|tu|su)|when (?:is|are) (?:the|my|our))"
                rf"(?: (?:next|first|last|final|proxim[oa]|primer[oa]?))? (?:{_EVENTS})"), _WHEN),
)  # fmt: skip


def asks_price(question: str) -> bool:
    """ "¿Cuánto cuesta …?", "How much do I pay for …?": of what is asked with PRICING_WORDS."""
    return _ASKS_PRICE.search(fold_latin(question)) is not None


def names_price(question: str) -> bool:
    """Whether a question asks for an amount of money, in whatever way: "¿Cuánto costó …?", "price of …"."""
    return asks_price(question) or _NAMES_PRICE.search(fold_latin(question)) is not None


def tells_amount_of_money(text: str) -> bool:
    """Whether a text has a price, or a number beside a word for one: "cuota: 12", and not "25 % de la cuota"."""
    if _FREE_OR_SMALL.search(fold_latin(text)):
        return True
    return has_price(text) or (tells_price(text, text) and _FIGURE.search(fold_latin(text)) is not None)


def has_price(text: str) -> bool:
    """Whether it has an amount of money, of whatever currency, or says that nothing is paid."""
    folded = fold_latin(text.replace("€", " euro "))
    return _MONEY.search(folded) is not None or _CURRENCIES.search(folded) is not None


def tells_price(row: str, above: str) -> bool:
    """Whether a row of a table has one, or stands below a word for it: "Precio (€)"."""
    return has_price(row) or _PRICES.search(fold_latin(above.replace("€", " euro "))) is not None


def sought_by(folded: str) -> re.Pattern[str] | None:
    """What is asked for by a folded question, as it looks; None where that is of no kind that looks so."""
    if _ASKS_NO_AMOUNT.match(folded):
        return None
    return next((pattern for asks, pattern in _ASKS if asks.search(folded)), None)


_ASKS_HOUR = re.compile(
    r"\ba que hora |^\W{0,9}(?:the |la )?(?:hora del?|time of) "
    r"|^\W{0,9}(?:what|which) time (?:do|does|did|is|are|was|will|can|must) "
)


_FREE_OR_SMALL = re.compile(
    r"\d{1,3}p\b|\d (?:chf|clp|kr|quid|por persona|per person|a head)\b|\b(?:no cuesta|sin coste|no tiene coste"
    r"|costs? nothing|no charge|at no cost|incluid[oa]s?|included)\b"
)
_LOOKS = {
    "telefono": _DIGITS, "telephone": _DIGITS, "phone": _DIGITS, "movil": _DIGITS, "fax": _DIGITS, "email": _MAIL,
    "correo": _MAIL, "mail": _MAIL, "web": _WEB, "website": _WEB, "color": _COLOUR, "colour": _COLOUR,
}  # fmt: skip


def is_seen_in(word: str, text: str) -> bool:
    """Whether a text has what a word for it names by its look, "phone": "01463 555 019"; never of other words."""
    return word in _LOOKS and _LOOKS[word].search(fold_latin(text)) is not None


def lacks_what_is_seen(question: str, told: str) -> bool:
    """Whether a colour, an address, a telephone or an hour is asked for, and a text has none."""
    folded = fold_latin(question)
    if _ASKS_HOUR.search(folded):
        return _CLOCK.search(fold_latin(told)) is None
    sought = sought_by(folded)
    return sought in _SEEN and sought.search(fold_latin(told)) is None
