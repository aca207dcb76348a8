"""The longest text that a row of training data becomes: what is asked, with an answer."""

from __future__ import annotations

from collections.abc import Sequence

from readback.records import training_reader
from readback.records.training_row import Turn
from readback.types import Record, TrainingFile, Values, Workspace


def longest(fields: Values) -> str | None:
    """The texts of the prompt and of the longest answer, joined; None for rows of evaluations and of no known format.

    What a template writes around them is not counted.
    """
    row = training_reader.read(fields)
    if row is None or row.kind == "rag" or not (row.prompt or row.answers):
        return None
    prompts = [_text(row.prompt)] if row.other_prompt is None else [_text(row.prompt), _text(row.other_prompt)]
    return max(prompts, key=len) + max((_text(turns) for _, turns in row.answers), key=len, default="")


def file_of(workspace: Workspace, record: Record) -> TrainingFile | None:
    """The training file a record is in."""
    return next((one for one in workspace.training if one.path == record.place.file), None)


def _text(turns: Sequence[Turn]) -> str:
    return "".join(turn.text for turn in turns)
