"""What is said out of courtesy and asks for nothing: "hola", "muchas gracias", "good morning". Pure.

Documents have these words, too, and one that says "gracias a" would be quoted for them as if it answered.
"""

import re

from retrieval.text.folding import fold_latin

LONGEST = 80  # characters
_PHRASES = (
    "hola|buenas|buenos dias|buenas tardes|buenas noches|que tal|encantado|encantada|saludos|un saludo|gracias|"
    "muchas gracias|mil gracias|muchisimas gracias|muy amable|vale|ok|okay|de acuerdo|perfecto|genial|estupendo|"
    "entendido|adios|hasta luego|hasta pronto|hasta manana|por favor|"
    "hello|hi|hey|hi there|good morning|good afternoon|good evening|good night|thanks|thank you|thanks a lot|"
    "many thanks|thank you very much|thank you so much|cheers|great|perfect|all right|understood|bye|goodbye|"
    "see you|see you later|please"
)
_COURTESIES = re.compile(rf"\W*(?:(?:{_PHRASES})(?:\W+|\Z))+")


def is_courtesy(said: str) -> bool:
    """Whether nothing else is said; of one that greets and asks it is not so."""
    return len(said) <= LONGEST and _COURTESIES.fullmatch(fold_latin(said)) is not None
