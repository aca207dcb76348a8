"""Tasks of lm-evaluation-harness: the text or the chat that `lm_eval run` sends for each of their documents.

Known by content: a mapping with `doc_to_text`, or `task` beside `output_type` or `include`. The rules are those of
lm-eval 0.4.13. Functions are named and not run, data sets of the hub are not fetched, paths do not leave the workspace.

`work` runs in the bounded child; `open_tasks` is for everybody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.projects.child_answers import export_messages, export_place
from readback.projects.lm_eval.project import TOOL as TOOL
from readback.projects.lm_eval.project import Run as Run
from readback.projects.lm_eval.project import Task as Task
from readback.projects.lm_eval.project import choose_shots, read_documents, read_task
from readback.projects.lm_eval.render import render_messages
from readback.projects.model import ProjectMode
from readback.types import Diagnostic, Location

LIMITS = sandbox.Limits(seconds=20.0, total=120.0, memory=1 << 30, output=512 << 20)
WORK = "readback.projects.lm_eval:work"
DRAWN, OWN = "shots", "own"  # of a row: its examples by mode, and columns that are called as ours


def work(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """{"paths", "root", "runs", "chosen"} → the tasks as JSON; in the child."""
    runs = [Run(**run) for run in payload["runs"]]
    root = Path(payload["root"])
    return [
        export_task(read_task(Path(path), root, runs, with_documents=number == payload["chosen"]))
        for number, path in enumerate(payload["paths"])
    ]


def stream_rows(payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """{"path", "root", "runs"} → each document of a task with the examples drawn for it; in the child."""
    runs = [Run(**run) for run in payload["runs"]]
    rows, drawn = read_documents(Path(payload["path"]), Path(payload["root"]), runs)
    for index, row in enumerate(rows):
        yield {"index": index, "fields": row, DRAWN: {mode: each[index] for mode, each in drawn.items()}}


def render_row(payload: Sequence[Any]) -> dict[str, Any]:
    """[mode settings, row settings, fields] → what `render_messages` returns; in the child."""
    mode, row, fields = payload
    document = {**fields, **row.get(OWN, {})}
    drawn = row.get(DRAWN, {}).get(mode["mode"])
    return export_messages(render_messages(mode, document, choose_shots(mode, document, drawn)))


def open_tasks(paths: Sequence[Path], root: Path, runs: Sequence[Run], chosen: int | None) -> tuple[Task, ...]:
    """Read tasks in a bounded child, that of number `chosen` with its documents."""
    payload = {
        "paths": [str(path) for path in paths],
        "root": str(root),
        "runs": [asdict(run) for run in runs],
        "chosen": chosen,
    }
    try:
        return tuple(import_task(raw) for raw in sandbox.call(WORK, payload, LIMITS))
    except sandbox.Stopped as stopped:
        values = {"what": f"{stopped.kind} for reading the tasks of lm-eval", "limit": stopped.detail}
        diagnostic = Diagnostic("dat-limit", values, Location(file=paths[chosen or 0].name))
        return (Task(paths[chosen or 0].name, paths[chosen or 0].stem, diagnostics=(diagnostic,)),)


def export_task(task: Task) -> dict[str, Any]:
    """Return a task as JSON."""
    modes = [
        {"name": mode.name, "template": mode.template, "settings": mode.settings, "place": export_place(mode.place)}
        for mode in task.modes
    ]
    diagnostics = [asdict(diagnostic) for diagnostic in task.diagnostics]
    parts = ("file", "name", "documents", "rows", "refused", "included", "data", "members")
    return {name: getattr(task, name) for name in parts} | {"modes": modes, "diagnostics": diagnostics}


def import_task(raw: Mapping[str, Any]) -> Task:
    """Return a task from its JSON."""
    modes = tuple(
        ProjectMode(each["name"], each["template"], each["settings"], Location(**each["place"]))
        for each in raw["modes"]
    )
    diagnostics = tuple(
        Diagnostic(**{**each, "place": Location(**each["place"]), "among": tuple(each["among"])})
        for each in raw["diagnostics"]
    )
    lists = {name: tuple(raw[name]) for name in ("included", "data", "members")}
    return Task(**{**raw, **lists, "modes": modes, "diagnostics": diagnostics})
