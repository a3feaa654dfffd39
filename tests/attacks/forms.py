"""The forms of a page as a browser would send them: names and values of every field, as the page has them."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class Form:
    action: str = ""
    method: str = "get"
    fields: dict[str, list[str]] = field(default_factory=dict)
    choices: set[str] = field(default_factory=set)  # names whose values are chosen from a list, or hidden


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._select, self._text = "", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(told.get("action", ""), told.get("method", "get").lower()))
        if not self.forms:
            return
        name = told.get("name", "")
        if tag == "input" and name:
            self._input(name, told)
        elif tag == "select":
            self._select = name
            self.forms[-1].choices.add(name)
        elif tag == "option" and self._select and "selected" in told:
            self._add(self._select, told.get("value", ""))
        elif tag == "textarea" and name:
            self._text = name
            self._add(name, "")

    def _input(self, name: str, told: dict[str, str]) -> None:
        kind = told.get("type", "text")
        if kind == "hidden":
            self.forms[-1].choices.add(name)
        if kind in ("submit", "button", "file", "image", "reset"):
            return
        if kind not in ("checkbox", "radio") or "checked" in told:
            self._add(name, told.get("value", "on" if kind == "checkbox" else ""))

    def handle_data(self, data: str) -> None:
        if self._text and self.forms:
            self.forms[-1].fields[self._text][-1] += data.removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self._select = ""
        elif tag == "textarea":
            self._text = ""

    def _add(self, name: str, value: str) -> None:
        self.forms[-1].fields.setdefault(name, []).append(value)


def forms_of(page: str) -> list[Form]:
    reader = _Reader()
    reader.feed(page)
    return reader.forms
