"""Run `readback model-input` and `readback modelfile`: the text that a server sends, and what Ollama reads."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from readback import as_json
from readback import workspace as workspaces
from readback.checks import rules
from readback.checks.model_findings import find_server_findings
from readback.cli import UsageError
from readback.cli.common import lines, options
from readback.cli.common.lines import make_safe_for_stdout, print_note
from readback.cli.common.parser import Command
from readback.cli.common.terminal import fill
from readback.serving import named_formats
from readback.serving.chat import model_input as chat
from readback.serving.chat import request_messages
from readback.serving.modelfile import read_file as modelfile
from readback.serving.ollama import model_input as ollama
from readback.types import Diagnostic, Finding, Message, ModelInput, Segment

TITLE = "Print the one text that a server sends to the model for a list of messages."
ABOUT = (
    '--messages is a JSON file: a list of {"role", "content"}, or an object with "messages" and'
    ' "variables".\n'
    '--batch reads one case from each line of a file, or of standard input (-): {"id", one of'
    ' "modelfile", "go_template",\n'
    '"chat_template" (texts) or "wire_format" (a name), "messages", "bos_token", "eos_token",'
    ' "add_generation_prompt",\n'
    '"today", "variables"}. Nothing is added to a case: what it does not have stays undefined. Each case'
    " has one line of\n"
    'output: {"id", "text"} or {"id", "error"}.\n'
    "\n"
    "exit codes: 0 there is a text; 1 there is none, or a case of the batch has an error; 2 wrong use"
)
MODELFILE_TITLE = "Print the commands of Modelfiles as Ollama reads them. Ollama refuses a file at its first error."
MODELFILE_ABOUT = (
    'JSON has one line for each file: {"commands": [{"name", "args"}]}, or {"error", "line"}.\n'
    "\n"
    "exit codes: 0 Ollama accepts every file; 1 it refuses one; 2 a file cannot be read at all"
)

LARGEST_MESSAGES = 64 << 20  # bytes
LARGEST_BATCH = 1 << 30  # bytes
STDIN = Path("-")
# Findings that say which template is sent, and so whether the text of TEMPLATE is the one.
ENGINE_CODES = ("oll-engine-unknown", "oll-chat-template-sent", "oll-renderer-inherited")
NOTES = ("oll-date-dependent",)  # diagnostics that are noted beside a text, not instead of one

CASE_KINDS = ("modelfile", "go_template", "chat_template", "wire_format")
CASE_TEXTS = ("bos_token", "eos_token", "today")


class CaseError(Exception):
    """A case has no text; the message says why."""


# One case.


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback model-input`."""
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
    options.add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Print the text for a list of messages, or for each case of a batch; return the exit code."""
    if args.batch:
        if args.messages or args.today:
            raise UsageError("--batch cannot be used with --messages or --today; each case has its own")
        return _run_batch(args.batch)
    if not args.messages:
        raise UsageError("--messages FILE is missing")
    try:
        _check_day(args.today)
    except CaseError as error:
        raise UsageError(fill("--today: {why}", why=error)) from None
    case = _read_case(args.messages)
    try:
        model_input = _build_model_input(args, case)
    except CaseError as error:
        return _print_model_input(None, str(error), args.format)
    return _print_model_input(model_input, "", args.format, _find_engine_findings(args.modelfile))


def _build_model_input(args: argparse.Namespace, case: dict[str, Any]) -> ModelInput:
    """Build what the model reads. Raises UsageError, and CaseError where there is no text for the messages."""
    messages, variables = _read_messages(case), case.get("variables", {})
    if args.modelfile:
        data = _read_bytes(args.modelfile)
        refusal = modelfile.dump_commands(data)
        if "error" in refusal:
            raise CaseError(
                fill(
                    "{file}:{line}: Ollama refuses it: {error}",
                    file=args.modelfile,
                    line=refusal["line"] or 1,
                    error=refusal["error"],
                )
            )
        parsed = modelfile.parse(data, args.modelfile.name)
        return ollama.build_from_request(parsed, messages, args.today, variables)
    if args.wire_format in (*named_formats.FORMATS, named_formats.NO_FORMAT):
        return named_formats.build_model_input(_convert_messages(messages), args.wire_format)
    if args.wire_format:
        template = chat.load_format(args.wire_format)
        if template is None:
            raise UsageError(_describe_unknown_format(args.wire_format))
    else:
        if not args.chat_template.exists():
            raise UsageError(fill("{file}: there is no such file", file=args.chat_template))
        path = args.chat_template.resolve()
        template = chat.read(path, path if path.is_dir() else path.parent)
    return chat.build_model_input(
        template, _convert_messages(messages), today=args.today, values={**variables, "messages": messages}
    )


def _describe_unknown_format(name: str) -> str:
    names = (*named_formats.FORMATS, named_formats.NO_FORMAT, *chat.list_formats())
    return f"no format '{name}'; there are: {', '.join(names)}"


def _find_engine_findings(path: Path | None) -> tuple[Finding, ...]:
    """Return why Ollama may not send the text of TEMPLATE, judged by what lies beside the Modelfile."""
    if path is None or path == STDIN:
        return ()
    try:
        workspace = workspaces.open(path)
    except workspaces.NothingRead:
        return ()
    findings = (finding for model in workspace.models.values() for finding in find_server_findings(workspace, model))
    return tuple(finding for finding in findings if isinstance(finding, Finding) and finding.code in ENGINE_CODES)


def _print_model_input(
    model_input: ModelInput | None, error: str, output_format: str, engine_findings: Sequence[Finding] = ()
) -> int:
    """Print the text, or why there is none, and the findings; return the exit code."""
    findings = [rules.build_finding(diagnostic) for diagnostic in (model_input.diagnostics if model_input else ())]
    has_reason = any(finding.code not in NOTES for finding in findings)
    failed = model_input is None or (not model_input.segments and has_reason)
    findings += engine_findings
    if output_format == "json":
        answer: dict[str, Any] = {"error": error}
        if model_input is not None:
            answer = {**(as_json.model_input_to_json(model_input) or {})}
        answer["findings"] = [as_json.finding_to_json(finding) for finding in findings]
        print(as_json.dumps(answer, indent=1))
        return int(failed)
    if error:
        print_note(error)
    for finding in findings:
        print(lines.format_finding(finding, sys.stderr), file=sys.stderr)
    if model_input and not failed:
        end = "\n" if sys.stdout.isatty() else ""
        sys.stdout.write(make_safe_for_stdout(model_input.text) + end)
    return int(failed)


def _read_case(path: Path) -> dict[str, Any]:
    """Return the messages and variables of a file. Raises UsageError."""
    try:
        value = json.loads(_read_bytes(path), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(fill("{file}: not JSON ({error})", file=path, error=error)) from None
    if isinstance(value, list):
        case = {"messages": value}
    else:
        case = value
    if not isinstance(case, dict) or not isinstance(case.get("variables", {}), dict):
        raise UsageError(fill("{file}: not a list of messages, nor an object with messages and variables", file=path))
    try:
        _read_messages(case)
    except CaseError as error:
        raise UsageError(f"{path}: {error}") from None
    return case


def _read_bytes(path: Path, limit: int = LARGEST_MESSAGES, allow_stdin: bool = True) -> bytes:
    """Return the bytes of a file, or, with `allow_stdin`, of standard input for "-". Raises UsageError."""
    try:
        if allow_stdin and path == STDIN:
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with path.open("rb") as file:
                data = file.read(limit + 1)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    if len(data) > limit:
        raise UsageError(fill("{file}: more than {limit:,} {limit:byte|bytes}", file=path, limit=limit))
    return data


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a number in JSON")


# A batch of cases.


def _run_batch(path: Path) -> int:
    failed = False
    for answer in _answer_batch(path):
        failed = failed or "error" in answer
        print(as_json.dumps(answer))
    return int(failed)


def _answer_batch(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_read_bytes(path, LARGEST_BATCH).split(b"\n"), 1):
        if not line.strip():
            continue
        encoding = "utf-8-sig" if number == 1 else "utf-8"
        try:
            case = json.loads(line.decode(encoding), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            yield {"id": None, "error": f"line {number}: not JSON ({error})"}
            continue
        yield _answer_case(case)


def _answer_case(case: Any) -> dict[str, Any]:
    """Return {"id", "text"} or {"id", "error"}; the id is the case's, None where it has none."""
    if isinstance(case, dict):
        case_id = case.get("id")
    else:
        case_id = None
    try:
        return {"id": case_id, "text": _render_case(case)}
    except CaseError as error:
        return {"id": case_id, "error": str(error)}
    except RecursionError:
        return {"id": case_id, "error": "the case is nested too deeply"}


def _render_case(case: Any) -> str:
    """Return what the server sends for a case. Raises CaseError."""
    if not isinstance(case, dict):
        raise CaseError("a case is an object")
    kinds = [kind for kind in CASE_KINDS if kind in case]
    if len(kinds) != 1 or not isinstance(case[kinds[0]], str):
        raise CaseError(f"a case has one of {', '.join(CASE_KINDS)}, as text")
    for name in CASE_TEXTS:
        if not isinstance(case.get(name), str | None):
            raise CaseError(f"{name} is a text")
    if not isinstance(case.get("variables", {}), dict):
        raise CaseError("variables are an object")
    _check_day(case.get("today"))
    return RENDERERS[kinds[0]](case[kinds[0]], case)


def _check_day(today: str | None) -> None:
    """Raise CaseError where it is no date as YYYY-MM-DD."""
    if today is None:
        return
    try:
        normalised = date.fromisoformat(today).isoformat()
    except ValueError:
        normalised = None
    if today != normalised:  # Python reads other spellings of a date, too
        raise CaseError(f"today is a date as YYYY-MM-DD, not {today!r}")


def _render_modelfile(source: str, case: Mapping[str, Any]) -> str:
    refusal = modelfile.dump_commands(source)
    if "error" in refusal:
        if refusal["line"]:
            line = f"line {refusal['line']}: "
        else:
            line = ""
        raise CaseError(f"Ollama refuses the Modelfile: {line}{refusal['error']}")
    parsed = modelfile.parse(source)
    variables = case.get("variables", {})
    return _get_text(ollama.build_from_request(parsed, _read_messages(case), case.get("today"), variables))


def _render_go_template(source: str, case: Mapping[str, Any]) -> str:
    variables = case.get("variables", {})
    return _get_text(ollama.render_template(source, _read_messages(case), case.get("today"), variables))


def _render_chat_template(source: str, case: Mapping[str, Any]) -> str:
    _check_messages(case.get("messages", []))
    names = ("messages", "bos_token", "eos_token", "add_generation_prompt")
    variables = {**case.get("variables", {}), **{name: case[name] for name in names if name in case}}
    return _render_jinja(source, variables, case.get("today"))


def _render_wire_format(name: str, case: Mapping[str, Any]) -> str:
    add_generation_prompt = case.get("add_generation_prompt", True)
    if name in (*named_formats.FORMATS, named_formats.NO_FORMAT):
        messages = _convert_messages(_read_messages(case))
        return named_formats.build_model_input(messages, name, training=add_generation_prompt is False).text
    template = chat.load_format(name)
    if template is None or template.text is None:
        raise CaseError(_describe_unknown_format(name))
    tokens = {"bos_token": template.bos_token, "eos_token": template.eos_token, **template.tokens}
    variables = {
        "tools": None,
        "documents": None,
        **{key: token for key, token in tokens.items() if token is not None},
        **case.get("variables", {}),
        **{key: case[key] for key in ("bos_token", "eos_token") if key in case},
        "messages": _read_messages(case),
        "add_generation_prompt": add_generation_prompt,
    }
    return _render_jinja(template.text, variables, case.get("today"))


def _render_jinja(source: str, variables: Mapping[str, Any], today: str | None) -> str:
    if "messages" in variables:
        if not variables["messages"]:
            raise CaseError(request_messages.EMPTY)
        variables = {**variables, "messages": request_messages.prepare_messages(variables["messages"])}
    result = chat.render_raw(source, variables, today=today)
    if result.text is not None:
        return result.text
    reason = result.reason
    if result.when == "limit":
        reason = "{}: stopped at {}".format(*chat.EXCESS[result.reason])
    raise CaseError(f"line {result.line}: {reason}" if result.line else reason)


RENDERERS: Mapping[str, Callable[[str, Mapping[str, Any]], str]] = {
    "modelfile": _render_modelfile,
    "go_template": _render_go_template,
    "chat_template": _render_chat_template,
    "wire_format": _render_wire_format,
}


def _get_text(model_input: ModelInput) -> str:
    """Return the text that a model reads. Raises CaseError with the first diagnostic that is not a note."""
    for diagnostic in model_input.diagnostics:
        if diagnostic.code not in NOTES:
            raise CaseError(_describe_diagnostic(diagnostic))
    return model_input.text


def _describe_diagnostic(diagnostic: Diagnostic) -> str:
    """Return a diagnostic in its rule's words, behind its place in the template."""
    position = ":".join(str(part) for part in (diagnostic.place.line, diagnostic.place.column) if part is not None)
    message = rules.build_finding(diagnostic).message
    if position:
        return f"{position}: {message}"
    return message


def _check_messages(messages: Any) -> None:
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise CaseError("messages are a list of objects")


def _read_messages(case: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the messages of a case, none where it has none. Raises CaseError."""
    messages = case.get("messages", [])
    _check_messages(messages)
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            parts = content
        else:
            parts = [content]
        if not isinstance(message.get("role"), str) or not all(isinstance(part, str | dict | None) for part in parts):
            raise CaseError("a message has a role and a content, which is a text or a list of parts")
    checked: Sequence[Mapping[str, Any]] = messages
    return checked


def _convert_messages(messages: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Return the messages as roles and texts. Raises CaseError where a content is not a text."""
    converted = []
    for index, message in enumerate(messages):
        content = message.get("content", "")
        if not isinstance(content, str | None):
            raise CaseError("this format writes texts only: a message's content is a text")
        segments = (Segment(content, "variable", f"messages[{index}].content"),) if content else ()
        converted.append(Message(message["role"], segments))
    return tuple(converted)


# Modelfiles.


def add_modelfile_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback modelfile`."""
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a Modelfile; several can be given")
    options.add_format(parser)


def run_modelfile(args: argparse.Namespace) -> int:
    """Print the commands of each file; return the exit code."""
    any_refused = False
    for path in args.files:
        answer = modelfile.dump_commands(_read_modelfile(path))
        any_refused = any_refused or "error" in answer
        if args.format == "json":
            print(as_json.dumps(answer))
        else:
            print(make_safe_for_stdout(_format_commands(path, answer)))
    sys.stdout.flush()
    return int(any_refused)


def _read_modelfile(path: Path) -> bytes:
    try:
        if not path.is_file():
            if path.exists():
                why = "it is not a file"
            else:
                why = "there is no such file"
            raise UsageError(f"{path}: {why}")
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    return _read_bytes(path, modelfile.LIMIT, allow_stdin=False)


def _format_commands(path: Path, answer: dict[str, Any]) -> str:
    if "error" in answer:
        if answer["line"]:
            position = f"{path}:{answer['line']}"
        else:
            position = str(path)
        return f"{position}: {answer['error']}"
    return "\n".join((f"{path}:", *(f"  {command['name']}: {command['args']}" for command in answer["commands"])))


COMMANDS = {
    "model-input": Command(TITLE, ABOUT, add_arguments, run),
    "modelfile": Command(MODELFILE_TITLE, MODELFILE_ABOUT, add_modelfile_arguments, run_modelfile),
}
