"""What a question asks the meaning of, "¿Qué es el consentimiento informado?", and where a text begins to say it. Pure.

Laws and standards say it in a list of definitions far from where the thing is spoken of: few of its words against many,
and by words and meaning alone the articles that use it come first.
"""

import re

from retrieval.text.folding import fold_latin

LONGEST_QUESTION = 120  # characters of one that asks for nothing else
MOST_WORDS = 5  # of the thing

_ASKED = re.compile(
    r"^[¿\s]{0,3}(?:que (?:es|son|significan?|quiere decir|se entiende por|se considera)|como se define|defin[ea]"
    r"|(?:(?:cual es )?la )?definicion del?|what (?:is|are)(?: meant by)?|(?:what is )?(?:the )?definition of|what does"
    r"|define)\s(?:(?:el|la|los|las|un|una|unos|unas|the|an?|lo que es)\s)?"
    r"(?P<thing>[^?.,;:()\n]{2,60}?)(?:\smeans?)?[\s?.]{0,3}$"
)
# Of folded text, in which a long dash, a bullet and typographic quotation marks are a question mark.
_WORD = re.compile(r"[^\W_]+")
_BEFORE = r"(?:^|\n)[^\S\n]{0,9}(?:(?:[-?*#·]{1,4}|\(?(?:\d{1,3}|[a-z])[.)º]|(?:\d{1,3}\.){1,4}\d{0,3})\s{1,3})?"
_QUOTED, _CLOSED = r"[«\"'*_?]{0,3}", r"[»\"'*_?]{0,3}"
_SAYS = (
    r"(?:\s?\([^()\n]{1,40}\))?(?:\s?:|\s[-?]\s"
    r"|\s(?:es|son|significan?|consisten?|se refiere|se define|is|are|means|refers)\b)"
)


def defined_thing(question: str) -> tuple[str, ...]:
    """The words, folded, of the one thing whose meaning is asked; none where something else is."""
    asked = _ASKED.match(fold_latin(question.strip())) if len(question) <= LONGEST_QUESTION else None
    words = _WORD.findall(asked["thing"]) if asked else []
    return tuple(words) if len(words) <= MOST_WORDS else ()


def definition_of(thing: tuple[str, ...]) -> re.Pattern[str]:
    """Of folded text: a line that begins with the thing and says what it is, or "se entiende por" it, or that it means
    something behind the thing between quotation marks, wherever it stands: laws have lists in one line."""
    name = r"\s".join(rf"{re.escape(word)}(?:e?s)?" for word in thing)
    article = r"(?:(?:el|la|los|las|un|una|the|an?)\s)?"
    return re.compile(
        rf"{_BEFORE}{article}{_QUOTED}{name}{_CLOSED}{_SAYS}"
        rf"|\b(?:entiende|entendera|entenderse|entenderan?) por\s{article}{_QUOTED}{name}\b"
        rf"|[«\"'?]{name}[»\"'?]{{1,2}}(?:\s?:|\s(?:means|significa|es|is)\b)"
    )
