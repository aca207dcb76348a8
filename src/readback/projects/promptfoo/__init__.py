"""A promptfoo project: which messages `promptfoo eval` would send, for every prompt, provider and row.

Known by its content: a mapping with `prompts` and any of providers, targets, tests, scenarios, defaultTest. The rules
are those of promptfoo 0.123.1, in this order for values: `file://`, one line feed off the end, lists expanded to rows,
values put into values, the template with its prefix and suffix, the rendered text read as a chat. Programs are named
and not run, addresses are not fetched, and paths do not leave the workspace.

`work` runs in the bounded child; `open_project` and `render` are for everybody else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.projects.child_answers import export_messages, export_place, import_messages
from readback.projects.model import Project, ProjectMode, ProjectRow, RenderedMessages
from readback.projects.promptfoo.project import TOOL as TOOL
from readback.projects.promptfoo.project import read_project as read_project
from readback.projects.promptfoo.project import recognise as recognise
from readback.projects.promptfoo.render import render_messages as render_messages
from readback.types import Diagnostic, Location

LIMITS = sandbox.Limits(seconds=20.0, total=120.0, memory=768 << 20, output=512 << 20)  # 50,000 rows take some seconds
WORK = "readback.projects.promptfoo:work"
RENDER = "readback.projects.promptfoo:render_rows"
Pair = tuple[ProjectMode, ProjectRow]
TOGETHER = 2_000  # rows under modes that one child renders


def work(payload: dict[str, Any]) -> dict[str, Any]:
    """{"path", "root", "environment"} → the project as JSON; in the child."""
    return export_project(read_project(Path(payload["path"]), Path(payload["root"]), payload["environment"]))


def render_rows(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """{"modes": [settings], "rows": [[settings, fields]], "pairs": [[mode, row]]} → each answer; in the child."""
    for mode, row in payload["pairs"]:
        settings, fields = payload["rows"][row]
        yield export_messages(render_messages(payload["modes"][mode], settings, fields))


def stream_rows(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """{"path", "root", "environment"} → each row of the project as JSON; in the child."""
    project = read_project(Path(payload["path"]), Path(payload["root"]), payload["environment"])
    for row in project.rows:
        yield asdict(row)


def render_row(payload: list[Any]) -> dict[str, Any]:
    """[mode settings, row settings, fields] → what `render_messages` returns; in the child."""
    mode, row, fields = payload
    return export_messages(render_messages(mode, row, fields))


def open_project(path: Path, root: Path, environment: Mapping[str, str]) -> Project:
    """Read a project in a bounded child; one that is too large for it has a finding and nothing else."""
    payload = {"path": str(path), "root": str(root), "environment": dict(environment)}
    try:
        return import_project(sandbox.call(WORK, payload, LIMITS))
    except sandbox.Stopped as stopped:
        values = {"what": f"{stopped.kind} for reading the project", "limit": stopped.detail}
        diagnostic = Diagnostic("dat-limit", values, Location(file=path.name))
        return Project(TOOL, path.name, diagnostics=(diagnostic,))


def render(pairs: Iterable[Pair]) -> Iterator[RenderedMessages]:
    """Render rows under modes in bounded children; one that needs more than its limits has that as its error.

    What follows it goes on in a new child.
    """
    for group in batched(pairs, TOGETHER):
        left = group
        while left:
            number = 0
            try:
                for answer in sandbox.stream(RENDER, _make_payload(left), LIMITS, once=True):
                    number += 1
                    yield import_messages(answer)
                break
            except sandbox.Stopped as stopped:
                yield RenderedMessages(None, error=f"stopped at a limit: {stopped.detail}")
            left = left[number + 1 :]


def batched(pairs: Iterable[Pair], size: int) -> Iterator[list[Pair]]:
    """Yield lists of at most so many pairs."""
    waiting = iter(pairs)
    while group := list(islice(waiting, size)):
        yield group


def _make_payload(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return what the child is told: each mode and row once."""
    modes: dict[int, int] = {}
    rows: dict[int, int] = {}
    numbers = [[modes.setdefault(id(mode), len(modes)), rows.setdefault(id(row), len(rows))] for mode, row in pairs]
    mode_settings = {modes[id(mode)]: dict(mode.settings) for mode, _ in pairs}
    row_values = {rows[id(row)]: [dict(row.settings), dict(row.fields)] for _, row in pairs}
    return {
        "modes": [mode_settings[index] for index in range(len(modes))],
        "rows": [row_values[index] for index in range(len(rows))],
        "pairs": numbers,
    }


def export_project(project: Project) -> dict[str, Any]:
    """Return a project as JSON."""
    modes = [
        {
            "name": mode.name,
            "template": mode.template,
            "settings": mode.settings,
            "place": export_place(mode.place),
            "providers": mode.providers,
        }
        for mode in project.modes
    ]
    rows = [
        {
            "index": row.index,
            "fields": row.fields,
            "description": row.description,
            "metadata": row.metadata,
            "settings": row.settings,
            "place": export_place(row.place),
        }
        for row in project.rows
    ]
    return {
        "tool": project.tool,
        "name": project.name,
        "modes": modes,
        "providers": project.providers,
        "rows": rows,
        "diagnostics": [asdict(diagnostic) for diagnostic in project.diagnostics],
        "refused": project.refused,
        "digest": hashlib.sha256(json.dumps(rows, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest(),
    }


def import_project(raw: Mapping[str, Any]) -> Project:
    """Return a project from its JSON."""
    modes = tuple(
        ProjectMode(
            each["name"], each["template"], each["settings"], Location(**each["place"]), tuple(each["providers"])
        )
        for each in raw["modes"]
    )
    rows = tuple(
        ProjectRow(
            each["index"],
            each["fields"],
            each["description"],
            each["metadata"],
            each["settings"],
            Location(**each["place"]),
        )
        for each in raw["rows"]
    )
    diagnostics = tuple(
        Diagnostic(
            each["code"],
            each["values"],
            Location(**each["place"]),
            each["flagged"],
            each["severity"],
            tuple(each["among"]),
        )
        for each in raw["diagnostics"]
    )
    return Project(
        raw["tool"], raw["name"], modes, tuple(raw["providers"]), rows, diagnostics, raw["refused"], raw["digest"]
    )


def list_combinations(project: Project) -> Iterator[tuple[ProjectRow, ProjectMode, str]]:
    """Yield row, mode and provider as promptfoo runs them: rows outside, then providers, then prompts.

    Rows that a test keeps from a provider are left out; those kept from a prompt are not: rendering says so.
    """
    for row in project.rows:
        for provider in project.providers:
            if provider in row.settings.get("kept_from", ()):
                continue
            for mode in project.modes:
                if mode.settings.get("applies", True) and (not mode.providers or provider in mode.providers):
                    yield row, mode, provider
