"""Means of the beyond-the-cutoff evaluation program (`metrics.json`), in the four shapes its versions write or expect.

Shapes A to C are written by ignaciolinari/beyond-the-cutoff (MIT), D is what one of its checking tools asks for.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from readback.readers.files.text_file import read_head, read_text
from readback.readers.json_text import Decoder, NotJson
from readback.scores.files.cells import legible, text_of
from readback.scores.files.formats.details import ABOUT_DOCUMENTS, COMPUTED, VERDICT
from readback.scores.files.formats.verification.shapes import sees as verification_results
from readback.scores.files.run_facts import is_closed_book, name_condition, read_summary_facts
from readback.scores.files.score_rows import FileScores, FileSettings, PlainRow, Row
from readback.scores.files.stated_numbers import report_impossible_rates, report_no_number
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, Reported, SourceRead
from readback.types import Diagnostic, Location

JUDGED, DIMENSIONS = "judge_scores", "dimensions"  # what is in these is called by its own name
VERDICTS, ERRORS = "judge_verdicts", "error_rate"
COVERAGE = ("citation_metrics.mean_coverage", "citation_mean_coverage")  # one thing under two names: the second is kept
EVALUATED = ("examples_evaluated", "total_examples")
WITH_ERRORS = "examples_with_errors"
# Numbers and parts of a summary that are no scores, or are read in another way.
NO_SCORES = (
    *(*EVALUATED, WITH_ERRORS, "examples_with_empty_responses", "evaluation_time_seconds", ERRORS, VERDICTS),
    *("evaluated_task_ids", "citation_metrics_mode_counts", "error_breakdown", "examples", "n", "count", "seed"),
)
SPREAD = ("std_", "min_", "max_", "total_")  # beside a number called mean_…
MEAN = "mean_"
# What a program counts, by the beginning of its name; everything else is the judge's.
BY_PROGRAM = (
    *("reference_metrics.", "citation_metrics.", "citation_mean_coverage", "bleu", "bertscore", "rouge"),
    *("response_length", "timing", ERRORS),
)


# A JSON object with one of these keys may be the means of a run; whether it is, its shape decides.
KEYS = re.compile(
    rb'"(judge_scores|citation_mean_coverage|total_examples|examples_evaluated|dimensions|weighted_score|overall)"'
)


@dataclass(frozen=True, slots=True)
class ReportedMetric:
    """One number of a summary; None where the summary says nothing. `whole` and `count` are those of a rate."""

    mean: float | None
    n: int | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    whole: float | None = None
    count: int | None = None


LARGEST = 64 << 20  # bytes: shape A holds every record's answer beside the means
NAME = "run metrics"
TOTALS = ("overall", "weighted_score")
# Columns of which each of the four shapes has one.
COLUMNS = frozenset({"summary", JUDGED, *EVALUATED, DIMENSIONS, *TOTALS})
EXACT = 6  # decimals at which means are compared that no one rounded
SHORTEST = 2  # decimals from which a file of short numbers is taken for rounded


def only_object(path: Path, file: str) -> Mapping[str, Any] | None:
    """Return the object of a `.json` file that has one of the four shapes; None for every other file."""
    if path.suffix.lower() != ".json" or verification_results(path):
        return None
    text, _ = read_text(path, file, LARGEST)
    if text is None or not text.lstrip().startswith("{"):
        return None
    try:
        value = Decoder().whole(text)
    except NotJson:
        return None
    if isinstance(value, Mapping) and shape(value):
        return value
    return None


def open_file(path: Path, file: str, refused: Callable[[], None]) -> Iterator[Row | Diagnostic] | None:
    """Return the one row of a file in one of the four shapes; None for any other file."""
    value = only_object(path, file)
    if value:
        return iter((PlainRow(value),))
    return None


def shows_file(path: Path) -> bool:
    """Tell whether a file has a key near its beginning that one of the shapes has."""
    return KEYS.search(read_head(path)) is not None


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
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
        if scores or "judge_verdicts" in value:
            return "C"
        return None
    if "total_examples" in value and "evaluation_time_seconds" in value:
        return "B"
    if "examples_evaluated" in value and "citation_mean_coverage" in value:
        return "B"
    dimensions = value.get("dimensions")
    if isinstance(dimensions, Mapping) and any(map(_has_number, dimensions.values())):
        return "D"
    flat = sum(is_number(number) for key, number in value.items() if key not in NO_SCORES)
    if flat > 1 and any(_has_number(value.get(name)) for name in TOTALS):
        return "D"
    return None


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Read the means and rates that the file states. They are set beside the means of the rows."""
    diagnostics = tuple(row for row in rows if isinstance(row, Diagnostic))
    place = Location(file=settings.source.path)
    means_of_file = [means for row in head for means in _reported(row.fields, settings, place)]
    what = ", ".join(f"{NAME}, shape {shape(row.fields)}" for row in head)
    roles = {"score": tuple(dict.fromkeys(means.criterion for means in means_of_file))}
    account = SourceRead(settings.source.path, what, len(head), 0, roles, synthetic=settings.source.synthetic)
    about = tuple(read_summary_facts(summary(row.fields), settings, place) for row in head)
    odd = (
        *(diagnostic for row in head for diagnostic in _no_numbers(row.fields, place)),
        *report_impossible_rates(means_of_file),
    )
    return FileScores(None, account, (*diagnostics, *odd), tuple(means_of_file), about=about)


def _no_numbers(value: Mapping[str, Any], place: Location) -> Iterator[Diagnostic]:
    """Criteria of which something else is where their mean should."""
    scores = summary(value).get(JUDGED)
    for name, part in scores.items() if isinstance(scores, Mapping) else ():
        if isinstance(part, Mapping) and (mean := part.get("mean")) is not None and not isinstance(mean, int | float):
            yield report_no_number(str(name), mean, place)
    for name, reported in numbers(summary(value), VERDICT):
        if reported.mean is not None and not math.isfinite(reported.mean):
            yield Diagnostic(
                "dat-nan", {"field": legible(name), "value": json.dumps(reported.mean)}, place, legible(name)
            )


def read_judge(value: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the run, the model that judged it and the rubric it was judged by, as the file states them."""
    fields = summary(value)
    return text_of(fields.get("model_label")), text_of(fields.get("judge_model")), text_of(fields.get("judge_name"))


def summary(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the part of the file that holds the means."""
    part = value.get("summary")
    if shape(value) == "A" and isinstance(part, Mapping):
        return part
    return value


@dataclass(frozen=True, slots=True)
class _Run:
    """What all numbers of one file share."""

    fields: Mapping[str, Any]
    settings: FileSettings
    place: Location
    judge: str
    decimals: int

    def reported(self, name: str, metric: ReportedMetric) -> Reported:
        """One number, with the state that keeps it apart from 0 where it is none."""
        if metric.mean is None:
            state = MISSING
        elif math.isfinite(metric.mean):
            state = SCORED
        else:
            state = FAILED
        if is_closed_book(self.fields, self.settings) and name in ABOUT_DOCUMENTS:
            state = NOT_APPLICABLE
        return Reported(
            condition=name_condition(self.fields, self.settings),
            criterion=legible(name),
            judge=COMPUTED if is_computed(name) else self.judge,
            mean=metric.mean if metric.mean is not None and state == SCORED else math.nan,
            decimals=self.decimals,
            n=metric.n,
            place=self.place,
            sd=metric.sd if state == SCORED else None,
            low=metric.low if state == SCORED else None,
            high=metric.high if state == SCORED else None,
            whole=metric.whole,
            count=metric.count,
            state=state,
        )


def _reported(value: Mapping[str, Any], settings: FileSettings, place: Location) -> Iterator[Reported]:
    fields = summary(value)
    metrics = list(numbers(fields, VERDICT))
    _, model, rubric = read_judge(value)
    run = _Run(
        fields, settings, place, settings.judge or model or rubric, _decimals(metric.mean for _, metric in metrics)
    )
    yield from (run.reported(name, metric) for name, metric in metrics)


def _decimals(means: Iterable[float | None]) -> int:
    """How exactly the file's numbers are written: a program does not round, a person does so throughout."""
    longest = max((len(repr(mean).partition(".")[2]) for mean in means if mean is not None), default=0)
    if longest >= SHORTEST:
        return min(longest, EXACT)
    return EXACT


def _has_number(value: Any) -> bool:
    return is_number(value.get("mean") if isinstance(value, Mapping) else value)


# Every number of a run's summary under a dotted name, with what the summary says around it.


def numbers(fields: Mapping[str, Any], verdict: str) -> Iterator[tuple[str, ReportedMetric]]:
    """Every mean and rate; `verdict` is what the rate of passes is called."""
    yield from _numbers(fields, "")
    verdicts = fields.get(VERDICTS)
    if isinstance(verdicts, Mapping):
        yield from ((verdict, rate) for rate in _verdicts(verdicts))
    if (errors := _errors(fields)) is not None:
        yield ERRORS, errors


def is_computed(name: str) -> bool:
    """Whether a program counted it, so that no judge had a say."""
    return name.startswith(BY_PROGRAM)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether it is a number that can be reckoned with; truth values are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _numbers(fields: Mapping[str, Any], above: str) -> Iterator[tuple[str, ReportedMetric]]:
    for key, value in fields.items():
        inside = above + str(key)
        if key in NO_SCORES or (above and str(key).startswith(SPREAD)):
            continue
        if isinstance(value, Mapping) and "mean" in value:
            yield _name_criterion(inside), _spread(value)
        elif isinstance(value, Mapping):
            yield from _numbers(value, "" if key in (JUDGED, DIMENSIONS) else f"{inside}.")
        elif is_number(value) or _is_endless(value):
            yield _name_criterion(inside), _find_spread(fields, str(key), float(value))


def _name_criterion(name: str) -> str:
    if name == COVERAGE[0]:
        return COVERAGE[1]
    return name


def _spread(value: Mapping[str, Any]) -> ReportedMetric:
    """{mean, std, min, max, n}; std is the sample's, and 0 where there was one row or none."""
    mean, n = value.get("mean"), value.get("n")
    sd = _float(value.get("std"))
    return ReportedMetric(
        float(mean) if is_number(mean) or _is_endless(mean) else None,
        n if isinstance(n, int) and not isinstance(n, bool) else None,
        sd if isinstance(n, int) and n > 1 else None,
        _float(value.get("min")),
        _float(value.get("max")),
    )


def _find_spread(fields: Mapping[str, Any], key: str, mean: float) -> ReportedMetric:
    """Return a number, with the spread that stands beside one called mean_…"""
    if not key.startswith(MEAN):
        return ReportedMetric(mean)
    sd, low, high, _ = (_float(fields.get(start + key.removeprefix(MEAN))) for start in SPREAD)
    return ReportedMetric(mean, None, sd, low, high)


def _verdicts(value: Mapping[str, Any]) -> Iterator[ReportedMetric]:
    """Yield the rate of passes. The program divides by every row, including those without a verdict."""
    counts = [value.get(name) for name in ("pass", "fail", "unknown")]
    whole_counts = [count for count in counts if isinstance(count, int) and not isinstance(count, bool)]
    if isinstance(counts[0], int) and not isinstance(counts[0], bool):
        passed = counts[0]
    else:
        passed = None
    if len(whole_counts) > 1:
        n = sum(whole_counts)
    else:
        n = None
    rate = _float(value.get("pass_rate"))
    if rate is None and passed is not None and n:
        rate = passed / n
    if rate is not None:
        yield ReportedMetric(rate, n, whole=1.0, count=passed)


def _errors(fields: Mapping[str, Any]) -> ReportedMetric | None:
    """Return the share of rows with an error, stated or by the counts."""
    n = next((fields[name] for name in EVALUATED if is_number(fields.get(name))), None)
    count, rate = fields.get(WITH_ERRORS), _float(fields.get(ERRORS))
    count = int(count) if is_number(count) else None
    if rate is None and count is not None and n:
        rate = count / n
    if rate is None:
        return None
    return ReportedMetric(rate, int(n) if n is not None else None, whole=1.0, count=count)


def _float(value: Any) -> float | None:
    if is_number(value):
        return float(value)
    return None


def _is_endless(value: Any) -> TypeGuard[float]:
    """NaN or an infinity, which a program without care writes into JSON."""
    return isinstance(value, float) and (value != value or abs(value) > 1e300)
