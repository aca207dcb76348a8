"""The files that an import writes: an adapter for each interface, a task for each base prompt, and readback.yml."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from readback.readers.yaml.yaml_file import format_flow

HEADER = "# Written by readback import-adapter. The sentences are those of the program's authors."
# What a block text may hold as it is; anything else is written between quotes.
PLAIN = re.compile(r"[\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*")


def format_adapter(name: str, origin: Mapping[str, Any], tasks: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Format an adapter's file: by task the entries in their order, each with `system`, `user` and `origin`."""
    lines = [HEADER, f"name: {format_flow(name)}", "wording: imported", f"origin: {format_flow(origin)}", "tasks:"]
    for task, entries in tasks.items():
        lines.append(f"  {format_flow(task)}:")
        for entry in entries:
            lines.append(f"    - origin: {format_flow(entry['origin'])}")
            lines += [f"      {role}: {format_text(entry[role], 8)}" for role in ("system", "user") if entry.get(role)]
    return "\n".join(lines) + "\n"


def format_task(texts: Mapping[str, str], origin: Mapping[str, Any]) -> str:
    """Format a task's file: its base texts, of which the user text is filled in as `str.format` does."""
    lines = [HEADER, "wording: imported", f"origin: {format_flow(origin)}", "system_syntax: text", "syntax: format"]
    lines += [f"{role}: {format_text(body, 2)}" for role, body in texts.items()]
    return "\n".join(lines) + "\n"


def format_built_task(texts: Mapping[str, str], origin: Mapping[str, Any], defaults: Mapping[str, str]) -> str:
    """Format the file of a task whose texts code builds: templates of Jinja, with a value for each name that is no
    field of records.
    """
    lines = [HEADER, "wording: imported", f"origin: {format_flow(origin)}", "syntax: jinja"]
    lines += [f"{role}: {format_text(body, 2)}" for role, body in texts.items()]
    if defaults:
        lines.append(f"default: {format_flow(defaults)}")
    return "\n".join(lines) + "\n"


def format_workspace(adapters: Sequence[str], tasks: Mapping[str, str]) -> str:
    """Format the readback.yml that names the files."""
    lines = [HEADER, "options: {assembly_profile: current}"]
    if tasks:
        lines += ["tasks:", *(f"  {format_flow(name)}: {format_flow(file)}" for name, file in tasks.items())]
    return "\n".join([*lines, f"adapters: {format_flow(list(adapters))}"]) + "\n"


def format_text(body: str, indent: int) -> str:
    """Format a text as a block, or between quotes where a block would change it."""
    stripped = body.rstrip("\n")
    lines = stripped.split("\n")
    first = next((line for line in lines if line), "")
    odd = not PLAIN.fullmatch(body) or len(body) - len(stripped) > 1 or not lines[0] or not lines[-1].strip(" ")
    if odd or first[:1] in (" ", "#"):
        return f'"{"".join(map(_escape_letter, body))}"'
    pad = " " * indent
    chomping = "" if body != stripped else "-"
    return f"|{chomping}" + "".join(f"\n{pad}{line}" if line else "\n" for line in lines)


def _escape_letter(letter: str) -> str:
    if ord(letter) > 0xFFFF:
        return f"\\U{ord(letter):08x}"
    return json.dumps(letter)[1:-1]
