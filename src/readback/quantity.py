"""Format numbers with their words: `1 record`, `2 records`."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any

UNITS = ("bytes", "kB", "MB", "GB")
FORMS = "|"  # separates the singular from the plural in a sentence: `{n:record|records}`


def quantity(n: int, singular: str, plural: str = "") -> str:
    """Return `1 record`, `2 records`, `1,000 records`; `plural` is needed where it does not end with -s."""
    if n == 1:
        return f"{n:,} {singular}"
    return f"{n:,} {plural or singular + 's'}"


def size(n: int) -> str:
    """Return a number of bytes with its unit: `3.2 MB`."""
    unit = next((index for index in range(len(UNITS)) if n < 1000 ** (index + 1)), len(UNITS) - 1)
    return f"{n / 1000**unit:.{1 if unit else 0}f} {UNITS[unit]}"


def choose_form(n: object, forms: str) -> str:
    """Return the form of `record|records` for a number."""
    singular, _, plural = forms.partition(FORMS)
    if n == 1:
        return singular
    return plural


def fill_sentence(sentence: str, values: Mapping[str, Any]) -> str:
    """Fill the places of a sentence; `{n:,} {n:record|records}` gets the form for the number."""
    if FORMS in sentence:
        return _FORMATTER.vformat(sentence, (), values)
    return sentence.format(**values)


class _Forms(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if FORMS in format_spec:
            text = choose_form(value, format_spec)
        else:
            text = super().format_field(value, format_spec)
        return str(text)


_FORMATTER = _Forms()
