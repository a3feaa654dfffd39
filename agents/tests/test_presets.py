"""The ready-made agents keep what SPEC §5 and the sources promise of them."""

from dataclasses import FrozenInstanceError, fields

import pytest

from agents.models import Agent
from agents.presets import LANGUAGE_RULE, PRESETS, Preset

ALL = pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())


def test_there_are_the_six_agents_of_the_specification() -> None:
    assert list(PRESETS) == [
        "escritor-de-libros",
        "investigador-tecnico",
        "asistente-corporativo",
        "tutor",
        "entrevistador-tecnico",
        "evaluador-de-procesos",
    ]


def test_the_tutor_is_strict_searches_twelve_passages_and_keeps_four() -> None:
    tutor = PRESETS["tutor"]
    assert (tutor.grounding, tutor.temperature, tutor.max_tokens) == ("strict", 0.2, 2048)
    assert (tutor.candidates, tutor.top_k) == (12, 4)


def test_the_tutor_guides_and_does_not_copy() -> None:
    tutor = PRESETS["tutor"]
    assert "No escribas la solución completa" in tutor.system_prompt
    assert "No copies el contenido" in tutor.instructions
    assert "No lo copies" in tutor.context_template


def test_the_writer_reads_personal_corpora_and_may_add_general_knowledge() -> None:
    writer = PRESETS["escritor-de-libros"]
    assert writer.allows_personal_corpus
    assert writer.grounding == "open"


@pytest.mark.parametrize("slug", ["investigador-tecnico", "asistente-corporativo", "tutor"])
def test_agents_of_controlled_knowledge_refuse_personal_corpora_and_are_strict(slug: str) -> None:
    assert not PRESETS[slug].allows_personal_corpus
    assert PRESETS[slug].grounding == "strict"


def test_the_corporate_assistant_quotes_literally() -> None:
    assert "cita literal" in PRESETS["asistente-corporativo"].instructions


def test_only_the_process_evaluator_answers_without_corpora() -> None:
    assert [slug for slug, preset in PRESETS.items() if not preset.uses_rag] == ["evaluador-de-procesos"]


@ALL
def test_every_agent_answers_in_the_language_of_the_question(preset: Preset) -> None:
    assert preset.system_prompt.endswith(LANGUAGE_RULE)
    assert preset.language == "es"


@ALL
def test_every_agent_that_reads_corpora_is_told_to_cite(preset: Preset) -> None:
    assert ("[n]" in preset.instructions) == preset.uses_rag


@ALL
def test_every_preset_is_a_valid_agent(preset: Preset) -> None:
    columns = {field.name for field in Agent._meta.get_fields()}
    settings = {f.name: getattr(preset, f.name) for f in fields(preset) if f.name in columns}
    Agent(**settings).clean_fields(exclude=["organization"])
    Agent(**settings).clean()
    assert {f.name for f in fields(preset)} - columns == {"language"}


@ALL
def test_the_context_template_has_only_the_place_of_the_passages(preset: Preset) -> None:
    assert preset.context_template.count("{") == (1 if preset.context_template else 0)
    assert not preset.context_template or "{documents}" in preset.context_template


@ALL
def test_a_preset_keeps_no_more_than_it_searches(preset: Preset) -> None:
    assert 1 <= preset.top_k <= preset.candidates


def test_presets_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        PRESETS["tutor"].temperature = 1.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        PRESETS["tutor"] = PRESETS["escritor-de-libros"]  # type: ignore[index]
