"""The scores of one verification result: its template's outcome, and every trait of its rubric by its kind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.scores.files.cells import Cell, cell, legible, text_of
from readback.scores.files.formats.verification.outcome import RUBRIC_ONLY, decide_outcome, truth
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED

BUCKETS = ("llm", "regex", "callable", "agentic")
PROGRAMS = ("regex", "callable", "embedding")  # what a program decides, whichever model judges the rest
METRICS = ("metric_trait_scores", "metric_trait_metrics")
OLDER = "verify_rubric"  # all traits in one place
INVALID = -1  # the index of a class that the rubric does not have
NO_SCORE: Cell = (math.nan, FAILED, "the judge gave no score")
NOT_TRUE: Cell = (math.nan, FAILED, "the check gave no answer")
CHECKS = ("abstention", "sufficiency")


@dataclass(frozen=True, slots=True)
class Scored:
    """One score. `kind` is boolean, score, literal or metric, "" where the value does not tell it."""

    name: str
    bucket: str  # template, embedding, or where a rubric keeps it
    kind: str
    cell: Cell
    rationale: str = ""
    label: str = ""  # of a class

    @property
    def computed(self) -> bool:
        """Whether a program and not a judge decided it."""
        return self.bucket in PROGRAMS


def template_scores(template: Mapping[str, Any], failure: Any, mode: str, there: bool) -> Iterator[Scored]:
    """Yield the scores of the answer template; `there` says whether the row has that part."""
    parsed = decide_outcome(template.get("verify_result"), failure, mode, there)
    if parsed is not None:
        yield Scored("verify_result", "template", "boolean", parsed, _failure_words(failure))
    yield from _spread("verify_granular_result", template.get("verify_granular_result"))
    for check in CHECKS if mode != RUBRIC_ONLY else CHECKS[:1]:
        reported = template.get(f"{check}_detected")
        if reported is not None or template.get(f"{check}_check_performed") is True:
            yes = truth(reported)
            value: Cell = NOT_TRUE if yes is None else (float(yes), SCORED, "")
            yield Scored(f"{check}_detected", "template", "boolean", value, text_of(template.get(f"{check}_reasoning")))
    if (similar := template.get("embedding_similarity_score")) is not None:
        yield Scored("embedding_similarity_score", "embedding", "share", _number(similar))
    fields = template.get("field_scores")
    for name, value in fields.items() if isinstance(fields, Mapping) else ():
        yield Scored(f"field_scores.{legible(str(name))}", "field", "share", _number(value))


def rubric_scores(rubric: Mapping[str, Any], reasons: Mapping[str, Any]) -> Iterator[Scored]:
    """Every trait's score; `reasons` are the judge's words by trait. A text or list is not a score: left out."""
    labels = _mapping(rubric.get("llm_trait_labels"))
    measured = {str(name) for place in METRICS for name in _mapping(rubric.get(place))}
    for bucket in BUCKETS:
        scores = _mapping(rubric.get(f"{bucket}_trait_scores"))
        if bucket == "llm":
            scores = {**_mapping(rubric.get(OLDER)), **scores}
        for name, value in scores.items():
            if isinstance(value, Mapping) and str(name) in measured:
                continue  # older versions write a metric twice
            yield from _trait(str(name), bucket, value, labels, text_of(reasons.get(name)))
    for place in METRICS:
        for name, value in _mapping(rubric.get(place)).items():
            yield from _trait(str(name), "metric", value, {}, "")
    for name, why in _mapping(rubric.get("dynamic_rubric_skipped_traits")).items():
        yield Scored(legible(str(name)), "llm", "", (math.nan, NOT_APPLICABLE, text_of(why)[:200]))


def texts(rubric: Mapping[str, Any]) -> set[str]:
    """Return the traits whose answers are texts or lists, which are no scores."""
    places = [_mapping(rubric.get(name)) for name in (OLDER, *(f"{bucket}_trait_scores" for bucket in BUCKETS))]
    return {legible(str(name)) for place in places for name, value in place.items() if isinstance(value, str | list)}


def _trait(name: str, bucket: str, value: Any, labels: Mapping[str, Any], rationale: str) -> Iterator[Scored]:
    trait_name = legible(name)
    if isinstance(value, Mapping):
        yield from (
            Scored(f"{trait_name}.{legible(str(part))}", "metric", "metric", _number(inner), rationale)
            for part, inner in value.items()
            if not isinstance(inner, Mapping | list | str)
        )
    elif name in labels:
        label = text_of(labels[name])
        if value == INVALID:
            yield Scored(
                trait_name, bucket, "literal", (math.nan, FAILED, f"no class of the rubric: {label[:80]}"), rationale
            )
        else:
            yield Scored(trait_name, bucket, "literal", _index(value), rationale, label)
    elif value is None:
        yield Scored(trait_name, bucket, "", NO_SCORE, rationale)
    elif isinstance(value, bool):
        yield Scored(trait_name, bucket, "boolean", (float(value), SCORED, ""), rationale)
    elif isinstance(value, int | float):
        yield Scored(trait_name, bucket, "score", _number(value), rationale)


def _spread(name: str, value: Any) -> Iterator[Scored]:
    """Yield the scores of a result that a template's own code makes: a share, or several under names."""
    if isinstance(value, Mapping):
        for part, inner in value.items():
            if isinstance(inner, bool | int | float):
                if isinstance(inner, bool):
                    kind = "boolean"
                else:
                    kind = "score"
                yield Scored(f"{name}.{legible(str(part))}", "template", kind, _number(inner))
    elif isinstance(value, bool | int | float) or (isinstance(value, str) and cell(value)[1] == SCORED):
        yield Scored(name, "template", "share", _number(value))


def _number(value: Any) -> Cell:
    """Return a number; a truth value counts as 0 or 1 where only a program writes it; null is a lost score."""
    if value is None:
        return NO_SCORE
    parsed = cell(float(value) if isinstance(value, bool) else value)
    if parsed[1] != MISSING:
        return parsed
    return (math.nan, FAILED, parsed[2] or NO_SCORE[2])


def _index(value: Any) -> Cell:
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1 and value >= 0
    if whole:
        return cell(value)
    return (math.nan, FAILED, f"not a number: {text_of(value)[:40]}")


def _failure_words(failure: Any) -> str:
    if isinstance(failure, Mapping):
        return text_of(failure.get("reason"))
    return ""


def _mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    return {}
