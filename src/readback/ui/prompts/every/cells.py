"""One record under every condition (or mode, or task) and through every adapter: what each of them sends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import streamlit as st

from readback.checks import comparisons
from readback.checks.run.prompt_lengths import PromptLengths, measure
from readback.types import Selection, Workspace
from readback.ui.common.state import background, choice
from readback.ui.common.state.work import Job, Progress
from readback.ui.prompts.two_texts.compare_words import sent
from readback.words import t

KIND = "every"  # of work: the texts of the record in view

Cells = Mapping[Selection, PromptLengths]


@dataclass(frozen=True, slots=True)
class Row:
    """A condition, mode or task: its choices and the adapter of each ("" for none of its own).

    The first choice is the one that is compared with A: through the same adapter as A where there is such a one, else
    as the condition is planned. The others are compared with the first.
    """

    name: str
    choices: tuple[Selection, ...]
    adapters: tuple[str, ...]


def layout(workspace: Workspace, in_view: Selection) -> tuple[Selection | None, tuple[Row, ...]]:
    """Return A, with which the texts are compared, and the rows, that of A first.

    A is what is in view, as in the other views. A judge's prompt has nothing in common with what models get: there the
    first row's is A. None where there is nothing but judges.
    """
    rows = list(_list_rows(workspace))
    if not rows:
        return None, ()
    if in_view.judge:
        in_view = rows[0].choices[0]
    planned = workspace.condition(in_view.condition or "")
    if planned and in_view == Selection(condition=planned.name, adapter=planned.adapter):
        in_view = Selection(condition=planned.name)
    own = next((row for row in rows if in_view in row.choices), None)
    if own is None:  # chosen part by part
        own = Row(sent(in_view), (in_view,), (in_view.adapter or "",))
    else:
        rows.remove(own)
    column = own.adapters[own.choices.index(in_view)]
    return in_view, tuple(_put_first(row, column) for row in _put_partners_together(workspace, [own, *rows]))


def _list_partners(workspace: Workspace, row: Row) -> list[str]:
    """Return the conditions that the plan compares with that of a row."""
    name = row.choices[0].condition
    pairs = comparisons.planned(workspace)
    return [pair.b if pair.a == name else pair.a for pair in pairs if name in (pair.a, pair.b)]


def _put_partners_together(workspace: Workspace, rows: Sequence[Row]) -> list[Row]:
    """Return the rows so that the two of a planned comparison stand below each other; the first stays the first."""
    rest, together = {row.name: row for row in rows}, []
    waiting: list[Row] = []
    while rest or waiting:
        row = waiting.pop(0) if waiting else next(iter(rest.values()))
        if rest.pop(row.name, None) is None:
            continue
        together.append(row)
        waiting += [rest[name] for name in _list_partners(workspace, row) if name in rest]
    return together


def _list_rows(workspace: Workspace) -> Iterator[Row]:
    """Yield a row for each condition that sends something, through its planned adapter and each other one.

    Without such conditions there is a row for each mode. Tasks that no condition sends have a row each at the end.
    """
    conditions = [condition for condition in workspace.conditions if condition.sends]
    for condition in conditions:
        planned = condition.adapter or ""
        others = [name for name in workspace.adapters if name != planned]
        choices = [Selection(condition=condition.name, adapter=name) for name in others]
        yield Row(condition.name, (Selection(condition=condition.name), *choices), (planned, *others))
    adapters = ("", *workspace.adapters)
    if not conditions:
        for mode in workspace.prompts:
            choices = [Selection(mode=mode, adapter=name or None) for name in adapters]
            yield Row(t("messages.sent_mode", name=mode), tuple(choices), adapters)
    named = {condition.task for condition in conditions if not condition.mode}
    for task in workspace.tasks:
        if task not in named:
            choices = [Selection(task=task, adapter=name or None) for name in adapters]
            yield Row(t("messages.sent_task", name=task), tuple(choices), adapters)


def _put_first(row: Row, adapter: str) -> Row:
    """Put the choice first that goes through an adapter; where there is none, the row stays as it is planned."""
    if adapter not in row.adapters:
        return row
    at = row.adapters.index(adapter)
    order = [at, *(number for number in range(len(row.choices)) if number != at)]
    return Row(row.name, tuple(row.choices[n] for n in order), tuple(row.adapters[n] for n in order))


def list_references(a: Selection, rows: Sequence[Row], workspace: Workspace) -> Mapping[Selection, Selection]:
    """Return with which choice each is compared: the first of a row with that of the row above it where the plan
    compares the two, else with A; the others of the row with its first.

    A reader sees what an adapter does to a condition, what sets the two of a planned comparison apart, and what sets
    any other condition apart from the one in view. Against A alone every text of another condition would differ from
    its first line on, whatever its adapter does.
    """
    references: dict[Selection, Selection] = {}
    above: dict[str | None, Selection] = {}
    for row in rows:
        first = row.choices[0]
        partners = [above[name] for name in _list_partners(workspace, row) if name in above]
        references[first] = partners[0] if partners else a
        references.update(dict.fromkeys(row.choices[1:], first))
        above[first.condition] = first
    references.pop(a, None)
    return references


def measured(a: Selection, rows: Sequence[Row]) -> tuple[Cells, Job | None]:
    """Return the texts that are measured, and the job that measures the others; None where there is no other.

    What was measured before is shared by all who look at the same files. A text whose time was over is tried again at
    the next look: a busy machine is no fault of a template.
    """
    workspace, at = choice.workspace(), choice.position()
    finished, references = _get_measured(choice.key(), at, a), list_references(a, rows, workspace)
    selections = tuple(selection for row in rows for selection in row.choices)
    missing = [selection for selection in selections if selection not in finished]
    if not missing:
        return finished, None
    job = background.ask(
        KIND,
        (choice.key(), at, a, selections),
        lambda progress: _measure(workspace, at, references, missing, finished, progress),
    )
    return finished, job


def measure_again() -> None:
    """Measure what is missing still; for callbacks."""
    background.drop(KIND)


def _measure(
    workspace: Workspace,
    at: int,
    references: Mapping[Selection, Selection],
    missing: Sequence[Selection],
    finished: MutableMapping[Selection, PromptLengths],
    progress: Progress,
) -> Iterator[Cells]:
    """Yield the texts so far, also those that are late; the others are remembered for all."""
    late: dict[Selection, PromptLengths] = {}
    progress(0, len(missing))
    yield {**finished}
    with closing(measure(workspace, at, missing, references)) as measurements:  # or the child would work on for nobody
        for done, cell in enumerate(measurements, 1):
            (late if cell.late else finished)[cell.choice] = cell
            yield {**finished, **late}
            if not progress(done, len(missing)):
                return


@st.cache_resource(max_entries=32, show_spinner=False)
def _get_measured(key: Any, at: int, a: Selection) -> dict[Selection, PromptLengths]:
    """Return the texts of a record that are measured so far and compared with A, shared by all sessions."""
    return {}
