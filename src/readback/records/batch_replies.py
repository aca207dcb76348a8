"""The replies of a batch of requests: which record and choice each is about, and the text that was replied.

The lines are those that OpenAI's batch interface returns: {"custom_id", "response": {"status_code", "body"}, "error"};
Anthropic's have {"custom_id", "result": {"type", "message"}}. `custom_id` is the one that an export wrote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from readback.records import custom_id
from readback.records.dataset import Dataset
from readback.types import Condition, Diagnostic, Location, Selection, Workspace

CUSTOM_ID = "custom_id"
JOINER = "\n"  # between the text blocks of one reply
SUCCESS = range(200, 300)  # statuses of HTTP
SHORT = 80  # characters of an id, a message or a code that a finding shows
EXAMPLES = 3  # ids and kinds of failure that a finding names
START = 1 << 16  # bytes at the beginning of a file in which the key is looked for


class Request(NamedTuple):
    """What a reply answers: a record by its id, and what was sent of it (a condition by its own name)."""

    record: str
    choice: Selection


class Reply(NamedTuple):
    """The text of one reply, None with a `failure`; `finish` is why the model stopped, `usage` counts its tokens."""

    text: str | None
    failure: str = ""
    finish: str = ""
    usage: Mapping[str, Any] | None = None


class BatchRequests:
    """The requests that exports of a workspace hold, by their names. `records` is its dataset."""

    def __init__(self, opened: Workspace, records: Dataset) -> None:
        self._opened, self._records = opened, records
        self._conditions = {name: one.name for one in opened.conditions for name in (one.name, *one.aliases)}

    def find(self, name: str) -> Request | None:
        """Return what a request of that name is about; None where no export of the workspace holds it.

        The record is the one of that id, also where rows were added before it. A record whose id an earlier one has,
        too, is none: nothing tells their replies apart.
        """
        try:
            resolved = custom_id.resolve(name, self._opened, self._id_at)
        except ValueError:
            return None
        if resolved is None:
            return None
        number, record, choice = resolved
        if record is None:
            return None
        index = number if self._id_at(number) == record else self._records.find(record)
        if index is None or self._records.again(index):
            return None
        known = self._known(choice)
        return Request(record, known) if known else None

    def _known(self, choice: Selection) -> Selection | None:
        """Return the choice with its condition's own name; None where it names what the workspace has not."""
        opened = self._opened
        named = (choice.judge, opened.judges), (choice.mode, opened.prompts), (choice.task, opened.tasks)
        if any(name is not None and name not in table for name, table in named) or choice == Selection():
            return None
        if choice.condition is None:
            return choice
        condition = self._conditions.get(choice.condition)
        return replace(choice, condition=condition) if condition else None

    def _id_at(self, index: int) -> str | None:
        return self._records.place(index).record if index < len(self._records) else None


@dataclass(frozen=True, slots=True, eq=False)
class BatchReplies:
    """The replies of a batch to what a condition sends, for a workspace whose dataset is `records`."""

    workspace: Workspace
    condition: Condition
    records: Dataset
    _by_record: dict[str, int] = field(default_factory=dict)  # filled when all are asked for

    def find(self, replies: Dataset, record: str) -> int | None:
        """The number of the reply to what was asked for a record; None where there is none."""
        at = self.records.find(record)
        if at is None:
            return None
        names = (name for choice in self._choices() for name in custom_id.forms(at, record, choice))
        number = next((number for name in names if (number := replies.find(name)) is not None), None)
        return self.numbers(replies).get(record) if number is None else number

    def numbers(self, replies: Dataset) -> Mapping[str, int]:
        """The number of the first reply about each record, in the order of the replies; others are not in it."""
        if not self._by_record:
            requests = BatchRequests(self.workspace, self.records)
            for number, name in enumerate(replies.ids()):
                request = requests.find(name)
                if request and self._is_mine(request.choice):
                    self._by_record.setdefault(request.record, number)
        return self._by_record

    def record_of(self, name: str) -> str | None:
        """The id of the record that a request's name is about; None where it is none of an export."""
        request = BatchRequests(self.workspace, self.records).find(name)
        return request.record if request else None

    def _is_mine(self, choice: Selection) -> bool:
        mine = {replace(one, condition=self.condition.name) if one.condition else one for one in self._choices()}
        return choice in mine

    def _choices(self) -> Iterator[Selection]:
        """What the export may have been of: the condition by each of its names, else its mode or task."""
        yield from (Selection(condition=name) for name in (self.condition.name, *self.condition.aliases))
        if self.condition.mode:
            yield Selection(mode=self.condition.mode)
        if self.condition.task:
            yield Selection(task=self.condition.task)


class BatchAccount:
    """What became of the rows of one file of replies: each is used, failed, of another kind, or of no request here."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._all = self._used = self._failed = self._unmatched = 0
        self._ids: list[str] = []
        self._failures: Counter[str] = Counter()
        self._lines: dict[str, int] = {}  # the first line of each kind

    def see(self, name: str, request: Request | None, failure: str, line: int) -> None:
        """Count one row: the name of its request, what that is, and why it failed (empty: it did not)."""
        self._all += 1
        if request is None:
            self._unmatched += 1
            self._lines.setdefault("unmatched", line)
            if len(self._ids) < EXAMPLES:
                self._ids.append(name[:SHORT])
        elif failure:
            self._failed += 1
            self._failures[failure] += 1
            self._lines.setdefault("failed", line)
        else:
            self._used += 1

    def report(self) -> Iterator[Diagnostic]:
        """Yield what somebody must know of the rows that are no replies."""
        counts = {"all": self._all, "used": self._used, "failed": self._failed, "unmatched": self._unmatched}
        if self._unmatched:
            place = Location(file=self._file, line=self._lines["unmatched"])
            values = {**counts, "count": self._unmatched, "ids": self._ids}
            yield Diagnostic("dat-batch-unmatched", values, place, self._file)
        if self._failed:
            kinds = [f"{why} ({count})" for why, count in self._failures.most_common(EXAMPLES)]
            place = Location(file=self._file, line=self._lines["failed"])
            yield Diagnostic("dat-batch-failed", {**counts, "count": self._failed, "kinds": kinds}, place, self._file)


def is_batch(fields: Collection[str]) -> bool:
    """Whether these columns are those of replies to a batch."""
    names = set(fields)
    return CUSTOM_ID in names and ({"response", "error"} <= names or "result" in names)


def is_exported(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether any of these rows has a name that an export of Readback gives to a request."""
    return any(custom_id.is_ours(name) for row in rows if isinstance(name := row.get(CUSTOM_ID), str))


def has_custom_ids(start: bytes) -> bool:
    """Whether the beginning of a file may be that of a batch; a row with long texts has its name before them."""
    return b'"custom_id"' in start[:START]


def account(replies: Dataset, requests: BatchRequests) -> BatchAccount:
    """Count the rows of a file of replies that is known by their names."""
    counted = BatchAccount(replies.file)
    for index in range(len(replies)):
        row = replies.record(index)
        name = row.id or ""
        counted.see(name, requests.find(name), read_reply(row.fields).failure, row.place.line or 0)
    return counted


def read_reply(fields: Mapping[str, Any]) -> Reply:
    """The reply in a row: its text, or why there is none."""
    if error := fields.get("error"):
        return Reply(None, _failure_of(error))
    if "result" in fields:
        return _of_anthropic(fields["result"])
    response = fields.get("response")
    if not isinstance(response, Mapping):
        return Reply(None, "it has no response")
    status, body = response.get("status_code", 200), response.get("body")
    if not isinstance(status, int) or status not in SUCCESS:
        return Reply(None, f"status {str(status)[:SHORT]}")
    return _of_body(body)


def _of_anthropic(result: Any) -> Reply:
    if not isinstance(result, Mapping):
        return Reply(None, "it has no result")
    ended = result.get("type", "succeeded")
    if ended != "succeeded":
        return Reply(None, str(ended)[:SHORT])
    return _of_body(result.get("message"))


def _of_body(body: Any) -> Reply:
    if not isinstance(body, Mapping):
        return Reply(None, "its body is no object")
    if error := body.get("error"):
        return Reply(None, _failure_of(error))
    finish: Any = ""
    usage = body.get("usage")
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        message, finish = choices[0].get("message"), choices[0].get("finish_reason")
        content = message.get("content") if isinstance(message, Mapping) else choices[0].get("text")
    else:
        content, finish = body.get("content"), body.get("stop_reason")
    text = _text_of(content)
    why = "" if text is not None else "it was answered without a text"
    return Reply(text, why, finish if isinstance(finish, str) else "", usage if isinstance(usage, Mapping) else None)


def _failure_of(error: Any) -> str:
    """Why a request failed, in the words of the service: its code, else its type or message."""
    if isinstance(error, Mapping):
        inner = error.get("error")
        if isinstance(inner, Mapping):
            return _failure_of(inner)
        error = next((error[name] for name in ("code", "type", "message") if error.get(name)), "error")
    return str(error)[:SHORT]


def _text_of(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if isinstance(block, Mapping) and isinstance(block.get("text"), str)]
    return JOINER.join(texts) if texts else None
