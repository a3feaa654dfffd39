"""Fields of serializers that every API may use."""

from typing import Any

from rest_framework import serializers


class CountedListField(serializers.ListField):
    """A list that is counted before its values are looked at. The library counts afterwards: of a megabyte it took
    seconds to say that it is too long."""

    def __init__(self, *, max_length: int, **options: Any) -> None:
        super().__init__(max_length=max_length, **options)
        self._most = max_length

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, list) and len(data) > self._most:
            self.fail("max_length", max_length=self._most)
        return super().to_internal_value(data)
