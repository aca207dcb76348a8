"""Criteria and their scales: declared, known by name, or worked out from the values and said to be."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from readback.project_files import CONFIGS
from readback.types import Criterion

FEW = 12  # whole numbers with more distinct values than this are measured rather than graded
SYSTEMATIC = 10  # rows: a value off the scale given this often is another scale rather than a slip
MINUS = "\N{MINUS SIGN}"


def from_entry(name: str, entry: Any) -> Criterion | str:
    """Return the criterion of a `criteria:` entry, or why the entry cannot be used.

    An entry is a mapping whose `scale` is a list of numbers (0 and 1: binary, others: ordinal), `binary`, `nominal`,
    or `{min, max}`; the scale alone may be in its place. `failed` lists numbers that stand for no score, `scores` those
    that look so and are scores.
    """
    fields: Mapping[str, Any] = entry if isinstance(entry, Mapping) and not _is_range(entry) else {"scale": entry}
    direction = fields.get("direction", "up")
    if direction not in ("up", "down", "none"):
        return f"direction is {direction!r}, not up, down or none"
    listed: dict[str, tuple[float, ...]] = {}
    for key in ("failed", "scores"):
        numbers = _numbers(fields.get(key))
        if numbers is None:
            return f"{key} is {fields[key]!r}, not a list of numbers"
        listed[key] = numbers
    meanings = fields.get("meanings") or {}
    rest: dict[str, Any] = {
        "meanings": {str(key): str(text) for key, text in meanings.items()} if isinstance(meanings, Mapping) else {},
        "direction": direction,
        "unit": str(fields.get("unit") or ""),
        **listed,
    }
    match fields.get("scale"):
        case "binary":
            return Criterion(name, "binary", (0.0, 1.0), 0.0, 1.0, **rest)
        case "nominal":
            return Criterion(name, "nominal", **rest)
        case [_, *_] as listed if all(_is_number(value) for value in listed):
            values = tuple(sorted({float(value) for value in listed}))
            if values == (0.0, 1.0):  # as where nothing is declared: what is 0 or 1 is a rate
                return Criterion(name, "binary", values, 0.0, 1.0, **rest)
            return Criterion(name, "ordinal", values, values[0], values[-1], **rest)
        case {"min": low, "max": high} if _is_number(low) and _is_number(high) and low < high:
            return Criterion(name, "numeric", (), float(low), float(high), **rest)
        case None:
            return Criterion(name, **rest)
        case other:
            return f"scale is {other!r}, not a list of numbers, binary, nominal or {{min, max}}"


@cache
def load_shipped_criteria() -> Mapping[str, Criterion]:
    """Return the criteria that Readback ships, by name."""
    import yaml

    # our own file, shipped with the program; what people bring is decoded in the bounded child
    entries = yaml.safe_load((CONFIGS / "criteria.yml").read_text("utf-8"))
    criteria = {name: from_entry(name, entry) for name, entry in entries.items()}
    if wrong := {name: reason for name, reason in criteria.items() if isinstance(reason, str)}:
        raise ValueError(f"configs/criteria.yml: {wrong}")
    return {name: criterion for name, criterion in criteria.items() if isinstance(criterion, Criterion)}


def look_up(name: str, among: Mapping[str, Criterion]) -> Criterion | None:
    """Return the criterion called `name`, or called so without the ending `_score`; it keeps the column's name."""
    criterion = among.get(name) or among.get(name.removesuffix("_score")) or among.get(f"{name}_score")
    if criterion is None or criterion.name == name:
        return criterion
    return Criterion(
        name,
        criterion.scale,
        criterion.values,
        criterion.low,
        criterion.high,
        criterion.meanings,
        criterion.direction,
        criterion.unit,
        criterion.failed,
        criterion.scores,
    )


def holds(criterion: Criterion, value: float) -> bool:
    """Whether the criterion's scale permits `value`."""
    if criterion.values:
        return value in criterion.values
    return (criterion.low is None or value >= criterion.low) and (criterion.high is None or value <= criterion.high)


def fits(criterion: Criterion, counts: Mapping[float, int]) -> bool:
    """Whether values seen `counts` times may be on this scale with slips, or must come from another scale.

    Only asked of scales we know by name: the same name is used on other scales elsewhere (a faithfulness of 1 to 4).
    """
    rows = sum(counts.values())
    off = {value: n for value, n in counts.items() if not holds(criterion, value)}
    if sum(off.values()) * 2 > rows or any(n >= SYSTEMATIC and n * 100 >= rows for n in off.values()):
        return False
    between = sum(n for value, n in off.items() if value % 1 and _inside(criterion, value))
    return not (between >= SYSTEMATIC and between * 10 > rows)  # a finer scale than ours


def inferred(name: str, counts: Mapping[float, int]) -> Criterion:
    """Infer a criterion from its values: 0 and 1, a few whole numbers, or a range."""
    values = tuple(sorted(counts))
    if not values:
        return Criterion(name)
    if values == (0.0, 1.0):
        return Criterion(name, "binary", values, 0.0, 1.0)
    if len(values) <= FEW and all(value.is_integer() for value in values):
        return Criterion(name, "ordinal", values, values[0], values[-1])
    low, high = values[0], values[-1]
    if low >= 0 and 0.5 < high <= 1.000001:  # measures of similarity overshoot 1 by rounding
        return Criterion(name, "numeric", (), 0.0, max(1.0, high))
    return Criterion(name, "numeric", (), low, high)


def number(value: float) -> str:
    """Format a value of a scale as it is written everywhere: no needless zeros."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.6g}"


def scale_text(criterion: Criterion) -> str:
    """Format the scale in a few characters: `−1, 0, 1, 2`, `0 or 1`, `0 to 1`."""
    match criterion.scale:
        case "binary":
            text = "0 or 1"
        case "ordinal":
            text = ", ".join(number(value) for value in criterion.values)
        case "numeric" if criterion.low is not None and criterion.high is not None:
            text = f"{number(criterion.low)} to {number(criterion.high)}"
        case other:
            text = str(other)
    return text.replace("-", MINUS)


def _inside(criterion: Criterion, value: float) -> bool:
    return criterion.low is not None and criterion.high is not None and criterion.low < value < criterion.high


def _is_number(value: Any) -> bool:
    """Tell whether an axis can carry the value: no truth value, not infinite, not beyond what a float holds exactly."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15


def _numbers(entry: Any) -> tuple[float, ...] | None:
    """Return the numbers of a list, or of one number alone; None where it is neither."""
    if entry is None:
        return ()
    if isinstance(entry, list | tuple):
        listed = entry
    else:
        listed = [entry]
    if all(map(_is_number, listed)):
        return tuple(float(value) for value in listed)
    return None


def _is_range(entry: Mapping[str, Any]) -> bool:
    return set(entry) == {"min", "max"}
