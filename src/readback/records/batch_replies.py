"""The replies of a batch of requests: which record and condition each is about, and the text that was replied.

The lines are those that OpenAI's batch interface returns: {"custom_id", "response": {"status_code", "body"}, "error"};
Anthropic's have {"custom_id", "result": {"type", "message"}}. `custom_id` is the one that an export wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.records import custom_id
from readback.records.dataset import Dataset
from readback.types import Condition, Selection, Workspace

CUSTOM_ID = "custom_id"
REPLY_KEYS = ("response", "result")
JOINER = "\n"  # between the text blocks of one reply


@dataclass(frozen=True, slots=True, eq=False)
class BatchReplies:
    """The names of a condition's requests in a batch, for a workspace whose dataset is `records`."""

    workspace: Workspace
    condition: Condition
    records: Dataset

    def find(self, replies: Dataset, record: str) -> int | None:
        """The number of the reply to what was asked for a record; None where there is none."""
        at = self.records.find(record)
        if at is None:
            return None
        names = (name for choice in self._choices() for name in custom_id.forms(at, record, choice))
        return next((number for name in names if (number := replies.find(name)) is not None), None)

    def record_of(self, name: str) -> str | None:
        """The id of the record that a request's name is about; None where it is none of an export."""
        try:
            about = custom_id.resolve(name, self.workspace, self._id)
        except ValueError:
            return None
        return about[1] if about else None

    def _choices(self) -> Iterator[Selection]:
        """What the export may have been of: the condition by each of its names, else its mode or task."""
        yield from (Selection(condition=name) for name in (self.condition.name, *self.condition.aliases))
        if self.condition.mode:
            yield Selection(mode=self.condition.mode)
        if self.condition.task:
            yield Selection(task=self.condition.task)

    def _id(self, index: int) -> str | None:
        return self.records.place(index).record if index < len(self.records) else None


def is_batch(fields: Collection[str]) -> bool:
    """Whether these columns are those of replies to a batch."""
    names = set(fields)
    return CUSTOM_ID in names and ({"response", "error"} <= names or "result" in names)


def read_reply(fields: Mapping[str, Any]) -> str | None:
    """The text that a request was answered with; None where it failed or was answered with no text."""
    for key in REPLY_KEYS:
        reply = fields.get(key)
        if isinstance(reply, Mapping):
            body = reply.get("body", reply.get("message"))
            if isinstance(body, Mapping):
                return _text_of(body)
    return None


def _text_of(body: Mapping[str, Any]) -> str | None:
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        message = choices[0].get("message")
        content = message.get("content") if isinstance(message, Mapping) else choices[0].get("text")
    else:
        content = body.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if isinstance(block, Mapping) and isinstance(block.get("text"), str)]
    return JOINER.join(texts) if texts else None
