"""The scores of several files as one table, each cell once."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from readback.readers.files.bounded_diagnostics import bounded
from readback.scores.files.intake import recoded
from readback.scores.table import Columns, label
from readback.types import Diagnostic, Location

SPARSE = 16  # bytes for each cell that a table of all there could be may take
STEP = 1 << 18  # cells numbered at once
ARRAYS = ("item", "condition", "criterion", "judge", "cluster", "run", "prompt", "file", "line", "value")
NAMES = {
    "item": "items",
    "condition": "conditions",
    "criterion": "criteria",
    "judge": "judges",
    "cluster": "clusters",
    "run": "runs",
    "prompt": "prompts",
    "file": "files",
}


def join(parts: Sequence[Columns]) -> Columns:
    """Join the cells of all files, with one set of names. Those of a single file are not copied."""
    if len(parts) == 1:
        return parts[0]
    names: dict[str, dict[Any, int]] = {column: {} for column in NAMES}
    arrays: dict[str, array[Any]] = {column: array("qd"[column == "value"]) for column in ARRAYS}
    for column in NAMES:
        arrays[column] = array("i")
    state, whys, texts = bytearray(), dict[int, str](), dict[int, str]()
    for part in parts:
        start = len(state)
        for column, many in NAMES.items():
            names_so_far = names[column]
            to = [names_so_far.setdefault(name, len(names_so_far)) for name in getattr(part, many)]
            codes = getattr(part, column)
            arrays[column].extend(codes if to == list(range(len(to))) else recoded(codes, to))
        arrays["line"].extend(part.line)
        arrays["value"].extend(part.value)
        state.extend(part.state)
        whys.update({start + at: why for at, why in part.whys.items()})
        texts.update({start + at: text for at, text in part.texts.items()})
    joined: dict[str, Any] = {**arrays, **{many: tuple(names[column]) for column, many in NAMES.items()}}
    return Columns(state=state, whys=whys, texts=texts, **joined)


def without_duplicates(c: Columns) -> tuple[Columns, list[Diagnostic]]:
    """Keep the first of several scores for the same thing, and return a diagnostic for each duplicate."""
    import numpy as np

    if _each_once(c):
        return c, []
    _, first, back = np.unique(_keys(c, slice(None)), return_index=True, return_inverse=True)
    keep = np.zeros(len(c), bool)
    keep[first] = True
    doubled = np.flatnonzero(~keep)
    diagnostics = list(bounded(_duplicates(c, doubled.tolist(), first[back[doubled]].tolist()), c.files[0]))
    to = np.cumsum(keep) - 1
    arrays: dict[str, Any] = {name: _picked(getattr(c, name), keep) for name in ARRAYS}
    state = bytearray(np.frombuffer(c.state, np.uint8)[keep].tobytes())
    sparse: dict[str, Any] = {
        name: {int(to[at]): text for at, text in getattr(c, name).items() if keep[at]} for name in ("whys", "texts")
    }
    return replace(c, **arrays, state=state, **sparse), diagnostics


def _each_once(c: Columns) -> bool:
    """Whether no two cells are for the same thing; in little memory, for it is so almost always."""
    import numpy as np

    if not len(c):
        return True
    room = math.prod(max(size, 1) for _, size in _about(c))
    if room > SPARSE * len(c):
        key = np.sort(_keys(c, slice(None)))
        return not bool((key[1:] == key[:-1]).any())
    is_duplicate = np.zeros(room, bool)
    for start in range(0, len(c), STEP):
        is_duplicate[_keys(c, slice(start, start + STEP))] = True
    return int(np.count_nonzero(is_duplicate)) == len(c)


def _about(c: Columns) -> tuple[tuple[array[int], int], ...]:
    """Return the codes that say what a cell is about, and how many there may be of each."""
    return (
        (c.item, len(c.items)),
        (c.condition, len(c.conditions)),
        (c.criterion, len(c.criteria)),
        (c.judge, len(c.judges)),
        (c.run, len(c.runs) + 1),
    )


def _keys(c: Columns, part: slice) -> Any:
    """One number for each cell of this part: what the cell is about."""
    import numpy as np

    key = np.zeros(len(range(*part.indices(len(c)))), np.int64)
    most = 1
    for codes, size in _about(c):
        if most * max(size, 1) >= 1 << 62:  # beyond what an integer holds: number the keys anew
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            most = len(key)
        most *= max(size, 1)
        key *= max(size, 1)
        key += np.asarray(codes)[part]
        if codes is c.run:
            key += 1  # NONE is 0
    return key


def _picked(codes: array[Any], keep: Any) -> array[Any]:
    import numpy as np

    picked: array[Any] = array(codes.typecode)
    picked.frombytes(np.asarray(codes)[keep].tobytes())
    return picked


def _duplicates(c: Columns, doubled: Sequence[int], firsts: Sequence[int]) -> Iterator[Diagnostic]:
    for at, first in zip(doubled, firsts, strict=True):
        values: dict[str, Any] = {
            "item": c.items[c.item[at]],
            "condition": label(c.conditions[c.condition[at]]),
            "criterion": c.criteria[c.criterion[at]],
            "judge": c.judges[c.judge[at]] or "the judge",
            "first": c.line[first],
        }
        place = Location(file=c.files[c.file[at]], line=c.line[at] or None, record=values["item"])
        yield Diagnostic("scr-duplicate-cell", values, place, flagged="|".join(map(str, list(values.values())[:4])))
