"""The rubric that a results file carries: which kind each trait is, between which bounds, and which way is better.

Only data is read from it. A trait made of a Python function carries that function in a packed form; it is not looked
at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.results._cells import legible, text_of
from readback.types import Criterion

FEW = 12  # grades of a scale that are listed one by one; a scale with more is a range
LISTS = {
    "llm_traits": "llm",
    "traits": "llm",  # before the kinds of traits had lists of their own
    "regex_traits": "regex",
    "manual_traits": "regex",
    "callable_traits": "callable",
    "metric_traits": "metric",
    "agentic_traits": "agentic",
}
KINDS = ("boolean", "score", "literal")
MOST_EXACT = 1e15  # bounds beyond this are no numbers of a scale


@dataclass(frozen=True, slots=True)
class Definition:
    """One trait as the rubric defines it."""

    kind: str
    low: float | None = None
    high: float | None = None
    classes: tuple[str, ...] = ()
    up: bool | None = None  # whether more is better


def definitions(shared: Any) -> Mapping[tuple[str, str], Definition]:
    """The traits of `shared_data`, by where their scores stand (llm, regex, …) and name."""
    rubric = shared.get("rubric_definition") if isinstance(shared, Mapping) else None
    return dict(_traits(rubric)) if isinstance(rubric, Mapping) else {}


def _traits(rubric: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Definition]]:
    for listed, bucket in LISTS.items():
        traits = rubric.get(listed)
        for trait in traits if isinstance(traits, list) else ():
            if isinstance(trait, Mapping) and (name := text_of(trait.get("name"))):
                yield (bucket, name), _definition(trait, bucket)


def _definition(trait: Mapping[str, Any], bucket: str) -> Definition:
    said = trait.get("kind")
    kind = {"regex": "boolean", "metric": "metric"}.get(bucket) or (said if said in KINDS else "")
    classes = trait.get("classes")
    return Definition(
        kind=str(kind),
        low=_number(trait.get("min_score")),
        high=_number(trait.get("max_score")),
        classes=tuple(legible(str(name)) for name in classes) if isinstance(classes, Mapping | list) else (),
        up=up if isinstance(up := trait.get("higher_is_better"), bool) else None,
    )


def criterion(
    name: str, kind: str, given: Definition | None, whole: bool, labels: Mapping[int, str]
) -> Criterion | None:
    """The scale of a criterion; None where neither its kind nor the rubric tells it.

    `whole` says whether all its scores are whole numbers, `labels` the class names met, by their index.
    """
    same = given if given and given.kind == kind else None
    better: Any = {"direction": "down" if same.up is False else "up"} if same else {}
    if kind == "boolean":
        return Criterion(name, "binary", (0.0, 1.0), 0.0, 1.0, **better)
    if kind in ("metric", "share"):
        return Criterion(name, "numeric", (), 0.0, 1.0)
    if kind == "literal":
        return _classes(name, same, labels, better)
    if kind != "score" or same is None or same.low is None or same.high is None or same.low >= same.high:
        return None
    grades = same.high - same.low + 1
    if whole and grades <= FEW and same.low.is_integer() and same.high.is_integer():
        values = tuple(same.low + step for step in range(int(grades)))
        return Criterion(name, "ordinal", values, same.low, same.high, **better)
    return Criterion(name, "numeric", (), same.low, same.high, **better)


def _classes(name: str, given: Definition | None, labels: Mapping[int, str], better: Any) -> Criterion:
    """Classes in an order that the rubric means are ordinal; classes of which only names are known are nominal."""
    if given and given.classes and given.up is not None:
        values = tuple(float(at) for at in range(len(given.classes)))
        meanings = {str(at): label for at, label in enumerate(given.classes)}
        return Criterion(name, "ordinal", values, 0.0, values[-1], meanings, **better)
    named = dict(enumerate(given.classes)) if given and given.classes else labels
    return Criterion(name, "nominal", meanings={str(at): named[at] for at in sorted(named)}, direction="none")


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST_EXACT:
        return None
    return float(value)
