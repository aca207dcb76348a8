"""Numbers and the words beside them: `1 record`, `2 records`."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any

UNITS = ("bytes", "kB", "MB", "GB")
FORMS = "|"  # between the word for one and the word for any other number, where a sentence asks for the word


def quantity(n: int, one: str, others: str = "") -> str:
    """`1 record`, `2 records`, `1,000 records`; `others` where the word for many is no -s."""
    return f"{n:,} {one if n == 1 else others or f'{one}s'}"


def size(n: int) -> str:
    """So many bytes in words: `3.2 MB`."""
    unit = next((at for at in range(len(UNITS)) if n < 1000 ** (at + 1)), len(UNITS) - 1)
    return f"{n / 1000**unit:.{1 if unit else 0}f} {UNITS[unit]}"


def form(n: object, forms: str) -> str:
    """Of `record|records` the word for that many."""
    one, _, others = forms.partition(FORMS)
    return one if n == 1 else others


def filled(sentence: str, values: Mapping[str, Any]) -> str:
    """A sentence with its places filled; `{n:,} {n:record|records}` has the word that fits the number."""
    return _FORMATTER.vformat(sentence, (), values) if FORMS in sentence else sentence.format(**values)


class _Forms(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        said = form(value, format_spec) if FORMS in format_spec else super().format_field(value, format_spec)
        return str(said)


_FORMATTER = _Forms()
