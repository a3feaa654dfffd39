"""The ASGI application: Django behind what is taken of strangers, and how much of anybody (`config.incoming`)."""

import gc
import os
from typing import TYPE_CHECKING

import django
from django.urls import resolve

if TYPE_CHECKING:
    from config.straight import App

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

COLLECT_AFTER = 10_000  # new objects; 700 are fewer than one question makes


def application_with_its_limits() -> "App":
    django.setup(set_prefix=False)  # what follows needs it
    from config.incoming.bodies import BodyLimit
    from config.incoming.heads import PlainHeads
    from config.metrics.serving import serve_metrics
    from config.observability.requests import CorrelatedRequests
    from config.observability.statements import begin_tracing
    from config.straight import OnOneThread, StraightToAsyncViews

    serve_metrics()
    begin_tracing()
    return CorrelatedRequests(PlainHeads(BodyLimit(StraightToAsyncViews(OnOneThread()))))


def load_and_freeze() -> None:
    """Load what every request goes through, and take it out of the garbage collector's rounds.

    It has some 300,000 objects, none of which is ever garbage; a full round over them stops every thread and the loop,
    measured on two busy cores, for half a second, and two hundred users cause one every few seconds.
    """
    resolve("/")  # imports the URLs with all their views
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)


application = application_with_its_limits()
load_and_freeze()
