"""Report what Ollama refuses, drops, hides or ignores in the commands of a Modelfile."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from readback.serving.modelfile.grammar import (
    BAD_COMMAND,
    WORDS,
    Command,
    Fault,
    find_line_starts,
    locate_offset,
    parse_directive,
)
from readback.serving.modelfile.text import list_dropped, name_character
from readback.types import Diagnostic, Location

# Commands that may stand more than once: all of them count.
REPEATABLE = ("license", "message", "adapter", "draft", "requires", "stop")
PROSE = frozenset({"SYSTEM", "MESSAGE", "LICENSE"})  # values in which a carriage return reads as the end of a line
DIRECTIVE = re.compile(r"^[ \t]*({})[ \t]".format("|".join(WORDS)), re.IGNORECASE | re.MULTILINE)
CAPITAL_DIRECTIVE = re.compile(r"^[ \t]*({})[ \t]".format("|".join(WORDS).upper()), re.MULTILINE)

# What a stop text contains where its author expects escapes to work. A small letter behind makes it a word, as in
# \\newline, but for words with which a turn begins.
ESCAPE = re.compile(r"\\[nrt](?![a-z])|\\n(?=(?:user|human|assistant|system|question|answer)\b)|\\u[0-9A-Fa-f]{4}")
ESCAPED_QUOTE = '\\"'
UNESCAPED = {"\\n": "\n", "\\r": "\r", "\\t": "\t", ESCAPED_QUOTE: '"'}

INTEGER_PARAMETERS = (
    "num_keep",
    "seed",
    "num_predict",
    "top_k",
    "repeat_last_n",
    "num_ctx",
    "num_batch",
    "num_gpu",
    "main_gpu",
    "num_thread",
    "draft_num_predict",
)
NUMBER_PARAMETERS = (
    "top_p",
    "min_p",
    "typical_p",
    "temperature",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
)
PARAMETERS = (*INTEGER_PARAMETERS, *NUMBER_PARAMETERS, "use_mmap", "stop")
DEPRECATED = (
    "penalize_newline",
    "low_vram",
    "f16_kv",
    "logits_all",
    "vocab_only",
    "use_mlock",
    "mirostat",
    "mirostat_tau",
    "mirostat_eta",
)
# Older versions of Ollama had these, newer ones refuse them.
REMOVED = ("rope_frequency_base", "rope_frequency_scale", "num_gqa", "embedding_only", "tfs_z", "numa")
CAPITALS = re.compile(r"[A-Z]{2,20}\b")
NEAR = 0.7  # of difflib: PARAMETR and FORM are near a directive, IMPORTANT is not
LONGEST = 60  # characters of a name that are compared and shown
TRUTH = re.compile(r"1|t|T|TRUE|true|True|0|f|F|FALSE|false|False")
INTEGER = re.compile(r"[+-]?[0-9]+")
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity)|nan", re.IGNORECASE)
IDENTIFIERS = r"[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*"
# Minor and patch may be left out, as Go's semver package has it; what follows a patch needs all three.
VERSION = re.compile(rf"v?(0|[1-9]\d*)(\.(0|[1-9]\d*)(\.(0|[1-9]\d*)(-{IDENTIFIERS})?(\+{IDENTIFIERS})?)?)?", re.ASCII)
WEIGHTS = (".gguf", ".safetensors", ".bin", ".ggml")


def locate_in(base: Location, starts: tuple[int, ...], offset: int) -> Location:
    """Return the location of an offset in the file of `base`."""
    line, column = locate_offset(starts, offset)
    return replace(base, line=line, column=column)


def get_line_rest(text: str, offset: int) -> str:
    """Return the rest of the line at an offset, shortened; a finding's key is made from it."""
    lines = text[offset : offset + 200].splitlines()
    if lines:
        return lines[0]
    return ""


def report_missing_model(commands: Sequence[Command], base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Report that no FROM names the model to build from, or that a FROM is empty."""
    models = [command for command in commands if command.name == "model"]
    empty = next((command for command in models if not command.args.strip()), None)
    if empty:
        location = locate_in(base, starts, empty.start)
        yield Diagnostic("oll-no-from", {"line": location.line}, location)
    elif not models:
        yield Diagnostic("oll-no-from", {"line": ""}, base)


def group_faults(
    text: str, items: Iterable[Command | Fault], reported: Container[Fault]
) -> Iterator[tuple[Fault, dict[str, Any]]]:
    """Yield each fault that is not reported elsewhere, with the values of its diagnostic.

    `below` counts the refused lines below it that belong to the same text: lines that are not directives, with no
    directive between them, such as the rest of a SYSTEM text without quotes. They are repaired together. A misspelt
    directive among them is a fault by itself.
    """
    first, below = None, 0
    for item in items:
        if isinstance(item, Fault) and item not in reported:
            fault = item
        else:
            fault = None
        if first and fault and first.reason == fault.reason == BAD_COMMAND and not _is_misspelt(text, fault.start):
            below += 1
            continue
        if first:
            yield first, {"reason": first.sentence, "below": below or ""}
        first, below = fault, 0
    if first:
        yield first, {"reason": first.sentence, "below": below or ""}


def _is_misspelt(text: str, offset: int) -> bool:
    """Return whether a word in capitals that is nearly a directive stands at an offset."""
    word = CAPITALS.match(text, offset)
    return word is not None and bool(get_close_matches(word[0].lower(), WORDS, 1, NEAR))


def report_refused_command(command: Command, base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Report why Ollama builds no model with this command, or that the command has no effect."""
    location = locate_in(base, starts, command.start)
    if command.name in DEPRECATED:
        yield Diagnostic("oll-deprecated-parameter", {"name": command.name}, location, command.name)
        return
    reason = _find_refusal(command)
    if reason:
        key = f"{command.name} {command.args}"[:200]
        yield Diagnostic("oll-syntax", {"reason": reason, "below": ""}, location, key)


def _find_refusal(command: Command) -> str:
    """Return why Ollama refuses a command, or an empty text."""
    name, value = command.name, command.args
    if name == "requires":
        if VERSION.fullmatch(value):
            return ""
        return f"REQUIRES must be a version such as 0.14.0, not '{value}'"
    if name in ("model", *WORDS):
        return ""
    if name not in PARAMETERS:
        return _describe_unknown(name)
    if name in INTEGER_PARAMETERS and not INTEGER.fullmatch(value):
        return f"parameter {name} must be a whole number, not '{value}'"
    if name in NUMBER_PARAMETERS and not DECIMAL.fullmatch(value):
        return f"parameter {name} must be a number, not '{value}'"
    if name == "use_mmap" and not TRUTH.fullmatch(value):
        return f"parameter {name} must be true or false, not '{value}'"
    return ""


def _describe_unknown(name: str) -> str:
    if name in REMOVED:
        return f"unknown parameter '{name}' (older versions of Ollama knew it)"
    near = get_close_matches(name[:LONGEST], PARAMETERS, 1)
    if len(name) > LONGEST:
        name = f"{name[:LONGEST]}…"
    return f"unknown parameter '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")


def _get_directive_name(command: Command) -> str:
    """Return a command's name as the file spells it: directives in capitals, parameters as they are."""
    if command.name == "model":
        return "FROM"
    if command.name in WORDS:
        return command.name.upper()
    return command.name


def report_command(
    command: Command, text: str, base: Location, starts: tuple[int, ...], refused_line: int | None = None
) -> Iterator[Diagnostic]:
    """Report what one command loses or hides: characters, swallowed lines, single quotes, carriage returns.

    `refused_line` is the line at which Ollama stops because of what the command swallowed.
    """
    raw = text[command.start : command.end]
    name = _get_directive_name(command)
    dropped_characters = list_dropped(raw)
    if dropped_characters:
        counts = Counter(char for _, char in dropped_characters).most_common(8)
        words = ", ".join(f"{name_character(char)} ×{n}" if n > 1 else name_character(char) for char, n in counts)
        location = locate_in(base, starts, command.start + dropped_characters[0][0])
        values: dict[str, Any] = {"name": name, "count": len(dropped_characters), "characters": words}
        yield Diagnostic("oll-char-dropped", values, location, f"{name} {words}")
    if _swallows_lines(raw, command.quote):
        location = locate_in(base, starts, command.start)
        above = _count_lines_above(raw, command.quote)
        values = {
            "name": name,
            "lines": len(find_line_starts(raw)) - above,
            "line": locate_offset(starts, command.start)[0] + above if above > 1 else "",
            "refused": refused_line or "",
        }
        yield Diagnostic("oll-swallowed-lines", values, location, get_line_rest(text, command.start))
    if len(command.args) > 1 and command.args[0] == command.args[-1] == "'":
        location = locate_in(base, starts, command.value)
        yield Diagnostic("oll-single-quotes", {"name": name}, location, command.args)
    if "\r" in command.args:
        location = locate_in(base, starts, command.start + raw.index("\r"))
        values = {"name": name, "count": command.args.count("\r")}
        yield Diagnostic("oll-cr-in-value", values, location, name, "info" if name.upper() in PROSE else None)


def find_torn_values(
    text: str, commands: Iterable[Command], faults: Sequence[Fault]
) -> Iterator[tuple[Command, tuple[Fault, ...]]]:
    """Yield the commands that swallow the opening quotes of another one, with the faults inside that one's value.

    `PARAMETER stop "a"  # c` goes on to the quotes that open the TEMPLATE below it, whose lines then are directives.
    """
    if not faults:
        return
    never: set[str] = set()
    for command in commands:
        raw = text[command.start : command.end]
        if not _swallows_lines(raw, command.quote):
            continue
        last = DIRECTIVE.match(raw, find_line_starts(raw)[-1])
        if last is None:
            continue
        torn = parse_directive(text, command.start + last.start(1), never)
        if isinstance(torn, Command):
            inside = tuple(fault for fault in faults if command.end <= fault.start < torn.end)
            if inside:
                yield command, inside


def _swallows_lines(raw: str, quote: str) -> bool:
    """Return whether a quoted value of several lines looks as if it should have ended earlier.

    Either a line inside it is a directive in capitals, or its first line closes the quotes and goes on with
    a comment, or with anything while a directive follows.
    """
    if "\n" in raw:
        below = raw.partition("\n")[2]
    else:
        below = raw.partition("\r")[2]
    if not quote or not below:
        return False
    if CAPITAL_DIRECTIVE.search(below):
        return True
    _, closing, rest = raw.splitlines()[0].partition(quote)[2].partition(quote)
    if not closing:
        return False
    return rest.lstrip(" \t").startswith("#") or DIRECTIVE.search(below) is not None


def _count_lines_above(raw: str, quote: str) -> int:
    """Return how many lines of a value that swallows others are really its text.

    They are the lines above the first directive in capitals; only the first line, if that closes the quotes.
    """
    first, _, below = raw.partition("\n")
    if first.partition(quote)[2].count(quote):
        return 1
    directive = CAPITAL_DIRECTIVE.search(below)
    if directive:
        return len(find_line_starts(below[: directive.start()]))
    return 1


def report_repeats(commands: tuple[Command, ...], base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Report directives and parameters that stand more than once, of which only the last counts.

    FROM lines that name files all count: Ollama puts weights, their shards and a projector together (`model` in
    CreateRequest of parser/parser.go).
    """
    groups: dict[str, list[Command]] = {}
    for command in commands:
        names_weights = command.name == "model" and _names_file(command.args)
        if command.name not in REPEATABLE and not names_weights:
            groups.setdefault(command.name, []).append(command)
    for group in groups.values():
        if len(group) > 1:
            name = _get_directive_name(group[0])
            first = locate_offset(starts, group[0].start)[0]
            last = locate_offset(starts, group[-1].start)[0]
            values = {"name": name, "times": len(group), "first": first, "last": last}
            yield Diagnostic("oll-repeated-directive", values, locate_in(base, starts, group[-1].start), name)


def _names_file(source: str) -> bool:
    """Return whether a FROM names a file or folder of weights rather than a model."""
    name = source.strip()
    return name.startswith(("/", "./", "../", "~", ".\\")) or name == "." or name.lower().endswith(WEIGHTS)


def report_escapes(commands: tuple[Command, ...], base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Report stop texts with escapes in them, which Ollama's parser takes literally.

    The severity is only `info` where another stop text is part of what the escapes stand for: answers stop anyway.
    """
    stops = [(command, _list_escapes(command)) for command in commands if command.name == "stop"]
    literal_stops = [command.args for command, escapes in stops if command.args and not escapes]
    for command, escapes in stops:
        if not escapes:
            continue
        intended = command.args
        for escape in escapes:
            intended = intended.replace(escape, UNESCAPED.get(escape, ""))
        stops_anyway = any(stop in intended for stop in literal_stops)
        values = {"stop": command.args, "escape": escapes}
        location = locate_in(base, starts, command.value)
        yield Diagnostic("oll-stop-escape", values, location, command.args, "info" if stops_anyway else None)


def _list_escapes(command: Command) -> list[str]:
    """Return the escapes in a value, each once."""
    escapes = ESCAPE.findall(command.args)
    if command.quote and ESCAPED_QUOTE in command.args:
        escapes.append(ESCAPED_QUOTE)
    return list(dict.fromkeys(escapes))
