"""Conditions that are no system but the gold answer: they are set apart and ranked with nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from readback.readers.files.checksum import State, state
from readback.readers.files.paths import resolve
from readback.readers.files.progress import Progress
from readback.records.dataset import Dataset, open_dataset
from readback.records.replies.answers import Answers, open_answers
from readback.scores.criterion_kinds import is_metric
from readback.scores.table import SCORED, ConditionKey, Reference, ScoreTable
from readback.types import Condition, Diagnostic, Workspace

NAMES = re.compile(
    r"^(?:the[ _-])?(?:reference|references|gold|golden|target|ground[ _-]?truth)(?:[ _-]answers?)?$", re.I
)
FIELDS = ("reference_answer", "reference_summary", "expected_response", "reference", "gold", "target", "ground_truth")
ALL = 0.9995  # a measure of 1.00 as it is shown; measures over floating numbers stay a little below
FEWEST = 5  # equal answers that are no chance
LOOKED_AT = 200  # answers that are held against the dataset's


def references(
    table: ScoreTable, workspace: Workspace, progress: Progress | None = None
) -> Mapping[ConditionKey, Reference]:
    """Return the scored conditions that are the gold answer, with why; none where no other condition would be left.

    Raises Cancelled when `progress` answers False.
    """
    by_condition = dict(_by_metric(table))
    candidates = [(key, condition) for key, condition in _answered(table, workspace) if key not in by_condition]
    if candidates:
        data = open_dataset(workspace.root, workspace.dataset, progress)
    else:
        data = None
    if data is not None and (gold_answers := _read_gold_answers(data)):
        for key, condition in candidates:
            if n := _equal(gold_answers, open_answers(workspace, condition, progress)):
                by_condition[key] = Reference("answers", n)
    if len(by_condition) < len(table.columns.conditions):
        return by_condition
    return {}


def files(workspace: Workspace) -> tuple[tuple[str, State | None], ...]:
    """Return the state of the files that `references` may read."""
    answers = [condition.answers for condition in workspace.conditions if condition.answers]
    if workspace.dataset and answers:
        named = (workspace.dataset.path, *answers)
    else:
        named = ()
    return tuple((name, state_of(workspace, name)) for name in dict.fromkeys(named))


def state_of(workspace: Workspace, name: str) -> State | None:
    """Return the state of a file of the workspace as it is now; None where it cannot be reached."""
    path = resolve(workspace.root, name)
    try:
        if isinstance(path, Diagnostic):
            return None
        return state(path)
    except OSError:
        return None


def _by_metric(table: ScoreTable) -> Iterator[tuple[ConditionKey, Reference]]:
    import numpy as np

    c = table.columns
    metrics = [name for name in c.criteria if is_metric(name)]
    for code, key in enumerate(c.conditions):
        if not any(NAMES.match(value.strip()) for _, value in key):
            continue
        for name in metrics:
            here = (np.asarray(c.condition) == code) & (np.asarray(c.criterion) == c.criteria.index(name))
            values = np.asarray(c.value)[here & (np.frombuffer(c.state, np.uint8) == SCORED)]
            if len(values) and bool((values >= ALL).all()) and (table.criteria[name].high or 1.0) <= 1.01:
                yield key, Reference("metric", len(values), name)
                break


def _answered(table: ScoreTable, workspace: Workspace) -> Iterator[tuple[ConditionKey, Condition]]:
    """Return the conditions that were scored and whose answers the workspace has, beside a dataset of another file."""
    if workspace.dataset is None:
        return
    for key in table.columns.conditions:
        name = dict(key).get("condition") or (key[0][1] if len(key) == 1 else "")
        if name:
            condition = workspace.condition(name)
        else:
            condition = None
        if condition is not None and condition.answers and condition.answers != workspace.dataset.path:
            yield key, condition


def _read_gold_answers(data: Dataset) -> Mapping[str, str]:
    """Return the dataset's own answers, by record, of the first records."""
    answers: dict[str, str] = {}
    for record in data.records(0, min(len(data), LOOKED_AT)):
        values = (record.fields.get(name) for name in FIELDS)
        text = next((text for text in values if isinstance(text, str) and text.strip()), None)
        if text is not None and record.id is not None:
            answers[record.id] = text
    return answers


def _equal(gold_answers: Mapping[str, str], answers: Answers) -> int:
    """How many answers equal the dataset's own; 0 where one differs or they are too few."""
    same = 0
    for name, text in gold_answers.items():
        answer = answers.get(name)
        if answer is None or answer.text is None:
            continue
        if answer.text.strip() != text.strip():
            return 0
        same += 1
    if same >= FEWEST:
        return same
    return 0
