"""What a conversation is about, chosen by its owner: unit, topic, level, … as requirement or as preference (SPEC §4).

Offered are only values that documents in reach have: what the agent may read for this user now.
"""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import Sum
from django.utils.translation import gettext_lazy as _

from chat.models import Conversation
from chat.understanding.course import PARTS
from corpora.metadata.names import CORPUS, DOCUMENT, METADATA_FIELDS
from corpora.models import Corpus, Document, MetadataValue
from corpora.scope import Scope

MOST_VALUES = 100  # offered of each field
ONLY, PREFER = "filters", "preferences"
KEPT = (*METADATA_FIELDS, DOCUMENT, CORPUS)


class ContextForm(forms.Form):
    """A choice for each field that has values in `scope`, and how strictly they are meant."""

    mode = forms.ChoiceField(
        label=_("These documents"), choices=((PREFER, _("first")), (ONLY, _("only"))), widget=forms.RadioSelect
    )

    def __init__(self, conversation: Conversation, scope: Scope, data: Any = None) -> None:
        self.conversation = conversation
        chosen = chosen_of(conversation.context)
        super().__init__(data, initial={"mode": ONLY if conversation.context.get(ONLY) else PREFER, **chosen})
        for name, values in values_in(scope).items():
            if values or name in chosen:
                offered = sorted({*values, *([chosen[name]] if name in chosen else [])})
                self.fields[name] = select(name, offered)
        if about := chosen.get(DOCUMENT):
            self.fields[DOCUMENT] = select_document(about, scope)
        if within := chosen.get(CORPUS):
            self.fields[CORPUS] = select_corpus(within, scope)

    def save(self) -> None:
        """What was chosen takes the place of what the conversation was about before."""
        chosen = {name: [value] for name, value in self.cleaned_data.items() if name != "mode" and value}
        of_student = {part: value for part, value in self.conversation.context.items() if part in PARTS}
        self.conversation.context = of_student | ({self.cleaned_data["mode"]: chosen} if chosen else {})
        self.conversation.save(update_fields=["context"])

    @property
    def has_choices(self) -> bool:
        return len(self.fields) > 1


def select(name: str, offered: list[str]) -> forms.ChoiceField:
    column: Any = Document._meta.get_field(name)
    labels = dict(column.flatchoices or ())
    choices = [("", _("any")), *((value, labels.get(value, value)) for value in offered)]
    return forms.ChoiceField(label=str(column.verbose_name).capitalize(), required=False, choices=choices)


def select_document(about: str, scope: Scope) -> forms.ChoiceField:
    """The document that the conversation is about, or all of them; one that is gone can only be given up."""
    titles = Document.objects.in_scope(scope).filter(pk=about).values_list("title", flat=True)
    choices = [(about, title or _("a document that is no longer there")) for title in [titles.first()]]
    return forms.ChoiceField(label=_("Document"), required=False, choices=[("", _("any")), *choices])


def select_corpus(within: str, scope: Scope) -> forms.ChoiceField:
    """The same for the corpus that it stays within: a course's conversation."""
    reached = Corpus.objects.filter(pk__in=scope.corpus_ids, deleted_at=None)
    name = reached.filter(pk=within).values_list("name", flat=True).first()
    choices = [("", _("any")), (within, name or _("a corpus that is no longer there"))]
    return forms.ChoiceField(label=_("Corpus"), required=False, choices=choices)


def chosen_of(context: Mapping[str, Any]) -> dict[str, str]:
    """The first value of each field, from either kind of condition."""
    conditions = {**(context.get(PREFER) or {}), **(context.get(ONLY) or {})}
    return {name: str(values[0]) for name, values in conditions.items() if name in KEPT and values}


def values_in(scope: Scope) -> dict[str, list[str]]:
    """By field, the most frequent values of the documents in reach. One query, of values and not of documents."""
    said = MetadataValue.objects.in_scope(scope).values_list("name", "value").annotate(count=Sum("documents"))
    values: dict[str, list[str]] = {name: [] for name in METADATA_FIELDS}
    for name, value, _count in said.order_by("-count", "value"):
        if len(values[name]) < MOST_VALUES:
            values[name].append(value)
    return values
