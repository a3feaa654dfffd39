"""Where sentences end: nothing is lost between them, and what only looks like an end is none."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text.lines.sentences import sentences, statements

written = st.lists(
    st.sampled_from(
        [
            "One two three four five.",
            "Is it really so long a question?",
            "A loan lasts for many days!",
            "Art. 14.2 allows water.",
            "no end here",
            "«Quoted and closed.»",
            "\n\nA heading without a mark\n\n",
        ]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)


@given(written)
def test_sentences_hold_everything_but_white_space(text: str) -> None:
    spans = sentences(text)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    outside = "".join(text[before:after] for before, after in gaps(spans, len(text)))
    assert not outside.strip()


def gaps(spans: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    return list(zip([0, *(end for _, end in spans)], [*(start for start, _ in spans), length], strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "It is what the digest makes (e.g. `sha512` makes 64 bytes, i.e. Half a kilobit).",
        "According to Art. 14.2 food is not allowed in the halls.",
        "Speak with Sra. García or with J. Smith about it.",
        "Docente: Prof. Leandro Echeverry, con la Ing. Ruiz y el Lic. Mora.",
        "La sesión la abre el Excmo. Sr. D. Juan Peña junto a D.ª Eva Gil, de la Avda. Real.",
        "The key is kept by Messrs. Webb and by Prof. Lund, of St. Mary's.",
        "Se aplica el n.º Dos de la lista y las págs. Tres y cuatro, según el párr. Quinto.",
        "Version 2.5 is out and works well for everyone.",
        "1. The first rule of the reading room.",
        "Se prestan libros, discos, etc. y también herramientas, según el núm. 3 de la guía.",
    ],
)
def test_abbreviations_figures_small_letters_and_numbers_of_sections_end_no_sentence(text: str) -> None:
    assert len(sentences(text)) == 1


def test_a_sentence_ends_behind_what_closes_after_its_mark_and_at_an_empty_line() -> None:
    text = "«La sala abre a las nueve.» **Los domingos** no abre nunca\n\nEl préstamo es gratuito. Fin."
    assert [text[start:end] for start, end in sentences(text, shortest=1)] == [
        "«La sala abre a las nueve.»",
        "**Los domingos** no abre nunca",
        "El préstamo es gratuito.",
        "Fin.",
    ]


def test_no_is_a_sentence_of_its_own() -> None:
    text = "¿Se prestan las llaves? No. Se piden en la conserjería."
    assert [text[start:end] for start, end in sentences(text, shortest=1)][1:] == ["No.", "Se piden en la conserjería."]


def test_what_is_too_short_belongs_to_the_sentence_behind_it() -> None:
    text = "Art. 14.2. Está permitido beber agua. La comida, en el patio."
    assert next(text[start:end] for start, end in sentences(text)) == "Art. 14.2. Está permitido beber agua."


def test_a_paragraphs_number_on_the_same_line_begins_a_sentence() -> None:
    text = (
        "Licencia. 1. Nadie monta nada sin ella. 2. La de verano dura 7 meses. 10. Se resuelve en 2. Según el art. 3."
    )
    assert [text[start:end] for start, end in sentences(text, shortest=1)] == [
        "Licencia.",
        "1. Nadie monta nada sin ella.",
        "2. La de verano dura 7 meses.",
        "10. Se resuelve en 2.",
        "Según el art. 3.",
    ]


def test_fields_and_rows_of_columns_keep_to_their_line() -> None:
    text = (
        "Modelo mecánico\nPeso: 12 kg\n**Color:** azul\n\n"
        "Sala     Precio\nGrande   14 €\nPequeña   8 €\n\n"
        "Un  texto   con\nhuecos   anchos.\n\n"
        "Se abre a las diez:\nla llave está en la conserjería."
    )
    assert [text[start:end] for start, end in statements(text)] == [
        "Modelo mecánico",
        "Peso: 12 kg",
        "**Color:** azul",
        "Sala     Precio",
        "Grande   14 €",
        "Pequeña   8 €",
        "Un  texto   con\nhuecos   anchos.",
        "Se abre a las diez:\nla llave está en la conserjería.",
    ]


def test_one_line_with_a_colon_is_no_field_of_a_list() -> None:
    text = "Nota: el plazo no se amplía\nsi no se pide antes. Fin."
    assert text[slice(*statements(text)[0])] == "Nota: el plazo no se amplía\nsi no se pide antes."
