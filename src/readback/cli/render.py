"""Run `readback render`: the exact messages of one record under one choice."""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback import adapters, as_json
from readback.checks.model_findings import find_server_findings
from readback.checks.run.chunk import check_format, check_record
from readback.cli import UsageError
from readback.cli.common import lines, options
from readback.cli.common.lines import make_safe, make_safe_for_stdout, print_note
from readback.cli.common.parser import Command
from readback.cli.common.terminal import fill, paint
from readback.cli.common.workspace import (
    add_workspace_arguments,
    check_name,
    find_condition,
    open_records,
    open_workspace,
)
from readback.message_parts import part_title, parts
from readback.prompts import assemble, model_input, request_settings, token_counts
from readback.prompts.judge_messages import lacks_answer
from readback.prompts.selections import explain_unknown_system, find_model, list_variants
from readback.records.dataset import Dataset
from readback.records.missing_record import format_missing_record
from readback.records.replies import answers
from readback.requests.observer import Observation, Observer
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

SETTING_LEVELS = {
    "mode": "for this mode",
    "top": "for all modes",
    "models": "under models",
    "model": "for the model",
    "condition": "for the condition",
    "judge": "for the judge",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback render`."""
    add_workspace_arguments(parser)
    add = parser.add_argument
    add("--condition", metavar="C", help="the condition")
    add("--mode", metavar="M", help="the mode; --task then only chooses adapter texts and instructions")
    add("--task", metavar="T", help="the task; without --mode, its texts are used")
    add("--adapter", metavar="A", help="the adapter")
    add("--judge", metavar="J", help="the messages of this judge; with --condition for the answer of that condition")
    record = parser.add_mutually_exclusive_group()
    record.add_argument("--record", metavar="ID", help="the record with this id")
    record.add_argument(
        "--index", type=int, metavar="N", help="the record with this number, counted from 0 (default: 0)"
    )
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
    options.add_loudness(
        parser,
        "text: the messages alone, and with --wire what the model reads",
        "text: also who wrote each stretch, and how to fix each finding",
    )
    options.add_fail_on(parser)


def run(args: argparse.Namespace) -> int:
    """Assemble and print the messages; return the exit code."""
    workspace = open_workspace(args)
    selection = _read_selection(args, workspace)
    record = _find_record(args, open_records(workspace))
    if selection.condition:
        condition = workspace.condition(selection.condition)
    else:
        condition = None
    values = _read_values(args.set)
    answer = _find_answer(workspace, condition, selection, record)
    assembly = assemble.assemble(workspace, record, selection, answer, values)
    whole_input = model_input.build_model_input(workspace, record, assembly, condition, args.wire_form == "training")
    rendering = _Rendering(workspace, selection, assembly, whole_input if args.wire else None)
    observed = None
    if not values:
        observed = Observer(workspace, open_records(workspace)).observe(record, assembly)
    tried = assemble.apply_values(workspace, record, values)
    findings = list(_find_findings(workspace, tried, assembly, rendering.model_input, observed))
    if assembly.messages:
        counted = token_counts.count_assembly(workspace, assembly, whole_input)
    else:
        counted = None
    is_unanswered = bool(assembly.messages) and lacks_answer(assembly, answer, values)
    if args.wire and whole_input is None:
        print_note("no chat format is known here; serving: {format: …} of a model in readback.yml names one")
    if args.format == "json":
        answer_json = as_json.rendering_to_json(
            assembly,
            condition,
            findings,
            rendering.model_input,
            counted,
            rendering.dialect,
            rendering.settings,
            list_variants(workspace, selection),
            explain_unknown_system(workspace, selection, assembly.messages),
            is_unanswered,
        )
        print(as_json.dumps(answer_json, indent=1))
    elif args.quiet:
        print("\n".join(rendering.format_messages_only()))
    else:
        output = [
            *rendering.format_head(args.verbose, is_unanswered),
            *rendering.format_body(counted, args.verbose),
            *map(lines.format_with_fix if args.verbose else lines.format_finding, findings),
        ]
        print("\n".join(output))
    return int(lines.reaches_severity((finding.severity for finding in findings), args.fail_on))


COMMANDS = {"render": Command(TITLE, ABOUT, add_arguments, run)}


# Reading what is asked for.


def _read_selection(args: argparse.Namespace, workspace: Workspace) -> Selection:
    """Return what is rendered, with every name checked. Raises UsageError."""
    if args.condition and (args.mode or args.task or args.adapter):
        raise UsageError("--condition sets mode, task and adapter; give either --condition or these")
    if args.judge and (args.mode or args.task or args.adapter):
        raise UsageError("--judge can only be used with --condition, or alone")
    if args.condition:
        args.condition = find_condition(workspace, args.condition).name
    if args.judge:
        check_name("judge", args.judge, workspace.judges)
    elif args.mode:
        check_name("mode", args.mode, workspace.prompts)
    elif args.task:
        check_name("task", args.task, workspace.tasks)
    elif not args.condition:
        return _find_only_selection(workspace, args.adapter)
    return Selection(args.condition, args.mode, args.adapter, args.task, args.judge)


def _find_only_selection(workspace: Workspace, adapter: str | None) -> Selection:
    """Return the one thing that can be rendered. Raises UsageError where there are several, or none."""
    selections = [Selection(condition=condition.name) for condition in workspace.conditions]
    if not selections:
        selections += [Selection(mode=mode, adapter=adapter) for mode in workspace.prompts]
        selections += [Selection(task=task, adapter=adapter) for task in workspace.tasks]
    if len(selections) == 1 and not (adapter and selections[0].condition):
        return selections[0]
    options_and_names: dict[str, Collection[str]] = {
        "--condition": [condition.name for condition in workspace.conditions],
        "--mode": workspace.prompts,
        "--task": workspace.tasks,
    }
    choices = "; ".join(f"{option} {' | '.join(names)}" for option, names in options_and_names.items() if names)
    if choices:
        raise UsageError(fill("say what to render: {choices}", choices=choices))
    raise UsageError("there is nothing to render: the workspace has no condition, mode or task")


def _find_record(args: argparse.Namespace, records: Dataset) -> Record:
    index = args.index or 0
    if args.record is not None:
        index = records.find(args.record)
        if index is None:
            raise UsageError(format_missing_record(args.record, records))
    if not len(records) and records.source and records.source.absent:
        raise UsageError(fill("there is no record: the dataset '{file}' does not exist", file=records.file))
    if not 0 <= index < len(records):
        raise UsageError(fill("no record {index}: there {n:is|are} {n:,}, counted from 0", index=index, n=len(records)))
    return records.record(index)


def _find_answer(
    workspace: Workspace, condition: Condition | None, selection: Selection, record: Record
) -> Answer | None:
    """Return the answer that the judge reads, None where there is none or no judge."""
    if selection.judge is None or condition is None or record.id is None:
        return None
    return answers.open_answers(workspace, condition).get(record.id)


def _read_values(texts: Collection[str]) -> Mapping[str, Any]:
    """Return the values of name=value and name:=json. Raises UsageError."""
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.rstrip(":"):
            raise UsageError(fill("--set {text}: write name=value, or name:=json", text=text))
        if not name.endswith(":"):
            values[name] = value
            continue
        try:
            values[name[:-1]] = json.loads(value, parse_constant=_refuse_constant)
        except ValueError as error:
            raise UsageError(fill("--set {text}: not JSON ({error})", text=text, error=error)) from None
    return values


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number in JSON")


def _find_findings(
    workspace: Workspace,
    record: Record,
    assembly: Assembly,
    read_input: ModelInput | None,
    observed: Observation | None,
) -> Iterator[Finding]:
    """Yield what is wrong with the record, the messages, and what the chat format makes of them; each fault once."""
    findings = [
        finding for finding in check_record(workspace, record, assembly, observed) if isinstance(finding, Finding)
    ]
    yield from findings
    yield from check_format(RuleContext(workspace, record, assembly), read_input, findings)
    if read_input and read_input.kind != "format":
        model = find_model(workspace, assembly.choice)
        if model:
            yield from (finding for finding in find_server_findings(workspace, model) if isinstance(finding, Finding))


# Printing.


@dataclass(frozen=True, slots=True)
class _Rendering:
    """The messages of a record under a selection; `model_input` only where it is to be shown."""

    workspace: Workspace
    selection: Selection
    assembly: Assembly
    model_input: ModelInput | None

    @property
    def dialect(self) -> str | None:
        """The dialect of the program that sends the messages."""
        own_program = request_settings.find_program(self.workspace, self.selection)
        if own_program:
            return own_program.dialect
        return None

    @property
    def settings(self) -> Mapping[str, request_settings.Setting]:
        """The settings of the request that files state, by name."""
        return request_settings.find_settings(self.workspace, self.selection)

    def format_head(self, verbose: bool, is_unanswered: bool) -> Iterator[str]:
        """Yield what is rendered, and what is to be known about it before reading it."""
        if self.selection.condition:
            condition = self.workspace.condition(self.selection.condition)
        else:
            condition = None
        names = {**as_json.selection_to_json(self.selection, condition), "dialect": self.dialect}
        names |= {name: setting.value for name, setting in self.settings.items()}
        subjects = [f"{name} {value}" for name, value in names.items() if value is not None]
        if self.assembly.record is not None:
            subjects.append(t("frame.record_is", record=self.assembly.record))
        if self.assembly.masked:
            subjects.append("masked, not exact")
        yield make_safe(", ".join(subjects))
        if verbose:
            yield from (make_safe(line) for line in self._format_settings())
        if is_unanswered:
            yield "there is no answer to judge: these messages can be read but not sent, and an export leaves them out"
        yield from (variant.sentence for variant in list_variants(self.workspace, self.selection))
        unknown = explain_unknown_system(self.workspace, self.selection, self.assembly.messages)
        if unknown and self.assembly.messages:
            yield make_safe(fill("the system message is not known here: {why}", why=unknown))

    def _format_settings(self) -> Iterator[str]:
        """Yield where each setting of the request is stated, and which sampling values of a program are not set."""
        for name, setting in self.settings.items():
            yield f"    {name} is set {SETTING_LEVELS[setting.level]}, at {setting.place.file}:{setting.place.line}"
        if self.dialect is not None:
            unset = [name for name in request_settings.SAMPLING if name not in self.settings]
            if unset:
                yield f"    not set: {', '.join(unset)}"

    def format_body(self, counted: tuple[Any, str] | None, verbose: bool) -> Iterator[str]:
        """Yield each message under its heading, what the model reads, and the counts of tokens."""
        tokens, text_kind = counted or (None, "")
        if tokens is None or tokens.exact:
            estimated = ""
        else:
            estimated = " (estimated)"
        sizes = token_counts.count_each_message(self.workspace, self.assembly)
        for message, size in zip(self.assembly.messages, sizes, strict=True):
            heading = fill(
                "{role}, {n:,} {n:character|characters}, {tokens:,} {tokens:token|tokens}",
                role=message.role,
                n=len(message.text),
                tokens=size,
            )
            yield _format_heading(heading + estimated)
            yield make_safe_for_stdout(message.text)
            yield from _format_parts(message)
            if verbose:
                yield from (f"    {make_safe(line)}" for line in _format_segments(message))
        own_wordings = adapters.list_own_wordings(self.assembly.messages)
        if own_wordings:
            names = ", ".join(own_wordings)
            yield _format_heading(f"wording: readback: {names} in Readback's own words, not the program's")
        if self.model_input:
            yield _format_heading(
                fill(
                    "what the model reads ({format}), {n:,} {n:character|characters}",
                    format=self.model_input.format,
                    n=len(self.model_input.text),
                )
            )
            yield make_safe_for_stdout(self.model_input.text)
        if tokens:
            if text_kind == "wire":
                whole = "what the model reads"
            else:
                whole = "all messages"
            yield _format_heading(f"tokens of {whole}: {tokens.count:,} ({tokens.tokenizer})")
        sha256 = self.assembly.fingerprint
        yield _format_heading(f"sha256 {sha256}" if sha256 else "sha256 none: nothing could be assembled")

    def format_messages_only(self) -> Iterator[str]:
        """Yield the texts alone, each under its role."""
        for message in self.assembly.messages:
            yield f"=== {message.role}"
            yield make_safe_for_stdout(message.text)
            yield from _format_parts(message)
        if self.model_input:
            yield fill("=== what the model reads ({format})", format=self.model_input.format)
            yield make_safe_for_stdout(self.model_input.text)


def _format_heading(text: str) -> str:
    heading = paint(make_safe(f"=== {text}"), "strong")
    return f"\n{heading}"


def _format_parts(message: Message) -> Iterator[str]:
    """Yield what a message holds besides its text: the title of each part, and its text."""
    for part in parts(message.whole):
        yield f"--- {make_safe(part_title(part))}"
        if part.text:
            yield make_safe_for_stdout(part.text)


def _format_segments(message: Message) -> Iterator[str]:
    """Yield who wrote each stretch of a message, and where."""
    start = 0
    for segment in message.segments:
        place = segment.place
        position = ":".join(str(part) for part in (place.file, place.line) if part is not None)
        name = " ".join(part for part in (segment.origin, segment.name) if part)
        end = start + len(segment.text)
        yield f"{start}-{end}: {name}" + (f" ({position})" if position else "")
        start = end
