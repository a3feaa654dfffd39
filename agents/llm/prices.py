"""What an answer cost, by the prices that an operator has set (MODEL_PRICES); nobody else knows them."""

from decimal import Decimal

from django.conf import settings

from agents.llm import resolve
from agents.llm.base import Usage

PER = 1_000_000  # tokens that a price is for


def cost(model: str, usage: Usage) -> Decimal | None:
    """US dollars; None where no price is set for the model, named `openai:NAME`, `anthropic:NAME` or `NAME`.

    The extractive answerer costs nothing.
    """
    provider, name = resolve(model)
    if provider == name:
        return Decimal(0)
    prices = settings.MODEL_PRICES.get(f"{provider}:{name}") or settings.MODEL_PRICES.get(name)
    if prices is None:
        return None
    prompt, completion = (Decimal(str(price)) for price in prices)
    return (prompt * usage.prompt_tokens + completion * usage.completion_tokens) / PER
