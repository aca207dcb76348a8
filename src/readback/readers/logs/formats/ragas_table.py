"""Tables of ragas: `user_input`, `response`, `retrieved_contexts`, `reference`, and a column for each metric.

Source: files of ragas 0.4.3, as JSON lines, a JSON list, or CSV, in which lists are written as Python writes them: they
are read as literals and never run. `user_input` is a question, or the turns of a conversation. An empty cell of a
metric is a failure of its judge, and no 0. The rows have no ids: a row is called by its number, from 0. Earlier tables
have `question`, `answer`, `contexts` and `ground_truth`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from readback.readers.logs.csv_rows import peek_csv_rows, peek_header, read_csv_rows, read_head, read_literal
from readback.readers.logs.events import Call, Event, LogRecord, LogScore, Run
from readback.readers.logs.head import peek_objects
from readback.readers.logs.json_rows import LogRow, RowCounts, read_rows
from readback.readers.logs.messages import describe_kind
from readback.readers.logs.verdicts import read_cell, read_verdict
from readback.types import Diagnostic, Location

NAME = "table of ragas"
SAMPLE = frozenset(  # what a sample consists of; every other column with numbers is a metric
    {
        *("user_input", "response", "retrieved_contexts", "reference", "reference_contexts", "rubrics", "rubric"),
        *("multi_responses", "reference_tool_calls", "reference_topics", "retrieved_context_ids", "persona_name"),
        *("reference_context_ids", "synthesizer_name", "query_style", "query_length", "id", "metadata"),
    }
)
EARLIER = {"question": "user_input", "answer": "response", "contexts": "retrieved_contexts"}
# A question with an answer and numbers alone is a table of scores as anybody has it.
TELLING = frozenset({"retrieved_contexts", "reference", "reference_contexts", "reference_topics"})
METRICS = frozenset(  # of the names that ragas itself gives
    {
        *("faithfulness", "answer_relevancy", "context_precision", "context_recall", "context_entity_recall"),
        *("answer_correctness", "answer_similarity", "semantic_similarity", "factual_correctness", "bleu_score"),
        *("response_relevancy", "llm_context_precision_with_reference", "noise_sensitivity", "rouge_score"),
        *("harmfulness", "maliciousness", "coherence", "correctness", "conciseness", "context_utilization"),
        *("llm_context_recall", "non_llm_context_recall", "non_llm_string_similarity", "summary_score", "chrf_score"),
        *("tool_call_accuracy", "tool_call_f1", "agent_goal_accuracy", "topic_adherence", "domain_specific_rubrics"),
        *("sql_semantic_equivalence", "data_compare_score", "id_based_context_precision", "instance_rubrics"),
        *("nv_accuracy", "nv_context_relevance", "nv_response_groundedness", "exact_match", "string_present"),
    }
)
LISTS = frozenset(
    {"user_input", "retrieved_contexts", "reference_contexts", "contexts", "multi_responses", "reference_topics"}
)
NO_MESSAGES = "the table holds no messages, only what was asked and answered"
TURNS = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}


def recognise(head: bytes, path: Path) -> bool:
    """Tell whether a file is a table of ragas with at least one metric."""
    if not any(mark in head for mark in (b"user_input", b"retrieved_contexts", b"faithfulness", b"answer_relevancy")):
        return False
    rows = _peek_rows(head)
    columns = set(rows[0]) if rows else set()
    if "user_input" in columns and columns & TELLING:
        return any(_is_metric(name, rows) for name in _list_metrics(rows))
    return {"question", "answer", "contexts"} <= columns and bool(columns & METRICS)


def _is_metric(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a column is a metric by its name, or holds a part of 1: a year or a count is no metric."""
    numbers = (_read_number(row.get(name)) for row in rows)
    return name.partition("(")[0] in METRICS or any(number is not None and 0 < number < 1 for number in numbers)


def _peek_rows(head: bytes) -> Sequence[Mapping[str, Any]]:
    if peek_header(head):
        return peek_csv_rows(head)
    return peek_objects(head)


def _list_metrics(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the columns with numbers, or nothing, in every row, but for what a sample consists of."""
    names = {name: None for row in rows for name in row if name not in SAMPLE and not _is_row_number(name)}
    return {name for name in names if all(_is_grade(row.get(name)) for row in rows)}


def _is_grade(value: Any) -> bool:
    return value is None or value == "" or _read_number(value) is not None


def _read_number(value: Any) -> float | None:
    if isinstance(value, str):
        return read_cell(value)[0]
    return read_verdict(value)[0]


def _is_row_number(name: str) -> bool:
    """Tell whether a column is what pandas writes its row numbers into."""
    return not name or name.startswith("Unnamed:")


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the record, the call without messages, and the scores of each row."""
    counts = RowCounts()
    head = read_head(path)
    names = peek_header(head)
    metrics = _list_metrics(_peek_rows(head))
    if names:
        rows = read_csv_rows(path, file, counts)
    else:
        rows = read_rows(path, file, counts)
    for row in rows:
        if isinstance(row, Diagnostic):
            yield row
        elif not isinstance(row.value, dict):
            reason = f"the row is {describe_kind(row.value)}, where an object is needed"
            yield Call(row.number, None, None, error=reason, line=row.line)
            place = Location(file=file, line=row.line, index=row.number)
            yield Diagnostic("dat-log-row", {"reason": reason}, place)
        else:
            yield from _read_row(row, metrics, bool(names))
    yield Run("ragas", details={"rows": counts.rows, "blank_lines": counts.blank, "refused": counts.refused})


def _read_row(row: LogRow, metrics: set[str], is_csv: bool) -> Iterator[Event]:
    is_earlier = "user_input" not in row.value
    value = {EARLIER.get(name, name) if is_earlier else name: cell for name, cell in row.value.items()}
    metrics = metrics - {"ground_truth", "ground_truths", *EARLIER}
    fields = {name: _read_cell(name, cell) if is_csv else cell for name, cell in value.items()}
    fields = {name: cell for name, cell in fields.items() if name not in metrics}
    yield LogRecord(row.number, fields, row.line)
    turns, error = _read_turns(fields.get("user_input"))
    response = fields.get("response")
    yield Call(
        row.number,
        None,
        turns,
        record=row.number,
        output=response if response != "" or not is_csv else None,
        warning=error or NO_MESSAGES,
        line=row.line,
    )
    for name in (name for name in value if name in metrics):
        yield _read_score(row, name, value[name], is_csv)


def _read_score(row: LogRow, name: str, cell: Any, is_csv: bool) -> LogScore:
    if is_csv and isinstance(cell, str):
        number, raw = read_cell(cell)
        status = "scored" if raw is not None else "failed"
    else:
        number, status = read_verdict(cell)
        raw, status = cell, "failed" if status == "missing" else status
    return LogScore(row.number, None, None, name, number, raw=raw, status=status, line=row.line)  # type: ignore[arg-type]


def _read_cell(name: str, cell: Any) -> Any:
    """Return a list in a cell of a column of lists; of a question only turns are one."""
    if isinstance(cell, str) and (name in LISTS or name == "user_input"):
        value = read_literal(cell)
    else:
        value = cell
    is_turns = isinstance(value, list) and all(isinstance(turn, dict) for turn in value)
    if name == "user_input" and not is_turns:
        return cell
    return value


def _read_turns(value: Any) -> tuple[list[dict[str, Any]] | None, str | None]:
    """Return the turns of a conversation as messages; None for a question."""
    if not isinstance(value, list) or not all(isinstance(turn, dict) and "content" in turn for turn in value):
        return None, None
    turns = [{**{key: turn[key] for key in turn if key != "type"}, "role": _get_role(turn)} for turn in value]
    return turns, "the turns of a conversation, without what else was sent"


def _get_role(turn: Mapping[str, Any]) -> Any:
    kind = turn.get("role", turn.get("type"))
    if isinstance(kind, str):
        return TURNS.get(kind, kind)
    return kind
