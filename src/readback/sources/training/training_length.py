"""The longest text that a row of training data becomes: what is asked, with an answer."""

from __future__ import annotations

from collections.abc import Sequence

from readback.records.training import training_reader
from readback.records.training.training_row import Turn
from readback.types import Record, TrainingFile, Values, Workspace


def join_longest_texts(fields: Values) -> str | None:
    """Return the texts of the prompt and of the longest answer, joined; None for evaluation rows and unknown formats.

    What a template writes around them is not counted.
    """
    row = training_reader.read(fields)
    if row is None or row.kind == "rag" or not (row.prompt or row.answers):
        return None
    if row.other_prompt is None:
        prompts = [_join_turns(row.prompt)]
    else:
        prompts = [_join_turns(row.prompt), _join_turns(row.other_prompt)]
    return max(prompts, key=len) + max((_join_turns(turns) for _, turns in row.answers), key=len, default="")


def find_training_file(workspace: Workspace, record: Record) -> TrainingFile | None:
    """Return the training file that a record is in."""
    return next((file for file in workspace.training if file.path == record.place.file), None)


def _join_turns(turns: Sequence[Turn]) -> str:
    return "".join(turn.text for turn in turns)
