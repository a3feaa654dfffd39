"""The texts that sources ask a catalogue for, found without running them."""

import ast
import re
from collections.abc import Iterator

from django.utils.translation.template import templatize

# Where each of Django's functions has its text; what stands before it is a context.
TRANSLATING = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"), 0),
    **dict.fromkeys(("Refusal", "SqlRefused", "SeriesRefused", "FilterRefused", "YamlRefused"), 0),  # told_refusal
    **dict.fromkeys(("pgettext", "pgettext_lazy", "npgettext", "npgettext_lazy"), 1),
}
IN_TEMPLATES = re.compile(
    r"\b(?P<p>p)?n?gettext\((?P<first>u?'(?:[^'\\]|\\.)*'|u?\"(?:[^\"\\]|\\.)*\")"
    r"(?:,\s*(?P<second>u?'(?:[^'\\]|\\.)*'|u?\"(?:[^\"\\]|\\.)*\"))?"
)


def texts_of_code(source: str) -> Iterator[str]:
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute):
            place = TRANSLATING.get(call.func.id if isinstance(call.func, ast.Name) else call.func.attr)
            said = [one.value for one in call.args if isinstance(one, ast.Constant)]
            if place is not None and len(said) > place:
                yield "\x04".join(map(str, said[: place + 1]))


def texts_of_template(source: str) -> Iterator[str]:
    for call in IN_TEMPLATES.finditer(templatize(source)):
        said = [call["first"], call["second"]] if call["p"] else [call["first"]]
        yield "\x04".join(ast.literal_eval(one) for one in said)
