"""What kind of thing a question asks for, and whether a sentence has one: in Spanish and English. Pure.

A question is read at its beginning: "¿Cuántos días dura…?" asks for a number, "Who wrote…?" for a name.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

from agents.llm.quoting.asked_for.lasting import has_duration
from agents.llm.quoting.asked_for.offices import OFFICES
from retrieval.confidence.kinds import A_LENGTH, PRICES
from retrieval.confidence.quantities import MEASURED
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STEM_LETTERS, STOP_WORDS


class Wish(StrEnum):
    PERSON = "person"
    PLACE = "place"
    TIME = "time"
    SPAN = "span"  # how long something lasts
    NUMBER = "number"
    VALUE = "value"  # that something has by default: a number, a word or a sign
    DEFINITION = "definition"
    STEPS = "steps"
    REASON = "reason"
    OTHER = "other"


AMOUNTS = (Wish.NUMBER, Wish.TIME, Wish.SPAN)
LONGEST = 600  # characters of a question that are looked at
LONGEST_PAIR = 120  # characters at the end of a question, in which two things are named
_WHICH = r"(?:que|cual\w{0,2}|what|which) (?:es |era |fue |is |was |are )?(?:el |la |the )?(?:\w{1,12} ){0,2}"
_PERIODS = "ano|anos|dia|fecha|mes|siglo|decada|epoca|hora|plazo|year|day|date|month|century|decade|time"
_QUANTITIES = (
    "porcentaje|numero|cantidad|cifra|precio|multa|tamano|edad|altura|distancia|temperatura|longitud|profundidad|tasa|"
    "proporcion|puntuacion|marcador|poblacion|percent|percentage|number|amount|price|fine|size|age|height|distance|"
    "rate|score|population|length|depth|temperature|proportion|importe|cuantia|sueldo|salario|limite|maxim[oa]|minim[oa]"
    "|limit|salary|maximum|minimum|peso|velocidad|potencia|weight|speed"
)
_PLACES = "pais|ciudad|lugar|region|estado|rio|country|city|place|state|river"
_DEFINES = (
    r"(?:que|quienes) (?:es|son|significan?|se entiende por|quiere decir|hacen?) |defin|what (?:is|are|does)\b"
    r"|para que (?:sirven?|se (?:usan?|utilizan?)) "
)
_DEFAULT = (
    r"(?:what(?: is|'s)|which is|cual es) (?:the|el) (?:\w{1,12} )?(?:default|por defecto|predeterminado)(?: value)?"
    r" (?:of|for|del?|para)\b"
)
_HOW_LONG_IT_IS = rf"how long{A_LENGTH}"
# What comes first in the question counts; of two at one place, the one that is first here. Of folded text.
_KINDS = (
    (Wish.NUMBER, _HOW_LONG_IT_IS),
    (Wish.VALUE, _DEFAULT),
    (
        Wish.SPAN,
        r"cuanto dura\w{0,3}\b|cuant[oa]s (?:\w{4,9} )dura\w{0,3}\b|how long (?:do|does|can|may|will)\b"
        rf"|{_WHICH}(?:duracion|vigencia|duration)\b",
    ),
    (
        Wish.TIME,
        rf"cuando|{_WHICH}(?:{_PERIODS})(?:e?s)?\b|when|how (?:long|often|soon)"
        r"|cuanto (?:tiempo|dura|tarda)|cada cuanto",
    ),
    (
        Wish.NUMBER,
        rf"^\W{{0,3}}(?:(?:el|la|the) )?(?:{PRICES}|{MEASURED}) (?:\w{{1,20}} )?(?:del?|of|for)\b"
        r"|what (?:do|does|did)\b.{1,80}\bcost\b",
    ),
    (
        Wish.NUMBER,
        r"cuant[oa]s?|how (?:many|much|far|old|tall|big|large|high|fast|deep|wide|heavy|hot|cold|powerful)"
        rf"|{_WHICH}(?:{_QUANTITIES})(?:e?s)?\b",
    ),
    (
        Wish.PERSON,
        rf"quien(?:es)?|who(?:m|se)?\b|{_WHICH}(?:persona|autor|autora|rey|presidente|nombre|name)(?:e?s)?\b"
        rf"|^\W{{0,3}}(?:(?:el|la|the) )?(?:\w{{2,15}} )?{OFFICES}\b[^?]{{0,60}}\b(?:del?|of)\b"
        rf"|^\W{{0,3}}(?:(?:el|la|the) )?(?:nombre del? (?:la )?|name of the )(?:\w{{2,15}} ){{0,2}}{OFFICES}\b",
    ),
    (Wish.PLACE, rf"donde|adonde|where|{_WHICH}(?:{_PLACES})(?:e?s)?\b"),
    (Wish.REASON, r"por que|why|what (?:caused|causes)|a que se debe"),
    (
        Wish.STEPS,
        r"como (?:se (?!llama|denomina)|puedo |debo |hago |hay |tengo |lo |la |\w{2,14}o\b)|pasos|procedimiento"
        r"|instrucciones|how (?:to|do|can|should|does) (?:i|you|one|we)\b|how to|steps",
    ),
    (Wish.DEFINITION, _DEFINES),
)
_ASKED = tuple((kind, re.compile(rf"(?:^|[^\w])({pattern})")) for kind, pattern in _KINDS)
_CLAUSES = "cuando|when|donde|where|quien(?:es)?|who(?:m|se)?"
_ASKS_WHAT = re.compile(
    r"(?:^|^[^¿]{1,600}¿|^(?:if|when|once) [^,?]{1,300},)\W{0,9}"
    r"(?:(?:a|con|de|en|at|by|for|from|in|of|on|to|with) )?(?:que|cual(?:es)?|what|which)\b"
    rf"(?! (?:{_CLAUSES}))(?!.{{1,400}}\b(?:y|o|and|or) (?:(?:a|de|con|desde|until|by) )?(?:{_CLAUSES})\b)"
)
_CLAUSE = re.compile(_CLAUSES)

_TEXTS = (
    "ley|leyes|estatuto|norma|reglamento|texto|documento|manual|constitucion|codigo|decreto|directiva|convenio"
    "|law|act|statute|regulation|text|document|handbook|directive|code|agreement|license|licence|policy"
)
_DEFINED = tuple(
    (re.compile(rf"\b{pattern}"), plain)
    for pattern, plain in (
        (
            r"(?:que se (?:entiende por|considera)|que quiere decir|(?:cual es )?(?:la )?definicion del?) (?=\w)",
            "qué es ",
        ),
        (r"(?:what is (?:meant by|the definition of)|definition of) (?=\w)", "what is "),
        (rf"como (?:se )?definen? (?:(?:el|la|los|las|este|esta) )?(?:{_TEXTS}) (?=\w)", "qué es "),
        (rf"how do(?:es)? (?:the |this )?(?:{_TEXTS}) define (?=\w)", "what is "),
    )
)

_SEVERAL = (
    "tipos|clases|partes|pasos|elementos|ventajas|desventajas|inconvenientes|requisitos|rangos|estados|fases|funciones"
    "|niveles|criterios|reglas|categorias|grupos|modalidades"
    "|types|kinds|steps|parts|advantages|disadvantages|requirements|stages|layers"
    "|levels|criteria|rules|categories|groups"
    "|componentes|etapas|principios|consecuencias|causas|sintomas|derechos|obligaciones|excepciones|casos|supuestos"
    "|politicas|opciones|valores|modos|metodos|policies|options|values|modes|methods"
    "|components|phases|principles|consequences|causes|symptoms|rights|obligations|exceptions|cases|circumstances"
)
_SECOND_PERSONS = (
    r"\w{1,18}(?:mos|ais|eis)\b|(?:hac|deb|pued|ten|tien|quier|sab|vien|pon|dic)es\b|(?:necesit|us|das|va)s\b"
)
_FEW = "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|two|three|four|five|six|seven|eight|nine|ten"
_ARE_THERE = "hay|existen|se (?:distinguen|definen|establecen)"
_FOR_WHAT = re.compile(r"\bpara que (?:se )?(?:sirv|usa|utiliz|emple)|\bwhat (?:is|are) .{1,120}\bfor\W{0,3}$")
_PURPOSE = re.compile(
    r"\b(?:sirv|usa|utiliz|emple|destin)\w{0,7} (?:para|a)\b|\b(?:used|serves?|meant|intended) (?:for|to|as)\b"
)
_LISTS = re.compile(
    rf"^\W{{0,9}}(?:(?:en|in) (?:que|which|what) (?:{_SEVERAL})\b|cuales (?:son|eran)"
    rf"|(?:que|what|which) (?:{_SEVERAL}|{_FEW}|are|of)\b|enumera|list|nombra|name"
    rf"|que \w{{3,20}}s (?:\w{{1,20}} ){{0,3}}(?:{_ARE_THERE})\b"
    rf"|que (?!{_SECOND_PERSONS})\w{{3,18}}[^\W\ds]s\b(?! (?:\w{{2,14}}[aei]r|que|con|por|para|al?|si|cuando)\b)"
    r"|(?:which|what) \w{3,18}[^\W\ds]s (?:\w{1,20} ){0,2}(?:are|do|can|may|must|should|have|were|will)\b"
    r"|quienes (?:son|forman|componen|integran)\b"
    r"|(?:what|which) (?:\w{1,20} ){1,4}(?:exist|are (?:there|defined|distinguished))\b)"
)
_KINDS_LISTED = re.compile(
    rf"^\W{{0,9}}(?:(?:en|in) )?(?:que|what|which|cuales son (?:los|las)) (?:\w{{1,20}} )?(?:{_SEVERAL})\b"
)
_ENUMERATION = re.compile(r"[,;][^,;]{1,120}\b(?:y|e|o|u|and|or)\b|[,;][^,;]{1,120}[,;][^,;]{1,120}[,;]")
_ANNOUNCES = re.compile(r"\b(?:siguientes?|following)\b")
_DIFFERS = re.compile(r"\bdiferenci|\bdistingu|\bvs\b|\bversus\b|\bfrente a\b|\bdiffer|\bcompar")

_BETWEEN = frozenset({"between", "entre"})
_PAIR = re.compile(
    r"\b(\w{3,20}(?: (?:(?:de|del|of) )?\w{3,20})?) (?:y|e|and) (?:(?:el|la|los|las|the|a|an) )?"
    r"(\w{3,20}(?: (?:(?:de|del|of) )?\w{3,20})?)\W{0,9}$"
)

_MONTHS = (
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|"
    "january|february|march|april|may|june|july|august|september|october|november|december"
)
_UNITS_OF_TIME = (
    "siglos?|anos?|mes(?:es)?|semanas?|dias?|horas?|minutos?|segundos?|decadas?|"
    "century|centuries|years?|months?|weeks?|days?|hours?|minutes?|seconds?|decades?|annually|anualmente"
)
_NUMBER_WORDS = (
    "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci\\w{4,5}|veinte|"
    "veinti\\w{2,8}|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|ciento|mil|millon(?:es)?|mitad|"
    "tercio|doble|triple|"
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\w{3,5}teen|twenty|thirty|forty|fifty|sixty|seventy|"
    "eighty|ninety|hundred|thousand|million|billion|half|third|quarter|twice|double|dozen"
)
_COUNTED = re.compile(r"\b(?:cuant[oa]s|how many) (?:de )?(\w{1,30})(?: (?:de )?(\w{1,30}))?")
_FIGURE = re.compile(rf"\d\w{{0,20}}|(?:{_NUMBER_WORDS})")
_COUNTED_WITHIN = 3  # words behind a figure: "40 jóvenes hombres"
_COUNTED_BEHIND = 2  # words before a figure: "saltos (máximo 15)"
_CLOCK = (
    r"\d{1,2}[:h][0-5]\d|\d{1,2}(?:\.[0-5]\d)? ?(?:h|hrs?|am|pm|a\.m|p\.m)|\d{1,3} ?mins?|noon|midnight|mediodia"
    r"|medianoche"
)
_WEEKDAYS = "lunes|martes|miercoles|jueves|viernes|sabados?|domingos?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_TIME = re.compile(rf"(?<![\w.,:])(?:1\d{{3}}|20\d\d|{_MONTHS}|{_UNITS_OF_TIME}|{_WEEKDAYS}|{_CLOCK})\b")
_PLACED = "".join(
    rf"(?<!{place} )"
    for place in ("articulo", "articulos", "art.", "section", "article", "seccion", "apartado", "page")
)
# No mark of a note or an item, "see (2) above", and no place of a text, "artículo 26.1".
_NUMBER = re.compile(rf"(?<![\d.,]){_PLACED}(?:(?<!\()\d|\d(?!\d?\)))|\b(?:{_NUMBER_WORDS})\b")
_EACH = frozenset({"per", "each", "every", "por", "cada"})
_NAME = re.compile(r"(?<=[\w,;:)»”\"'] )[(«“\"']?[A-ZÁÉÍÓÚÜÑ][\w'’-]+")
_REASON = re.compile(
    r"\b(?:porque|ya que|debido|puesto que|causa|razon|motivo|para que|because|since|due|cause|reason|in order)\b"
)


def kind_of_question(question: str) -> Wish:
    """Of what asks what or which, no clause tells the kind: "What happens when you dock?" asks for no date."""
    asked = fold_latin(question[:LONGEST])
    has_clauses = _ASKS_WHAT.match(asked) is not None
    found = [
        (match.start(1), place, kind)
        for place, (kind, one) in enumerate(_ASKED)
        if (match := one.search(asked)) and not (has_clauses and _CLAUSE.fullmatch(match[1]))
    ]
    return min(found)[2] if found else Wish.OTHER


def plainly_asked(question: str) -> str:
    """ "¿Qué se entiende por riesgo?", "What is meant by risk?": a definition as the shortest question asks for it, so
    that no statement is nearer for its "entiende"."""
    folded = fold_latin(question[:LONGEST])
    for pattern, plain in _DEFINED:
        if found := pattern.search(folded):
            return f"{question[: found.start()]}{plain}{question[found.end() :]}"
    return question


def asks_for_list(question: str) -> bool:
    """All of several things: "¿Cuáles son los rangos…?", "Name the layers"."""
    return _LISTS.search(fold_latin(question[:LONGEST])) is not None


def asks_what_there_is(question: str) -> bool:
    """All of the things that are named by their kind: "¿Qué componentes tiene…?", "What levels are there?"."""
    return _KINDS_LISTED.search(fold_latin(question[:LONGEST])) is not None


def enumerates(sentence: str) -> bool:
    """Whether it names several things: "a, b y c"."""
    return _ENUMERATION.search(fold_latin(sentence)) is not None


def announces(sentence: str) -> bool:
    """Whether it speaks of what follows it: "The following levels are recognized."."""
    return _ANNOUNCES.search(fold_latin(sentence)) is not None


def says_what_it_is_for(question: str, said: str) -> bool:
    """Whether what something is for is asked, and told: "El depósito se utilizará para: …"."""
    return (
        _FOR_WHAT.search(fold_latin(question[:LONGEST])) is not None and _PURPOSE.search(fold_latin(said)) is not None
    )


def asks_for_difference(question: str) -> bool:
    return _DIFFERS.search(fold_latin(question[:LONGEST])) is not None


def asked_pair(question: str) -> tuple[frozenset[str], ...]:
    """The words of the two things that "What are the core hours and the working hours?" asks for, folded; none where it
    ends otherwise, or where both are the same."""
    if not (found := _PAIR.search(fold_latin(question[-LONGEST_PAIR:]))):
        return ()
    one, other = (frozenset(each.split()) - STOP_WORDS - _BETWEEN for each in found.groups())
    return (one, other) if one != other and one and other else ()


def counted_by(question: str) -> frozenset[str]:
    """The stems of what "¿Cuántos hombres …?" and "How many people …?" want counted; none of another question."""
    found = _COUNTED.search(fold_latin(question[:LONGEST]))
    counted = [word for word in (found.groups() if found else ()) if word and word not in STOP_WORDS]
    return frozenset(one[:STEM_LETTERS] for word in counted for one in (word, word.removesuffix("s")))


def has_counted(said: Sequence[str], counted: frozenset[str]) -> bool:
    """Whether a number stands before one of what is counted; `said`: the words of a sentence, folded. "0.32 euros per
    kilometre" counts no kilometres."""
    places = [place for place, word in enumerate(said) if word[:STEM_LETTERS] in counted and not _is_each(said, place)]
    return any(_FIGURE.fullmatch(word) for place in places for word in said[max(0, place - _COUNTED_WITHIN) : place])


def _is_each(said: Sequence[str], place: int) -> bool:
    return place > 0 and said[place - 1] in _EACH


def is_counted_behind(said: Sequence[str], counted: frozenset[str]) -> bool:
    """Whether a number stands behind one of what is counted: "Puertos: 24", "saltos (máximo 15)"."""
    places = [place for place, word in enumerate(said) if word[:STEM_LETTERS] in counted]
    return any(_FIGURE.fullmatch(word) for place in places for word in said[place + 1 : place + 1 + _COUNTED_BEHIND])


def has_kind(sentence: str, kind: Wish, asked: frozenset[str]) -> bool | None:
    """Whether a sentence has the kind of thing that is asked for; `asked`: the question's own words, folded, which do
    not answer it. None where a sentence cannot tell."""
    folded = fold_latin(sentence)
    if kind in (Wish.PERSON, Wish.PLACE):
        return any(fold_latin(name[0].strip("(«“\"'")) not in asked for name in _NAME.finditer(sentence))
    if kind is Wish.SPAN:
        return has_duration(folded, asked)
    pattern = {Wish.TIME: _TIME, Wish.NUMBER: _NUMBER, Wish.REASON: _REASON}.get(kind)
    if pattern is None:
        return None
    return any(found[0] not in asked for found in pattern.finditer(folded))
