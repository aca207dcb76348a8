"""Names say what they stand for: no function, argument, attribute or variable is a participle or a pronoun alone."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

PROJECT = Path(__file__).parents[1]
SOURCE = PROJECT / "src" / "readback"
VAGUE = frozenset(
    (
        "said", "told", "made", "found", "given", "kept", "of", "one", "its", "beside", "asked", "known", "seen",
        "taken", "shown", "held", "meant", "lost", "worked_out",
    )
)  # fmt: skip


def unfinished() -> list[str]:
    """Return the patterns of files below SOURCE that are not rewritten yet, as pyproject.toml lists them."""
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]
    prefix = "src/readback/"
    return [name.removeprefix(prefix) for name in settings["per-file-ignores"] if name.startswith(prefix)]


def finished_files() -> list[Path]:
    """Return the files that no such pattern covers."""
    patterns = unfinished()
    files = sorted(SOURCE.rglob("*.py"))
    return [path for path in files if not any(fnmatch(path.relative_to(SOURCE).as_posix(), name) for name in patterns)]


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


def test_no_name_is_vague_in_what_is_rewritten() -> None:
    assert [place for path in finished_files() for place in vague_names(path)] == []
