"""One record under many choices: how long each text is, its fingerprint, what is wrong; all in one bounded child."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback import sandbox
from readback.checks.run.chunk import check_assembly
from readback.prompts import assemble, children, model_input, token_counts
from readback.prompts.children import warm as warm
from readback.records.dataset import open_dataset
from readback.requests.observer import Observer, prepare_logs
from readback.types import Finding, Selection, Workspace

WORK = "readback.checks.run.prompt_lengths:measure_chunk"


@dataclass(frozen=True, slots=True)
class PromptLengths:
    """What is sent under one choice; `fingerprint` is "" where nothing could be built, `late` where time was over."""

    choice: Selection
    characters: int
    fingerprint: str
    errors: int
    warnings: int
    late: bool = False
    tokens: int = 0
    tokenizer: str = ""
    exact: bool = False


def measure(opened: Workspace, index: int, choices: Sequence[Selection]) -> Generator[PromptLengths, None, None]:
    """Measure the record under each choice, in their order; leaving the loop ends the work.

    A choice that stops its child is one that cannot be built; the next ones get another child.
    """
    prepare_logs(opened, open_dataset(opened.root, opened.dataset))
    rest = tuple(choices)
    while rest:
        done = 0
        try:
            for values in children.stream_frames(
                WORK, opened, children.make_payload(opened, rest, index, index + 1, 1)
            ):
                yield PromptLengths(rest[done], **values)
                done += 1
        except sandbox.Stopped as stopped:
            yield PromptLengths(rest[done], 0, "", 1, 0, late=stopped.kind == "time")
            done += 1
        if not done:  # the record is gone: the file was changed
            return
        rest = rest[done:]


@children.stop_when_changed
def measure_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a frame for each choice: {"characters", "tokens", "tokenizer", "exact", "fingerprint", "errors",
    "warnings"}.
    """
    inside = children.enter(work)
    watching = Observer(inside.opened, inside.data)
    for record in inside.records():
        for choice in inside.choices:
            sandbox.beat()
            assembly = assemble.assemble(inside.opened, record, choice, inside.replies.get(choice, record))
            condition = inside.opened.condition(choice.condition) if choice.condition else None
            read = model_input.build_model_input(inside.opened, record, assembly, condition, False)
            counted = token_counts.count_quickly(inside.opened, assembly, read)
            results = check_assembly(inside.opened, record, assembly, None, watching.observe(record, assembly))
            severities = [result.severity for result in results if isinstance(result, Finding)]
            yield {
                "characters": sum(len(message.text) for message in assembly.messages),
                "tokens": counted.count,
                "tokenizer": counted.tokenizer,
                "exact": counted.exact,
                "fingerprint": assembly.fingerprint,
                "errors": severities.count("error"),
                "warnings": severities.count("warning"),
            }
