"""What a reader of a log yields: calls, records, scores, facts about the run, and diagnostics.

Values are JSON as the file has them: nothing is stripped, ids keep their kind, a missing value is None and never 0.
Messages are mappings of `role` and `content` (a text, a list of parts, or None), with every further key that the file
has for them (`name`, `tool_calls`, `tool_call_id`, `from`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from readback.types import Diagnostic

Role = Literal["model", "judge"]
Status = Literal["scored", "missing", "failed", "not applicable"]
Id = str | int | float | None


@dataclass(frozen=True, slots=True)
class Call:
    """One request and its reply. A row of the file without a readable request is a call without messages.

    `index` counts the tool's own rows from 0, those that cannot be read included. `messages` is None where the row has
    none: then `text` is what was sent without roles (completions), or `error` or `warning` says why there is nothing.
    `record` is the id of the item, None where the file has none. `epoch` counts repeats of a record from 1, `call` the
    requests about one record and epoch from 0. `role` "judge" is a request to a grader; then `judge` names it.
    `condition` is what is compared: for promptfoo prompt label × provider, else the task or the model. `output` is the
    reply: a text, or a JSON value where the tool stored one; None without a reply. `error` is why the call failed.
    `is_answer`: the output is the answer of the condition to the record, and not one on the way to it.
    `details` are further JSON values that are worth showing (continuations, tools, settings).
    """

    index: int
    condition: str | None
    messages: Sequence[Mapping[str, Any]] | None
    text: str | None = None
    record: Id = None
    epoch: int = 1
    call: int = 0
    role: Role = "model"
    judge: str | None = None
    prompt: str | None = None
    provider: str | None = None
    model: str | None = None
    output: Any = None
    error: str | None = None
    warning: str | None = None
    line: int | None = None
    is_answer: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogRecord:
    """The item that calls are about, with the fields of the tool's own row. The first with an id counts."""

    id: Id
    fields: Mapping[str, Any]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class LogScore:
    """One grade. `value` is a number only where there is one; `raw` is what the file holds.

    `status`: "failed" where the judge gave no grade or its reply could not be read, "missing" where nothing is there.
    """

    record: Id
    condition: str | None
    judge: str | None
    criterion: str
    value: float | None
    raw: Any = None
    status: Status = "scored"
    epoch: int = 1
    reason: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A mean, or another summary, that the tool itself stored. `n` is how many rows it says it counts."""

    condition: str | None
    judge: str | None
    criterion: str
    name: str
    value: float | None
    n: int | None = None
    unscored: int | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Facts about the whole log, once each; None where the file does not say.

    `state` is the tool's own word; `is_complete` False for a run that failed, was cancelled or still goes on, then
    `state_reason` says why. `rows` is how many rows the file promises.
    """

    tool: str
    version: str | None = None
    name: str | None = None
    run_id: str | None = None
    state: str | None = None
    is_complete: bool = True
    state_reason: str | None = None
    rows: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


Event = Call | LogRecord | LogScore | Aggregate | Run | Diagnostic
