"""What a Modelfile's commands lose, hide or repeat: diagnostics on one that was read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce

from readback.serving.modelfile.grammar import WORDS, Command, Fault, directive, lines, where
from readback.serving.modelfile.text import dropped, named
from readback.types import Diagnostic, Location

ALONE = ("license", "message", "adapter", "draft", "requires", "stop")  # given twice, all of them count
PROSE = frozenset({"SYSTEM", "MESSAGE", "LICENSE"})  # values in which a carriage return reads as the end of a line
DIRECTIVE = re.compile(r"^[ \t]*({})[ \t]".format("|".join(WORDS)), re.IGNORECASE | re.MULTILINE)
SHOUTED = re.compile(r"^[ \t]*({})[ \t]".format("|".join(WORDS).upper()), re.MULTILINE)

# What a stop text has where its author thinks of escapes. A small letter behind makes it a word, as in \\newline, but
# for words with which a turn begins.
ESCAPE = re.compile(r"\\[nrt](?![a-z])|\\n(?=(?:user|human|assistant|system|question|answer)\b)|\\u[0-9A-Fa-f]{4}")
ESCAPED_QUOTE = '\\"'
MEANT = {"\\n": "\n", "\\r": "\r", "\\t": "\t", ESCAPED_QUOTE: '"'}


def at(base: Location, starts: tuple[int, ...], offset: int) -> Location:
    """The place of an offset in the file of `base`."""
    line, column = where(starts, offset)
    return replace(base, line=line, column=column)


def line_at(text: str, offset: int) -> str:
    """The rest of the line at an offset, shortened: what a finding's key hangs on."""
    return text[offset : offset + 200].splitlines()[0] if text[offset : offset + 200] else ""


def _word(command: Command) -> str:
    return {"model": "FROM"}.get(command.name, command.name.upper() if command.name in WORDS else command.name)


def about(
    command: Command, text: str, base: Location, starts: tuple[int, ...], refused: int | None = None
) -> Iterator[Diagnostic]:
    """What one command loses or hides: characters, swallowed lines, single quotes, carriage returns.

    `refused` is the line at which Ollama stops because of what the command swallowed.
    """
    raw = text[command.start : command.end]
    name = _word(command)
    if lost := dropped(raw):
        counted = Counter(char for _, char in lost)
        words = ", ".join(f"{named(char)} ×{n}" if n > 1 else named(char) for char, n in counted.most_common(8))
        place = at(base, starts, command.start + lost[0][0])
        yield Diagnostic(
            "oll-char-dropped", {"name": name, "count": len(lost), "characters": words}, place, f"{name} {words}"
        )
    if _swallows(raw, command.quote):
        place = at(base, starts, command.start)
        yield Diagnostic(
            "oll-swallowed-lines",
            {"name": name, "lines": len(lines(raw)) - 1, "refused": refused or ""},
            place,
            line_at(text, command.start),
        )
    if len(command.args) > 1 and command.args[0] == command.args[-1] == "'":
        yield Diagnostic("oll-single-quotes", {"name": name}, at(base, starts, command.value), command.args)
    if "\r" in command.args:
        place = at(base, starts, command.start + raw.index("\r"))
        values = {"name": name, "count": command.args.count("\r")}
        yield Diagnostic("oll-cr-in-value", values, place, name, "info" if name.upper() in PROSE else None)


def torn_open(
    text: str, commands: Iterable[Command], faults: Sequence[Fault]
) -> Iterator[tuple[Command, tuple[Fault, ...]]]:
    """The commands that swallowed the opening quotes of another one, each with the faults inside that one's value.

    `PARAMETER stop "a"  # c` goes on to the quotes that open the TEMPLATE below it, whose lines then are directives.
    """
    never: set[str] = set()
    for command in commands if faults else ():
        raw = text[command.start : command.end]
        if not _swallows(raw, command.quote):
            continue
        last = DIRECTIVE.match(raw, lines(raw)[-1])
        own = directive(text, command.start + last.start(1), never) if last else None
        if isinstance(own, Command):
            inside = tuple(fault for fault in faults if command.end <= fault.start < own.end)
            yield from ((command, inside),) if inside else ()


def _swallows(raw: str, quote: str) -> bool:
    """Whether a quoted value of several lines looks as if it should have ended earlier.

    Either a line inside it is a directive in capitals, or its first line closes the quotes and goes on with
    a comment, or with anything while a directive follows.
    """
    below = raw.partition("\n")[2] if "\n" in raw else raw.partition("\r")[2]
    if not quote or not below:
        return False
    after = raw.splitlines()[0].partition(quote)[2].partition(quote)
    closed = bool(after[1])
    return bool(
        SHOUTED.search(below)
        or (closed and after[2].lstrip(" \t").startswith("#"))
        or (closed and DIRECTIVE.search(below))
    )


def repeated(commands: tuple[Command, ...], base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Directives and parameters given more than once, of which only the last counts."""
    found: dict[str, list[Command]] = {}
    for command in commands:
        if command.name not in ALONE:
            found.setdefault(command.name, []).append(command)
    for again in found.values():
        if len(again) > 1:
            first, last = (where(starts, c.start)[0] for c in (again[0], again[-1]))
            name = _word(again[0])
            values = {"name": name, "times": len(again), "first": first, "last": last}
            yield Diagnostic("oll-repeated-directive", values, at(base, starts, again[-1].start), name)


def escaped(commands: tuple[Command, ...], base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Stop texts with escapes in them, which Ollama's parser takes as they are written.

    Where another stop text is in what one of them means, answers stop there all the same.
    """
    stops = [(command, _escapes(command)) for command in commands if command.name == "stop"]
    for command, escapes in stops:
        if escapes:
            meant = reduce(lambda text, escape: text.replace(escape, MEANT.get(escape, "")), escapes, command.args)
            ended = any(other.args and other.args in meant for other, own in stops if not own)
            values = {"stop": command.args, "escape": escapes}
            place = at(base, starts, command.value)
            yield Diagnostic("oll-stop-escape", values, place, command.args, "info" if ended else None)


def _escapes(command: Command) -> list[str]:
    """The escapes in a value, each once."""
    found = ESCAPE.findall(command.args)
    quotes = [ESCAPED_QUOTE] if command.quote and ESCAPED_QUOTE in command.args else []
    return list(dict.fromkeys((*found, *quotes)))
