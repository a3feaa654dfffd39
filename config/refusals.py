"""Why something is refused, as rooms say it that know no Django: a sentence in English with places, and what stands in
them. Whoever answers tells it in the reader's language (`tools.problems.told_refusal`)."""


class Refusal(Exception):
    """`said` has its places as `%(name)s`. A value may be a Refusal, too: a part of the sentence."""

    def __init__(self, said: str, **values: object) -> None:
        super().__init__(said % values if values else said)
        self.said, self.values = said, values
