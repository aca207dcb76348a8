"""Read promptfoo's table of results: a row for each test, a block of columns for each prompt and provider.

The header is `Description` (only where a test has one), the variables, and for each prompt and provider its name
`[provider] label`, `Status`, `Score`, `Named Scores`, a column `Metric: x` for each metric that this prompt has,
`Grader Reason` and `Comment`. Names repeat, so columns are read by their position. What promptfoo evaluates for safety
has columns of its own behind.

It holds no prompts; scores have two decimals; an empty metric does not apply. The tool writes `'` before a cell that
begins like a formula, which is not undone: a reply may begin so as well. A test is called by its place in the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from readback.readers import csv_file
from readback.readers.files.row import Refused, Row
from readback.readers.logs.events import Call, Event, LogRecord, LogScore, Run
from readback.readers.logs.formats.promptfoo.rows import NO_GRADE, OVERALL, PASS, make_score, name_condition
from readback.readers.logs.open_file import report_row
from readback.types import Diagnostic, Location

BEGIN = ["Status", "Score", "Named Scores"]
END = ["Grader Reason", "Comment"]
METRIC = "Metric: "
DESCRIPTION = "Description"
HEAD = re.compile(r"\[(.*?)\] (.*)", re.DOTALL)
NO_PROMPT = "this file holds no prompts: write the results as JSON to see what was sent"
NO_REASON = "the tool recorded an error, which is not in this file"


@dataclass(frozen=True, slots=True)
class Block:
    """The columns of one prompt and provider, from `start` to before `end`."""

    start: int
    end: int
    label: str | None
    provider: str | None
    metrics: tuple[str, ...]


def find_blocks(header: Sequence[str]) -> list[Block]:
    """Return the blocks of a header; none where it is not of a table of results."""
    starts = [at - 1 for at in range(1, len(header)) if list(header[at : at + len(BEGIN)]) == BEGIN]
    blocks = []
    for start in starts:
        end = start + 1 + len(BEGIN)
        metrics = []
        while end < len(header) and header[end].startswith(METRIC):
            metrics.append(header[end].removeprefix(METRIC))
            end += 1
        if list(header[end : end + len(END)]) == END:
            end += len(END)
        match = HEAD.fullmatch(header[start])
        if match:
            provider, label = match.groups()
        else:
            provider, label = (None, header[start])
        blocks.append(Block(start, end, label, provider, tuple(metrics)))
    return blocks


def read(stream: BinaryIO, file: str, header: Sequence[str]) -> Iterator[Event]:
    """Yield the events of a table whose header has these cells."""
    blocks = find_blocks(header)
    tests = calls = 0
    alike: dict[tuple[str, ...], int] = {}
    yield Diagnostic("dat-log-part", {"what": NO_PROMPT}, Location(file=file, line=1))
    for event in csv_file.rows(stream, file):
        match event:
            case Row():
                cells = list(event.fields.values())
                yield from event.diagnostics
                if len(cells) < blocks[-1].end:
                    reason = f"{len(cells)} cells instead of {len(header)}"
                    yield report_row(reason, file, event.line)
                    yield _make_unreadable(tests, reason, event.line)
                    calls += 1
                else:
                    own = tuple(cells[: blocks[0].start])
                    epoch = alike[own] = alike.get(own, 0) + 1
                    yield LogRecord(tests, _describe_record(header, own), event.line)
                    for block in blocks:
                        if cells[block.start + 1]:
                            calls += 1
                            yield from _read_block(cells, block, tests, epoch, event.line)
                tests += 1
            case Refused(diagnostic=diagnostic):
                if diagnostic is not None:
                    yield diagnostic
                yield _make_unreadable(tests, "the row cannot be read", event.line)
                tests += 1
                calls += 1
            case Diagnostic() if event.code != "dat-duplicate-name":  # these columns are read by position
                yield event
    yield Run("promptfoo", rows=calls)


def _make_unreadable(index: int, reason: str, line: int) -> Call:
    return Call(index=index, condition=None, messages=None, error=reason, line=line, is_answer=False)


def _describe_record(header: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, cell in zip(header, cells, strict=False):
        if name == DESCRIPTION and not fields:
            fields["description"] = cell
        else:
            fields[name] = cell
    if fields.get("description") == "":  # this test has none
        del fields["description"]
    return fields


def _read_block(cells: Sequence[str], block: Block, record: int, epoch: int, line: int) -> Iterator[Event]:
    condition = name_condition(block.label, block.provider)
    output, status, overall = cells[block.start : block.start + 3]
    metrics_start = block.start + 1 + len(BEGIN)
    reason_at = metrics_start + len(block.metrics)
    if reason_at < block.end:
        reason = cells[reason_at] or None
    else:
        reason = None
    error = NO_REASON if status == "ERROR" else None
    yield Call(
        index=record,
        condition=condition,
        messages=None,
        record=record,
        epoch=epoch,
        prompt=block.label,
        provider=block.provider,
        output=None if error and not output else output,
        error=error,
        warning=NO_PROMPT,
        line=line,
    )
    if reason is not None and reason.startswith(NO_GRADE):
        failure = reason
    else:
        failure = None
    for name, cell in zip(block.metrics, cells[metrics_start:reason_at], strict=True):
        if cell:
            if name not in (OVERALL, PASS):
                criterion = name
            else:
                criterion = f"{name} (metric)"
            # the reason is that of the whole row: a metric of 0 may be the one without a grade
            if _read_number(cell) == 0:
                of_metric = failure
            else:
                of_metric = None
            yield _make_score(record, epoch, condition, criterion, cell, of_metric, reason, error, line)
    yield _make_score(record, epoch, condition, OVERALL, overall, failure, reason, error, line)
    passed = {"PASS": True, "FAIL": False, "ERROR": False}.get(status)
    raw: Any = status if passed is None else passed
    yield make_score(record, epoch, condition, None, PASS, raw, failure, reason, error, line)


def _make_score(
    record: int,
    epoch: int,
    condition: str,
    criterion: str,
    cell: str,
    failure: str | None,
    reason: str | None,
    error: str | None,
    line: int,
) -> LogScore:
    number = _read_number(cell)
    raw: Any = (cell or None) if number is None else number
    return make_score(record, epoch, condition, None, criterion, raw, failure, reason, error, line)


def _read_number(cell: str) -> float | None:
    """Return the number that the tool wrote with `toFixed`, or whatever a spreadsheet made of it."""
    if re.fullmatch(r"-?\d{1,300}(\.\d+)?", cell) and cell.isascii():
        return float(cell)
    return None
