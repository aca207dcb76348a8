"""Read the replies of a batch of requests: the record and selection that each answers, and its text.

Lines are as OpenAI's batch interface returns them: {"custom_id", "response": {"status_code", "body"}, "error"};
Anthropic's have {"custom_id", "result": {"type", "message"}}. `custom_id` is what an export wrote.
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
MARK = b'"custom_id"'  # in the beginning of every file of a batch, for it precedes the long texts of a row
JOINER = "\n"  # between the text blocks of one reply
SUCCESS = range(200, 300)  # statuses of HTTP
SHORT = 80  # characters of an id, a message or a code that a finding shows
EXAMPLES = 3  # ids and kinds of failure in a finding
START = 1 << 16  # bytes at the beginning of a file in which MARK is looked for


class Request(NamedTuple):
    """What a reply answers: the id of a record and the selection that was sent (with the condition's own name)."""

    record: str
    choice: Selection


class Reply(NamedTuple):
    """The text of a reply, None with a `failure`; `finish` is why the model stopped, `usage` counts its tokens."""

    text: str | None
    failure: str = ""
    finish: str = ""
    usage: Mapping[str, Any] | None = None


class BatchRequests:
    """Finds the requests in exports of a workspace by their custom_id. `records` is its dataset."""

    def __init__(self, opened: Workspace, records: Dataset) -> None:
        self._opened, self._records = opened, records
        self._conditions = {
            name: condition.name for condition in opened.conditions for name in (condition.name, *condition.aliases)
        }

    def find(self, name: str) -> Request | None:
        """Return the request with this custom_id; None if no export of the workspace contains it.

        The record is found by its id, even if rows were added before it. Return None too if an earlier record has the
        same id, since nothing distinguishes their replies.
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
        if index is None or self._records.is_repeated(index):
            return None
        selection = self._normalize(choice)
        if selection:
            return Request(record, selection)
        return None

    def _normalize(self, choice: Selection) -> Selection | None:
        """Return the selection with its condition's own name; None if it names something that the workspace lacks."""
        opened = self._opened
        named = (choice.judge, opened.judges), (choice.mode, opened.prompts), (choice.task, opened.tasks)
        if choice == Selection() or any(name is not None and name not in table for name, table in named):
            return None
        if choice.condition is None:
            return choice
        condition = self._conditions.get(choice.condition)
        if condition:
            return replace(choice, condition=condition)
        return None

    def _id_at(self, index: int) -> str | None:
        if index < len(self._records):
            return self._records.place(index).record
        return None


@dataclass(frozen=True, slots=True, eq=False)
class BatchReplies:
    """Finds the replies of a batch to the requests of a condition. `records` is the dataset of the workspace."""

    workspace: Workspace
    condition: Condition
    records: Dataset
    _by_record: dict[str, int] = field(default_factory=dict)  # filled by numbers()

    def find(self, replies: Dataset, record: str) -> int | None:
        """Return the number of the reply to the request for a record; None without one."""
        index = self.records.find(record)
        if index is None:
            return None
        for selection in self._selections():
            for name in custom_id.list_forms(index, record, selection):
                number = replies.find(name)
                if number is not None:
                    return number
        return self.numbers(replies).get(record)

    def numbers(self, replies: Dataset) -> Mapping[str, int]:
        """Map each record id to the number of the first reply about it, in the order of the replies."""
        if not self._by_record:
            requests = BatchRequests(self.workspace, self.records)
            for number, name in enumerate(replies.ids()):
                request = requests.find(name)
                if request and self._is_own(request.choice):
                    self._by_record.setdefault(request.record, number)
        return self._by_record

    def find_record(self, name: str) -> str | None:
        """Return the record id of a request by its custom_id; None if no export contains it."""
        request = BatchRequests(self.workspace, self.records).find(name)
        if request:
            return request.record
        return None

    def _is_own(self, choice: Selection) -> bool:
        if choice.condition:
            return choice == Selection(condition=self.condition.name)
        return choice in self._selections()

    def _selections(self) -> Iterator[Selection]:
        """Yield the selections that an export of the condition may have: each of its names, its mode, its task."""
        yield from (Selection(condition=name) for name in (self.condition.name, *self.condition.aliases))
        if self.condition.mode:
            yield Selection(mode=self.condition.mode)
        if self.condition.task:
            yield Selection(task=self.condition.task)


class BatchAccount:
    """Counts what became of the rows of a file of replies: used, failed, or without a request in the workspace."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._all = self._used = self._failed = self._unmatched = 0
        self._ids: list[str] = []
        self._failures: Counter[str] = Counter()
        self._lines: dict[str, int] = {}  # the first line of each kind

    def add(self, name: str, request: Request | None, failure: str, line: int) -> None:
        """Count a row by its custom_id, its request (None: unknown) and its failure (empty: none)."""
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
        """Yield a diagnostic for the unmatched rows and another for the failed ones, if there are any."""
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
    """Tell whether columns are those of replies to a batch."""
    names = set(fields)
    return CUSTOM_ID in names and ({"response", "error"} <= names or "result" in names)


def is_exported(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether any row has a custom_id that an export of Readback wrote."""
    names = (row.get(CUSTOM_ID) for row in rows)
    return any(isinstance(name, str) and custom_id.is_ours(name) for name in names)


def count_rows(replies: Dataset, requests: BatchRequests) -> BatchAccount:
    """Count the rows of a file of replies whose ids are custom_ids."""
    account = BatchAccount(replies.file)
    for index in range(len(replies)):
        row = replies.record(index)
        name = row.id or ""
        account.add(name, requests.find(name), read_reply(row.fields).failure, row.place.line or 0)
    return account


def read_reply(fields: Mapping[str, Any]) -> Reply:
    """Return the reply in a row: its text, or why it has none."""
    if error := fields.get("error"):
        return Reply(None, _describe_failure(error))
    if "result" in fields:
        return _read_anthropic_result(fields["result"])
    response = fields.get("response")
    if not isinstance(response, Mapping):
        return Reply(None, "it has no response")
    status, body = response.get("status_code", 200), response.get("body")
    if not isinstance(status, int) or status not in SUCCESS:
        return Reply(None, f"status {str(status)[:SHORT]}")
    return _read_body(body)


def _read_anthropic_result(result: Any) -> Reply:
    if not isinstance(result, Mapping):
        return Reply(None, "it has no result")
    ended = result.get("type", "succeeded")
    if ended != "succeeded":
        return Reply(None, str(ended)[:SHORT])
    return _read_body(result.get("message"))


def _read_body(body: Any) -> Reply:
    if not isinstance(body, Mapping):
        return Reply(None, "its body is no object")
    if error := body.get("error"):
        return Reply(None, _describe_failure(error))
    finish: Any = ""
    usage = body.get("usage")
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        message, finish = choices[0].get("message"), choices[0].get("finish_reason")
        if isinstance(message, Mapping):
            content = message.get("content")
        else:
            content = choices[0].get("text")
    else:
        content, finish = body.get("content"), body.get("stop_reason")
    text = _join_text(content)
    if text is not None:
        why = ""
    else:
        why = "it was answered without a text"
    return Reply(text, why, finish if isinstance(finish, str) else "", usage if isinstance(usage, Mapping) else None)


def _describe_failure(error: Any) -> str:
    """Return why a request failed in the words of the service: its code, else its type or message."""
    if isinstance(error, Mapping):
        inner = error.get("error")
        if isinstance(inner, Mapping):
            return _describe_failure(inner)
        error = next((error[name] for name in ("code", "type", "message") if error.get(name)), "error")
    return str(error)[:SHORT]


def _join_text(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        blocks = content
    else:
        blocks = []
    texts = [block["text"] for block in blocks if isinstance(block, Mapping) and isinstance(block.get("text"), str)]
    if texts:
        return JOINER.join(texts)
    return None
