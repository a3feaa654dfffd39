"""OpenTelemetry by its own variables (`OTEL_*`): from a browser's request to database, index, model and worker.

A few spans of our own instead of the instrumentations of libraries: those for Django and Celery stand in chains that
our requests and documents pass by, and those for model SDKs put prompts into spans. Nothing here takes a text: values
are names, numbers and ids, and of an error its type. The provider is not made the process's own, so that no library
writes into it what it likes. Off, nothing is imported, and a span costs a microsecond or two.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

VALUE = str | int | float | bool
LONGEST_VALUE = 100
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
SPOKEN = "http/protobuf"
SERVICE = "acervo"


class NoSpan:
    """Stands for a span while none are made."""

    def note(self, **values: VALUE) -> None:
        pass


class OpenSpan(NoSpan):
    def __init__(self, span: Any) -> None:
        self._span = span

    def note(self, **values: VALUE) -> None:
        """Attributes that are known later; `__` in a name stands for a dot."""
        self._span.set_attributes(_bounded(values))


_tracer: Any = None
_provider: Any = None
_OFF: AbstractContextManager[NoSpan] = nullcontext(NoSpan())


def is_wanted() -> bool:
    """Whether the environment names a collector, or asks for OTLP, and does not switch it off."""
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    exporter = os.environ.get("OTEL_TRACES_EXPORTER", "").strip()
    return exporter == "otlp" or (not exporter and any(os.environ.get(name) for name in ENDPOINTS))


def refused_protocol() -> str:
    """The protocol that is asked for and not spoken: gRPC would want 20 MB more."""
    asked = next((os.environ[name] for name in PROTOCOLS if os.environ.get(name)), SPOKEN)
    return "" if asked == SPOKEN else asked


def start_tracing() -> bool:
    """Once a process, before it serves: the exporter sends in batches from a thread of its own, and at the end."""
    global _tracer, _provider
    if _tracer is not None or not is_wanted() or refused_protocol():
        return _tracer is not None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    is_named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    _provider = TracerProvider(resource=Resource.create({} if is_named else {"service.name": SERVICE}))
    _provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _tracer = _provider.get_tracer(SERVICE)
    return True


def stop_tracing() -> None:
    """Send what is left, and make no more spans."""
    global _tracer, _provider
    provider, _tracer, _provider = _provider, None, None
    if provider is not None:
        provider.shutdown()


def is_tracing() -> bool:
    return _tracer is not None


def span(name: str, kind: str = "INTERNAL", **values: VALUE) -> AbstractContextManager[NoSpan]:
    """The block as a span, beneath the present one. `kind`: INTERNAL, SERVER, CLIENT, PRODUCER or CONSUMER."""
    return _OFF if _tracer is None else _opened_span(name, kind, values)


@contextmanager
def _opened_span(name: str, kind: str, values: dict[str, VALUE]) -> Iterator[NoSpan]:
    from opentelemetry.trace import SpanKind, Status, StatusCode

    how = {"kind": SpanKind[kind], "attributes": _bounded(values)}
    quiet = {"record_exception": False, "set_status_on_exception": False}  # both would quote the error's message
    with _tracer.start_as_current_span(name, **how, **quiet) as made:
        try:
            yield OpenSpan(made)
        except Exception as error:
            made.set_attribute("error.type", type(error).__name__)
            made.set_status(Status(StatusCode.ERROR))
            raise


def add_span(name: str, began: int, ended: int, **values: VALUE) -> None:
    """A span of what is over, beneath the present one; both times in nanoseconds since 1970. For work that changes
    threads on its way, where no block can be open."""
    if _tracer is not None:
        _tracer.start_span(name, start_time=began, attributes=_bounded(values)).end(ended)


@contextmanager
def beneath(traceparent: str) -> Iterator[None]:
    """Spans of the block hang on that of somebody else, in another process perhaps; without one they begin anew."""
    if _tracer is None:
        yield
        return
    from opentelemetry import context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    found = TraceContextTextMapPropagator().extract({"traceparent": traceparent}, context=context.Context())
    token = context.attach(found)
    try:
        yield
    finally:
        context.detach(token)


def present_span() -> tuple[str, str]:
    """Ids of trace and span in hexadecimal; empty where there is none."""
    if _tracer is None:
        return "", ""
    from opentelemetry.trace import format_span_id, format_trace_id, get_current_span

    here = get_current_span().get_span_context()
    return (format_trace_id(here.trace_id), format_span_id(here.span_id)) if here.is_valid else ("", "")


def carried() -> dict[str, str]:
    """The header by which another server's spans hang on the present one."""
    if _tracer is None:
        return {}
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    headers: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(headers)
    return {"traceparent": headers["traceparent"]} if "traceparent" in headers else {}


def _bounded(values: dict[str, VALUE]) -> dict[str, VALUE]:
    return {
        name.replace("__", "."): value[:LONGEST_VALUE] if isinstance(value, str) else value
        for name, value in values.items()
    }
