"""What a conversation looks at, chosen by its owner: corpora, documents, unit, topic, level, … as requirement or as
preference (SPEC §4).

Offered is only what is in reach: what the agent may read for this user now, and values that its documents have.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from django import forms
from django.db.models import Q, Sum
from django.utils.translation import gettext_lazy as _

from accounts.http.bodies import identifiers
from chat.models import Conversation
from chat.understanding.course import PARTS
from corpora.metadata.conditions import IDS, MAX_IDS
from corpora.metadata.languages import language_name
from corpora.metadata.names import CORPUS, DOCUMENT, METADATA_FIELDS
from corpora.models import Corpus, Document, DocumentQuerySet, MetadataValue
from corpora.scope import Scope

MOST_VALUES = 100  # offered of each field
MOST_FOUND = 30  # documents, of those that a search for their names finds
ONLY, PREFER = "filters", "preferences"
KEPT = (*METADATA_FIELDS, *IDS)


class Readable(NamedTuple):
    """A document that a conversation may be narrowed to."""

    id: UUID
    name: str
    corpus: str
    corpus_id: UUID | None
    is_chosen: bool


class ContextForm(forms.Form):
    """A choice for each field that has values in `scope`, of corpora and of documents, and how strictly they are meant.

    Documents may be chosen that are not offered yet: a page finds them by their names.
    """

    mode = forms.ChoiceField(
        label=_("These documents"), choices=((PREFER, _("first")), (ONLY, _("only"))), widget=forms.RadioSelect
    )

    def __init__(self, conversation: Conversation, scope: Scope, data: Any = None) -> None:
        self.conversation = conversation
        chosen = chosen_of(conversation.context)
        first = {name: values if name in IDS else values[0] for name, values in chosen.items()}
        super().__init__(data, initial={"mode": PREFER if conversation.context.get(PREFER) else ONLY, **first})
        if reached := corpora_in(scope, chosen.get(CORPUS, ())):
            self.fields[CORPUS] = checkboxes(_("Corpora"), reached)
        kept = chosen.get(DOCUMENT, [])
        self.documents = documents_named(scope, {*kept, *(data.getlist(DOCUMENT) if data else ())}, chosen=kept)
        self.fields[DOCUMENT] = checkboxes(_("Documents"), [(str(one.id), one.name) for one in self.documents])
        for name, values in values_in(scope).items():
            if values or name in chosen:
                offered = sorted({*values, *chosen.get(name, [])[:1]})
                self.fields[name] = select(name, offered)

    def clean_document(self) -> list[str]:
        chosen: list[str] = self.cleaned_data[DOCUMENT]
        if len(chosen) > MAX_IDS:
            raise forms.ValidationError(_("Choose at most %(count)d documents."), "most", {"count": MAX_IDS})
        return chosen

    def save(self) -> None:
        """What was chosen takes the place of what the conversation was about before. Single documents are read alone,
        also where a corpus is chosen that has others."""
        chosen = {name: value if name in IDS else [value] for name, value in self.cleaned_data.items() if value}
        mode = str(chosen.pop("mode")[0])
        if chosen.get(DOCUMENT) and not self._all_within(chosen.get(CORPUS, ())):
            chosen.pop(CORPUS, None)
        of_student = {part: value for part, value in self.conversation.context.items() if part in PARTS}
        self.conversation.context = of_student | ({mode: chosen} if chosen else {})
        self.conversation.save(update_fields=["context"])

    def _all_within(self, corpora: Collection[str]) -> bool:
        chosen = self.cleaned_data[DOCUMENT]
        return all(str(one.corpus_id) in corpora for one in self.documents if str(one.id) in chosen)

    @property
    def has_choices(self) -> bool:
        return CORPUS in self.fields or len(self.fields) > 2

    @property
    def names(self) -> list[str]:
        """What the conversation is narrowed to, as its owner calls it."""
        said: list[str] = []
        for name, values in chosen_of(self.conversation.context).items():
            field: Any = self.fields[name]
            labels = {str(value): str(label) for value, label in field.choices}
            said += [labels.get(value, value) for value in values]
        return said

    @property
    def selects(self) -> list[Any]:
        return [field for field in self if field.name not in (*IDS, "mode")]


def select(name: str, offered: list[str]) -> forms.ChoiceField:
    column: Any = Document._meta.get_field(name)
    labels = {one: language_name(one) for one in offered} if name == "language" else dict(column.flatchoices or ())
    choices = [("", _("any")), *((value, labels.get(value, value)) for value in offered)]
    return forms.ChoiceField(label=str(column.verbose_name).capitalize(), required=False, choices=choices)


def checkboxes(label: Any, choices: Iterable[tuple[str, Any]]) -> forms.MultipleChoiceField:
    widget = forms.CheckboxSelectMultiple
    return forms.MultipleChoiceField(label=label, required=False, choices=list(choices), widget=widget)


def corpora_in(scope: Scope, chosen: Iterable[str]) -> list[tuple[str, Any]]:
    """Ids and names; what was chosen and is gone can only be given up."""
    reached = Corpus.objects.filter(pk__in=scope.corpus_ids, deleted_at=None).order_by("corpus_type", "name", "pk")
    names: dict[str, Any] = {str(pk): name for pk, name in reached.values_list("pk", "name")}
    return [*names.items(), *((one, _("a corpus that is no longer there")) for one in chosen if one not in names)]


def documents_named(scope: Scope, ids: Iterable[str], chosen: Collection[str]) -> list[Readable]:
    """Those of `ids` that are in reach, by name, and of what was chosen also what is gone."""
    named = identifiers(ids)
    found = readable_rows(Document.objects.in_scope(scope).filter(pk__in=named), chosen, len(named)) if named else []
    gone = set(identifiers(chosen)) - {one.id for one in found}
    return [
        *found,
        *(Readable(one, str(_("a document that is no longer there")), "", None, is_chosen=True) for one in gone),
    ]


def documents_found(scope: Scope, words: str, chosen: Iterable[str]) -> list[Readable]:
    """First those that are ticked, then readable ones whose names have the words, by name."""
    ticked = [str(one) for one in identifiers(chosen)[:MAX_IDS]]
    others = Document.objects.in_scope(scope).filter(version__gt=0).exclude(pk__in=ticked)
    if words:
        others = others.filter(Q(title__matches=words) | Q(filename__matches=words))
    return [*documents_named(scope, ticked, ticked), *readable_rows(others, (), MOST_FOUND)]


def readable_rows(documents: DocumentQuerySet, chosen: Collection[str], most: int) -> list[Readable]:
    columns = ("pk", "title", "filename", "corpus__name", "corpus_id")
    rows = documents.order_by("title", "pk").values_list(*columns)[:most]
    return [Readable(pk, title or file, name, corpus, str(pk) in chosen) for pk, title, file, name, corpus in rows]


def chosen_of(context: Mapping[str, Any]) -> dict[str, list[str]]:
    """The values of each field, from either kind of condition."""
    conditions = {**(context.get(PREFER) or {}), **(context.get(ONLY) or {})}
    return {name: [str(one) for one in values] for name, values in conditions.items() if name in KEPT and values}


def values_in(scope: Scope) -> dict[str, list[str]]:
    """By field, the most frequent values of the documents in reach. One query, of values and not of documents."""
    said = MetadataValue.objects.in_scope(scope).values_list("name", "value").annotate(count=Sum("documents"))
    values: dict[str, list[str]] = {name: [] for name in METADATA_FIELDS}
    for name, value, _count in said.order_by("-count", "value"):
        if len(values[name]) < MOST_VALUES:
            values[name].append(value)
    return values
