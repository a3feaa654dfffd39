"""A call of a model as a span, by OpenTelemetry's names: who was asked and what was counted, never what was said."""

from contextlib import AbstractContextManager

from agents.llm import resolve
from agents.llm.base import Usage
from config.observability.tracing import NoSpan, is_tracing, span


def model_span(model: str, operation: str = "chat") -> AbstractContextManager[NoSpan]:
    if not is_tracing():
        return span("")
    provider, name = resolve(model)
    said = {"gen_ai__operation__name": operation, "gen_ai__provider__name": provider, "gen_ai__request__model": name}
    return span(f"{operation} {name}", "CLIENT", **said)


def note_usage(here: NoSpan, usage: Usage) -> None:
    here.note(gen_ai__usage__input_tokens=usage.prompt_tokens, gen_ai__usage__output_tokens=usage.completion_tokens)
