"""One record under many choices: each text as far as a table shows it, where it first differs from its reference, its
length, its fingerprint, what is wrong; all in one bounded child.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from readback import sandbox
from readback.checks.groups import WEIGHT
from readback.checks.run.chunk import check_assembly
from readback.compare.diff import compare_sides, pair_messages
from readback.compare.marker_alignment import count_shared
from readback.compare.sentence import MessageChange, list_changes, list_facts
from readback.compare.side import ShownSide, Side
from readback.html import exact
from readback.message_parts import parts
from readback.prompts import assemble, children, model_input, token_counts
from readback.prompts.children import warm as warm
from readback.prompts.messages import compute_fingerprint
from readback.prompts.selections import explain_unknown_system
from readback.records.dataset import open_dataset
from readback.requests.observer import Observer, prepare_logs
from readback.sandbox.json_values import build_converter, to_json_values
from readback.types import Assembly, Finding, Message, Record, Segment, Selection, Severity, Workspace

WORK = "readback.checks.run.prompt_lengths:measure_chunk"
EXCERPT = 12_000  # characters of a message that its table cell can unfold
BEFORE = 2_000  # of them before the first difference
REFERENCES = 2  # texts that others are compared with, in memory at once


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A message, or of a long one the part around where it first differs from the reference.

    `start` is the offset of its first character in the message, `length` that of the whole message. `differs` is the
    offset in the message where it departs from its counterpart in the reference, None where it does not; `blank` says
    that the two lines there have the same words, and `same_end` counts the characters behind it that both end with.
    `alone`: the reference has no such message. `parts` counts what the message holds besides its text.
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
    same_end: int = 0


@dataclass(frozen=True, slots=True)
class PromptLengths:
    """What is sent under one choice; `fingerprint` is "" where nothing could be built, `late` where time was over.

    `reference` is the choice whose text this one is compared with, None where there is none or it could not be built;
    `lacks` are the roles of its messages that this one does not have, and `changes` are what this one does differently,
    one for each message. `codes` are the severity and rule of each kind of error and
    warning, the gravest first. `layer` says of what the tokens are: of the text that the model reads, or of the
    messages alone.
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
    layer: token_counts.CountedLayer = "messages"
    excerpts: tuple[Excerpt, ...] = ()
    lacks: tuple[str, ...] = ()
    reference: Selection | None = None
    changes: tuple[MessageChange, ...] = ()
    codes: tuple[tuple[Severity, str], ...] = ()


def measure(
    opened: Workspace,
    index: int,
    choices: Sequence[Selection],
    references: Mapping[Selection, Selection] | None = None,
) -> Generator[PromptLengths, None, None]:
    """Measure the record under each choice, in their order; leaving the loop ends the work.

    `references` say with which other choice a choice is compared. A choice that stops its child is one that cannot be
    built, and nothing is compared with it; the next ones get another child. Where a reference may be what stopped the
    child, the choice is tried once more without it.
    """
    convert, convert_changes = build_converter(tuple[Excerpt, ...]), build_converter(tuple[MessageChange, ...])
    prepare_logs(opened, open_dataset(opened.root, opened.dataset))
    compared = {choice: other for choice, other in (references or {}).items() if choice != other}
    doubted: Selection | None = None
    built: set[Selection] = set()
    rest = tuple(choices)
    while rest:
        done = 0
        batch = rest[:1] if doubted else rest
        try:
            for values in _stream(opened, index, batch, compared):
                choice = batch[done]
                values["excerpts"], values["lacks"] = convert(values["excerpts"]), tuple(values["lacks"])
                values["changes"] = convert_changes(values["changes"])
                values["codes"] = tuple((severity, code) for severity, code in values["codes"])
                values["reference"] = compared.get(choice) if values["reference"] else None
                yield PromptLengths(choice, **values)
                built.add(choice)
                done += 1
            if doubted:
                compared = _leave_out(compared, doubted)
        except sandbox.Stopped as stopped:
            choice, reference = batch[done], compared.get(batch[done])
            rest = rest[done:]
            if reference is not None and reference not in built:
                doubted = reference
                del compared[choice]
                continue
            yield PromptLengths(choice, 0, "", 1, 0, late=stopped.kind == "time")
            compared = _leave_out(compared, choice)
            done = 1
        doubted = None
        if not done:  # the record is gone: the file was changed
            return
        rest = rest[done:]


def _leave_out(compared: Mapping[Selection, Selection], reference: Selection) -> dict[Selection, Selection]:
    return {choice: other for choice, other in compared.items() if other != reference}


def _stream(
    opened: Workspace, index: int, choices: Sequence[Selection], compared: Mapping[Selection, Selection]
) -> Iterator[dict[str, Any]]:
    payload = children.make_payload(opened, choices, index, index + 1, 1)
    others = [compared.get(choice) for choice in choices]
    payload["references"] = [asdict(other) if other else None for other in others]
    yield from children.stream_frames(WORK, opened, payload)


@children.stop_when_changed
def measure_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a frame for each choice: {"characters", "tokens", "tokenizer", "exact", "layer", "fingerprint", "errors",
    "warnings", "excerpts", "lacks", "changes", "codes", "reference"}; the last one says whether there was a
    text to compare it with.
    """
    inside = children.enter(work)
    watching = Observer(inside.opened, inside.data)
    references = [Selection(**values) if values else None for values in work["references"]]
    for record in inside.records():
        texts = References(inside, record)
        for choice, reference in zip(inside.choices, references, strict=True):
            sandbox.beat()
            assembly = assemble.assemble(inside.opened, record, choice, inside.replies.get(choice, record))
            if choice.condition:
                condition = inside.opened.condition(choice.condition)
            else:
                condition = None
            read = model_input.build_model_input(inside.opened, record, assembly, condition, False)
            counted = token_counts.count_quickly(inside.opened, assembly, read)
            if choice in references:
                texts.put(choice, assembly.messages)
            other = texts.get(reference) if reference else ()
            excerpts, lacks = _cut_excerpts(assembly.messages, other)
            changes: tuple[MessageChange, ...] = ()
            if reference and other:
                changes = _describe_change(inside.opened, assembly, reference, other)
            results = check_assembly(inside.opened, record, assembly, None, watching.observe(record, assembly))
            graver = [result for result in results if isinstance(result, Finding) and result.severity != "info"]
            graver.sort(key=lambda result: WEIGHT[result.severity])
            severities = [result.severity for result in graver]
            yield {
                "characters": sum(len(message.text) for message in assembly.messages),
                "tokens": counted.count,
                "tokenizer": counted.tokenizer,
                "exact": counted.exact,
                "layer": token_counts.list_counted_texts(assembly, read)[1],
                "fingerprint": assembly.fingerprint,
                "errors": severities.count("error"),
                "warnings": severities.count("warning"),
                "excerpts": to_json_values(excerpts),
                "lacks": lacks,
                "changes": to_json_values(changes),
                "codes": list(dict.fromkeys((result.severity, result.code) for result in graver)),
                "reference": bool(other),
            }


class References:
    """The texts that others of a record are compared with: the last few, since a record may be of many megabytes."""

    def __init__(self, inside: children.ChildJob, record: Record) -> None:
        self._inside, self._record = inside, record
        self._texts: dict[Selection, tuple[Message, ...]] = {}

    def put(self, choice: Selection, messages: tuple[Message, ...]) -> None:
        """Keep a text; the one that was not asked for the longest makes room."""
        self._texts.pop(choice, None)
        self._texts[choice] = messages
        while len(self._texts) > REFERENCES:
            del self._texts[next(iter(self._texts))]

    def get(self, choice: Selection) -> tuple[Message, ...]:
        """Return the text of a choice, assembled where it is not there."""
        messages = self._texts.get(choice)
        if messages is None:
            sandbox.beat()
            inside = self._inside
            messages = assemble.assemble(
                inside.opened, self._record, choice, inside.replies.get(choice, self._record)
            ).messages
        self.put(choice, messages)
        return messages


def _describe_change(
    opened: Workspace, assembly: Assembly, reference: Selection, messages: tuple[Message, ...]
) -> tuple[MessageChange, ...]:
    """Say in phrases without a subject what a text does differently than the messages of its reference."""
    sides = [
        ShownSide(
            Side(choice),
            texts,
            compute_fingerprint(texts),
            None,
            (),
            "",
            system_unknown=explain_unknown_system(opened, choice, texts),
        )
        for choice, texts in ((reference, messages), (assembly.choice, assembly.messages))
    ]
    return list_changes(list_facts(compare_sides(*sides)))


def _cut_excerpts(
    messages: tuple[Message, ...], reference: tuple[Message, ...]
) -> tuple[tuple[Excerpt, ...], tuple[str, ...]]:
    """Return each message as far as it is shown, and the roles of the reference's messages that are not here."""
    if not reference:  # there is none, or it could not be built
        return tuple(_cut_excerpt(message, message) for message in messages), ()
    pairs = pair_messages(reference, messages)
    excerpts = tuple(_cut_excerpt(message, counterpart) for counterpart, message in pairs if message)
    return excerpts, tuple(counterpart.role for counterpart, message in pairs if counterpart and not message)


def _cut_excerpt(message: Message, counterpart: Message | None) -> Excerpt:
    text, other = message.text, counterpart.text if counterpart else ""
    differs, blank, same_end = None, False, 0
    if counterpart is not None and text != other:
        differs = count_shared(text, other, min(len(text), len(other)))
        same_end = count_shared(text[::-1], other[::-1], min(len(text), len(other)) - differs)
        blank = _find_line(text, differs).split() == _find_line(other, differs).split()
    if len(text) <= EXCERPT:
        start = 0
    else:
        start = max(0, min((differs or 0) - BEFORE, len(text) - EXCERPT))
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
        same_end,
    )


def _find_line(text: str, offset: int) -> str:
    """Return the line that holds an offset."""
    end = text.find("\n", offset)
    return text[text.rfind("\n", 0, offset) + 1 : end if end >= 0 else len(text)]
