"""The command `readback render`: the exact messages of one record under one choice."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readback import adapters, as_json
from readback.checks.of_server import model_of, of_server
from readback.checks.run.chunk import by_format, everything
from readback.cli import UsageError, _colour, _lines, _options, _workspace
from readback.cli._sentence import fill
from readback.message_parts import part_title, parts
from readback.prompts import assemble, model_input, request_settings, token_counts
from readback.prompts.judge_messages import lacks_answer
from readback.prompts.selections import Variant, explain_unknown_system, list_variants
from readback.records import answers
from readback.records.dataset import Dataset
from readback.records.missing_record import format_missing_record
from readback.requests.observer import Observer, Seen
from readback.types import (
    Answer,
    Assembly,
    Condition,
    Finding,
    Message,
    ModelInput,
    Record,
    RuleContext,
    Selection,
    Tokens,
    Workspace,
)
from readback.words import t

TITLE = "Print the exact messages of one record under one condition, mode, task or judge."
ABOUT = (
    "JSON is exact: the segments of a message joined are its text, character for character. Text is for"
    " reading: each\n"
    "message is below a heading, and on a terminal control characters are spelled out.\n"
    "\n"
    "--set name=value puts a text in place of a field, --set name:=json any JSON value.\n"
    "\n"
    "exit codes: 0 no finding at or above --fail-on; 1 there is one; 2 wrong use"
)

SENTENCES_RENDER = {
    "set_mode": "{name} is set for this mode, at {file}:{line}",
    "set_top": "{name} is set for all modes, at {file}:{line}",
    "set_models": "{name} is set under models, at {file}:{line}",
    "set_model": "{name} is set for the model, at {file}:{line}",
    "set_condition": "{name} is set for the condition, at {file}:{line}",
    "set_judge": "{name} is set for the judge, at {file}:{line}",
    "message": "{role}, {n:,} {n:character|characters}, {tokens:,} {tokens:token|tokens}",
    "message_estimated": ("{role}, {n:,} {n:character|characters}, {tokens:,} {tokens:token|tokens} (estimated)"),
    "tokens": "tokens of all messages: {n:,} ({tokenizer})",
    "tokens_read": "tokens of what the model reads: {n:,} ({tokenizer})",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser)
    add = parser.add_argument
    add("--condition", metavar="C", help="the condition")
    add("--mode", metavar="M", help="the mode; --task then only chooses adapter texts and instructions")
    add("--task", metavar="T", help="the task; without --mode, its texts are used")
    add("--adapter", metavar="A", help="the adapter")
    add("--judge", metavar="J", help="the messages of this judge; with --condition for the answer of that condition")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--record", metavar="ID", help="the record with this id")
    one.add_argument("--index", type=int, metavar="N", help="the record with this number, counted from 0 (default: 0)")
    add(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="use this value in place of a field's; NAME:=JSON for a value that is not text",
    )
    add("--wire", action="store_true", help="also what the model reads")
    forms = ("inference", "training")
    add("--wire-form", choices=forms, default="inference", help="training: the text ends after the answer")
    _options.loudness(
        parser,
        "text: the messages alone, and with --wire what the model reads",
        "text: also who wrote each stretch, and how to fix each finding",
    )
    _options.fail_on(parser)


def run(args: argparse.Namespace) -> int:
    opened = _workspace.opened(args)
    choice = _choice(args, opened)
    record = _record(args, _workspace.data(opened))
    condition = opened.condition(choice.condition) if choice.condition else None
    values = _values(args.set)
    reply = _answer(opened, condition, choice, record)
    assembly = assemble.assemble(opened, record, choice, reply, values)
    read = model_input.build_model_input(opened, record, assembly, condition, args.wire_form == "training")
    counted = token_counts.count_assembly(opened, assembly, read) if assembly.messages else None
    sent = read if args.wire else None
    seen = None if values else Observer(opened, _workspace.data(opened)).seen(record, assembly)
    found = list(_findings(opened, assemble.apply_values(opened, record, values), assembly, sent, seen))
    own, stated = request_settings.find_program(opened, choice), request_settings.find_settings(opened, choice)
    if args.wire and sent is None:
        print(
            ("readback: no chat format is known here; serving: {format: …} of a model in readback.yml names one"),
            file=sys.stderr,
        )
    made_by, unknown = list_variants(opened, choice), explain_unknown_system(opened, choice, assembly.messages)
    lacking = bool(assembly.messages) and lacks_answer(assembly, reply, values)
    if args.format == "json":
        answer = as_json.rendering_to_json(
            assembly, condition, found, sent, counted, own.dialect if own else None, stated, made_by, unknown,
            lacking,
        )  # fmt: skip
        print(as_json.dumps(answer, indent=1))
    else:
        sizes = token_counts.count_each_message(opened, assembly)
        told = {**as_json.selection_to_json(choice, condition), "dialect": own.dialect if own else None}
        told |= {name: one.value for name, one in stated.items()}
        lines = list(_text(told, assembly, sent, found, counted, sizes, made_by, unknown, args.verbose))
        if lacking:
            lines.insert(
                1,
                ("there is no answer to judge: these messages can be read but not sent, and an export leaves them out"),
            )
        if args.verbose and (own or stated):
            lines[1:1] = [_lines.safe(line) for line in _sampling(stated, own is not None)]
        print("\n".join(_messages(assembly, sent) if args.quiet else lines))
    return int(_lines.worst((one.severity for one in found), args.fail_on))


def _choice(args: argparse.Namespace, opened: Workspace) -> Selection:
    """What was asked for, every name known. Raises UsageError."""
    if args.condition and (args.mode or args.task or args.adapter):
        raise UsageError("--condition sets mode, task and adapter; give either --condition or these")
    if args.judge and (args.mode or args.task or args.adapter):
        raise UsageError("--judge can only be used with --condition, or alone")
    if args.condition:
        names = [name for condition in opened.conditions for name in (condition.name, *condition.aliases)]
        found = opened.condition(_workspace.one_of("condition", args.condition, names))
        args.condition = found.name if found else None
    if args.judge:
        _workspace.one_of("judge", args.judge, opened.judges)
    elif args.mode:
        _workspace.one_of("mode", args.mode, opened.prompts)
    elif args.task:
        _workspace.one_of("task", args.task, opened.tasks)
    elif not args.condition:
        return _only(opened, args.adapter)
    return Selection(args.condition, args.mode, args.adapter, args.task, args.judge)


def _only(opened: Workspace, adapter: str | None) -> Selection:
    """The one thing that can be rendered, where there is only one."""
    choices = [*(Selection(condition=condition.name) for condition in opened.conditions)] or [
        *(Selection(mode=mode, adapter=adapter) for mode in opened.prompts),
        *(Selection(task=task, adapter=adapter) for task in opened.tasks),
    ]
    if len(choices) == 1 and not (adapter and choices[0].condition):
        return choices[0]
    kinds = {
        "--condition": [condition.name for condition in opened.conditions],
        "--mode": opened.prompts,
        "--task": opened.tasks,
    }
    there = "; ".join(f"{option} {' | '.join(names)}" for option, names in kinds.items() if names)
    raise UsageError(
        fill("say what to render: {choices}", choices=there)
        if there
        else "there is nothing to render: the workspace has no condition, mode or task"
    )


def _record(args: argparse.Namespace, data: Dataset) -> Record:
    index = args.index or 0
    if args.record is not None and (found := data.find(args.record)) is None:
        raise UsageError(format_missing_record(args.record, data))
    if args.record is not None:
        index = found if found is not None else 0
    if not len(data) and data.source and data.source.absent:
        raise UsageError(fill("there is no record: the dataset '{file}' does not exist", file=data.file))
    if not 0 <= index < len(data):
        raise UsageError(fill("no record {index}: there {n:is|are} {n:,}, counted from 0", index=index, n=len(data)))
    return data.record(index)


def _answer(opened: Workspace, condition: Condition | None, choice: Selection, record: Record) -> Answer | None:
    if choice.judge is None or condition is None or record.id is None:
        return None
    return answers.open_answers(opened, condition).get(record.id)


def _values(given: list[str]) -> Mapping[str, Any]:
    """name=value as text, name:=json as JSON. Raises UsageError."""
    values: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.rstrip(":"):
            raise UsageError(fill("--set {given}: write name=value, or name:=json", given=one))
        if not name.endswith(":"):
            values[name] = value
            continue
        try:
            values[name[:-1]] = json.loads(value, parse_constant=_no_number)
        except ValueError as error:
            raise UsageError(fill("--set {given}: not JSON ({error})", given=one, error=error)) from None
    return values


def _no_number(word: str) -> Any:
    raise ValueError(fill("{word} is not a number in JSON", word=word))


def _findings(
    opened: Workspace, record: Record, assembly: Assembly, sent: ModelInput | None, seen: Seen | None
) -> Iterator[Finding]:
    """What is wrong with the record, with the messages, with what the chat format makes of them; each fault once."""
    found = [one for one in everything(opened, record, assembly, seen) if isinstance(one, Finding)]
    yield from found
    yield from by_format(RuleContext(opened, record, assembly), sent, found)
    if sent and sent.kind != "format" and (model := model_of(opened, assembly.choice)):
        yield from (one for one in of_server(opened, model) if isinstance(one, Finding))


def _heading(text: str) -> str:
    heading = _colour.paint(_lines.safe(f"=== {text}"), "strong")
    return f"\n{heading}"


def _text(
    chosen: Mapping[str, Any],
    assembly: Assembly,
    sent: ModelInput | None,
    found: list[Finding],
    counted: tuple[Tokens, str] | None,
    sizes: Sequence[int],
    made_by: Sequence[Variant],
    unknown: str | None,
    verbose: bool,
) -> Iterator[str]:
    about_it = [f"{name} {value}" for name, value in chosen.items() if value is not None]
    if assembly.record is not None:
        about_it.append(t("frame.record_is", record=assembly.record))
    about_it += ["masked, not exact"] if assembly.masked else []
    yield _lines.safe(", ".join(about_it))
    yield from (one.said for one in made_by)
    if unknown and assembly.messages:
        yield _lines.safe(fill("the system message is not known here: {why}", why=unknown))
    by, of = counted or (None, "")
    head = "message" if by is None or by.exact else "message_estimated"
    for message, size in zip(assembly.messages, sizes, strict=True):
        yield _heading(fill(SENTENCES_RENDER[head], role=message.role, n=len(message.text), tokens=size))
        yield _lines.shown(message.text)
        yield from _beside(message)
        if verbose:
            yield from (f"    {_lines.safe(one)}" for one in _stretches(message))
    if ours := adapters.list_own_wordings(assembly.messages):
        yield _heading(
            fill("wording: readback: {names} in Readback's own words, not the program's", names=", ".join(ours))
        )
    if sent:
        yield _heading(
            fill(
                "what the model reads ({format}), {n:,} {n:character|characters}", format=sent.format, n=len(sent.text)
            )
        )
        yield _lines.shown(sent.text)
    if by:
        whole = "tokens_read" if of == "wire" else "tokens"
        yield _heading(fill(SENTENCES_RENDER[whole], n=by.count, tokenizer=by.tokenizer))
    made = assembly.fingerprint
    yield _heading(f"sha256 {made}" if made else "sha256 none: nothing could be assembled")
    yield from map(_lines.with_fix if verbose else _lines.line, found)


def _sampling(stated: Mapping[str, request_settings.Setting], albert: bool) -> Iterator[str]:
    """Where each setting of the request is stated; of an Albert mode also which sampling values are not set."""
    for name, one in stated.items():
        yield ("    " + fill(SENTENCES_RENDER[f"set_{one.level}"], name=name, file=one.place.file, line=one.place.line))
    if albert and (rest := [name for name in request_settings.SAMPLING if name not in stated]):
        yield fill("    not set: {names}", names=", ".join(rest))


def _messages(assembly: Assembly, sent: ModelInput | None) -> Iterator[str]:
    """The texts alone, each under its role."""
    for message in assembly.messages:
        yield f"=== {message.role}"
        yield _lines.shown(message.text)
        yield from _beside(message)
    if sent:
        yield fill("=== what the model reads ({format})", format=sent.format)
        yield _lines.shown(sent.text)


def _beside(message: Message) -> Iterator[str]:
    """What a message holds besides its text: the title of each part, and its text."""
    for part in parts(message.whole):
        yield f"--- {_lines.safe(part_title(part))}"
        if part.text:
            yield _lines.shown(part.text)


def _stretches(message: Message) -> Iterator[str]:
    """Who wrote each stretch of a message, and where."""
    start = 0
    for one in message.segments:
        at = one.place
        where = ":".join(str(part) for part in (at.file, at.line) if part is not None)
        named = " ".join(part for part in (one.origin, one.name) if part)
        yield f"{start}-{start + len(one.text)}: {named}" + (f" ({where})" if where else "")
        start += len(one.text)
