"""What rules ask about a judge's prompt: which names its template reads, and where its values are in a message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from readback.sources.judge_names import filled_by, format_names
from readback.types import NOWHERE, Judge, Location, Message, RuleContext

PLACEHOLDERS = {
    "QUESTION": "question",
    "ASSISTANT_RESPONSE": "answer",
    "CONTEXTS": "documents",
    "EXPECTED_RESPONSE": "gold",
}
_WORDS = "|".join(PLACEHOLDERS)
BRACED, BARE = re.compile(r"\{\{(" + _WORDS + r")\}\}"), re.compile(r"\b(" + _WORDS + r")\b")


class Inserted(NamedTuple):
    """A value in the judge's user message: its name (`answer`, `documents[1]`), its text, where it begins, and the
    row that it is from.
    """

    name: str
    text: str
    start: int
    source: Location = NOWHERE

    def place(self, case: RuleContext, message: Message, start: int, end: int) -> Location:
        """A stretch of the value in its message; in the file of the value's own row, where that is not the record's."""
        own = case.record.place.file if case.record else None
        at = Location(role=message.role, start=self.start + start, end=self.start + end)
        if self.source.file is None or self.source.file == own:
            return at
        return replace(at, file=self.source.file, line=self.source.line)


def names(judge: Judge) -> frozenset[str] | None:
    """What the template reads, as question, answer, documents, gold or its own names; None where it is broken."""
    if judge.syntax == "placeholder":
        pattern = BARE if judge.bare else BRACED
        return frozenset(PLACEHOLDERS[hit[1]] for hit in pattern.finditer(judge.user))
    fields = format_names(judge)
    if fields is None:
        return None
    filled = (("gold" if name == "gold_reference" else name, filled_by(judge, name)) for name in fields)
    return frozenset(name for pair in filled for name in pair if name)


def of(case: RuleContext) -> Judge | None:
    """The judge whose prompt the case's assembly is."""
    choice = case.assembly.choice if case.assembly else None
    return case.workspace.judges.get(choice.judge) if choice and choice.judge else None


def inserted(case: RuleContext) -> Iterator[tuple[Message, Inserted]]:
    """The values of the record and of the answer, in their order."""
    for message in case.messages("user"):
        start = 0
        for segment in message.segments:
            if segment.origin == "variable" and segment.name:
                yield message, Inserted(segment.name, segment.text, start, segment.place)
            start += len(segment.text)


def is_foreign(name: str) -> bool:
    """Whether a value was written by those who are judged, or is in a source: what may speak to the judge."""
    return name.startswith(("documents[", "answer", "response"))
