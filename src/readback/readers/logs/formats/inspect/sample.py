"""Turn one sample of a log of Inspect into events: its record, every call of a model, and its scores."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readback.readers.logs.events import Call, Event, Id, LogRecord, LogScore
from readback.readers.logs.formats.inspect.byte_walk import BrokenText, ByteWalk
from readback.readers.logs.formats.inspect.long_sample import read_needed_fields
from readback.readers.logs.formats.inspect.run import Settings, name_criterion, read_number
from readback.readers.logs.formats.inspect.transcript import (
    Request,
    Transcript,
    read_reply,
    take_events,
    take_reply_message,
    take_sent,
)
from readback.readers.logs.formats.inspect.values import (
    Attachments,
    Fields,
    Unreadable,
    has_references,
    split_object,
    take_field,
)
from readback.readers.logs.formats.inspect.zip_members import BadZip
from readback.types import Diagnostic, Location

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # as Inspect reads them, in any case
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
RECORD = ("input", "target", "choices", "metadata", "description", "sandbox", "files", "setup")
OLD_SCORE = "score"  # logs of 2024: one score without the scorer's name
NO_REQUEST = "the log holds no request for this sample; this is the input of its row"


def report_row(file: str, reason: str, line: int | None = None, index: int | None = None) -> Diagnostic:
    """Return the diagnostic that a sample cannot be read, or not wholly."""
    return Diagnostic("dat-log-row", {"reason": reason}, Location(file=file, line=line, index=index))


@dataclass(slots=True)
class SampleReader:
    """Reads the samples of one log, one after the other. `unknown` counts kinds of events that are not known."""

    file: str
    settings: Settings
    unknown: Counter[str] = field(default_factory=Counter)
    _records: set[Id] = field(default_factory=set)
    _index: int = 0

    @property
    def count(self) -> int:
        """How many samples were read, those included that could not be."""
        return self._index

    def refuse(self, reason: str, record: Id = None, epoch: int = 1, line: int | None = None) -> Iterator[Event]:
        """Yield what stands for a sample that cannot be read."""
        yield report_row(self.file, reason, line, self._index)
        yield Call(self._index, self.settings.model, None, record=record, epoch=epoch, error=reason, line=line)
        self._index += 1

    def read(self, text: bytes, record: Id = None, epoch: int = 1, line: int | None = None) -> Iterator[Event]:
        """Yield the events of the sample whose JSON is `text`.

        `record` and `epoch` are what the file says where the text cannot.
        """

        def make() -> Sample:
            return Sample(split_object(text), self.settings, has_references(text))

        yield from self._read(make, record, epoch, line)

    def read_long(
        self, walk: ByteWalk, record: Id = None, epoch: int = 1, line: int | None = None, is_alone: bool = False
    ) -> Iterator[Event]:
        """Yield the events of the sample that begins at a place in a text, which is too long to be held.

        `is_alone`: nothing may follow it, and what is read for it has to be whole.
        """

        def make() -> Sample:
            fields, faults = read_needed_fields(walk)
            if is_alone and walk.peek():
                raise BrokenText("something follows the sample")
            sample = Sample(fields, self.settings)
            sample.faults += faults
            return sample

        yield from self._read(make, record, epoch, line)

    def _read(self, make: Callable[[], Sample], record: Id, epoch: int, line: int | None) -> Iterator[Event]:
        try:
            sample = make()
            calls = list(sample.list_calls(self._index, line))
            faults = sample.list_faults()
        except (Unreadable, BrokenText, BadZip) as error:
            yield from self.refuse(str(error), record, epoch, line)
            return
        except MemoryError:
            yield from self.refuse("it takes more memory than reading may take", record, epoch, line)
            return
        self.unknown.update(sample.unknown)
        for fault in faults:
            yield report_row(self.file, fault, line, self._index)
        if sample.id is not None and sample.id not in self._records:
            self._records.add(sample.id)
            yield LogRecord(sample.id, sample.record, line)
        yield from calls
        yield from sample.list_scores(line)
        self._index += 1


class Sample:
    """One sample: decoded, with its attachments in place. `faults` say what of it could not be read."""

    def __init__(self, fields: Fields, settings: Settings, may_refer: bool = True) -> None:
        """Decode what is needed of the fields. Raises Unreadable."""
        self.settings = settings
        self.faults: list[str] = []
        old = self._take_object(fields, "transcript")  # until autumn 2024
        texts = take_field(fields, "attachments")
        if not isinstance(texts, dict):
            texts = old.get("content")
        self._attachments = Attachments(texts if isinstance(texts, dict) else {}, may_refer)
        self.id = self._read_id(take_field(fields, "id"))
        self.epoch = self._read_epoch(take_field(fields, "epoch"))
        self.record = {name: self._take(fields, name) for name in RECORD if name in fields}
        self.conversation = self._take(fields, "messages")
        self.output = self._attachments.resolve(self._take_object(fields, "output"))
        self.error = self._read_error(fields)
        self.limit = self._take(fields, "limit")
        self.warning = self._read_invalidation(fields)
        self._scores = self._take(fields, "scores")
        self._old_score = self._take(fields, OLD_SCORE)
        transcript = Transcript(take_field(fields, "events_data"), self._attachments)
        if "events" in fields or not old:
            events, bad = take_events(fields)
        else:
            events, bad = take_events(old)
        self.requests = list(transcript.list_requests(events))
        self.unknown = transcript.unknown
        if bad := bad + transcript.bad:
            self.faults.append(f"{bad} of its events are none")

    def list_faults(self) -> list[str]:
        """Return what of the sample could not be read; after its calls, for which attachments are looked for."""
        missing = sorted(self._attachments.missing)
        if not missing:
            return self.faults
        names = ", ".join(missing[:3])
        return [*self.faults, f"{len(missing)} of its attachments are missing ({names}): the reference stays"]

    def _take(self, fields: Fields, name: str) -> Any:
        if name in fields:
            return self._attachments.resolve(take_field(fields, name))
        return None

    def _take_object(self, fields: Fields, name: str) -> Fields:
        value = take_field(fields, name)
        if value is not None and not isinstance(value, dict):
            self.faults.append(f"its {name} is no object")
        if isinstance(value, dict):
            return value
        return {}

    def _read_id(self, value: Any) -> Id:
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return value
        self.faults.append("its id is missing" if value is None else "its id is neither a text nor a number")
        return None

    def _read_epoch(self, value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self.faults.append("its epoch is missing" if value is None else "its epoch is no whole number")
        return 1

    def _read_error(self, fields: Fields) -> str | None:
        error = take_field(fields, "error")
        if isinstance(error, dict):
            error = error.get("message")
        if isinstance(error, str) or error is None:
            return error
        return "the sample failed"

    def _read_invalidation(self, fields: Fields) -> str | None:
        mark = take_field(fields, "invalidation")
        if mark is None or mark is False:
            return None
        if isinstance(mark, dict):
            reason = mark.get("reason")
        else:
            reason = None
        if reason:
            return f"this sample was marked invalid: {reason}"
        return "this sample was marked invalid"

    def list_calls(self, index: int, line: int | None) -> Iterator[Call]:
        """Yield the calls of the sample; one with its input and its output where it has none by the model."""
        answer = self._find_answer()
        for number, request in enumerate(self.requests):
            yield self._make_call(index, line, number, request, number == answer)
        if answer is None:
            warnings = [NO_REQUEST, *([self.warning] if self.warning else [])]
            yield Call(
                index,
                self.settings.model,
                self._read_input(),
                record=self.id,
                epoch=self.epoch,
                call=len(self.requests),
                model=self.settings.model,
                output=read_reply(self.output),
                error=self.error,
                warning="; ".join(warnings),
                line=line,
                details=self._describe_answer(),
            )

    def _find_answer(self) -> int | None:
        """Return the number of the call whose reply is the answer: the last by the model that is evaluated."""
        numbers = [number for number, request in enumerate(self.requests) if request.scorer is None]
        by_model = [
            number
            for number in numbers
            if self.requests[number].event.model == self.settings.model and not self.requests[number].event.role
        ]
        numbers = by_model or numbers
        if numbers:
            return numbers[-1]
        return None

    def _make_call(self, index: int, line: int | None, number: int, request: Request, is_answer: bool) -> Call:
        event = request.event
        if isinstance(event.error, str):
            error = event.error
        else:
            error = None
        details = self._describe_request(request)
        warning = request.reason or ("this request was still under way" if event.pending else None)
        if is_answer:
            error = self.error or error
            warning = warning or self.warning
            details |= self._describe_answer()
        return Call(
            index,
            self.settings.model,
            request.messages,
            record=self.id,
            epoch=self.epoch,
            call=number,
            role="model" if request.scorer is None else "judge",
            judge=request.scorer,
            model=event.model if isinstance(event.model, str) else None,
            output=read_reply(request.output),
            error=error,
            warning=warning,
            line=line,
            is_answer=is_answer,
            details=details,
        )

    def _describe_request(self, request: Request) -> dict[str, Any]:
        """Return the settings of a request, and of its reply what is no text."""
        event = request.event
        choices = request.output.get("choices")
        if isinstance(choices, list) and choices:
            choice = choices[0]
        else:
            choice = None
        values = {
            "role": event.role,
            "config": event.config,
            "tools": event.tools,
            "tool_choice": event.tool_choice if event.tools else None,
            "cache": event.cache,
            "retries": event.retries,
        }
        details = {name: self._attachments.resolve(value) for name, value in values.items() if value}
        details["tool_calls"] = take_reply_message(request.output).get("tool_calls")
        details["stop_reason"] = choice.get("stop_reason") if isinstance(choice, dict) else None
        return {name: value for name, value in details.items() if value}

    def _describe_answer(self) -> dict[str, Any]:
        """Return what is shown with the answer: the task, the whole conversation, what a scorer took as the answer."""
        if isinstance(self._scores, dict):
            scores = self._scores
        else:
            scores = {}
        answers = {
            scorer: score["answer"] for scorer, score in scores.items() if isinstance(score, dict) and "answer" in score
        }
        details = {"task": self.settings.task, "conversation": self.conversation, "limit": self.limit}
        details["scored_answers"] = {scorer: answer for scorer, answer in answers.items() if answer is not None}
        return {name: value for name, value in details.items() if value}

    def _read_input(self) -> Sequence[Mapping[str, Any]] | None:
        value = self.record.get("input")
        if isinstance(value, str):
            return [{"role": "user", "content": value}]
        if isinstance(value, list) and all(isinstance(message, dict) for message in value):
            return [take_sent(message) for message in value]
        return None

    def list_scores(self, line: int | None) -> Iterator[LogScore]:
        """Yield the scores of the sample, and one without a value for each scorer that should have given one."""
        scores = self._scores
        if scores is None and self._old_score is not None:
            scores = {next(iter(self.settings.criteria), OLD_SCORE): self._old_score}
        if not isinstance(scores, dict):
            scores = {}
        for scorer, score in scores.items():
            if isinstance(score, dict):
                fields = score
            else:
                fields = {"value": score}
            yield from self._read_score(scorer, fields, line)
        for scorer, criteria in self.settings.criteria.items():
            if scorer not in scores:
                reason = self.error or "the scorer gave this sample no score"
                for criterion in criteria or (scorer,):
                    yield self._make_score(scorer, criterion, None, "missing", None, reason, line)

    def _read_score(self, scorer: str, score: Fields, line: int | None) -> Iterator[LogScore]:
        if score.get("value") == {}:
            value = score.get("value") or None
        else:
            value = score.get("value")
        texts = [text for text in (score.get("reason"), score.get("explanation")) if isinstance(text, str) and text]
        reason = ": ".join(texts) or None
        if isinstance(value, dict):
            values = {name_criterion(scorer, str(key)): item for key, item in value.items()}
        else:
            values = {scorer: value}
        for criterion, item in values.items():
            number = convert_score(item)
            status = "scored"
            if self.error is not None and not self.settings.scores_failed:
                number, status, reason = None, "failed", self.error
            elif item is None:
                status = "failed"
            yield self._make_score(scorer, criterion, number, status, item, reason, line)

    def _make_score(
        self,
        scorer: str,
        criterion: str,
        number: float | None,
        status: Any,
        raw: Any,
        reason: str | None,
        line: int | None,
    ) -> LogScore:
        return LogScore(self.id, self.settings.model, scorer, criterion, number, raw, status, self.epoch, reason, line)


def convert_score(value: Any) -> float | None:
    """Return the number that Inspect counts a value as (`value_to_float`); None where it has none for it."""
    if not isinstance(value, str):
        return read_number(value)
    if value in LETTERS:
        return LETTERS[value]
    if value.lower() in WORDS:
        return WORDS[value.lower()]
    if not NUMBER.fullmatch(value):
        return None
    number = float(value)
    if math.isfinite(number):
        return number
    return None
