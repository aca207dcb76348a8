"""Read a Modelfile as Ollama reads it, keep what Ollama would refuse, and say what surprises."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from readback.files.paths import show
from readback.files.text_file import read_bytes
from readback.serving.modelfile.build import built
from readback.serving.modelfile.diagnostics import about, at, escaped, line_at, repeated, torn_open
from readback.serving.modelfile.grammar import NO_FROM, WORDS, Command, Fault, lines, scan, where
from readback.serving.modelfile.text import decode
from readback.types import Diagnostic, Location, Modelfile

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
            Diagnostic("oll-syntax", {"reason": fault.said}, at(base, starts, fault.start), line_at(text, fault.start))
            for fault in faults
            if fault not in told
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


def _nameless(commands: Sequence[Command], base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """That no FROM says what the model is made from, or one has nothing behind it."""
    named = [command for command in commands if command.name == "model"]
    empty = next((command for command in named if not command.args.strip()), None)
    if empty:
        place = at(base, starts, empty.start)
        yield Diagnostic("oll-no-from", {"line": place.line}, place)
    elif not named:
        yield Diagnostic("oll-no-from", {"line": ""}, base)


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
