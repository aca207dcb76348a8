"""Where what a model was trained on for a record and what it reads of it part, unless another rule says it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from readback.checks.facts import stated_system_texts, trained_differences
from readback.checks.facts.trained_differences import FirstDifference
from readback.compare.difference_kinds import Kind as Kind
from readback.compare.first_difference import first_differences, kind_of, of_self_test
from readback.types import Model, RuleContext, Segment, SelfTest, TrainedPrompt

NUMBER = re.compile(r"\d+")


class RowDifference(NamedTuple):
    """The first difference of a mark, what kind it is of, and how many more of that mark the record has.

    The mark tells it from other differences of its kind.
    """

    difference: FirstDifference
    kind: Kind
    mark: str
    more: int


def find_row_differences(case: RuleContext, model: Model, trained: TrainedPrompt) -> Iterator[RowDifference]:
    """The differences of a case's record, the first of each mark."""
    read = case.model_input
    if read is None or not read.segments or read.text == trained.text:
        return
    self_test = case.run_self_test()
    always = _template_differences(self_test)
    system_reported = trained.system and _served_system_is_stated(case, model)
    alike: dict[str, list[FirstDifference]] = {}
    for difference in first_differences(trained.segments, read.segments):
        kind = kind_of(difference)
        if trained_differences.harmless(difference, read.kind, model):
            continue
        if self_test and trained_differences.reported_elsewhere(difference, self_test, model):
            continue
        if _of_templates(difference) and (difference.a.text, difference.b.text) in always:
            continue
        if kind == "system" and system_reported:
            continue
        alike.setdefault(_mark(difference, kind), []).append(difference)
    for mark, differences in alike.items():
        yield RowDifference(differences[0], kind_of(differences[0]), mark, len(differences) - 1)


def _template_differences(self_test: SelfTest | None) -> frozenset[tuple[str, str]]:
    """What both templates write otherwise whatever is sent, which is said once for the model."""
    differences = of_self_test(self_test) if self_test else ()
    return frozenset((difference.a.text, difference.b.text) for difference in differences)


def _served_system_is_stated(case: RuleContext, model: Model) -> bool:
    """Whether the system text that the model reads is one that rules compare with that of training."""
    segments = case.model_input.segments if case.model_input else ()
    sent = "".join(segment.text for segment in segments if segment.origin == "system")
    stated = stated_system_texts.for_model(case.workspace, model)
    return any(system.text.strip() == sent.strip() for system in stated)


def _of_templates(difference: FirstDifference) -> bool:
    """Whether templates alone wrote what differs."""
    return all(_written_by_template(spot.segments) for spot in (difference.a, difference.b) if spot.text)


def _written_by_template(segments: tuple[Segment, ...]) -> bool:
    return all(segment.origin == "serving" for segment in segments)


def _mark(difference: FirstDifference, kind: Kind) -> str:
    """What is the same for all records that differ alike: blanks and blocks by themselves, texts by who wrote them."""
    if kind == "system":
        return kind
    writers = "\n".join(_writer(spot.segments) for spot in (difference.a, difference.b) if spot.text)
    if kind == "text" and not _of_templates(difference):
        return f"{kind}\n{writers}"
    return f"{kind}\n{difference.a.text}\n{difference.b.text}\n{writers}"


def _writer(segments: tuple[Segment, ...]) -> str:
    names = (f"{segment.origin} {NUMBER.sub('*', segment.name or '')}" for segment in segments)
    return " ".join(dict.fromkeys(names))
