"""One record under many choices: each text as far as a table shows it, where it first differs from the first one, its
length, its fingerprint, what is wrong; all in one bounded child.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from readback import sandbox
from readback.checks.run.chunk import check_assembly
from readback.compare.diff import pair_messages
from readback.compare.marker_alignment import count_shared
from readback.html import exact
from readback.message_parts import parts
from readback.prompts import assemble, children, model_input, token_counts
from readback.prompts.children import warm as warm
from readback.records.dataset import open_dataset
from readback.requests.observer import Observer, prepare_logs
from readback.sandbox.json_values import build_converter, to_json_values
from readback.types import Finding, Message, Record, Segment, Selection, Workspace

WORK = "readback.checks.run.prompt_lengths:measure_chunk"
EXCERPT = 12_000  # characters of a message that its table cell can unfold
BEFORE = 2_000  # of them before the first difference


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A message, or of a long one the part around where it first differs from the first text.

    `start` is the offset of its first character in the message, `length` that of the whole message. `differs` is the
    offset in the message where it departs from its counterpart in the first text, None where it does not; `blank` says
    that the two lines there have the same words. `alone`: the first text has no such message. `parts` counts what the
    message holds besides its text.
    """

    role: str
    segments: tuple[Segment, ...]
    start: int
    length: int
    lines: int
    differs: int | None = None
    blank: bool = False
    alone: bool = False
    parts: int = 0


@dataclass(frozen=True, slots=True)
class PromptLengths:
    """What is sent under one choice; `fingerprint` is "" where nothing could be built, `late` where time was over.

    `lacks` are the roles of the first text's messages that this one does not have.
    """

    choice: Selection
    characters: int
    fingerprint: str
    errors: int
    warnings: int
    late: bool = False
    tokens: int = 0
    tokenizer: str = ""
    exact: bool = False
    excerpts: tuple[Excerpt, ...] = ()
    lacks: tuple[str, ...] = ()


def measure(
    opened: Workspace, index: int, choices: Sequence[Selection], first: Selection | None = None
) -> Generator[PromptLengths, None, None]:
    """Measure the record under each choice, in their order; leaving the loop ends the work.

    `first` is the choice whose text the others are held against. A choice that stops its child is one that cannot be
    built; the next ones get another child, and where it is the first one they are held against nothing.
    """
    convert = build_converter(tuple[Excerpt, ...])
    prepare_logs(opened, open_dataset(opened.root, opened.dataset))
    rest = tuple(choices)
    while rest:
        done = 0
        try:
            for values in children.stream_frames(
                WORK,
                opened,
                {
                    **children.make_payload(opened, rest, index, index + 1, 1),
                    "first": asdict(first) if first else None,
                },
            ):
                values["excerpts"], values["lacks"] = convert(values["excerpts"]), tuple(values["lacks"])
                yield PromptLengths(rest[done], **values)
                done += 1
        except sandbox.Stopped as stopped:
            if not done and first is not None:
                first, again = None, first != rest[0]
                if again:
                    continue
            yield PromptLengths(rest[done], 0, "", 1, 0, late=stopped.kind == "time")
            done += 1
        if not done:  # the record is gone: the file was changed
            return
        rest = rest[done:]


@children.stop_when_changed
def measure_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a frame for each choice: {"characters", "tokens", "tokenizer", "exact", "fingerprint", "errors",
    "warnings", "excerpts", "lacks"}.
    """
    inside = children.enter(work)
    watching = Observer(inside.opened, inside.data)
    first_choice = Selection(**work["first"]) if work["first"] else None
    for record in inside.records():
        first: tuple[Message, ...] | None = None
        for choice in inside.choices:
            sandbox.beat()
            assembly = assemble.assemble(inside.opened, record, choice, inside.replies.get(choice, record))
            condition = inside.opened.condition(choice.condition) if choice.condition else None
            read = model_input.build_model_input(inside.opened, record, assembly, condition, False)
            counted = token_counts.count_quickly(inside.opened, assembly, read)
            if first is None and first_choice:
                first = assembly.messages if choice == first_choice else _assemble(inside, record, first_choice)
            excerpts, lacks = _cut_excerpts(assembly.messages, first or ())
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
                "excerpts": to_json_values(excerpts),
                "lacks": lacks,
            }


def _assemble(inside: children.ChildJob, record: Record, choice: Selection) -> tuple[Message, ...]:
    sandbox.beat()
    return assemble.assemble(inside.opened, record, choice, inside.replies.get(choice, record)).messages


def _cut_excerpts(
    messages: tuple[Message, ...], first: tuple[Message, ...]
) -> tuple[tuple[Excerpt, ...], tuple[str, ...]]:
    """Return each message as far as it is shown, and the roles of the first text's messages that are not here."""
    if not first:  # it could not be built, so that nothing is held against it
        return tuple(_cut_excerpt(message, message) for message in messages), ()
    pairs = pair_messages(first, messages)
    excerpts = tuple(_cut_excerpt(message, counterpart) for counterpart, message in pairs if message)
    return excerpts, tuple(counterpart.role for counterpart, message in pairs if counterpart and not message)


def _cut_excerpt(message: Message, counterpart: Message | None) -> Excerpt:
    text, other = message.text, counterpart.text if counterpart else ""
    differs, blank = None, False
    if counterpart is not None and text != other:
        differs = count_shared(text, other, min(len(text), len(other)))
        blank = _find_line(text, differs).split() == _find_line(other, differs).split()
    start = 0 if len(text) <= EXCERPT else max(0, min((differs or 0) - BEFORE, len(text) - EXCERPT))
    return Excerpt(
        message.role,
        exact.cut(message.segments, start, start + EXCERPT),
        start,
        len(text),
        text.count("\n") + 1,
        differs,
        blank,
        counterpart is None,
        len(parts(message.whole)),
    )


def _find_line(text: str, offset: int) -> str:
    """Return the line that holds an offset."""
    end = text.find("\n", offset)
    return text[text.rfind("\n", 0, offset) + 1 : end if end >= 0 else len(text)]
