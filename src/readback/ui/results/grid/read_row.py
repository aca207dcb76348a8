"""Read what a row of the grid shows: the record and each condition's answer, one record at a time."""

from __future__ import annotations

from dataclasses import dataclass

from readback.records.dataset import Dataset, DatasetChanged
from readback.types import Answer, Condition, Record, Workspace
from readback.ui.common.state import caches, choice


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """The record of an item, with its number; None where no dataset has it."""

    index: int | None = None
    record: Record | None = None


def read_record(data: Dataset | None, item: str) -> ItemRecord:
    """Return the record that is called like the item."""
    if data is None:
        return ItemRecord()
    try:
        index = data.find(item)
        if index is None:
            return ItemRecord()
        return ItemRecord(index, data.record(index))
    except DatasetChanged as changed:
        choice.overtaken(changed)
        raise


def read_answer(workspace: Workspace, condition: Condition | None, item: str) -> Answer | None:
    """Return what a condition's model replied to an item; None where no file has it."""
    if condition is None or not condition.answers:
        return None
    return caches.answers(*choice.key(), condition.name, workspace).get(item)
