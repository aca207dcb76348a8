"""Means of the beyond-the-cutoff evaluation program (`metrics.json`), in the four shapes its versions write or expect.

Shapes A to C are written by ignaciolinari/beyond-the-cutoff (MIT), D is what one of its checking tools asks for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.files.text_file import read_text
from readback.formats._json_text import Decoder, NotJson
from readback.results._cells import legible, text_of
from readback.results._metrics_numbers import JUDGED, NO_SCORES, ReportedMetric, is_computed, is_number, numbers
from readback.results._rows import Asked, Read, Row
from readback.results._run_facts import closed, named, of_summary
from readback.results._wrong import impossible_rates, no_number
from readback.results.details import ABOUT_DOCUMENTS, COMPUTED, VERDICT
from readback.results.verification.shapes import sees as verification_results
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, Reported, SourceRead
from readback.types import Diagnostic, Location

LARGEST = 64 << 20  # bytes: shape A holds every record's answer beside the means
NAME = "run metrics"
TOTALS = ("overall", "weighted_score")
EXACT = 6  # decimals at which means are compared that no one rounded
SHORTEST = 2  # decimals from which a file of short numbers is taken for rounded


def only_object(path: Path, file: str) -> Mapping[str, Any] | None:
    """The object a `.json` file is, when it is one of the four shapes; None for every other file."""
    if path.suffix.lower() != ".json" or verification_results(path):
        return None
    text, _ = read_text(path, file, LARGEST)
    if text is None or not text.lstrip().startswith("{"):
        return None
    try:
        value = Decoder().whole(text)
    except NotJson:
        return None
    return value if isinstance(value, Mapping) and shape(value) else None


def recognise(rows: Sequence[Mapping[str, Any]], asked: Asked) -> bool:
    """One object in one of the four shapes."""
    return len(rows) == 1 and shape(rows[0]) is not None


def shape(value: Mapping[str, Any]) -> str | None:
    """Which of the shapes this is: A (`summary`), B (flat), C (a spread for each score), D (`dimensions`, or a total).

    A flat summary without the time it took, as the program's interleaved runs once wrote it, counts as B.
    """
    summary = value.get("summary")
    if isinstance(summary, Mapping) and ("examples" in value or "examples_evaluated" in summary):
        return "A"
    scores = value.get(JUDGED)
    if isinstance(scores, Mapping) and all(isinstance(s, Mapping) and "mean" in s for s in scores.values()):
        return "C" if scores or "judge_verdicts" in value else None
    if "total_examples" in value and "evaluation_time_seconds" in value:
        return "B"
    if "examples_evaluated" in value and "citation_mean_coverage" in value:
        return "B"
    dimensions = value.get("dimensions")
    if isinstance(dimensions, Mapping) and any(map(_has_number, dimensions.values())):
        return "D"
    flat = sum(is_number(number) for key, number in value.items() if key not in NO_SCORES)
    return "D" if flat > 1 and any(_has_number(value.get(name)) for name in TOTALS) else None


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], asked: Asked) -> Read:
    """The means and rates the file states. The rows behind them, where they are there, are what counts."""
    diagnostics = tuple(row for row in rows if isinstance(row, Diagnostic))
    place = Location(file=asked.source.path)
    found = [means for row in head for means in _reported(row.fields, asked, place)]
    what = ", ".join(f"{NAME}, shape {shape(row.fields)}" for row in head)
    roles = {"score": tuple(dict.fromkeys(means.criterion for means in found))}
    account = SourceRead(asked.source.path, what, len(head), 0, roles, synthetic=asked.source.synthetic)
    about = tuple(of_summary(summary(row.fields), asked, place) for row in head)
    odd = (*(diagnostic for row in head for diagnostic in _no_numbers(row.fields, place)), *impossible_rates(found))
    return Read(None, account, (*diagnostics, *odd), tuple(found), about=about)


def _no_numbers(value: Mapping[str, Any], place: Location) -> Iterator[Diagnostic]:
    """Criteria of which something else is where their mean should."""
    scores = summary(value).get(JUDGED)
    for name, one in scores.items() if isinstance(scores, Mapping) else ():
        if isinstance(one, Mapping) and (mean := one.get("mean")) is not None and not isinstance(mean, int | float):
            yield no_number(str(name), mean, place)
    for name, reported in numbers(summary(value), VERDICT):
        if reported.mean is not None and not math.isfinite(reported.mean):
            yield Diagnostic(
                "dat-nan", {"field": legible(name), "value": json.dumps(reported.mean)}, place, legible(name)
            )


def judged(value: Mapping[str, Any]) -> tuple[str, str, str]:
    """The run, the model that judged it and the rubric it was judged by, as the file states them."""
    said = summary(value)
    return text_of(said.get("model_label")), text_of(said.get("judge_model")), text_of(said.get("judge_name"))


def summary(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of the file that the means are in."""
    said = value.get("summary")
    return said if shape(value) == "A" and isinstance(said, Mapping) else value


@dataclass(frozen=True, slots=True)
class _Run:
    """What all numbers of one file share."""

    said: Mapping[str, Any]
    asked: Asked
    place: Location
    judge: str
    decimals: int

    def reported(self, name: str, one: ReportedMetric) -> Reported:
        """One number, with the state that keeps it apart from 0 where it is none."""
        state = MISSING if one.mean is None else SCORED if math.isfinite(one.mean) else FAILED
        if closed(self.said, self.asked) and name in ABOUT_DOCUMENTS:
            state = NOT_APPLICABLE
        return Reported(
            condition=named(self.said, self.asked),
            criterion=legible(name),
            judge=COMPUTED if is_computed(name) else self.judge,
            mean=one.mean if one.mean is not None and state == SCORED else math.nan,
            decimals=self.decimals,
            n=one.n,
            place=self.place,
            sd=one.sd if state == SCORED else None,
            low=one.low if state == SCORED else None,
            high=one.high if state == SCORED else None,
            whole=one.whole,
            count=one.count,
            state=state,
        )


def _reported(value: Mapping[str, Any], asked: Asked, place: Location) -> Iterator[Reported]:
    said = summary(value)
    found = list(numbers(said, VERDICT))
    _, model, rubric = judged(value)
    run = _Run(said, asked, place, asked.judge or model or rubric, _decimals(one.mean for _, one in found))
    yield from (run.reported(name, one) for name, one in found)


def _decimals(means: Iterable[float | None]) -> int:
    """How exactly the file's numbers are written: a program does not round, a person does so throughout."""
    longest = max((len(repr(mean).partition(".")[2]) for mean in means if mean is not None), default=0)
    return min(longest, EXACT) if longest >= SHORTEST else EXACT


def _has_number(value: Any) -> bool:
    return is_number(value.get("mean") if isinstance(value, Mapping) else value)
