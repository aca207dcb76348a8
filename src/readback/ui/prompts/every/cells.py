"""One record under every condition (or mode, or task) and through every adapter: what each cell of the table sends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing
from typing import Any

import streamlit as st

from readback.checks.run.prompt_lengths import PromptLengths, measure
from readback.types import Selection, Workspace
from readback.ui.common.state import background, choice
from readback.ui.common.state.work import Job, Progress
from readback.words import t

KIND = "every"  # of work: the cells of the record in view

Line = tuple[Selection | None, ...]
Cells = Mapping[Selection, PromptLengths]


def layout(workspace: Workspace) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Line, ...]]:
    """Names of the rows, adapters of the columns ("" for none of its own), and the choice of each cell."""
    columns = ("", *workspace.adapters)
    conditions = {c.name: c for c in workspace.conditions if c.sends}
    lines: dict[str, Line] = {
        name: tuple(_of_condition(name, condition.adapter, column, columns) for column in columns)
        for name, condition in conditions.items()
    }
    if not conditions:
        lines |= {
            t("messages.sent_mode", name=m): tuple(Selection(mode=m, adapter=c or None) for c in columns)
            for m in workspace.prompts
        }
    named = {condition.task for condition in conditions.values() if not condition.mode}
    lines |= {
        t("messages.sent_task", name=task): tuple(Selection(task=task, adapter=c or None) for c in columns)
        for task in workspace.tasks
        if task not in named
    }
    return tuple(lines), columns, tuple(lines.values())


def _of_condition(name: str, own: str | None, column: str, columns: tuple[str, ...]) -> Selection | None:
    """Return a condition through an adapter; its planned adapter, or none, stands in its own column."""
    planned = own if own in columns else ""
    if column == planned:
        return Selection(condition=name)
    return Selection(condition=name, adapter=column) if column else None


def find_first(lines: Sequence[Line]) -> Selection | None:
    """Return the choice whose text the others are held against: the first of the table."""
    return next((selection for line in lines for selection in line if selection), None)


def measured(selections: Sequence[Selection], first: Selection | None) -> tuple[Cells, Job | None]:
    """Return the cells that are measured, and the job that measures the others; None where there is no other.

    What was measured before is shared by all who look at the same files. A cell whose time was over is tried again at
    the next look: a busy machine is no fault of a template.
    """
    finished, workspace, at = (
        _get_measured(choice.key(), choice.position(), first),
        choice.workspace(),
        choice.position(),
    )
    missing = [selection for selection in selections if selection not in finished]
    if not missing:
        return finished, None
    job = background.ask(
        KIND,
        (choice.key(), at, first, tuple(selections)),
        lambda progress: _measure(workspace, at, first, missing, finished, progress),
    )
    return finished, job


def measure_again() -> None:
    """Measure what is missing still; for callbacks."""
    background.drop(KIND)


def _measure(
    workspace: Workspace,
    at: int,
    first: Selection | None,
    missing: Sequence[Selection],
    finished: MutableMapping[Selection, PromptLengths],
    progress: Progress,
) -> Iterator[Cells]:
    """Yield the cells so far, also those that are late; the others are remembered for all."""
    late: dict[Selection, PromptLengths] = {}
    progress(0, len(missing))
    yield {**finished}
    with closing(measure(workspace, at, missing, first)) as measurements:  # or the child would work on for nobody
        for done, cell in enumerate(measurements, 1):
            (late if cell.late else finished)[cell.choice] = cell
            yield {**finished, **late}
            if not progress(done, len(missing)):
                return


@st.cache_resource(max_entries=32, show_spinner=False)
def _get_measured(key: Any, at: int, first: Selection | None) -> dict[Selection, PromptLengths]:
    """Return the cells of a record that are measured so far, shared by all sessions."""
    return {}
