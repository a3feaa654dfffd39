"""What may be compared, by name and in a sentence, so that nobody has to write `hybrid=0.4`."""

from typing import Any

from django.utils.translation import gettext_lazy as _

# By how `evaluation.configurations` writes them.
COMPARED: dict[str, tuple[Any, Any]] = {
    "default": (_("Meaning and words (as now)"), _("What your agents do: both searches, joined.")),
    "bm25": (_("Words alone"), _("Finds what says the very words, and nothing else.")),
    "dense": (_("Meaning alone"), _("Finds what means the same in other words; misses codes and names.")),
    "hybrid=0.4": (_("Words before meaning"), _("Both searches, with the words counting more.")),
    "diversity=0.3": (_("More varied passages"), _("Leaves out passages that say nearly the same.")),
    "256": (_("Short passages"), _("Of 256 tokens: more exact, with less around them.")),
    "1024": (_("Long passages"), _("Of 1024 tokens: more around each place, and fewer of them.")),
}
MEASURED: dict[str, Any] = {
    "hit@1": _("the first passage is of the right document"),
    "recall@5": _("right documents among the first five passages"),
    "recall@10": _("right documents among the first ten passages"),
    "mrr": _("how far up the first right passage stands"),
    "ndcg@10": _("how well the first ten are ordered"),
    "answer@1": _("the first passage has the words that answer"),
    "answer@5": _("one of the first five has the words that answer"),
    "token_precision": _("how much of what was found answers"),
    "token_recall": _("how much of the answer was found"),
    "token_iou": _("how well what was found and the answer overlap"),
    "sufficient": _("searches that sufficed"),
    "in_context": _("the right document reaches the model"),
    "faithfulness": _("answers say what the passages say"),
    "context_precision": _("passages that were of use"),
    "context_recall": _("passages held what the answer needed"),
}


def compared_name(configuration: str) -> str:
    """A preset's name; what experts wrote as they wrote it."""
    return str(COMPARED[configuration][0]) if configuration in COMPARED else configuration


def measured_choices(names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(name, f"{MEASURED.get(name, name)} ({name})") for name in names]
