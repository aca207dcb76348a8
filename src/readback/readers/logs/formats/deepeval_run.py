"""Runs of deepeval: `testCases[]` with what was asked, answered and expected, and `metricsData[]`.

Source: test_run.json of deepeval 4.3.1. A metric without a score has failed, whatever else it says; its name becomes
snake case (`answer_relevancy`), its judge is `evaluationModel`. Threshold and `success` stay with the record. A case is
called by its name; a name that comes again, or none, by its number from 0. Conversations have `turns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.logs.events import Call, Event, Id, LogRecord, LogScore, Run
from readback.readers.logs.head import is_conversation, peek_objects
from readback.readers.logs.json_elements import Unreadable, iterate_elements
from readback.readers.logs.messages import describe_kind
from readback.readers.logs.verdicts import read_verdict
from readback.types import Diagnostic, Location

NAME = "run of deepeval"
NO_MESSAGES = "the run holds no messages, only what was asked and answered"
TURNS = "the turns of a conversation, without what else was sent"
LISTS = ("testCases", "conversationalTestCases")
BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s\-]+")


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a file is a run of deepeval."""
    if b'"testCases"' not in head and b'"conversationalTestCases"' not in head:
        return False
    rows = peek_objects(head)
    return len(rows) == 1 and any(map(_lists_cases, (rows[0].get(key) for key in LISTS)))


def _lists_cases(value: Any) -> bool:
    cases = value if isinstance(value, list) else []
    return any(isinstance(case, dict) and ("metricsData" in case or "actualOutput" in case) for case in cases)


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the record, the call without messages, and the scores of each test case."""
    index = 0
    names: set[str] = set()
    rest: dict[str, Any] = {}
    for key in LISTS:
        try:
            with path.open("rb") as stream:
                repeated: list[tuple[int, str]] = []
                leave = tuple((other,) for other in LISTS if other != key)
                for line, case in iterate_elements(stream, (key,), rest, repeated, leave):
                    yield from _report_repeated(repeated, file)
                    if isinstance(case, Unreadable):
                        if f"`{key}`" not in case.reason:
                            yield Diagnostic("dat-bad-line", {"reason": case.reason}, Location(file=file, line=line))
                        continue
                    yield from _read_case(case, index, line, names, file)
                    index += 1
        except OSError as error:
            yield Diagnostic("dat-bad-line", {"reason": error.strerror or str(error)}, Location(file=file))
            return
    name = rest.get("testFile")
    yield Run("deepeval", name=name if isinstance(name, str) else None, details={"rows": index})


def _report_repeated(repeated: list[tuple[int, str]], file: str) -> Iterator[Diagnostic]:
    for line, key in repeated:
        yield Diagnostic("dat-duplicate-key", {"key": key, "first": line}, Location(file=file, line=line), key)
    repeated.clear()


def _read_case(case: Any, index: int, line: int, names: set[str], file: str) -> Iterator[Event]:
    if not isinstance(case, dict):
        reason = f"the test case is {describe_kind(case)}, where an object is needed"
        yield Call(index, None, None, error=reason, line=line)
        yield Diagnostic("dat-log-row", {"reason": reason}, Location(file=file, line=line, index=index))
        return
    name = case.get("name")
    record: Id = name if isinstance(name, str) and name not in names else index
    if isinstance(name, str):
        names.add(name)
    yield LogRecord(record, {key: value for key, value in case.items() if key != "metricsData"}, line)
    yield _read_call(case, record, index, line)
    metrics = case.get("metricsData")
    for metric in metrics if isinstance(metrics, list) else ():
        if isinstance(metric, dict) and isinstance(metric.get("name"), str):
            yield _read_score(metric, record, line)
        else:
            if isinstance(metric, dict):
                reason = "a metric without a name"
            else:
                reason = f"a metric is {describe_kind(metric)}"
            yield Diagnostic("dat-log-row", {"reason": reason}, Location(file=file, line=line, index=index))


def _read_call(case: Mapping[str, Any], record: Id, index: int, line: int) -> Call:
    turns = case.get("turns")
    if is_conversation(turns):
        is_answered = turns[-1].get("role") == "assistant"
        if is_answered:
            output = turns[-1].get("content")
        else:
            output = None
        messages = turns[:-1] if is_answered else turns
        return Call(index, None, messages, record=record, output=output, warning=TURNS, line=line)
    output = case.get("actualOutput")
    error = "no answer" if output is None else None
    return Call(index, None, None, record=record, output=output, error=error, warning=NO_MESSAGES, line=line)


def _read_score(metric: Mapping[str, Any], record: Id, line: int) -> LogScore:
    raw, error = metric.get("score"), metric.get("error")
    value, status = read_verdict(raw, bool(error))
    judge, reason = metric.get("evaluationModel"), error or metric.get("reason")
    return LogScore(
        record,
        None,
        judge if isinstance(judge, str) else None,
        write_snake_case(metric["name"]),
        value,
        raw=raw,
        status="failed" if status == "missing" else status,
        reason=reason if isinstance(reason, str) else None,
        line=line,
    )


def write_snake_case(name: str) -> str:
    """Return a metric's name as the tool writes it in code: "Answer Relevancy" is answer_relevancy."""
    return BOUNDARY.sub("_", name.strip()).lower()
