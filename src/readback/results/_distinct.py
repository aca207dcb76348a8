"""A column of texts as its distinct texts, in the order they come, and the code of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from readback.results._cells import LARGEST, Cell, cell
from readback.results._intake import Names
from readback.scores.table import NONE, SCORED

FEW = 500  # texts that are parsed one by one; of more, those that are plain numbers are parsed together
PLAIN = r"^-?[0-9]+(\.[0-9]+)?$"


@dataclass(frozen=True, slots=True)
class Distinct:
    """`texts` are an array of pyarrow, `codes` one of numpy."""

    texts: Any
    codes: Any

    @property
    def listed(self) -> list[Any]:
        """The texts as Python's."""
        found: list[Any] = self.texts.to_pylist()
        return found

    def of_rows(self, values: Sequence[Any], kind: Any) -> Any:
        """For each row the one of `values`, which are as many as the texts."""
        import numpy as np

        return np.array(values, kind)[self.codes]

    def where(self, holds: Callable[[str], bool]) -> Any:
        """For each row whether this holds of its text."""
        return self.of_rows([holds(text) for text in self.listed], bool)

    def named(self, names: Names, instead: str | None = None) -> Any:
        """The codes that `names` has for the texts; an empty text has none, or that of what stands instead of it."""
        known = names.codes
        if instead is None:
            found = [known.setdefault(text, len(known)) if text else NONE for text in self.listed]
        else:
            found = [known.setdefault(text or instead, len(known)) for text in self.listed]
        return self.of_rows(found, "int32")


def distinct(column: Any) -> Distinct:
    """An array of pyarrow in this form."""
    encoded = column.dictionary_encode()
    return Distinct(encoded.dictionary, encoded.indices.to_numpy())


def cells(texts: Any) -> tuple[Any, Any, list[str]]:
    """Value, state and reason of each text, as `_cells.cell` has them."""
    import numpy as np
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    many = len(texts)
    if many <= FEW:
        return _one_by_one(texts.to_pylist())
    try:
        values = pc.cast(texts, pa.float64()).to_numpy() + 0.0  # there is one zero, not two
        odd = ~(np.abs(values) < LARGEST)
    except pa.ArrowInvalid:
        plain = pc.match_substring_regex(texts, PLAIN).to_numpy(zero_copy_only=False)
        values = np.full(many, np.nan)
        values[plain] = pc.cast(texts.filter(pa.array(plain)), pa.float64()).to_numpy() + 0.0
        odd = ~plain | ~(np.abs(values) < LARGEST)
    states, whys = np.full(many, SCORED, np.uint8), [""] * many
    at = np.flatnonzero(odd)
    if len(at):
        values = values.copy()
        values[at], states[at], said = _one_by_one(texts.take(pa.array(at)).to_pylist())
        for one, why in zip(at.tolist(), said, strict=True):
            whys[one] = why
    return values, states, whys


def _one_by_one(texts: Sequence[str]) -> tuple[Any, Any, list[str]]:
    import numpy as np

    found: list[Cell] = [cell(text) for text in texts]
    values, states = np.array([value for value, _, _ in found]), np.array([state for _, state, _ in found], np.uint8)
    return values, states, [why for _, _, why in found]
