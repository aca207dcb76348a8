"""Replies of a batch that asked a judge: each is about the record and condition that its `custom_id` names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from readback.records.replies.batch_replies import (
    CUSTOM_ID,
    BatchAccount,
    Reply,
    Request,
    is_batch,
    is_exported,
    read_reply,
)
from readback.scores.files.formats import replies
from readback.scores.files.layout import fields_of
from readback.scores.files.score_rows import FileScores, FileSettings, Row
from readback.types import Diagnostic

NAME = "judges' replies of a batch"
UNMATCHED, ANSWERED = "replies to no request of this workspace", "replies that are answers"


def recognise(rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
    """Tell whether rows have the columns of a batch, and names that an export of Readback gives."""
    return is_batch(fields_of(rows)) and is_exported(rows)


def read(rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
    """Read the scores in the replies, as any other replies of these judges; a request that failed is failed."""
    batch = _Batch(settings)
    samples = [row for row in map(_Batch(settings).named, head) if row is not None]
    result = replies.read(batch.rows(rows), samples, settings)
    left_out = {**result.source.left_out, **{what: count for what, count in batch.left_out.items() if count}}
    source = replace(result.source, what=NAME, left_out=left_out)
    return replace(result, source=source, diagnostics=(*result.diagnostics, *batch.account.report()))


@dataclass(frozen=True, slots=True)
class _Named:
    """A row of replies with its item, condition and judge by name."""

    fields: Mapping[str, Any]
    line: int
    offset: int = 0


@dataclass(slots=True)
class _Batch:
    """The rows of one file on their way, and what became of them."""

    settings: FileSettings
    account: BatchAccount = field(init=False)
    left_out: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.account = BatchAccount(self.settings.source.path)

    def rows(self, rows: Iterable[Row | Diagnostic]) -> Iterator[Row | Diagnostic]:
        for row in rows:
            if isinstance(row, Diagnostic):
                yield row
            elif (named := self.named(row)) is not None:
                yield named

    def named(self, row: Row) -> _Named | None:
        """Return the row of a judge's reply; None for any other, which is counted."""
        called = row.fields.get(CUSTOM_ID)
        if isinstance(called, str):
            name = called
        else:
            name = str(called)
        if self.settings.find_request:
            request = self.settings.find_request(name)
        else:
            request = None
        reply = read_reply(row.fields)
        self.account.add(name, request, reply.failure, row.line)
        if request is None or request.choice.judge is None:
            self.left_out[UNMATCHED if request is None else ANSWERED] += 1
            return None
        return _Named(_fields(request, reply), row.line, getattr(row, "offset", 0))


def _fields(request: Request, reply: Reply) -> dict[str, Any]:
    choice = request.choice
    fields: dict[str, Any] = {"item": request.record, "judge": choice.judge, "reply": reply.text}
    if choice.condition is not None:
        fields["condition"] = choice.condition
    fields |= {"finish_reason": reply.finish, "usage": reply.usage, replies.FAILURE: reply.failure}
    return fields
