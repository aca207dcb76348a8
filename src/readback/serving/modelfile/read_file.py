"""Read a Modelfile as Ollama reads it, keep what Ollama would refuse, and say what surprises."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Any

from readback.readers.paths import show
from readback.readers.text_file import read_bytes
from readback.serving.modelfile.grammar import (
    BAD_COMMAND,
    NO_FROM,
    WORDS,
    Command,
    Fault,
    directive,
    lines,
    scan,
    where,
)
from readback.serving.modelfile.text import decode, dropped, named
from readback.types import Diagnostic, Location, Modelfile

ALONE = ("license", "message", "adapter", "draft", "requires", "stop")  # given twice, all of them count
PROSE = frozenset({"SYSTEM", "MESSAGE", "LICENSE"})  # values in which a carriage return reads as the end of a line
DIRECTIVE = re.compile(r"^[ \t]*({})[ \t]".format("|".join(WORDS)), re.IGNORECASE | re.MULTILINE)
SHOUTED = re.compile(r"^[ \t]*({})[ \t]".format("|".join(WORDS).upper()), re.MULTILINE)

# What a stop text has where its author thinks of escapes. A small letter behind makes it a word, as in \\newline, but
# for words with which a turn begins.
ESCAPE = re.compile(r"\\[nrt](?![a-z])|\\n(?=(?:user|human|assistant|system|question|answer)\b)|\\u[0-9A-Fa-f]{4}")
ESCAPED_QUOTE = '\\"'
MEANT = {"\\n": "\n", "\\r": "\r", "\\t": "\t", ESCAPED_QUOTE: '"'}


WHOLE = (
    "num_keep", "seed", "num_predict", "top_k", "repeat_last_n", "num_ctx", "num_batch", "num_gpu", "main_gpu",
    "num_thread", "draft_num_predict",
)  # fmt: skip
NUMBER = (
    "top_p", "min_p", "typical_p", "temperature", "repeat_penalty", "presence_penalty", "frequency_penalty",
)  # fmt: skip
KNOWN = (*WHOLE, *NUMBER, "use_mmap", "stop")
DEPRECATED = (
    "penalize_newline", "low_vram", "f16_kv", "logits_all", "vocab_only", "use_mlock", "mirostat", "mirostat_tau",
    "mirostat_eta",
)  # fmt: skip
OLDER = ("rope_frequency_base", "rope_frequency_scale", "num_gqa", "embedding_only", "tfs_z", "numa")  # refused now
CAPITALS = re.compile(r"[A-Z]{2,20}\b")
NEAR = 0.7  # of difflib: PARAMETR and FORM are near a directive, IMPORTANT is not
LONGEST = 60  # characters of a name that are looked at and said
TRUTH = re.compile(r"1|t|T|TRUE|true|True|0|f|F|FALSE|false|False")
INTEGER = re.compile(r"[+-]?[0-9]+")
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity)|nan", re.IGNORECASE)
IDENTIFIERS = r"[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*"
# Minor and patch may be left out, as Go's semver package has it; what follows a patch needs all three.
VERSION = re.compile(rf"v?(0|[1-9]\d*)(\.(0|[1-9]\d*)(\.(0|[1-9]\d*)(-{IDENTIFIERS})?(\+{IDENTIFIERS})?)?)?", re.ASCII)


LIMIT = 1 << 20  # bytes; a Modelfile with every licence in it is a fraction of that
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
HEAD = 1 << 14  # bytes in which the first command is looked for, below comments
# Comments and empty lines, then a command as a Modelfile has it: FROM with nothing but a model, a known other one.
BEGINS = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*"
    rb"(?:FROM[ \t]+\S+[ \t]*(?:\r?\n|$)|PARAMETER[ \t]+\w+[ \t]+\S|(?:TEMPLATE|SYSTEM|MESSAGE|ADAPTER)[ \t]+\S)"
)
FAULTS = 200  # after so many, reading ends: this is something else


def recognise(path: Path) -> bool:
    """By name: Modelfile, Modelfile.<anything>, <anything>.modelfile; of other names with the word by the beginning.

    People call theirs LoanModelfile or MODELFILE-v2; a page about Modelfiles has the word in its name as well.
    """
    name = path.name.lower()
    if name == "modelfile" or name.startswith("modelfile.") or name.endswith(".modelfile"):
        return True
    return "modelfile" in name and BEGINS.match(_head(path)) is not None


def read(path: Path, root: Path) -> Modelfile:
    """The Modelfile at `path`; one that cannot be read has no commands and a diagnostic that says why."""
    file = show(root, path)
    place = Location(file=file)
    data = read_bytes(path, file, LIMIT)
    return Modelfile((), place=place, diagnostics=(data,)) if isinstance(data, Diagnostic) else parse(data, file)


def parse(data: bytes | str, file: str | None = None) -> Modelfile:
    """Every command that could be read, with a diagnostic for each fault; `system` and `template` are the last ones.

    Bytes are decoded as Ollama decodes them (`modelfile_text.decode`); a text is taken as it is, its mark dropped.
    """
    text, encoding = decode(data) if isinstance(data, bytes) else (data.removeprefix("\ufeff"), "utf-8")
    starts = lines(text)
    base = Location(file=file)
    items = tuple(_until_hopeless(scan(text)))
    commands = tuple(item for item in items if isinstance(item, Command))
    places = {id(c): at(base, starts, c.value) for c in commands}
    last = {c.name: c for c in commands}
    system, template = last.get("system"), last.get("template")
    faults = [item for item in items if isinstance(item, Fault)]
    torn = tuple(torn_open(text, commands, faults))
    told = {fault for _, inside in torn for fault in inside}  # with the value that tore them open
    refusing = {id(command): where(starts, inside[0].start)[0] for command, inside in torn}
    refused = tuple(islice((diagnostic for command in commands for diagnostic in built(command, base, starts)), FAULTS))
    diagnostics = [
        *([Diagnostic("dat-bom", {"encoding": encoding}, replace(base, line=1))] if _marked(data) else []),
        *(
            Diagnostic("oll-syntax", values, at(base, starts, fault.start), line_at(text, fault.start))
            for fault, values in _refusals(text, items, told)
        ),
        *(
            [Diagnostic("dat-limit", {"what": "faults in a Modelfile", "limit": FAULTS}, base)]
            if FAULTS in (len(faults), len(refused))
            else []
        ),
        *_nameless(commands, base, starts),
        *(
            diagnostic
            for command in commands
            for diagnostic in about(command, text, base, starts, refusing.get(id(command)))
        ),
        *refused,
        *repeated(commands, base, starts),
        *escaped(commands, base, starts),
        *([Diagnostic("oll-empty-system", {}, at(base, starts, system.start))] if system and not system.args else []),
    ]
    return Modelfile(
        commands=tuple((c.name, c.args, where(starts, c.start)[0]) for c in commands),
        system=system.args if system else None,
        template=template.args if template else None,
        system_place=places[id(system)] if system else Location(),
        template_place=places[id(template)] if template else Location(),
        place=base,
        diagnostics=tuple(diagnostics),
    )


def commands_json(data: bytes | str) -> dict[str, Any]:
    """What Ollama makes of the file: its commands, or the first error with its line (None: no line has it)."""
    text = decode(data)[0] if isinstance(data, bytes) else data.removeprefix("\ufeff")
    commands: list[dict[str, str]] = []
    for item in scan(text):
        if isinstance(item, Fault):
            return {"error": item.reason, "line": where(lines(text), item.start)[0]}
        commands.append({"name": item.name, "args": item.args})
    if not any(command["name"] == "model" for command in commands):
        return {"error": NO_FROM, "line": None}
    return {"commands": commands}


def written(commands: Sequence[tuple[str, str]]) -> str:
    """A Modelfile with these commands; reading it gives them back."""
    return "".join(f"{_written(name, args)}\n" for name, args in commands)


def _written(name: str, args: str) -> str:
    role, colon, rest = args.partition(": ")
    heads = [f"PARAMETER {name} "]
    if name == "model":
        heads = ["FROM "]
    elif name == "message" and colon:
        heads = [f"MESSAGE {role} ", *heads]
    elif name in WORDS and name not in ("from", "parameter", "message"):
        heads = [f"{name.upper()} "]
    for head in heads:
        for quote in ("", '"', '"""'):
            line = f"{head}{quote}{rest if head.startswith('MESSAGE') else args}{quote}"
            read_back = tuple(scan(line + "\n"))
            if len(read_back) == 1 and isinstance(c := read_back[0], Command) and (c.name, c.args) == (name, args):
                return line
    raise ValueError(f"no Modelfile can say {name} {args!r}")


WEIGHTS = (".gguf", ".safetensors", ".bin", ".ggml")


def _nameless(commands: Sequence[Command], base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """That no FROM says what the model is made from, or one has nothing behind it."""
    named = [command for command in commands if command.name == "model"]
    empty = next((command for command in named if not command.args.strip()), None)
    if empty:
        place = at(base, starts, empty.start)
        yield Diagnostic("oll-no-from", {"line": place.line}, place)
    elif not named:
        yield Diagnostic("oll-no-from", {"line": ""}, base)


def _refusals(
    text: str, items: Iterable[Command | Fault], told: Container[Fault]
) -> Iterator[tuple[Fault, dict[str, Any]]]:
    """Each fault that is not told elsewhere, with how many refused lines below it are more of the same text.

    Lines that are no directives, with no directive between them, are one text: what goes on below a SYSTEM without
    quotes, say. They are repaired together. A misspelt directive among them has a fault of its own.
    """
    first, below = None, 0
    for item in items:
        refused = item if isinstance(item, Fault) and item not in told else None
        if first and refused and first.reason == refused.reason == BAD_COMMAND and not _misspelt(text, refused.start):
            below += 1
            continue
        if first:
            yield first, {"reason": first.said, "below": below or ""}
        first, below = refused, 0
    if first:
        yield first, {"reason": first.said, "below": below or ""}


def _misspelt(text: str, offset: int) -> bool:
    """Whether a word in capitals that is nearly a directive stands at an offset."""
    found = CAPITALS.match(text, offset)
    return found is not None and bool(get_close_matches(found[0].lower(), WORDS, 1, NEAR))


def _until_hopeless(items: Iterable[Command | Fault]) -> Iterator[Command | Fault]:
    faults = 0
    for item in items:
        yield item
        faults += isinstance(item, Fault)
        if faults == FAULTS:
            return


def _head(path: Path) -> bytes:
    """The beginning of a file, or nothing: whoever reads it whole says what is wrong with it."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""


def _marked(data: bytes | str) -> bool:
    return data.startswith("\ufeff") if isinstance(data, str) else data.startswith(MARKS)


# What Ollama refuses or ignores when it builds a model from a Modelfile whose grammar is right.
def built(command: Command, base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Why no model can be made with this command, or that the command has no effect."""
    place = at(base, starts, command.start)
    if command.name in DEPRECATED:
        yield Diagnostic("oll-deprecated-parameter", {"name": command.name}, place, command.name)
    elif reason := _refused(command):
        yield Diagnostic("oll-syntax", {"reason": reason, "below": ""}, place, f"{command.name} {command.args}"[:200])


def _refused(command: Command) -> str:
    name, value = command.name, command.args
    if name == "requires":
        return "" if VERSION.fullmatch(value) else f"REQUIRES must be a version such as 0.14.0, not '{value}'"
    if name in ("model", *WORDS):
        return ""
    if name not in KNOWN:
        return _unknown(name)
    if name in WHOLE and not INTEGER.fullmatch(value):
        return f"parameter {name} must be a whole number, not '{value}'"
    if name in NUMBER and not DECIMAL.fullmatch(value):
        return f"parameter {name} must be a number, not '{value}'"
    if name == "use_mmap" and not TRUTH.fullmatch(value):
        return f"parameter {name} must be true or false, not '{value}'"
    return ""


def _unknown(name: str) -> str:
    if name in OLDER:
        return f"unknown parameter '{name}' (older versions of Ollama knew it)"
    near = get_close_matches(name[:LONGEST], KNOWN, 1)
    name = name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
    return f"unknown parameter '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")


# What a Modelfile's commands lose, hide or repeat: diagnostics on one that was read.


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
        above = _above(raw, command.quote)
        values = {
            "name": name,
            "lines": len(lines(raw)) - above,
            "line": where(starts, command.start)[0] + above if above > 1 else "",
            "refused": refused or "",
        }
        yield Diagnostic("oll-swallowed-lines", values, place, line_at(text, command.start))
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


def _above(raw: str, quote: str) -> int:
    """How many lines of a value that swallows others are its own: those above the first directive in capitals.

    Where its first line closes the quotes, that line alone is.
    """
    first, _, below = raw.partition("\n")
    found = None if first.partition(quote)[2].count(quote) else SHOUTED.search(below)
    return len(lines(below[: found.start()])) if found else 1


def repeated(commands: tuple[Command, ...], base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Directives and parameters given more than once, of which only the last counts.

    FROM lines that name files all count: Ollama puts weights, their shards and a projector together (`model` in
    CreateRequest of parser/parser.go).
    """
    found: dict[str, list[Command]] = {}
    for command in commands:
        if command.name not in ALONE and not (command.name == "model" and names_a_file(command.args)):
            found.setdefault(command.name, []).append(command)
    for again in found.values():
        if len(again) > 1:
            first, last = (where(starts, c.start)[0] for c in (again[0], again[-1]))
            name = _word(again[0])
            values = {"name": name, "times": len(again), "first": first, "last": last}
            yield Diagnostic("oll-repeated-directive", values, at(base, starts, again[-1].start), name)


def names_a_file(source: str) -> bool:
    """Whether what a FROM names is a file or folder of weights rather than a model by its name."""
    name = source.strip()
    return name.startswith(("/", "./", "../", "~", ".\\")) or name == "." or name.lower().endswith(WEIGHTS)


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
