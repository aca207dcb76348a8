"""Find the names that a judge's template reads, and the values that are put into its messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from readback.sources.judges.judge_names import find_record_value, list_format_fields
from readback.types import NOWHERE, Judge, Location, Message, RuleContext

PLACEHOLDERS = {
    "QUESTION": "question",
    "ASSISTANT_RESPONSE": "answer",
    "CONTEXTS": "documents",
    "EXPECTED_RESPONSE": "gold",
}
_WORDS = "|".join(PLACEHOLDERS)
BRACED, BARE = re.compile(r"\{\{(" + _WORDS + r")\}\}"), re.compile(r"\b(" + _WORDS + r")\b")


class InsertedValue(NamedTuple):
    """A value in the judge's user message: its name (`answer`, `documents[1]`), text, start, and its own row."""

    name: str
    text: str
    start: int
    source: Location = NOWHERE

    def locate(self, case: RuleContext, message: Message, start: int, end: int) -> Location:
        """Return the place of a span of the value: in the message, and in the file of its row if not the record's."""
        if case.record:
            record_file = case.record.place.file
        else:
            record_file = None
        place = Location(role=message.role, start=self.start + start, end=self.start + end)
        if self.source.file is None or self.source.file == record_file:
            return place
        return replace(place, file=self.source.file, line=self.source.line)


def list_names(judge: Judge) -> frozenset[str] | None:
    """Return what the template reads, as question, answer, documents, gold or its own names; None if it is broken."""
    if judge.syntax == "placeholder":
        pattern = BARE if judge.bare else BRACED
        return frozenset(PLACEHOLDERS[hit[1]] for hit in pattern.finditer(judge.user))
    fields = list_format_fields(judge)
    if fields is None:
        return None
    names: set[str | None] = set()
    for name in fields:
        names |= {"gold" if name == "gold_reference" else name, find_record_value(judge, name)}
    return frozenset(name for name in names if name)


def find_judge(case: RuleContext) -> Judge | None:
    """Return the judge that is shown the case's assembly."""
    if case.assembly:
        choice = case.assembly.choice
    else:
        choice = None
    if choice and choice.judge:
        return case.workspace.judges.get(choice.judge)
    return None


def list_inserted_values(case: RuleContext) -> Iterator[tuple[Message, InsertedValue]]:
    """Yield the values of the record and of the answer in their order, each with its message."""
    for message in case.messages("user"):
        start = 0
        for segment in message.segments:
            if segment.origin == "variable" and segment.name:
                yield message, InsertedValue(segment.name, segment.text, start, segment.place)
            start += len(segment.text)


def is_foreign(name: str) -> bool:
    """Return whether a value was written by those who are judged, or is in a source, and so may address the judge."""
    return name.startswith(("documents[", "answer", "response"))
