"""A workspace with nothing in it, a record, and what an assembly of them holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from readback.types import Assembly, Location, Prompt, Record, Workspace

NOTHING = Workspace(root=Path(), name="test")
SHORT = Prompt(
    "short", "Q: {{ question }}\n", "Be {{ tone }}.", system_syntax="jinja", defaults={"tone": "brief"},
    place=Location("short.jinja", 1), system_place=Location("readback.yml", 4),
)  # fmt: skip


def row(**fields: Any) -> Record:
    return Record("r1", fields, Location(file="data.jsonl", line=3, index=2))


def texts(made: Assembly) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in made.messages]


def codes(made: Assembly) -> list[str]:
    return [diagnostic.code for diagnostic in made.diagnostics]


def origins(made: Assembly, role: str) -> list[tuple[str, str | None, str]]:
    return [(s.origin, s.name, s.text) for m in made.messages if m.role == role for s in m.segments]
