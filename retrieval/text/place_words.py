"""The words with which questions name places, folded, in Spanish and English."""

from retrieval.text.references import KIND_OF
from retrieval.text.stems import stems

PLURALS = {
    "articulos": "articulo",
    "arts": "articulo",
    "articles": "articulo",
    "capitulos": "capitulo",
    "caps": "capitulo",
    "chapters": "capitulo",
    "chap": "capitulo",
    "titulos": "titulo",
    "secciones": "seccion",
    "sections": "seccion",
    "apartados": "seccion",
    "paragraph": "seccion",
    "parrafo": "seccion",
    "punto": "seccion",
    "anexos": "anexo",
    "anejos": "anexo",
    "apendices": "anexo",
    "annexes": "anexo",
    "appendices": "anexo",
    "unidades": "unidad",
    "units": "unidad",
    "temas": "unidad",
    "lecciones": "unidad",
    "lessons": "unidad",
    "modulos": "unidad",
    "tablas": "tabla",
    "tables": "tabla",
    "figuras": "figura",
    "figures": "figura",
    "clausulas": "clausula",
    "clauses": "clausula",
    "estipulaciones": "clausula",
    "schedules": "schedule",
    "exhibits": "exhibit",
    "requisito": "clausula",
    "requirement": "clausula",
    "control": "clausula",
}
PAGE = "pagina"  # a kind that questions name and no heading does
PAGES = dict.fromkeys(("pagina", "paginas", "pag", "pags", "pgs", "page", "pages"), PAGE)
SHORT_PAGES = frozenset({"p", "pp", "pg"})  # with a point behind them: "p. 7"
KINDS = {name: kind for name, kind in KIND_OF.items() if " " not in name} | PLURALS | PAGES
PROVISION = frozenset({"disposicion", "disposiciones", "disp", "d"})
PROVISIONS = {
    **dict.fromkeys(("adicional", "adicionales", "ad", "a"), "disposicion adicional"),
    **dict.fromkeys(("transitoria", "transitorias", "trans", "t"), "disposicion transitoria"),
    **dict.fromkeys(("derogatoria", "derogatorias", "dt"), "disposicion derogatoria"),
    **dict.fromkeys(("final", "finales", "f"), "disposicion final"),
}
SHORT_PROVISIONS = {"DA": "disposicion adicional", "DT": "disposicion transitoria", "DF": "disposicion final"}
# Parts of a place. Items have no heading of their own: without what they are of they are no place.
ITEMS = frozenset({"letra", "letter", "numero", "inciso", "point", "item", "subparagraph"})
PARTS = ITEMS | {"apartado", "apartados", "parrafo", "paragraph", "punto"}
PARAGRAPHED = frozenset({"articulo", "clausula", "seccion"})  # their paragraphs are counted: "article 6(1)"
ORDINAL_WORDS = (
    "primer primera primero segunda segundo tercer tercera tercero cuarta cuarto quinta quinto sexta sexto septima "
    "septimo octava octavo novena noveno decima decimo first second third fourth fifth sixth seventh eighth ninth "
    "tenth"
)
ORDINALS = frozenset(ORDINAL_WORDS.split())
COUNTED_BEFORE = frozenset({"articulo", "capitulo", "titulo", "seccion", "anexo", "unidad", "tabla", "figura"})
CAPTIONED = frozenset({"tabla", "figura"})  # "Table 2-1" is the first of chapter 2
AND = frozenset({",", "y", "e", "and", "&", "o", "u", "or", "ni"})
TO = frozenset({"a", "al", "to", "hasta", "through", "-", "–", "—"})
INSIDE = frozenset({"de", "del", "la", "el", "of", "the", "in", "en", "dentro"})
AFTER_A_LETTER = INSIDE | AND | {"a", "sobre", "about", "say", "says", "dice", "is", "es"}
NO_PLACES = frozenset({"version", "v", "ver", "edicion", "edition", "release", "rev", "ip", "address", "direccion"})
LARGE = ("libro", "parte", "titulo", "capitulo", "unidad", "seccion", "articulo", "clausula")  # the larger first
# Where a document counts by another word what is asked for: its chapters are units, its sections bare numbers.
OTHERWISE = {"capitulo": ("unidad", "seccion"), "unidad": ("capitulo",), "seccion": ("clausula",)}

# Stems of what asks for whatever a place says.
_ASKS_ES = """
    dice decir dime establece regula dispone contiene contenido resume resumen resumir explica explicar trata texto
    literal cita citar muestra muéstrame lee leer recoge indica prevé señala habla según ley artículo norma documento
    puedes podrías favor exige exigir requiere requerir pide manda ordena
"""
_ASKS_EN = (
    "say says state states explain summarize summarise summary content text quote show tell read article section law "
    "require requires demand demands"
)
ASKS_FOR_ALL = frozenset(stems(_ASKS_ES + _ASKS_EN))
