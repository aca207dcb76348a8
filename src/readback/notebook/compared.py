"""Show what differs between two ways to send a record: in a sentence, as rows, and in how many records."""

from __future__ import annotations

from dataclasses import dataclass

from readback.compare import as_text
from readback.compare.diff import Difference
from readback.compare.record_differences import RecordCounts, count_differences
from readback.compare.sentence import format_sentence
from readback.compare.side import Side, SideError
from readback.notebook.rows import Rows
from readback.types import Workspace

CHANGE_COLUMNS = ("message", "kind", "a", "b")


@dataclass(frozen=True, slots=True)
class Compared:
    """What `readback diff` says of two sides; `difference` holds all of it."""

    workspace: Workspace
    difference: Difference
    a: Side
    b: Side

    @property
    def equal(self) -> bool:
        """Whether roles and texts are the same, character for character."""
        return self.difference.equal

    @property
    def sentence(self) -> str:
        """What B does differently from A."""
        return format_sentence(self.difference)

    def changes(self) -> Rows:
        """Return a row for each stretch that differs: the role of its message, what happened, and both texts."""
        rows = (
            {
                "message": pair.role_a or pair.role_b,
                "kind": change.kind,
                "a": pair.a.text[slice(*change.a)] if pair.a else "",
                "b": pair.b.text[slice(*change.b)] if pair.b else "",
            }
            for pair in self.difference.messages
            for change in pair.changes
            if change.kind != "equal"
        )
        return Rows(CHANGE_COLUMNS, tuple(rows))

    def over_records(self) -> RecordCounts:
        """Count in how many of all records the two differ, and how. Raises ValueError where a side cannot be shown."""
        try:
            return count_differences(self.workspace, self.a, self.b)
        except SideError as error:
            raise ValueError(str(error)) from None

    def __repr__(self) -> str:
        difference = self.difference
        head = f"A  {difference.a.title}\nB  {difference.b.title}\n\n{self.sentence}"
        return "\n".join((head, *as_text.list_place_lines(difference, self.workspace), *as_text.list_lines(difference)))
