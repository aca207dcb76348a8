"""A unified diff of one file that `git apply` takes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

NO_END = "\\ No newline at end of file\n"
QUOTED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def patch(file: str, old: str, new: str) -> str:
    """What makes `new` of `old`; `file` is its posix path in the folder where the patch is applied. "" if equal."""
    lines = difflib.unified_diff(_lines(old), _lines(new), _name(f"a/{file}"), _name(f"b/{file}"))
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_END}" for line in lines)


def _lines(text: str) -> list[str]:
    """The lines with their ends: only a line feed ends a line, as for git."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _name(path: str) -> str:
    """A file's name as git writes it: quoted where it must be, with a tab after one that holds a blank."""
    if any(char in QUOTED or ord(char) < 32 for char in path):
        return f'"{"".join(_quoted(path))}"'
    return f"{path}\t" if " " in path else path


def _quoted(path: str) -> Iterator[str]:
    for char in path:
        yield QUOTED.get(char, char if ord(char) >= 32 else f"\\{ord(char):03o}")
