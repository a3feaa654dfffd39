"""Other people's servers: mail, and the models that answer, embed and re-rank; one tiny request each."""

import asyncio
import smtplib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import get_connection, send_mail

from accounts.checks import MAIL_ADVICE, NO_MAIL
from accounts.identity.mail import is_mail_set_up
from agents.llm import EXTRACTIVE, client_for, resolve
from agents.llm.base import ModelError, ModelMessage, ModelRequest
from agents.models import Agent
from config.concurrency.loops import block_on
from retrieval.embeddings import get_provider
from retrieval.embeddings.base import EmbeddingError, EmbeddingProvider, EmbeddingUnavailable
from retrieval.ranking.rerank import get_reranker
from retrieval.ranking.rerank.base import RerankUnavailable
from retrieval.spaces.opened import provider_of
from retrieval.spaces.registry import active_space, wanted_space
from workers.upkeep.doctor.findings import DoctorWishes, Found, Result, doubtful, fine, wrong

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MODEL_SECONDS = 15.0
KEYS = "Look at the key, the address and the model's name in the settings, and whether this machine may go there."
EMAIL = "Look at EMAIL_URL: host, port, TLS, user, password."


def examine_mail(wishes: DoctorWishes) -> Found:
    """Connects and signs in; sends only where an address was given."""
    if not is_mail_set_up():
        return wrong(NO_MAIL, MAIL_ADVICE)
    try:
        link = get_connection(timeout=5)
        link.open()
        link.close()
        if not wishes.mail_to:
            return fine("the mail server lets us in; nothing was sent")
        said = "This is a test of Acervo's mail, asked for by its operator."
        send_mail("Acervo", said, settings.DEFAULT_FROM_EMAIL, [wishes.mail_to])
    except (OSError, smtplib.SMTPException) as error:
        return wrong(f"the mail server refuses or does not answer: {type(error).__name__}", EMAIL)
    return fine("the mail server took a mail")


def examine_models(wishes: DoctorWishes) -> Iterator[Found]:
    """The default one; with an organization, those that its agents name."""
    wanted = [""]
    if wishes.organization:
        agents = Agent.objects.filter(organization__slug=wishes.organization, is_active=True)
        wanted = sorted(set(agents.values_list("model", flat=True)))
        if not wanted:
            yield doubtful(
                f"no active agent in {wishes.organization}",
                "Look at the slug: it is in the address of the organization's page in the administration.",
            )
    for model in wanted:
        yield tried_model(model)


def tried_model(model: str) -> Found:
    provider, name = resolve(model)
    if provider == EXTRACTIVE:
        return fine("extractive: sentences of the documents, no language model")
    request = ModelRequest(model, "", (ModelMessage("user", "Say: ok"),), max_tokens=16)
    try:
        block_on(asyncio.wait_for(client_for(model).complete(request), MODEL_SECONDS))
    except TimeoutError:
        return wrong(f"{provider}:{name} does not answer within {MODEL_SECONDS:g} s", KEYS)
    except ModelError as error:
        return wrong(f"{provider}:{name}: {error.code}", KEYS)
    return fine(f"{provider}:{name} answers")


def examine_embeddings(_: DoctorWishes) -> Iterator[Found]:
    """Those in use, and those that the settings name, which may be others until their space is filled."""
    space = active_space(fresh=True)
    advice = f"{KEYS} Meanwhile questions are searched by words alone, and documents wait."
    yield tried_embeddings(space.collection, provider_of(space), advice)
    wanted = wanted_space().collection
    if wanted != space.collection:
        named = f"{wanted}, which the settings name and which is not in use yet"
        found = tried_embeddings(named, get_provider(), f"{KEYS} Its space cannot be filled before.")
        filling = "The workers fill it, and then it is used: `manage.py space status` (docs/embedding-spaces.md)."
        yield found if found[0] is not Result.OK else doubtful(found[1], filling)


def tried_embeddings(named: str, provider: EmbeddingProvider, advice: str) -> Found:
    if not provider.waits:
        return fine(f"{named}: computed here")
    try:
        found = _as_questions_ask(provider)
    except EmbeddingError as error:
        return wrong(f"{named}: {type(error).__name__}", advice)
    return fine(f"{named}: a vector of {found.shape[1]} numbers")


def _as_questions_ask(provider: EmbeddingProvider, attempts: int = 3) -> "NDArray[float32]":
    """Within a question's second, which the first of a process spends on its connection as well.

    Two texts at once: a question by itself may be remembered.
    """
    try:
        return provider.embed_queries(["ok", "yes"])
    except EmbeddingUnavailable:
        if attempts == 1:
            raise
    return _as_questions_ask(provider, attempts - 1)


def examine_reranker(_: DoctorWishes) -> Found:
    reranker = get_reranker()
    if reranker is None:
        return fine("none is set up")
    try:
        block_on(asyncio.wait_for(reranker.rerank("ok", ["ok"]), MODEL_SECONDS))
    except (RerankUnavailable, TimeoutError) as error:
        return doubtful(f"does not answer: {type(error).__name__}", "Look at RERANK_URL; the order of fusion stands.")
    return fine("it answers")
