"""The files that an import writes: an adapter for each interface, a task for each base prompt, and readback.yml."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from readback.readers.yaml_file import format_flow

HEADER = "# Written by readback import-adapter. The sentences are those of the program's authors."
# What a block text may hold as it is; anything else is written between quotes.
PLAIN = re.compile(r"[\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*")


def adapter(name: str, origin: Mapping[str, Any], tasks: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """An adapter's file: by task the entries in their order, each with `system`, `user` and `origin`."""
    lines = [HEADER, f"name: {format_flow(name)}", "wording: imported", f"origin: {format_flow(origin)}", "tasks:"]
    for task, entries in tasks.items():
        lines.append(f"  {format_flow(task)}:")
        for entry in entries:
            lines.append(f"    - origin: {format_flow(entry['origin'])}")
            lines += [f"      {role}: {text(entry[role], 8)}" for role in ("system", "user") if entry.get(role)]
    return "\n".join(lines) + "\n"


def task(texts: Mapping[str, str], origin: Mapping[str, Any]) -> str:
    """A task's file: its base texts, of which the user text is filled in as `str.format` does."""
    lines = [HEADER, "wording: imported", f"origin: {format_flow(origin)}", "system_syntax: text", "syntax: format"]
    lines += [f"{role}: {text(said, 2)}" for role, said in texts.items()]
    return "\n".join(lines) + "\n"


def workspace(adapters: Sequence[str], tasks: Mapping[str, str]) -> str:
    """The readback.yml that names the files."""
    lines = [HEADER, "options: {assembly_profile: current}"]
    lines += (
        ["tasks:", *(f"  {format_flow(name)}: {format_flow(file)}" for name, file in tasks.items())] if tasks else []
    )
    return "\n".join([*lines, f"adapters: {format_flow(list(adapters))}"]) + "\n"


def text(said: str, indent: int) -> str:
    """A text as a block, or between quotes where a block would change it."""
    body = said.rstrip("\n")
    lines = body.split("\n")
    first = next((line for line in lines if line), "")
    odd = not PLAIN.fullmatch(said) or len(said) - len(body) > 1 or not lines[0] or not lines[-1].strip(" ")
    if odd or first[:1] in (" ", "#"):
        letters = (f"\\U{ord(one):08x}" if ord(one) > 0xFFFF else json.dumps(one)[1:-1] for one in said)
        return f'"{"".join(letters)}"'
    pad = " " * indent
    return "|" + ("" if said != body else "-") + "".join(f"\n{pad}{line}" if line else "\n" for line in lines)
