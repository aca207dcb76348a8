"""Samples of lm-evaluation-harness: `samples_<task>_<date>.jsonl`, written by `--log_samples`.

Source: the files of lm-eval 0.4.13 (MIT) and its lm_eval/loggers/evaluation_tracker.py.

* A line is a document under one filter; with several filters the documents come again, with other metrics for the same
  request. A document is a call once. Its record is `doc_id`, its fields are those of `doc` and `target`.
* `arguments.gen_args_N` are the requests: `arg_0` is what was sent, a text, or for a chat a list with one JSON text of
  messages; `arg_1` is the continuation whose likelihood was asked for, or the settings. Requests with the same text
  are one call with several continuations. Files of 0.4.0 have lists of lists instead, and are one JSON list.
* `resps` are the replies, `filtered_resps` what a filter took from them; `[invalid]` is no answer.
* Metrics are the columns that `metrics` names. With a filter the criterion is `metric,filter`, as the tool's results
  have it, without one (`none`) the metric alone. A list (`word_perplexity`) is a part of the task's mean and no grade.
* The condition is the task. The file does not name it, nor the model: the results beside it do, else the file's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers import jsonl
from readback.readers.files.row import Refused, Row
from readback.readers.files.text_file import UTF8_MARK
from readback.readers.json_text import drop_non_finite
from readback.readers.logs.events import Call, Event, Id, LogRecord, LogScore, Run
from readback.readers.logs.formats.lm_eval_results import name_criterion, read_facts
from readback.readers.logs.head import peek_objects
from readback.readers.logs.json_elements import Unreadable, iterate_elements
from readback.readers.logs.open_file import read_stream, report_row
from readback.types import Diagnostic

NAME = "samples of lm-evaluation-harness"
TASK = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT[\d.-]+))?")
OWN = frozenset(
    (
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    )
)
NO_ANSWER = "[invalid]"
NOTHING_EXTRACTED = f"the filter took no answer from the reply ({NO_ANSWER})"
NUMBERED = re.compile(r"\w*?_(\d{1,9})")
MASK_BITS = 60
RESULTS_LISTED = 200  # files of results beside the samples that are looked at


def recognise(head: bytes, path: Path) -> bool:
    """Whether the first rows are samples: a document with its number, its requests and the replies."""
    return any(_is_sample(value) for value in peek_objects(head))


def _is_sample(value: Mapping[str, Any]) -> bool:
    if "doc_id" not in value or "doc" not in value:
        return False
    # a long document cuts off what follows
    return not value.keys() - {"doc_id", "doc", "target"} or bool(value.keys() & {"arguments", "resps"})


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the events of a file of samples."""
    task, facts = find_task(path)
    yield from read_stream(path, file, lambda stream: _Samples(file, task, facts).read(stream))


def find_task(path: Path) -> tuple[str, Mapping[str, Any]]:
    """Return the name of the task whose samples these are, and the results beside them, empty where there are none."""
    stem = path.name.removesuffix(".gz").rpartition(".")[0]
    match = TASK.fullmatch(stem)
    if match:
        name, date = match.groups()
    else:
        name, date = (stem, None)
    try:
        candidates = sorted(path.parent.glob("*results*.json"))[:RESULTS_LISTED]
    except OSError:
        candidates = []
    of_run = [each for each in candidates if date and date in each.name]
    if not of_run and (date is None or len(candidates) == 1):
        of_run = candidates
    for candidate in of_run:
        facts = read_facts(candidate)
        tasks = [task for task in facts.get("tasks", ()) if _is_of_task(stem, task)]
        if tasks:
            return max(tasks, key=len), facts
    return name, {}


def _is_of_task(stem: str, task: str) -> bool:
    return stem == f"samples_{task}" or stem.startswith(f"samples_{task}_2") or stem.endswith(f"_{task}")


class _Numbers:
    """A set of ids that takes a bit for each of the numbers that lie close together."""

    def __init__(self) -> None:
        self._masks: dict[int, int] = {}

    def add(self, value: Id) -> bool:
        """Add an id; return whether it is new."""
        if type(value) is int:
            number = value
        else:
            number = _digest(value)
        place, bit = number // MASK_BITS, 1 << number % MASK_BITS
        mask = self._masks.get(place, 0)
        self._masks[place] = mask | bit
        return not mask & bit


def _digest(value: Any) -> int:
    text = json.dumps(value, sort_keys=True)
    return -1 - int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


@dataclass(slots=True)
class _Documents:
    """Counts how often a document stands under a filter; what stands again under another filter is no new request."""

    by_filter: dict[tuple[str, int], _Numbers] = field(default_factory=dict)

    def find_epoch(self, document: Id, filter_name: str) -> tuple[int, bool]:
        """Return which repeat of a document under its filter this is, and whether it is new under any filter."""
        epoch = 1
        while not self.by_filter.setdefault((f"filter {filter_name}", epoch), _Numbers()).add(document):
            epoch += 1
        return epoch, self.by_filter.setdefault(("", epoch), _Numbers()).add(document)


class _Samples:
    """Reads the samples of one task."""

    def __init__(self, file: str, task: str, facts: Mapping[str, Any]) -> None:
        self._file = file
        self._task = task
        self._facts = facts
        self._documents = _Documents()
        self._calls = 0  # documents, and rows that cannot be read
        self._unreadable = 0

    def read(self, stream: BinaryIO) -> Iterator[Event]:
        head = stream.read(1 << 12).removeprefix(UTF8_MARK).lstrip()
        stream.seek(0)
        yield from self._read_list(stream) if head.startswith(b"[") else self._read_lines(stream)
        yield self._describe_run()

    def _read_lines(self, stream: BinaryIO) -> Iterator[Event]:
        for event in jsonl.rows(stream, self._file):
            match event:
                case Row():
                    yield from event.diagnostics
                    if event.diagnostics:
                        fields = drop_non_finite(event.fields)
                    else:
                        fields = event.fields
                    yield from self._read_sample(fields, event.line)
                case Refused(diagnostic=diagnostic):
                    if diagnostic is not None:
                        yield diagnostic
                    yield self._make_unreadable("the line cannot be read", event.line)
                case Diagnostic():
                    yield event

    def _read_list(self, stream: BinaryIO) -> Iterator[Event]:
        for line, value in iterate_elements(stream, ()):
            if not isinstance(value, Unreadable):
                yield from self._read_sample(value, line)
                continue
            yield report_row(value.reason, self._file, line)
            if value.is_element:
                yield self._make_unreadable(value.reason, line)

    def _make_unreadable(self, reason: str, line: int | None) -> Call:
        self._calls += 1
        self._unreadable += 1
        return Call(self._calls - 1, self._task, None, error=reason, line=line, is_answer=False)

    def _read_sample(self, sample: Any, line: int) -> Iterator[Event]:
        if isinstance(sample, dict):
            document = sample.get("doc_id")
        else:
            document = None
        if not isinstance(document, int | str | float):
            if isinstance(sample, dict):
                reason = "it has no doc_id"
            else:
                reason = "no object"
            yield report_row(reason, self._file, line)
            yield self._make_unreadable(reason, line)
            return
        filter_name = sample.get("filter")
        if not isinstance(filter_name, str):
            filter_name = "none"
        epoch, is_new = self._documents.find_epoch(document, filter_name)
        if is_new:
            yield LogRecord(document, _describe_document(sample), line)
            yield from self._read_calls(sample, document, epoch, filter_name, line)
            self._calls += 1
        yield from self._read_scores(sample, document, epoch, filter_name, line)

    def _read_calls(
        self, sample: Mapping[str, Any], document: Id, epoch: int, filter_name: str, line: int
    ) -> Iterator[Event]:
        """Yield a call for each text that was sent: mostly there is one."""
        requests = list_requests(sample.get("arguments"))
        replies = sample.get("resps")
        if not requests:
            reason = "it has no `arguments`"
            yield report_row(reason, self._file, line)
            requests = [Request(None, None)]
        extracted = sample.get("filtered_resps")
        if is_invalid(extracted):
            warning = NOTHING_EXTRACTED
        else:
            warning = None
        for number, group in enumerate(group_requests(requests)):
            first = group[0][1]
            continuations = [request.continuation for _, request in group if request.continuation is not None]
            if isinstance(replies, list):
                own = [replies[at] for at, _ in group if at < len(replies)]
            else:
                own = None
            details: dict[str, Any] = {
                "continuations": continuations,
                "settings": first.settings,
                "filter": filter_name if extracted is not None else None,
                "filtered": extracted if number == 0 else None,
                "target": sample.get("target"),
                **first.further,
            }
            messages, text, fault = read_context(first.context)
            yield Call(
                index=self._calls,
                condition=self._task,
                messages=messages,
                text=text,
                record=document,
                epoch=epoch,
                call=number,
                provider=_take_text(self._facts, "model_source"),
                model=_take_text(self._facts, "model"),
                output=simplify_replies(own, bool(continuations)),
                warning=fault or warning,
                line=line,
                is_answer=number == 0,
                details={name: value for name, value in details.items() if value not in (None, [])},
            )

    def _read_scores(
        self, sample: Mapping[str, Any], document: Id, epoch: int, filter_name: str, line: int
    ) -> Iterator[LogScore]:
        if is_invalid(sample.get("filtered_resps")):
            reason = NOTHING_EXTRACTED
        else:
            reason = None
        for metric in list_metrics(sample):
            raw = sample.get(metric)
            value: float | None = None
            if metric not in sample:
                status = "missing"
            elif raw is None:
                status = "failed"
            elif isinstance(raw, int | float) and abs(raw) < 1 << 62:
                status, value = "scored", float(raw)
            else:
                status = "not applicable"
            criterion = name_criterion(metric, filter_name)
            yield LogScore(document, self._task, None, criterion, value, raw, status, epoch, reason, line)  # type: ignore[arg-type]

    def _describe_run(self) -> Run:
        counts = self._facts.get("n_samples", {}).get(self._task)
        if isinstance(counts, dict):
            promised = counts.get("effective")
        else:
            promised = None
        reason = None
        if self._unreadable:
            reason = f"not all of the file could be read: {self._unreadable} rows are damaged"
        elif type(promised) is int and promised > self._calls:
            reason = f"the results beside this file count {promised} documents, and it holds {self._calls}"
        return Run(
            tool="lm-eval",
            version=_take_text(self._facts, "version"),
            name=self._task,
            is_complete=reason is None,
            state_reason=reason,
            rows=promised if type(promised) is int else None,
        )


def _take_text(facts: Mapping[str, Any], key: str) -> str | None:
    value = facts.get(key)
    if isinstance(value, str) and value:
        return value
    return None


def _describe_document(sample: Mapping[str, Any]) -> dict[str, Any]:
    document = sample.get("doc")
    if isinstance(document, dict):
        fields = dict(document)
    else:
        fields = {"doc": document}
    if "target" in sample:
        fields.setdefault("target", sample["target"])
    return fields


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of one request: what was sent, and the continuation or the settings."""

    context: Any
    continuation: str | None
    settings: Any = None
    further: Mapping[str, Any] = field(default_factory=dict)


def list_requests(arguments: Any) -> list[Request]:
    """Return the requests of a document, in the order of their numbers."""
    groups = _list_numbered(arguments)
    requests = []
    for group in groups:
        parts = _list_numbered(group)
        if not parts:
            continue
        second = parts[1] if len(parts) > 1 else None
        if isinstance(second, str):
            continuation = second
        else:
            continuation = None
        if continuation is not None:
            settings = None
        else:
            settings = second
        further = {f"arg_{number}": part for number, part in enumerate(parts) if number > 1}
        requests.append(Request(parts[0], continuation, settings, further))
    return requests


def _list_numbered(value: Any) -> list[Any]:
    """Return the values of a list, or of `arg_0`, `arg_1` … in their order."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return []
    numbered = [(int(match[1]), key) for key in value if (match := NUMBERED.fullmatch(key))]
    return [value[key] for _, key in sorted(numbered)]


def group_requests(requests: list[Request]) -> list[list[tuple[int, Request]]]:
    """Return the requests with their numbers, those of the same text together."""
    groups: dict[str, list[tuple[int, Request]]] = {}
    for number, request in enumerate(requests):
        context = request.context
        if isinstance(context, str):
            key = context
        else:
            key = json.dumps(context)
        groups.setdefault(key, []).append((number, request))
    return list(groups.values())


def read_context(context: Any) -> tuple[list[Mapping[str, Any]] | None, str | None, str | None]:
    """Return the messages or the text of a request, else a warning that says why there is neither."""
    if isinstance(context, str):
        return None, context, None
    messages = context
    if isinstance(context, list) and len(context) == 1 and isinstance(context[0], str):
        try:
            messages = json.loads(context[0])
        except (ValueError, RecursionError):
            return None, context[0], "the chat is no JSON, and shown as text"
    if isinstance(messages, list) and messages and all(isinstance(message, dict) for message in messages):
        return messages, None, None
    if context is None:
        return None, None, "the sample does not hold what was sent"
    return None, json.dumps(context, ensure_ascii=False), "what was sent is neither a text nor a chat"


def simplify_replies(replies: list[Any] | None, is_likelihood: bool) -> Any:
    """Return the reply of a generation as its text; several replies, and likelihoods, as the tool has them."""
    if not replies:
        return None
    if not is_likelihood and len(replies) == 1 and isinstance(replies[0], list) and len(replies[0]) == 1:
        return replies[0][0]
    return replies


def is_invalid(extracted: Any) -> bool:
    """Whether a filter found no answer in any reply."""
    return isinstance(extracted, list) and bool(extracted) and all(value == NO_ANSWER for value in extracted)


def list_metrics(sample: Mapping[str, Any]) -> list[str]:
    """Return the names of the columns that are metrics; in older files these are all numbers beside the tool's own."""
    names = sample.get("metrics")
    if isinstance(names, list):
        return [name for name in dict.fromkeys(name for name in names if isinstance(name, str)) if name not in OWN]
    return [name for name, value in sample.items() if name not in OWN and isinstance(value, int | float | list)]
