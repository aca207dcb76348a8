"""Find where a model's training text differs from what it reads, unless another rule reports it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from readback.checks.facts import stated_texts
from readback.compare.first_difference import FirstDifference as FirstDifference
from readback.compare.first_difference import Kind as Kind
from readback.compare.first_difference import compare_self_test, find_first_differences, find_kind
from readback.compare.first_difference import describe_halves as describe_halves
from readback.compare.first_difference import format_after as format_after
from readback.sources import prompt_formats
from readback.types import Model, RuleContext, Segment, SelfTest, TrainedPrompt

TURN_END = "<|im_end|>"
TEXT_STARTS = ("<s>", "<|begin_of_text|>", "<bos>")  # tokens that begin a text
NUMBER = re.compile(r"\d+")


class RowDifference(NamedTuple):
    """The first difference of a mark in one record, its kind, and how many more of that mark the record has.

    Differences of one mark are alike in all records.
    """

    difference: FirstDifference
    kind: Kind
    mark: str
    more: int


# Differences of a model's templates, whatever the record


def find_template_differences(case: RuleContext) -> Iterator[tuple[Model, SelfTest, tuple[FirstDifference, ...]]]:
    """Yield each model whose texts of the self-test differ, with the differences that no other rule reports."""
    for name, self_test in case.self_tests.items():
        model = case.workspace.models.get(name)
        if model is None or self_test.system not in self_test.first.text or self_test.user not in self_test.first.text:
            continue  # another rule reports a message that is dropped, and then nothing else agrees either
        kind = self_test.first.kind
        differences = tuple(
            difference
            for difference in compare_self_test(self_test)
            if not (is_harmless(difference, kind, model) or is_reported_elsewhere(difference, self_test, model))
        )
        if differences:
            yield model, self_test, differences


def is_type_stated(model: Model) -> bool:
    """Return whether the workspace states the model's type; else it was guessed from the name of a file or model."""
    return model.type_reason == prompt_formats.STATED_REASON


def is_training_stated(model: Model) -> bool:
    """Return whether the model's files state what its training text was made with."""
    return bool(model.training_template or model.training_format)


def is_harmless(difference: FirstDifference, kind: str, model: Model) -> bool:
    """Return whether a difference does not matter to the model.

    That is a first token which Ollama adds when it tokenizes, or a blank before the answer, which the model writes as
    part of its first word.
    """
    if difference.b.text or difference.again:
        return False
    if difference.last:
        return not difference.a.text.strip(" ")
    return not difference.after and difference.a.text in _list_first_tokens(model) and kind == "modelfile"


def is_reported_elsewhere(difference: FirstDifference, self_test: SelfTest, model: Model) -> bool:
    """Return whether a rule about the server reports a difference."""
    trained, served = difference.a.text, difference.b.text
    by_modelfile = self_test.first.kind == "modelfile"
    # srv-double-bos: Ollama adds a first token by itself; for other servers only a second one is reported.
    if not trained and served in _list_first_tokens(model) and difference.after == ("" if by_modelfile else served):
        return True
    if not by_modelfile:
        return False
    lacks_newline = difference.after.endswith(TURN_END) and "\n" in trained and not trained.strip()
    if lacks_newline and not served:  # oll-chatml-newline
        return True
    return (lacks_newline or not trained) and difference.again  # oll-system-twice


def _list_first_tokens(model: Model) -> tuple[str, ...]:
    templates = (model.training_template, model.chat_template)
    own = (template.bos_token for template in templates if template and template.bos_token)
    return (*own, *TEXT_STARTS)


# Differences of one record


def find_row_differences(case: RuleContext, model: Model, trained: TrainedPrompt) -> Iterator[RowDifference]:
    """Yield the differences of a case's record, the first of each mark."""
    model_input = case.model_input
    if model_input is None or not model_input.segments or model_input.text == trained.text:
        return
    self_test = case.run_self_test()
    by_templates = _list_differing_texts(self_test)
    is_system_reported = trained.system and _is_served_system_stated(case, model)
    by_mark: dict[str, list[FirstDifference]] = {}
    for difference in find_first_differences(trained.segments, model_input.segments):
        kind = find_kind(difference)
        if is_harmless(difference, model_input.kind, model):
            continue
        if self_test and is_reported_elsewhere(difference, self_test, model):
            continue
        if _is_by_templates(difference) and (difference.a.text, difference.b.text) in by_templates:
            continue
        if kind == "system" and is_system_reported:
            continue
        by_mark.setdefault(_mark(difference, kind), []).append(difference)
    for mark, differences in by_mark.items():
        yield RowDifference(differences[0], find_kind(differences[0]), mark, len(differences) - 1)


def _list_differing_texts(self_test: SelfTest | None) -> frozenset[tuple[str, str]]:
    """Return what the two templates write differently for any record, which is reported once for the model."""
    if self_test:
        differences = compare_self_test(self_test)
    else:
        differences = ()
    return frozenset((difference.a.text, difference.b.text) for difference in differences)


def _is_served_system_stated(case: RuleContext, model: Model) -> bool:
    """Return whether the system text that the model reads is one that rules compare with that of training."""
    if case.model_input:
        segments = case.model_input.segments
    else:
        segments = ()
    sent = "".join(segment.text for segment in segments if segment.origin == "system")
    system_texts = stated_texts.list_system_texts(case.workspace, model)
    return any(system.text.strip() == sent.strip() for system in system_texts)


def _is_by_templates(difference: FirstDifference) -> bool:
    """Return whether templates alone wrote what differs."""
    return all(_is_by_template(spot.segments) for spot in (difference.a, difference.b) if spot.text)


def _is_by_template(segments: tuple[Segment, ...]) -> bool:
    return all(segment.origin == "serving" for segment in segments)


def _mark(difference: FirstDifference, kind: Kind) -> str:
    """Return what differences have in common that are alike: their writers, and of blanks and blocks the text."""
    if kind == "system":
        return kind
    writers = "\n".join(_name_writers(spot.segments) for spot in (difference.a, difference.b) if spot.text)
    if kind == "text" and not _is_by_templates(difference):
        return f"{kind}\n{writers}"
    return f"{kind}\n{difference.a.text}\n{difference.b.text}\n{writers}"


def _name_writers(segments: tuple[Segment, ...]) -> str:
    names = (f"{segment.origin} {NUMBER.sub('*', segment.name or '')}" for segment in segments)
    return " ".join(dict.fromkeys(names))
