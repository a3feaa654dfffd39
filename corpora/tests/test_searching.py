"""Words inside of a document are found whatever their case and accents, at their very characters."""

from corpora.reader.searching import MOST_HITS, occurrences

TEXT = "La Clínica abre. La CLÍNICA cierra.\fOtra página: clinica."


def test_accents_and_case_count_for_nothing_and_places_are_those_of_the_text() -> None:
    found = occurrences(TEXT, "clínica", [0, TEXT.index("\f")])
    assert [TEXT[one.start : one.end] for one in found] == ["Clínica", "CLÍNICA", "clinica"]
    assert [one.place for one in found] == [0, 0, 1]
    assert found == occurrences(TEXT, " CLINICA ", [0, TEXT.index("\f")])


def test_a_text_whose_folding_has_another_length_keeps_its_places() -> None:
    text = "a\u0301 y café"  # an accent that is a character of its own
    assert [text[one.start : one.end] for one in occurrences(text, "y", [0])] == ["y"]


def test_what_stands_around_is_told_without_the_signs_of_markdown() -> None:
    (found,) = occurrences("## Uno\n**Dos** tres `cuatro`", "tres", [0])
    assert (found.before.split(), found.words, found.after.split()) == (["Uno", "Dos"], "tres", ["cuatro"])


def test_nothing_is_looked_for_in_vain_and_hits_are_bounded() -> None:
    assert occurrences(TEXT, "   ", [0]) == []
    assert len(occurrences("e" * 1_000, "e", [0])) == MOST_HITS
