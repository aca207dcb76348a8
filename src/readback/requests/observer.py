"""Hold what was sent, as far as it was logged, against what the files assemble to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from readback.prompts import model_input
from readback.readers.progress import Progress
from readback.records.answers import SENT, Answers, open_answers
from readback.records.dataset import Dataset
from readback.requests.first_difference import FirstDifference, first_difference
from readback.requests.log import Log, Logged, open_log
from readback.requests.request import Request
from readback.types import Assembly, Diagnostic, Location, Record, Workspace

CODE = "fmt-assembly-differs"


@dataclass(frozen=True, slots=True)
class Seen:
    """What the logs say about one assembly: equal byte for byte, or the first difference; and where that is."""

    verdict: Literal["equal", "differs"]
    place: Location
    first_difference: FirstDifference | None = None
    sent: Request | None = None


class Observer:
    """The logs and saved prompts of a workspace. Reading them is left to the first question."""

    def __init__(self, opened: Workspace, data: Dataset, progress: Progress | None = None) -> None:
        self.opened = opened
        self.log: Log = open_log(opened, data, progress)
        self._answers: dict[str, Answers | None] = {}

    @property
    def there(self) -> bool:
        """Whether anything was logged at all."""
        return bool(self.opened.sent) or any(self._saved(condition.name) for condition in self.opened.conditions)

    def seen(self, record: Record, made: Assembly) -> Seen | None:
        """What was observed for an assembly; None where nothing was, or where nothing can be held against it."""
        if not made.messages or made.masked or record.id is None:
            return None
        every = list(self._logged(made, record.id))
        if not every:
            return None
        ours = [(message.role, message.text) for message in made.messages]
        served, whole = self._served(made), None
        found: Seen | None = None
        for logged in every:
            if logged.request.form == "prompt" and whole is None:
                condition = self.opened.condition(made.choice.condition) if made.choice.condition else None
                read = model_input.build_model_input(self.opened, record, made, condition, False)
                whole = read.text if read else ""
            first = first_difference(ours, logged.request, served=served, whole=whole)
            if first is not None:
                return Seen("differs", logged.place, first, logged.request)
            found = found or Seen("equal", logged.place, None, logged.request)
        return found

    def _logged(self, made: Assembly, record: str) -> Iterator[Logged]:
        choice = made.choice
        name = choice.condition or choice.mode or ""
        yield from self.log.get(name, record, choice.judge or "")
        if choice.judge is not None:  # the prompt kept with an answer is the one that the answering model got
            return
        saved = self._saved(name) if choice.condition else None
        answer = saved.get(record) if saved else None
        if answer is not None and answer.sent is not None:
            yield Logged(Request("prompt", (("user", answer.sent),)), answer.place)

    def _saved(self, name: str) -> Answers | None:
        """The answers of a condition that kept the prompts they were given."""
        if name not in self._answers:
            condition = self.opened.condition(name)
            found = open_answers(self.opened, condition) if condition and condition.answers else None
            kept = found and found.dataset and SENT in found.dataset.field_counts
            self._answers[name] = found if kept else None
        return self._answers[name]

    def _served(self, made: Assembly) -> bool:
        """Whether the server says the system message by itself: it is in the Modelfile of the model that answers."""
        if made.choice.judge is not None:
            return False
        condition = self.opened.condition(made.choice.condition) if made.choice.condition else None
        model = self.opened.models.get(condition.model) if condition and condition.model else None
        system = next((message.text for message in made.messages if message.role == "system"), None)
        return bool(model and model.modelfile and model.modelfile.system == system)


def prepare(opened: Workspace, data: Dataset) -> None:
    """Index the logs and answers, so that observers in bounded children, which write nothing, find them indexed."""
    open_log(opened, data)
    for condition in opened.conditions:
        if condition.answers:
            open_answers(opened, condition)


def diagnostic(seen: Seen) -> Diagnostic:
    """The diagnostic of a request that differs: the first difference and where it was logged."""
    assert seen.first_difference is not None  # noqa: S101 - asked for only where there is one
    first = seen.first_difference
    at = seen.place
    values = {
        "what": {"text": "text", "only ours": "not sent", "only sent": "only sent", "role": "role"}[first.what],
        "role": first.role,
        "at": first.at,
        "ours": repr(first.ours),
        "sent": repr(first.sent),
        "logged": f"{at.file}:{at.line}",
    }
    if first.what == "text":
        end = first.at + len(first.ours.removesuffix("…"))
        return Diagnostic(CODE, values, Location(role=first.role, start=first.at, end=end), first.sent)
    return Diagnostic(CODE, values, Location(role=first.role if first.what == "only ours" else None), first.sent)
