"""A property that is asked for by its name: of "width of the KP-150" and "¿Cuál es el CIF de Oleosierra?". Pure."""

import re

from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, words

LONGEST = 600  # characters of a question
MOST_WORDS = 4  # of a property
MOST_BARE = 10  # words of a question that is no sentence

_NAMED = rf"(?P<named>(?:[\w-]{{2,20}} ){{1,{MOST_WORDS}}}?)"
_WHAT_IS = (
    r"(?:what|which) (?:is|are|was|were|will be) |what's "
    r"|(?:cu[aá]l(?:es)?|qu[eé]) (?:es|son|era|eran|fue|fueron|ser[aá]) "
)
_A_YEAR = r"(?=(?:19|20)\d\d\b)"
_OF = rf"(?:(?:of|for) (?=(?:the|an?|this|that|my|our|your|its|his|her|their) |[A-ZÁÉÍÓÚÑ0-9«\"“])|in {_A_YEAR})"
_DE = (
    r"(?:del |de (?=(?:la|el|los|las|una?|mi|su|tu|nuestr[oa]|est[ae]|es[ae]) |[A-ZÁÉÍÓÚÑ0-9«\"“])"
    rf"|en {_A_YEAR})"
)
_PROPERTIES = tuple(
    re.compile(rf"^\W{{0,9}}(?P<asks>(?i:{_WHAT_IS})?)(?i:(?:the|an?|el|la|los|las|lo) )?{_NAMED}{of}")
    for of in (_OF, _DE)
)
_HAD = re.compile(  # "¿Qué autonomía tiene …?", "What voltage do … need?"; of folded text
    r"^\W{0,9}(?:(?:que|cuanta?) (?P<named>(?:\w{3,20} ){1,2}?)(?:tienen?|llevan?|necesitan?|usan?|alcanzan?)\b"
    r"|(?:what|which) (?P<called>(?:\w{3,20} ){1,2}?)(?:do|does|did) .{1,80}\b(?:have|need|use|reach|take)\b)"
)
# A phrase with one of these names no property, or one that is called otherwise where it is told.
_NO_PROPERTY_WORDS = """
    existe existen hay hubo tiene tienen puede pueden se is are was were can may must has have had will there
    que quien quienes cual cuales cuando donde como cuanto cuanta cuantos cuantas what which when where why how many
    much who whom did does do became become dentro fuera antes despues cerca lejos encima debajo detras delante
    alrededor partir pesar lugar medio favor contra respecto acerca ahead front because inside outside instead spite
    each some several two three dos tres algun alguna algunos algunas mayoria most one uno una
    articulo articulos capitulo seccion apartado anexo tabla figura pagina punto parrafo chapter section article
    appendix table figure page paragraph annex to the a an el la los las por para con
    name names nombre nombres meaning significado definition definicion purpose objeto objetivo finalidad proposito
    goal cause causes causa causas reason reasons motivo motivos razon result results resultado consequence
    consequences consecuencia consecuencias effect effects efecto efectos difference diferencia example ejemplo type
    types tipo tipos list lista part parts parte partes rest resto content contenido summary resumen idea theory
    teoria work trabajo job importance importancia role papel function funcion advantages ventajas history historia
    kind kinds clase clases capital title titulo subject tema topic relationship relacion use uso range rango ratio
    lema motto apodo nickname term terms termino palabra word words another other otro otra
"""
# Beside others they need not stand where it is told: "33 cm" is a height, "from 9 to 18" an age.
_LIGHT_WORDS = """
    number numero cantidad cifra amount date fecha year ano time hora day dia address direccion size tamano value valor
    total main principal current actual exact exacto exacta new nuevo nueva age edad population poblacion percentage
    porcentaje only unico unica hours horario horarios
"""
# How else it is told: "35 cm wide".
_ALIKE_WORDS = """
    width wide broad, anchura ancho ancha, height high tall, altura alto alta mide, length long, longitud largo larga
    mide eslora, depth deep, profundidad hondo honda, capacity seats holds places, capacidad caben plazas aforo puede,
    duration lasts last runs run, duracion dura duran, turnover revenue sales, sales revenue turnover,
    revenue turnover sales, ingresos facturacion ventas, superficie ocupa extension, area covers,
    resolution megapixels, start begins starts, inicio empieza comienza desde, end ends, final termina acaba
"""
ALIKE = {one: tuple(others) for one, *others in map(str.split, _ALIKE_WORDS.split(","))}
_NO_PROPERTY, _LIGHT = frozenset(_NO_PROPERTY_WORDS.split()), frozenset(_LIGHT_WORDS.split()) | STOP_WORDS


def asked_property(question: str) -> tuple[str, ...]:
    """The words of a property, folded, without which nothing tells it: ("net", "profit") of "net profit of 2021"; none
    of another question."""
    asked = question[:LONGEST]
    for found in filter(None, (pattern.match(asked) for pattern in _PROPERTIES)):
        named = words(found["named"])
        if (found["asks"] or _is_bare(asked)) and _NO_PROPERTY.isdisjoint(named):
            return tuple(word for word in named if word not in _LIGHT)
    return ()


def asked_label(question: str) -> tuple[str, ...]:
    """The words that a field with the answer is called by, folded: those of the property, or "autonomía" of "¿Qué
    autonomía tiene …?", which may also be told in other words."""
    found = _HAD.match(fold_latin(question[:LONGEST]))
    return asked_property(question) or (tuple(words(found["named"] or found["called"])) if found else ())


def _is_bare(question: str) -> bool:
    """Whether a question is a name and no sentence: "peso de la HV-450"."""
    return len(question.split()) <= MOST_BARE and "," not in question and "¿" not in question.lstrip()[1:]
