"""Every number of a run's summary under a dotted name, with what the summary says around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

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


def numbers(said: Mapping[str, Any], verdict: str) -> Iterator[tuple[str, ReportedMetric]]:
    """Every mean and rate; `verdict` is what the rate of passes is called."""
    yield from _numbers(said, "")
    verdicts = said.get(VERDICTS)
    if isinstance(verdicts, Mapping):
        yield from ((verdict, one) for one in _verdicts(verdicts))
    if (errors := _errors(said)) is not None:
        yield ERRORS, errors


def is_computed(name: str) -> bool:
    """Whether a program counted it, so that no judge had a say."""
    return name.startswith(BY_PROGRAM)


def is_number(value: Any) -> TypeGuard[float]:
    """Whether it is a number that can be reckoned with; truth values are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _numbers(said: Mapping[str, Any], above: str) -> Iterator[tuple[str, ReportedMetric]]:
    for key, value in said.items():
        inside = above + str(key)
        if key in NO_SCORES or (above and str(key).startswith(SPREAD)):
            continue
        if isinstance(value, Mapping) and "mean" in value:
            yield _called(inside), _spread(value)
        elif isinstance(value, Mapping):
            yield from _numbers(value, "" if key in (JUDGED, DIMENSIONS) else f"{inside}.")
        elif is_number(value) or _is_endless(value):
            yield _called(inside), _around(said, str(key), float(value))


def _called(name: str) -> str:
    return COVERAGE[1] if name == COVERAGE[0] else name


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


def _around(said: Mapping[str, Any], key: str, mean: float) -> ReportedMetric:
    """A number, with the spread that is beside one called mean_…"""
    if not key.startswith(MEAN):
        return ReportedMetric(mean)
    sd, low, high, _ = (_float(said.get(start + key.removeprefix(MEAN))) for start in SPREAD)
    return ReportedMetric(mean, None, sd, low, high)


def _verdicts(value: Mapping[str, Any]) -> Iterator[ReportedMetric]:
    """The rate of passes. The program divides by every row, those without a verdict among them."""
    counts = [value.get(name) for name in ("pass", "fail", "unknown")]
    known = [count for count in counts if isinstance(count, int) and not isinstance(count, bool)]
    passed = counts[0] if isinstance(counts[0], int) and not isinstance(counts[0], bool) else None
    n = sum(known) if len(known) > 1 else None
    rate = _float(value.get("pass_rate"))
    if rate is None and passed is not None and n:
        rate = passed / n
    if rate is not None:
        yield ReportedMetric(rate, n, whole=1.0, count=passed)


def _errors(said: Mapping[str, Any]) -> ReportedMetric | None:
    """The share of rows with an error, stated or by the counts."""
    n = next((said[name] for name in EVALUATED if is_number(said.get(name))), None)
    count, rate = said.get(WITH_ERRORS), _float(said.get(ERRORS))
    count = int(count) if is_number(count) else None
    if rate is None and count is not None and n:
        rate = count / n
    return None if rate is None else ReportedMetric(rate, int(n) if n is not None else None, whole=1.0, count=count)


def _float(value: Any) -> float | None:
    return float(value) if is_number(value) else None


def _is_endless(value: Any) -> TypeGuard[float]:
    """NaN or an infinity, which a program without care writes into JSON."""
    return isinstance(value, float) and (value != value or abs(value) > 1e300)
