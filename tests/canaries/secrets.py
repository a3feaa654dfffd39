"""Secrets that are planted, who may see each, and what was seen.

A secret is one word of letters and digits: no escaping, no stemmer and no tokenizer makes another word of it.
"""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

EVERYBODY = ("alice", "bob", "ada", "operator", "charlie", "zoe", "anonymous")
HERE, ELSEWHERE = ("alice", "bob", "ada", "operator"), ("charlie", "zoe", "operator")
ADMINS_HERE, ADMINS_ELSEWHERE = ("ada", "operator"), ("zoe", "operator")


@dataclass(frozen=True, slots=True)
class Secret:
    """`tier`: whose it is: "here" and "elsewhere" are the organizations', the others persons'."""

    value: str
    tier: str
    kind: str
    seen_by: frozenset[str]


class Seen(NamedTuple):
    """A text as `principal` got it; "nobody" is whoever reads logs, caches and the like."""

    principal: str
    where: str
    text: str


class Leak(NamedTuple):
    sink: str
    principal: str
    where: str
    secret: str

    def __str__(self) -> str:
        return f"{self.sink}: {self.principal} saw {self.secret} in {self.where}"


@dataclass
class Vault:
    """All that is planted."""

    secrets: list[Secret] = field(default_factory=list)

    def plant(self, tier: str, kind: str, *readers: str) -> str:
        return self.keep(f"{kind}x{secrets.token_hex(5)}", tier, kind, *readers)

    def keep(self, value: str, tier: str, kind: str, *readers: str) -> str:
        self.secrets.append(Secret(value, tier, kind, frozenset(readers)))
        return value

    def question(self, tier: str, *readers: str) -> str:
        """And the answer to it (`tests.fakes.model_answers`): whoever reads the traces of a conversation may meet it
        in a condensed question."""
        asked = self.plant(tier, "question", *readers)
        self.keep(asked.replace("questionx", "answerx"), tier, "answer", *readers)
        return asked

    def found_in(self, seen: Seen) -> Iterator[Secret]:
        text = seen.text.lower()
        return (one for one in self.secrets if one.value.lower() in text)

    def leaks(self, sink: str, texts: Iterable[Seen], shown: set[tuple[str, str, str]]) -> list[Leak]:
        """What was seen by whom it is not for. What was rightly seen is noted in `shown`."""
        found = []
        for seen in texts:
            for secret in self.found_in(seen):
                if seen.principal in secret.seen_by:
                    shown.add((seen.principal, secret.tier, secret.kind))
                else:
                    found.append(Leak(sink, seen.principal, seen.where, f"{secret.tier}'s {secret.kind}"))
        return found

    def not_for(self, principal: str) -> list[Secret]:
        return [one for one in self.secrets if principal not in one.seen_by]
