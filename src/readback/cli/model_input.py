"""The command `readback model-input`: the text that a server sends for messages, one or many cases."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from readback import as_json, workspace
from readback.checks import rules
from readback.checks.of_server import of_server
from readback.cli import UsageError, _lines, _model_input_cases
from readback.cli._sentence import fill
from readback.serving import named_formats
from readback.serving.chat import model_input as chat
from readback.serving.modelfile import read_file as modelfile
from readback.serving.ollama import model_input as ollama
from readback.types import Finding, ModelInput

TITLE = "Print the one text that a server sends to the model for a list of messages."
ABOUT = (
    '--messages is a JSON file: a list of {{"role", "content"}}, or an object with "messages" and'
    ' "variables".\n'
    '--batch reads one case from each line of a file, or of standard input (-): {{"id", one of'
    ' "modelfile", "go_template",\n'
    '"chat_template" (texts) or "wire_format" (a name), "messages", "bos_token", "eos_token",'
    ' "add_generation_prompt",\n'
    '"today", "variables"}}. Nothing is added to a case: what it does not have stays undefined. Each case'
    " has one line of\n"
    'output: {{"id", "text"}} or {{"id", "error"}}.\n'
    "\n"
    "exit codes: 0 there is a text; 1 there is none, or a case of the batch has an error; 2 wrong use"
)

LONGEST = 64 << 20  # bytes of a file of messages
STDIN = Path("-")
ENGINE = ("oll-engine-unknown", "oll-chat-template-sent", "oll-renderer-inherited")  # which template is sent


def arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--modelfile", type=Path, metavar="F", help="a Modelfile")
    source.add_argument(
        "--chat-template", type=Path, metavar="F", help="a .jinja file, tokenizer_config.json, or the folder of either"
    )
    source.add_argument("--wire-format", metavar="NAME", help="a chat format by its name")
    source.add_argument(
        "--batch", type=Path, metavar="FILE.jsonl", help="one case on each line; - reads standard input"
    )
    parser.add_argument("--messages", type=Path, metavar="FILE", help="JSON: a list of messages")
    parser.add_argument("--today", metavar="DATE", help="the day that templates print, as YYYY-MM-DD")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output for people (text), or for programs"
    )


def run(args: argparse.Namespace) -> int:
    if args.batch:
        if args.messages or args.today:
            raise UsageError("--batch cannot be used with --messages or --today; each case has its own")
        return _batch(args.batch)
    if not args.messages:
        raise UsageError("--messages FILE is missing")
    try:
        _model_input_cases.day(args.today)
    except _model_input_cases.Wrong as wrong:
        raise UsageError(fill("--today: {why}", why=wrong)) from None
    case = _case(args.messages)
    try:
        sent = _sent(args, case)
    except _model_input_cases.Wrong as wrong:
        return _told(None, str(wrong), args.format)
    return _told(sent, "", args.format, _about_engine(args.modelfile))


def _sent(args: argparse.Namespace, case: dict[str, Any]) -> ModelInput:
    """Raises UsageError, or Wrong where no text can be made of what was given."""
    listed, values = _model_input_cases.listed(case), case.get("variables", {})
    if args.modelfile:
        data = _bytes(args.modelfile)
        refused = modelfile.dump_commands(data)
        if "error" in refused:
            place = {"file": args.modelfile, "line": refused["line"] or 1}
            raise _model_input_cases.Wrong(
                fill("{file}:{line}: Ollama refuses it: {error}", **place, error=refused["error"])
            )
        return ollama.build_from_request(modelfile.parse(data, args.modelfile.name), listed, args.today, values)
    if args.wire_format in (*named_formats.FORMATS, named_formats.NO_FORMAT):
        return named_formats.build_model_input(_model_input_cases.messages(listed), args.wire_format)
    template = chat.load_format(args.wire_format) if args.wire_format else _template(args.chat_template)
    if template is None:
        known = (*named_formats.FORMATS, named_formats.NO_FORMAT, *chat.list_formats())
        raise UsageError(fill("no format '{name}'; there are: {names}", name=args.wire_format, names=", ".join(known)))
    return chat.build_model_input(
        template, _model_input_cases.messages(listed), today=args.today, values={**values, "messages": listed}
    )


def _template(path: Path) -> Any:
    if not path.exists():
        raise UsageError(fill("{file}: there is no such file", file=path))
    found = path.resolve()
    return chat.read(found, found if found.is_dir() else found.parent)


def _about_engine(path: Path | None) -> tuple[Finding, ...]:
    """What speaks against the text of TEMPLATE being the one that Ollama sends, by what lies beside the Modelfile."""
    if path is None or path == STDIN:
        return ()
    try:
        opened = workspace.open(path)
    except workspace.NothingRead:
        return ()
    about = (one for model in opened.models.values() for one in of_server(opened, model))
    return tuple(one for one in about if isinstance(one, Finding) and one.code in ENGINE)


def _told(sent: ModelInput | None, error: str, form: str, about: Sequence[Finding] = ()) -> int:
    """Print the text, or why there is none; what is only explained goes beside it."""
    found = [rules.finding(diagnostic) for diagnostic in (sent.diagnostics if sent else ())]
    reasons = [one for one in found if one.code not in _model_input_cases.EXPLAINED]
    failed = sent is None or (not sent.segments and bool(reasons))
    found = [*found, *about]
    if form == "json":
        said = {"error": error} if sent is None else {**(as_json.model_input_to_json(sent) or {})}
        print(as_json.dumps({**said, "findings": [as_json.finding_to_json(one) for one in found]}, indent=1))
        return int(failed)
    if error:
        print(f"readback: {_lines.safe(error)}", file=sys.stderr)
    for one in found:
        print(_lines.line(one, sys.stderr), file=sys.stderr)
    if sent and not failed:
        sys.stdout.write(_lines.shown(sent.text) + ("\n" if sys.stdout.isatty() else ""))
    return int(failed)


def _case(path: Path) -> dict[str, Any]:
    """The messages and variables of a file. Raises UsageError."""
    try:
        value = json.loads(_bytes(path), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UsageError(fill("{file}: not JSON ({error})", file=path, error=error)) from None
    case = {"messages": value} if isinstance(value, list) else value
    if not isinstance(case, dict) or not isinstance(case.get("variables", {}), dict):
        raise UsageError(fill("{file}: not a list of messages, nor an object with messages and variables", file=path))
    try:
        _model_input_cases.listed(case)
    except _model_input_cases.Wrong as wrong:
        raise UsageError(f"{path}: {wrong}") from None
    return case


def _batch(path: Path) -> int:
    failed = False
    for answer in _answers(path):
        failed = failed or "error" in answer
        print(as_json.dumps(answer))
    return int(failed)


def _answers(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_bytes(path, 1 << 30).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"), parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            yield {"id": None, "error": f"line {number}: not JSON ({error})"}
            continue
        yield _model_input_cases.answer(case)


def _bytes(path: Path, most: int = LONGEST) -> bytes:
    try:
        if path == STDIN:
            data = sys.stdin.buffer.read(most + 1)
        else:
            with path.open("rb") as opened:
                data = opened.read(most + 1)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    if len(data) > most:
        raise UsageError(fill("{file}: more than {most:,} {most:byte|bytes}", file=path, most=most))
    return data


def _no_number(word: str) -> Any:
    raise ValueError(fill("{word} is not a number in JSON", word=word))
