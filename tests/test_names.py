"""Names say what they stand for: no function, argument, attribute or variable is a participle or a pronoun alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[1]
SOURCE = PROJECT / "src" / "readback"
VAGUE = frozenset(
    (
        "said", "told", "made", "found", "given", "kept", "of", "one", "its", "beside", "asked", "known", "seen",
        "taken", "shown", "held", "meant", "lost", "worked_out",
    )
)  # fmt: skip


def vague_names(path: Path) -> Iterator[str]:
    """Yield the place and the name of every vague name in a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        name = ""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Attribute):
            name = node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        if name.strip("_") in VAGUE:
            yield f"{path.relative_to(SOURCE)}:{node.lineno}: {name}"  # type: ignore[attr-defined]


def test_no_name_is_vague() -> None:
    assert [place for path in sorted(SOURCE.rglob("*.py")) for place in vague_names(path)] == []
