"""Compare what was sent, as far as it was logged, with what the files assemble to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from readback.prompts import model_input
from readback.readers.files.progress import Progress
from readback.records.dataset import Dataset
from readback.records.replies.answers import SENT, Answers, open_answers
from readback.requests.first_difference import RESPELLED, FirstDifference, find_first_difference
from readback.requests.log import Log, Logged, open_log
from readback.requests.request import Request
from readback.types import Assembly, Diagnostic, Location, Record, Workspace

CODE = "fmt-assembly-differs"
SPELLING_CODE = "fmt-json-respelled"


@dataclass(frozen=True, slots=True)
class Observation:
    """What the logs say about one assembly: equal byte for byte, or the first difference; and where that is.

    `equal` of `logged` requests about it are equal; the difference is that of the first which is not, and of one that
    is equal but for the spelling of JSON only where no other differs.
    """

    verdict: Literal["equal", "respelled", "differs"]
    place: Location
    first_difference: FirstDifference | None = None
    sent: Request | None = None
    equal: int = 1
    logged: int = 1


class Observer:
    """Compare assemblies with the logs and saved prompts of a workspace, which are read when they are needed."""

    def __init__(self, workspace: Workspace, records: Dataset, progress: Progress | None = None) -> None:
        self.workspace = workspace
        self.log: Log = open_log(workspace, records, progress)
        self._answers: dict[str, Answers | None] = {}

    @property
    def has_logs(self) -> bool:
        """Whether anything was logged at all."""
        return bool(self.workspace.sent) or any(
            self._load_saved(condition.name) for condition in self.workspace.conditions
        )

    def observe(self, record: Record, assembly: Assembly) -> Observation | None:
        """Return what was observed for an assembly; None where nothing was, or nothing can be compared with it."""
        if not assembly.messages or assembly.masked or record.id is None:
            return None
        requests = list(self._list_logged(assembly, record.id))
        if not requests:
            return None
        ours = [(message.role, message.text) for message in assembly.messages]
        served, whole = self._is_system_served(assembly), None
        first: Observation | None = None
        differing: Observation | None = None
        respelled: Observation | None = None
        equal = 0
        for logged in requests:
            if logged.request.form == "prompt" and whole is None:
                if assembly.choice.condition:
                    condition = self.workspace.condition(assembly.choice.condition)
                else:
                    condition = None
                read = model_input.build_model_input(self.workspace, record, assembly, condition, False)
                whole = read.text if read else ""
            difference = find_first_difference(ours, logged.request, served=served, whole=whole)
            if difference is None:
                equal += 1
                first = first or Observation("equal", logged.place, None, logged.request)
            elif difference.change == RESPELLED:
                respelled = respelled or Observation("respelled", logged.place, difference, logged.request)
            else:
                differing = differing or Observation("differs", logged.place, difference, logged.request)
        observation = differing or respelled or first
        if observation:
            return replace(observation, equal=equal, logged=len(requests))
        return None

    def _list_logged(self, assembly: Assembly, record: str) -> Iterator[Logged]:
        choice = assembly.choice
        name = choice.condition or choice.mode or ""
        yield from self.log.get(name, record, choice.judge or "")
        if choice.judge is not None:  # the prompt saved with an answer is that of the answering model
            return
        if choice.condition:
            saved = self._load_saved(name)
        else:
            saved = None
        answer = saved.get(record) if saved else None
        if answer is not None and answer.sent is not None:
            yield Logged(Request("prompt", (("user", answer.sent),)), answer.place)

    def _load_saved(self, name: str) -> Answers | None:
        """Return the answers of a condition that were saved with their prompts, None where there are none."""
        if name not in self._answers:
            condition = self.workspace.condition(name)
            if condition and condition.answers:
                saved = open_answers(self.workspace, condition)
            else:
                saved = None
            has_prompts = saved and saved.dataset and SENT in saved.dataset.field_counts
            self._answers[name] = saved if has_prompts else None
        return self._answers[name]

    def _is_system_served(self, assembly: Assembly) -> bool:
        """Return whether the system message is in the Modelfile of the model, so that the server adds it by itself."""
        if assembly.choice.judge is not None:
            return False
        if assembly.choice.condition:
            condition = self.workspace.condition(assembly.choice.condition)
        else:
            condition = None
        if condition and condition.model:
            model = self.workspace.models.get(condition.model)
        else:
            model = None
        system = next((message.text for message in assembly.messages if message.role == "system"), None)
        return bool(model and model.modelfile and model.modelfile.system == system)


def prepare_logs(workspace: Workspace, records: Dataset) -> None:
    """Index the logs and answers, so that observers in bounded children, which write nothing, find them indexed."""
    open_log(workspace, records)
    for condition in workspace.conditions:
        if condition.answers:
            open_answers(workspace, condition)


def build_diagnostic(observation: Observation) -> Diagnostic:
    """Return the diagnostic of a request that differs: the first difference and where it was logged."""
    assert observation.first_difference is not None  # noqa: S101 - called only where there is one
    first = observation.first_difference
    logged = observation.place
    values = {
        "what": {"text": "text", "only ours": "not sent", "only sent": "only sent", "role": "role"}[first.what],
        "role": first.role,
        "at": first.at,
        "ours": repr(first.ours),
        "sent": repr(first.sent),
        "logged": f"{logged.file}:{logged.line}",
    }
    if observation.verdict == "respelled":
        return Diagnostic(SPELLING_CODE, values, Location(role=first.role), f"{logged.file}:{logged.line}")
    if first.what == "text":
        end = first.at + len(first.ours.removesuffix("…"))
        return Diagnostic(CODE, values, Location(role=first.role, start=first.at, end=end), first.sent)
    return Diagnostic(CODE, values, Location(role=first.role if first.what == "only ours" else None), first.sent)
