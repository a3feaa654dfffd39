"""Forms of the evaluation's admin pages: a question with its truth, and what a run should measure."""

from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectMultipleWidget, UnfoldAdminTextareaWidget

from accounts.admin.rows import RowForm
from corpora.models import Document
from evaluation.admin.presets import COMPARED, measured_choices
from evaluation.cases import locate
from evaluation.configurations import parse_configurations
from evaluation.models import Question, QuestionSet
from evaluation.report import COLUMNS
from evaluation.runs import scope_of

MEASURES = tuple(name for name in COLUMNS if name != "ms")
MOST_CONFIGURATIONS = 8
DOCUMENTS_OFFERED = 500  # documents in one list; of a larger corpus those that are chosen already, and the latest


class TruthForm(RowForm):
    """The truth is chosen among the documents of the set's corpora; quotes are looked up in their text."""

    documents = forms.ModelMultipleChoiceField(
        Document.objects.none(),
        required=False,
        label=_("documents that answer"),
        widget=UnfoldAdminSelectMultipleWidget,
        help_text=_("Without any the question waits for its truth and is not measured."),
    )
    quotes = forms.CharField(
        required=False,
        label=_("words that answer"),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("One quotation a line, letter by letter as the document has it. For the measures on tokens."),
    )

    class Meta:
        model = Question
        fields = ("question_set", "text", "note")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.quoted = ""
        if self.instance.pk and not self.instance._state.adding:
            self.fields["documents"].queryset = documents_offered(self.instance.question_set, self.instance.relevant)  # type: ignore[attr-defined]
            self.initial["documents"] = self.instance.relevant
            self.quoted = "\n".join(quotes_of(self.instance))
            self.initial["quotes"] = self.quoted

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        quotes = [line.strip() for line in cleaned.get("quotes", "").splitlines() if line.strip()]
        documents = cleaned.get("documents")
        if documents is None:
            return cleaned
        try:
            self.instance.spans = locate(quotes, documents)
        except ValueError as missing:
            self.add_error(
                "quotes", ValidationError(_("No chosen document says: %(quote)s"), params={"quote": missing})
            )
        self.instance.relevant = [str(one.pk) for one in documents]
        return cleaned


def documents_offered(questions: QuestionSet, chosen: list[str]) -> Any:
    """Documents of the set's corpora that may answer."""
    readable = Document.objects.in_scope(scope_of(questions))
    latest = readable.order_by("-created_at").values_list("pk", flat=True)[:DOCUMENTS_OFFERED]
    wanted = {*latest, *map(UUID, chosen)}
    return readable.filter(pk__in=wanted).order_by("title", "filename")


def quotes_of(question: Question) -> list[str]:
    """What the spans say in the text that readers see now."""
    quotes = []
    readable = Document.objects.in_scope(scope_of(question.question_set))
    for id, start, end in question.spans:
        document = readable.filter(pk=id).first()
        text = document and document.texts.filter(version=document.version).values_list("text", flat=True).first()
        if text:
            quotes.append(text[start:end])
    return quotes


class RunForm(forms.Form):
    """What is compared, by name or as experts write it, and thresholds of a run."""

    presets = forms.MultipleChoiceField(
        choices=[(value, name) for value, (name, _sentence) in COMPARED.items()],
        required=False,
        initial=["default", "bm25"],
    )
    configurations = forms.CharField(max_length=300, required=False)
    measure = forms.ChoiceField(choices=partial(measured_choices, MEASURES), initial="hit@1")
    judge = forms.CharField(max_length=100, required=False)
    least = forms.FloatField(min_value=0.0, max_value=1.0, required=False)

    def offered(self) -> list[tuple[str, Any, Any, bool]]:
        """For the page: each preset with its sentence, and whether it is chosen."""
        chosen = self["presets"].value() or []
        return [(value, name, said, value in chosen) for value, (name, said) in COMPARED.items()]

    def clean_configurations(self) -> Any:
        """Both together, each once."""
        written = [*self.cleaned_data.get("presets", ()), self.cleaned_data["configurations"]]
        try:
            asked = parse_configurations(",".join(written))
        except ValueError as error:
            wrong = _("That is no configuration. The line below the field says how they are written.")
            raise ValidationError(wrong) from error
        if not asked or len(asked) > MOST_CONFIGURATIONS:
            raise ValidationError(_("Choose one to eight things to compare."))
        return asked

    @property
    def thresholds(self) -> dict[str, float]:
        least = self.cleaned_data["least"]
        return {} if least is None else {self.cleaned_data["measure"]: least}
