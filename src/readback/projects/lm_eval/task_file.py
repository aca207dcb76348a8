"""The YAML of a task: its keys with those that it includes, and what only code could make of them.

As lm_eval/tasks/_yaml_loader.py of lm-eval 0.4.13 reads it: YAML 1.1, `include` names files beside the one that
includes them, later files and a task's own keys win, `task_list` is not passed on. `!function` names Python, which is
not run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.text_file import read_text
from readback.readers.yaml.yaml_decode import AS_WRITTEN, SCALARS, Composer, Refused, Results, decode_yaml
from readback.types import Diagnostic, Location

FUNCTION = "!function"
OTHER_VERSION = "dat-yaml-differs"  # how YAML 1.2 reads a value is no question for a tool written in Python


@dataclass(frozen=True, slots=True)
class Code:
    """Stand for a value that a function of the task makes."""

    name: str


@dataclass(slots=True)
class TaskFile:
    """A task's keys and where they stand; `included` are the other files they come from."""

    file: str
    config: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Location] = field(default_factory=dict)
    included: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    refused: str | None = None

    def get_place(self, key: str) -> Location:
        """Return where a key stands, else the file."""
        return self.places.get(key, Location(file=self.file))

    def refuse(self, reason: str) -> None:
        """Remember the first reason why the tool would not start."""
        self.refused = self.refused or reason


class _TaskComposer(Composer):
    """Builds the values of a task, with a Code where a function is named."""

    def scalar(self, event: Any, path: tuple[str | int, ...]) -> Any:
        """Build the value of a scalar."""
        if event.tag == FUNCTION:
            return Code(event.value)
        tag = self.resolved(event)
        if tag not in SCALARS and tag not in AS_WRITTEN:
            line = event.start_mark.line + 1
            raise Refused("dat-bad-line", line, None, reason=f"lm-eval knows no tag {tag[:80]}")
        return super().scalar(event, path)


def read_task_file(path: Path, root: Path, below: frozenset[Path] = frozenset()) -> TaskFile:
    """Return a task with what it includes. Call it in a bounded child; `below` are the files that include this one."""
    task = TaskFile(format_relative(root, path))
    text, diagnostics = read_text(path, task.file)
    task.diagnostics.extend(diagnostics)
    if text is None:
        task.refuse(f"{task.file} cannot be read")
        return task
    own = _decode(text, task)
    included = own.pop("include", None)
    own_places = task.places
    task.places = {}
    for name in included if isinstance(included, list) else [included]:
        if name is not None:
            _include(name, path, root, below | {path}, task, own_places)
    task.config.update(own)
    task.places.update(own_places)
    return task


def _decode(text: str, task: TaskFile) -> dict[str, Any]:
    results = Results()
    value: Any = None
    try:
        value = decode_yaml(text, results, _TaskComposer)
    except Refused as refused:
        results.diagnostics.append(refused.diagnostic)
    for note in results.diagnostics:
        if note["code"] != OTHER_VERSION:
            place = Location(file=task.file, line=note["line"], column=note["column"])
            task.diagnostics.append(Diagnostic(note["code"], note["values"], place, note["flagged"]))
    for keys, line, column in results.lines:
        if len(keys) == 1:
            task.places[keys[0]] = Location(file=task.file, line=line, column=column)
    if not isinstance(value, dict):
        reasons = [note["values"].get("reason") for note in results.diagnostics]
        task.refuse(f"{task.file}: {reasons[-1]}" if reasons and reasons[-1] else f"{task.file} is no mapping")
        return {}
    return value


def _include(
    name: Any, path: Path, root: Path, below: frozenset[Path], task: TaskFile, places: Mapping[str, Location]
) -> None:
    """Add the keys of a file that is included."""
    place = places.get("include", Location(file=task.file))
    if not isinstance(name, str):
        task.refuse("a file that it includes is named by no text")
        return
    inner = resolve(root, name, base=path.parent, place=place)
    if isinstance(inner, Diagnostic):
        task.diagnostics.append(inner)
        task.refuse(f"{name}, which it includes, cannot be read: {inner.values['reason']}")
        return
    if inner in below:
        task.refuse(f"{name} includes itself")
        return
    other = read_task_file(inner, root, below)
    other.config.pop("task_list", None)
    task.config.update(other.config)
    task.places.update(other.places)
    task.included += [other.file, *other.included]
    task.diagnostics += other.diagnostics
    if other.refused:
        task.refuse(other.refused)
