"""What was noted while the files of a workspace were read, before any record is looked at."""

from __future__ import annotations

from collections.abc import Iterator

from readback.audit import betrayed, training
from readback.observed.log import open_log
from readback.records import answers
from readback.records.dataset import Dataset
from readback.scores import loading as scores
from readback.scores import stats
from readback.scores.duels import contestants
from readback.types import Note, Workspace


def notes(opened: Workspace, data: Dataset) -> Iterator[Note]:
    """The notes of the workspace, of its dataset, answers and scores, and of its logs."""
    yield from opened.notes
    yield from training.noted(opened, data)
    for condition in opened.conditions:
        if condition.answers:
            yield from answers.open_answers(opened, condition).notes
    if opened.scores:
        yield from stats.notes(scores.load(opened))
    else:
        yield from contestants.notes(opened)
    yield from betrayed.notes(opened)
    yield from open_log(opened, data).notes
