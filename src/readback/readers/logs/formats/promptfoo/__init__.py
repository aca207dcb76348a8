"""Results of promptfoo: `promptfoo eval -o results.json`, `.jsonl`, `.yaml` and `.csv`, and what `evaluate()` returns.

Source: the files that promptfoo 0.123 (MIT) writes, and its src/util/eval/evalTableUtils.ts for the table.

* JSON and YAML are one object, `evalId` and `results.results[]`; JSON lines are the same rows without anything around
  them. `rows` says what a row means.
* CSV is a table of tests, with a block of columns for each prompt and provider. It holds no prompts, and scores with
  two decimals. `table` says how it is read.
* HTML is not read; the other four are written from the same data.

JSON is read row by row; YAML, which is slow to read, up to LARGEST bytes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers import jsonl
from readback.readers.files.row import Refused, Row
from readback.readers.files.text_file import UTF8_MARK
from readback.readers.json_text import drop_non_finite
from readback.readers.logs.events import Aggregate, Event, Run
from readback.readers.logs.formats.promptfoo import table
from readback.readers.logs.formats.promptfoo.rows import RowReader, name_condition
from readback.readers.logs.head import peek_objects
from readback.readers.logs.json_elements import Unreadable, iterate_elements
from readback.readers.logs.open_file import read_stream, report_row
from readback.readers.logs.yaml_elements import LARGEST, iterate_yaml_elements
from readback.types import Diagnostic, Location

NAME = "results of promptfoo"
ROWS = ("results", "results")
RETURNED = ("results",)  # of `evaluate()`, whose object has no `evalId` around it
CONFIG = ("config",)  # holds all tests once more, and may hold keys of providers
BEGIN = re.compile(rb'\s*\{\s*"evalId"\s*:\s*(?:null|"[^"]*")\s*,\s*"results"\s*:\s*\{')  # as promptfoo writes it
YAML_HEAD = re.compile(rb"evalId:.*\r?\nresults:[ \t]*\r?\n[ \t]+\w+:")


def recognise(head: bytes, path: Path) -> bool:
    """Whether the first bytes are those of results, in any of the four spellings."""
    text = head.removeprefix(UTF8_MARK).lstrip()
    if text.startswith(b"{"):
        return _find_rows(head) is not None or any(map(_is_row, peek_objects(head)))
    if YAML_HEAD.match(text):
        return True
    return b"Named Scores" in text and _find_header(head) is not None


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the events of a file of results."""
    yield from read_stream(path, file, lambda stream: _read(stream, file))


def _read(stream: BinaryIO, file: str) -> Iterator[Event]:
    head = stream.read(1 << 18)
    stream.seek(0)
    text = head.removeprefix(UTF8_MARK).lstrip()
    rows = _find_rows(head)
    if rows is not None:
        yield from _read_object(stream, file, rows)
    elif text.startswith(b"{"):
        yield from _read_lines(stream, file)
    elif text.startswith(b"evalId:"):
        yield from _read_yaml(stream, file)
    elif header := _find_header(head):
        yield from table.read(stream, file, header)
    else:
        reason = "it begins like none of the files of results that promptfoo writes"
        yield report_row(reason, file, 1)
        yield Run("promptfoo", is_complete=False, state_reason=reason)


def _find_rows(head: bytes) -> tuple[str, ...] | None:
    """Return the path of the rows in an object of results; None where it is none."""
    if b'"results"' not in head:
        return None
    if BEGIN.match(head.removeprefix(UTF8_MARK)):
        return ROWS
    for value in peek_objects(head)[:1]:
        if "evalId" in value and isinstance(value.get("results"), dict):
            return ROWS
        if {"version", "timestamp", "prompts"} <= value.keys() and isinstance(value.get("results"), list):
            return RETURNED
    return None


def _is_row(value: Mapping[str, Any]) -> bool:
    return {"prompt", "gradingResult"} <= value.keys() and ("promptIdx" in value or "namedScores" in value)


def _find_header(head: bytes) -> list[str] | None:
    """Return the cells of the header of a table of results; None where it is none."""
    lines = head.removeprefix(UTF8_MARK).decode("utf-8", "replace").splitlines(keepends=True)
    try:
        header = next(csv.reader(iter(lines), strict=True), [])
    except csv.Error:
        return None
    if table.find_blocks(header):
        return header
    return None


def _read_object(stream: BinaryIO, file: str, rows: tuple[str, ...]) -> Iterator[Event]:
    rest: dict[str, Any] = {}
    repeated: list[tuple[int, str]] = []
    elements = iterate_elements(stream, rows, rest, repeated, leave=[CONFIG])
    yield from _read_elements(elements, file, rest, rows, repeated)


def _read_yaml(stream: BinaryIO, file: str) -> Iterator[Event]:
    size = stream.seek(0, 2)
    stream.seek(0)
    if size > LARGEST:
        values = {"what": "a YAML file of results (write it as JSON instead)", "size": size, "limit": LARGEST}
        yield Diagnostic("dat-too-large", values, Location(file=file))
        yield Run("promptfoo", is_complete=False, state_reason="the file is too large for YAML, so no row was read")
        return
    rest: dict[str, Any] = {}
    yield from _read_elements(iterate_yaml_elements(stream, ROWS, rest), file, rest, ROWS, [])


def _read_elements(
    elements: Iterator[tuple[int, Any]],
    file: str,
    rest: dict[str, Any],
    rows: tuple[str, ...],
    repeated: list[tuple[int, str]],
) -> Iterator[Event]:
    reader = RowReader(file)
    broken: str | None = None
    for line, value in elements:
        while repeated:
            place, key = repeated.pop(0)
            yield Diagnostic("dat-duplicate-key", {"key": key, "first": place}, Location(file=file, line=place), key)
        if isinstance(value, Unreadable):
            broken = value.reason
            yield report_row(value.reason, file, line)
            if value.is_element:
                yield reader.make_unreadable(value.reason, line)
        else:
            yield from reader.read(value, line)
    results: Any = rest
    for step in rows[:-1]:
        results = results.get(step)
        if not isinstance(results, dict):
            results = {}
    yield from _read_aggregates(results.get("prompts"))
    yield _describe_run(rest, results, reader.count, broken)


def _read_lines(stream: BinaryIO, file: str) -> Iterator[Event]:
    reader = RowReader(file)
    for event in jsonl.rows(stream, file):
        match event:
            case Row():
                yield from event.diagnostics
                if event.diagnostics:
                    fields = drop_non_finite(event.fields)
                else:
                    fields = event.fields
                yield from reader.read(fields, event.line)
            case Refused(diagnostic=diagnostic):
                if diagnostic is not None:
                    yield diagnostic
                yield reader.make_unreadable("the line cannot be read", event.line)
            case Diagnostic():
                yield event
    yield Run("promptfoo", rows=reader.count)


def _describe_run(rest: dict[str, Any], results: dict[str, Any], count: int, broken: str | None) -> Run:
    metadata = rest.get("metadata")
    if isinstance(metadata, dict):
        version = metadata.get("promptfooVersion")
    else:
        version = None
    promised = _count_promised(results.get("stats"))
    reason = None
    if broken is not None:
        reason = f"not all of the file could be read: {broken}"
    elif promised is not None and promised != count:
        reason = f"the file counts {promised} rows and holds {count}"
    return Run(
        tool="promptfoo",
        version=version if isinstance(version, str) else None,
        run_id=rest["evalId"] if isinstance(rest.get("evalId"), str) else None,
        is_complete=reason is None,
        state_reason=reason,
        rows=promised,
        details={"timestamp": results["timestamp"]} if isinstance(results.get("timestamp"), str) else {},
    )


def _count_promised(stats: Any) -> int | None:
    """Return how many rows the file says it has."""
    if not isinstance(stats, dict):
        return None
    counts = [stats.get(name) for name in ("successes", "failures", "errors")]
    numbers = [count for count in counts if type(count) is int]
    if len(numbers) == len(counts):
        return sum(numbers)
    return None


def _read_aggregates(prompts: Any) -> Iterator[Aggregate]:
    """Yield the means of each prompt and provider: the tool stores sums, with what they are to be divided by.

    A metric's sum counts each assertion with its weight; rows with an error are zeros in the mean of `overall`.
    """
    for prompt in prompts if isinstance(prompts, list) else ():
        if isinstance(prompt, dict):
            metrics = prompt.get("metrics")
        else:
            metrics = None
        if not isinstance(metrics, dict):
            continue
        condition = name_condition(prompt.get("label"), prompt.get("provider"))
        passed, failed, errors = (_number(metrics.get(f"test{name}Count")) for name in ("Pass", "Fail", "Error"))
        if passed is not None and failed is not None:
            n = int(passed + failed + (errors or 0))
            unscored = int(errors or 0)
            for criterion, total in (("overall", _number(metrics.get("score"))), ("pass", passed)):
                if n and total is not None:
                    yield Aggregate(condition, None, criterion, "mean", total / n, n, unscored)
        scores, counts, weights = (metrics.get(f"namedScore{name}") for name in ("s", "sCount", "Weights"))
        for criterion, stored in scores.items() if isinstance(scores, dict) else ():
            total = _number(stored)
            if isinstance(counts, dict):
                count = _number(counts.get(criterion))
            else:
                count = None
            if isinstance(weights, dict):
                weight = _number(weights.get(criterion))
            else:
                weight = count
            if total is not None and weight:
                if weight == count:
                    name = "mean"
                else:
                    name = "weighted mean"
                yield Aggregate(condition, None, criterion, name, total / weight, None if count is None else int(count))


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return None
