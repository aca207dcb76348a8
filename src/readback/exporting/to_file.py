"""An export to a file of its own, which is there whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from readback.exporting.export import Exported, export
from readback.exporting.lines import Form
from readback.exporting.whole_file import whole_file
from readback.prompts.children import Progress
from readback.types import Selection, Workspace

ERRORS = ".errors.jsonl"  # what is behind a file's name for what a batch of requests cannot hold


class OwnFile(Exception):  # noqa: N818 - an outcome to say in one sentence
    """The file is one of the workspace, which an export does not overwrite."""


def to_file(
    opened: Workspace,
    choices: Sequence[Selection],
    form: Form,
    path: Path,
    *,
    model: str | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Exported:
    """Export to `path`, and what an openai-batch cannot hold to `path` with `.errors.jsonl` behind its name.

    Both are written beside their places and get their names at the end. An errors file of an earlier export to the
    same place goes where there is none of this one. Raises what `export` raises, and OwnFile.
    """
    if any(_same(path, opened.root / one.path) for one in opened.recognised):
        raise OwnFile(f"{path} is a file of the workspace, which an export does not overwrite")
    beside = path.with_name(path.name + ERRORS)
    begun: list[BinaryIO] = []
    with ExitStack() as files:
        out = files.enter_context(whole_file(path))

        def errors() -> BinaryIO:
            begun.append(files.enter_context(whole_file(beside)))
            return begun[0]

        made = export(opened, choices, form, out, errors, model=model, progress=progress, jobs=jobs)
    if form == "openai-batch" and not begun and path.is_file():
        beside.unlink(missing_ok=True)
    return made


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
