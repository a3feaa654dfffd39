"""What is said of documents and facts from outside, checked: by an upload, a form of the API, a folder, or a file.

One set of rules; who takes something in fits it with what else it needs.
"""

import json
from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.utils import html

from corpora.metadata.free import MAX_KEYS, MAX_TEXT, Scalar, checked_free, parse_pairs
from corpora.models import Document
from corpora.uploads import facts

# A serializer's own `source` is a text to the type checker; DRF takes declared fields out of the class body.
SourceField: Any = serializers.CharField
MOST_TAGS = 20


META_HELP = (
    f"Up to {MAX_KEYS} names of your own, each with a text of up to {MAX_TEXT} characters, a number, true or false; "
    "filtered by as `meta.NAME`. A JSON object, or its text, or lines of name=value."
)


class TagsField(serializers.ListField):
    """Up to MOST_TAGS tags as JSON list, as repeated form fields, or as one comma-separated field."""

    child = serializers.CharField(max_length=50)

    def to_internal_value(self, data: Any) -> list[str]:
        items = [data] if isinstance(data, str) else data
        if not isinstance(items, list):
            self.fail("not_a_list", input_type=type(data).__name__)
        words: list[Any] = []
        for item in items:
            words += item.split(",") if isinstance(item, str) else [item]
        stripped = [word.strip() if isinstance(word, str) else word for word in words]
        parts = [part for part in stripped if part != ""]
        different = len({part for part in parts if isinstance(part, str)})
        if different + sum(not isinstance(part, str) for part in parts) > MOST_TAGS:  # before each is looked at
            self.fail("max_length", max_length=MOST_TAGS)
        return list(dict.fromkeys(super().to_internal_value(parts)))


class MetaField(serializers.DictField):
    """Names and values of one's own, as a JSON object, as its text, or as lines of name=value, as forms send them."""

    def get_value(self, dictionary: Any) -> Any:
        """A form's own field, once or several times; DRF would look for `meta[name]`."""
        if not html.is_html_input(dictionary):
            return super().get_value(dictionary)
        return dictionary.getlist(self.field_name) if self.field_name in dictionary else empty

    def to_internal_value(self, data: Any) -> dict[str, Scalar]:
        try:
            if isinstance(data, list) and all(isinstance(one, str) for one in data):
                data = "\n".join(data)
            if not isinstance(data, str):
                return checked_free(data)
            if data.lstrip().startswith("{"):
                return checked_free(json.loads(data))
            return parse_pairs(line for line in data.splitlines() if line.strip())
        except (ValueError, RecursionError) as error:
            raise serializers.ValidationError(str(error)[:300]) from None


class SourceDateField(serializers.DateField):
    """A day, "2026-03-31"; an empty form field is no date."""

    def to_internal_value(self, data: Any) -> Any:
        return None if data == "" else super().to_internal_value(data)


class MetadataSerializer(serializers.Serializer[Any]):
    """Title, date of the source and the metadata of SPEC §4, each optional; empty means none."""

    title = serializers.CharField(max_length=255, required=False, allow_blank=True)
    content_type = serializers.ChoiceField(Document.ContentType.choices, required=False, allow_blank=True)
    unit = serializers.CharField(max_length=100, required=False, allow_blank=True)
    topic = serializers.CharField(max_length=100, required=False, allow_blank=True)
    difficulty = serializers.ChoiceField(Document.Difficulty.choices, required=False, allow_blank=True)
    language = serializers.RegexField(r"^[a-z]{2,3}$", required=False, allow_blank=True)
    course = serializers.CharField(max_length=50, required=False, allow_blank=True)
    tags = TagsField(required=False, max_length=MOST_TAGS)
    meta = MetaField(required=False, help_text=META_HELP)
    source_date = SourceDateField(required=False, allow_null=True)


class FactSerializer(serializers.Serializer[Any]):
    """A statement; `key` (by default the title, which is by default the first line) names what it replaces."""

    text = serializers.CharField(max_length=facts.MAX_TEXT)
    title = serializers.CharField(max_length=facts.MAX_TITLE, required=False, allow_blank=True)
    tags = TagsField(required=False, max_length=MOST_TAGS)
    key = serializers.CharField(max_length=facts.MAX_KEY, required=False, allow_blank=True)
    source = SourceField(max_length=facts.MAX_SOURCE, required=False, allow_blank=True)
    meta = MetaField(required=False, help_text=META_HELP)
