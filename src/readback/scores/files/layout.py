"""Which column of a score file means what, by the names people give them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.scores.files.cells import cell, is_error, is_failure
from readback.scores.table import MISSING
from readback.scores.values.criteria import look_up
from readback.types import Criterion, ScoreSource

ITEM = ("item", "item_id", "id", "qid", "task_id", "question_id")
# Columns that are called like an item; their values decide (`find_item_column`).
FURTHER_ITEMS = (
    *("problem", "problem_id", "problem_name", "prompt_id", "instance", "instance_id", "example", "example_id"),
    *("sample_id", "case", "case_id", "test_case", "query_id", "record_id", "exercise", "puzzle", "challenge", "uid"),
)
# What also is the name of a benchmark, a step or a text: an item only where its values are numbered.
WEAK_ITEMS = ("task", "task_name", "prompt", "test", "test_id", "sample", "record", "number", "nr")
CRITERION = ("criterion", "metric")
VALUE = ("score", "value")
JUDGE = ("judge", "judge_name", "evaluator", "evaluator_name", "rater", "annotator", "judge_model")
# whether the judge is a person or a program, in words; where nothing names the judge, this is its name
KIND = ("judge_type", "judge_kind", "rater_type", "annotator_type", "evaluator_type", "annotation_source")
# What a judge wrote: always, and where a judge is named (elsewhere it is the answer that is judged).
RAW_REPLY = (
    *("judge_raw_response", "judge_raw_output", "judge_reply", "judge_response", "raw_judge_response"),
    *("raw_reply", "raw_response", "reply"),
)
REPLY = (*RAW_REPLY, "content", "completion", "output")
RATIONALE = ("note", "evaluation_notes", "explanation", "notes", "reasoning", "judge_reasoning", "rationale", "comment")
RUN = ("run", "run_id", "run_name")
REPLICATE = ("replicate", "repeat")
ATTEMPT = ("attempt", "trial", "seed", "sample_index", "generation", "completion_id")
CLUSTER = ("cluster", "cluster_id")
STATUS = ("status",)
# Words with which a status says how an item came out: beside them *failed* is a wrong answer, and no failed judgement.
OUTCOMES = frozenset(("pass", "passed", "passes", "correct", "solved", "resolved", "accepted"))
# Columns that say in words how a row ended; they count only where a row that failed has no score.
ENDED = (
    *("run_status", "eval_status", "execution_status", "exit_status", "result_status", "job_status", "state"),
    *("outcome", "result", "finish_reason", "stop_reason"),
)
# Columns that hold the text of a failure, and are empty where there was none.
ERRORS = (
    *("error", "error_type", "error_kind", "error_code", "error_message", "errors", "exception", "traceback"),
    *("failure", "failure_reason", "failure_type", "fail_reason"),
)
CONDITION = ("condition",)
# columns that name a condition wherever they stand, however many values they have
FACTORS = ("mode", "adapter", "model", "arm", "variant", "system", "system_name", "model_name", "model_label")
# Columns that name who answered in a table of nothing but scores, and may mean something else in other tables.
ANSWERERS = ("candidate", "configuration", "config", "agent", "agent_name", "llm", "llm_name", "engine")
MODE = ("prompt_mode", "mode")
AGGREGATED = ("is_aggregated",)
PROMPT = ("prompt_fingerprint", "prompt_sha256", "prompt_hash")
OTHER = ("weight", *PROMPT, "source", "timestamp", "date", "time", "index", "row", "line")
CONTENT = (
    *("question", "query", "instruction", "prompt", "prompt_text", "answer", "response", "model_answer", "reference"),
    *("expected_response", "gold", "gold_reference", "contexts", "context", "documents", "text", "title", "passage"),
    *("user_input", "retrieved_contexts", "reference_contexts", "ground_truth", "output", "input", "expected_output"),
)
COST = re.compile(r"cost|token|latency|duration|elapsed|(^|_)time(_|$)|_(ms|usd|eur|seconds|secs)$", re.IGNORECASE)
MONEY = re.compile(r"(^|_)cost(_|$)|_(usd|eur)$", re.IGNORECASE)
TOKENS = re.compile(r"(^|_)tokens?$", re.IGNORECASE)
LIMITS = re.compile(r"^(max|min|limit)(_|$)|(^|_)(limit|budget)(_|$)", re.IGNORECASE)  # a setting, not what was used
USAGE = ("token_usage", "usage")
SCORE_ENDING = "_score"
MEANS = ("avg_", "mean_")  # a column of means: its rows are not items
FEWEST_ITEMS = 3  # different values of a column that is no usual name of an item
LONGEST_ITEM = 64  # characters of one of them


@dataclass(frozen=True, slots=True)
class Layout:
    """The role of each column of one file. `scores` holds (column, criterion, judge); an empty name is in the row."""

    item: tuple[str, ...] = ()
    scores: tuple[tuple[str, str, str], ...] = ()
    criterion: str | None = None
    judge: str | None = None
    kind: str | None = None  # of the judge
    rationales: tuple[str, ...] = ()
    status: str | None = None
    failure: str | None = None  # says of a row without a score that it failed
    run: str | None = None
    replicate: str | None = None
    cluster: str | None = None
    prompt: str | None = None
    reply: str | None = None  # what the judge wrote, as it came
    aggregated: str | None = None
    candidates: tuple[str, ...] = ()  # columns that may tell conditions apart
    unused: tuple[str, ...] = ()
    costs: tuple[str, ...] = ()  # of the unused ones
    tokens: tuple[str, ...] = ()


def fields_of(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Every field of these rows, in the order they were met."""
    return list(dict.fromkeys(name for row in rows for name in row))


def first(names: Iterable[str], fields: Collection[str]) -> str | None:
    """Return the first of `names` that is a column, whatever its case."""
    lowered = {name.strip().lower(): name for name in reversed(list(fields))}
    return next((lowered[name] for name in names if name in lowered), None)


def flatten(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row's fields with those under `metrics` beside the rest; usage and cost stay the texts they are."""
    metrics = fields.get("metrics")
    if not isinstance(metrics, Mapping):
        return fields
    return {**{name: value for name, value in fields.items() if name != "metrics"}, **metrics}


def item_columns(
    fields: Collection[str], source: ScoreSource, rows: Sequence[Mapping[str, Any]] = ()
) -> tuple[str, ...]:
    """Return the columns that identify an item: named by the workspace, else by a usual name, else by their values.

    Without `rows` names alone decide.
    """
    if source.item:
        return tuple(name for name in source.item if name in fields)
    name_of_item = first(ITEM, fields) or find_item_column(rows, (*FURTHER_ITEMS, *WEAK_ITEMS), source.condition)
    if name_of_item:
        return (name_of_item,)
    return ()


def find_item_column(
    rows: Sequence[Mapping[str, Any]], names: Iterable[str], condition: Sequence[str] = ()
) -> str | None:
    """Return the first column of these names whose values, with those of the condition, occur in one row each.

    A value must be short and not empty, and at least three of them must differ. One of WEAK_ITEMS must be numbered.
    """
    fields = fields_of(rows)
    lowered = {name.strip().lower(): name for name in reversed(fields)}
    apart = (*CONDITION, *FACTORS, *RUN, *REPLICATE, *ATTEMPT, *JUDGE, *CRITERION)
    companions = [name for name in fields if name in condition or name.strip().lower() in apart]
    for called in names:
        name = lowered.get(called)
        if name is None or name in companions or not identifies(rows, name, companions):
            continue
        if called not in WEAK_ITEMS or is_numbered(row.get(name) for row in rows):
            return name
    return None


def identifies(rows: Sequence[Mapping[str, Any]], name: str, companions: Sequence[str]) -> bool:
    """Tell whether the column, with those `beside` it, has other values in every row, and is short everywhere."""
    values = [row.get(name) for row in rows]
    if not all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
        return False
    texts = [str(value).strip() for value in values]
    if len(set(texts)) < FEWEST_ITEMS or not all(0 < len(text) <= LONGEST_ITEM for text in texts):
        return False
    keys = {(text, *(str(row.get(other)) for other in companions)) for text, row in zip(texts, rows, strict=True)}
    return len(keys) == len(rows)


def is_numbered(values: Iterable[Any]) -> bool:
    """Tell whether these are numbers, or texts that end in a number with few beginnings: p0, p1, HumanEval/12."""
    texts = {str(value).strip() for value in values}
    if not all(text[-1:].isdecimal() for text in texts):
        return False
    beginnings = {text.rstrip("0123456789") for text in texts}
    return 2 * len(beginnings) <= len(texts)


def score_columns(
    fields: Sequence[str], source: ScoreSource, declared: Mapping[str, Criterion], rows: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return the criteria columns of a wide file: named by the workspace, else by ending or a defined name."""
    if source.criteria:
        return tuple(name for name in source.criteria if name in fields)
    columns_with_role = {*item_columns(fields, source, rows), *source.condition}
    return tuple(
        name
        for name in fields
        if name not in columns_with_role
        and not name.lower().startswith(MEANS)
        and (name.lower().endswith(SCORE_ENDING) or look_up(name, declared) is not None)
        and looks_numeric(row.get(name) for row in rows)
    )


def layout(
    fields: Sequence[str],
    source: ScoreSource,
    scores: tuple[tuple[str, str, str], ...],
    rows: Sequence[Mapping[str, Any]] = (),
) -> Layout:
    """Roles for every column, once the score columns are known; `rows` are the first ones of the file."""
    item = item_columns(fields, source, rows)
    columns_with_role = {*item, *(column for column, _, _ in scores)}
    named = [name for name in fields if name not in columns_with_role and name not in source.condition]
    status = first(STATUS, named)
    failure = find_failure_column(named, rows, [column for column, _, _ in scores])
    if status is not None and says_outcomes(status, rows):
        status, failure = None, status
    roles = {
        "criterion": None if any(criterion for _, criterion, _ in scores) else first(CRITERION, named),
        "judge": None if any(judge for _, _, judge in scores) else first((*JUDGE, *KIND), named),
        "kind": first(KIND, named),
        "status": status,
        "failure": failure,
        "run": first(RUN, named),
        "replicate": first(REPLICATE, named),
        # named, it may be part of the id: the query of (query, passage)
        "cluster": first((source.cluster.strip().lower(),), fields) if source.cluster else first(CLUSTER, named),
        "prompt": first(PROMPT, named),
        "reply": first(REPLY, named),
        "aggregated": first(AGGREGATED, named),
    }
    rationales = tuple(name for name in named if name.lower() in RATIONALE)
    columns_with_role |= {*rationales, *(name for name in roles.values() if name)}
    if source.condition:
        candidates = tuple(name for name in source.condition if name in fields)
    else:
        candidates = tuple(name for name in fields if name not in columns_with_role and _may_be_factor(name))
    unused = tuple(name for name in fields if name not in columns_with_role and name not in candidates)
    costs, tokens = cost_columns(unused), token_columns(unused)
    return Layout(
        item, scores, rationales=rationales, candidates=candidates, unused=unused, costs=costs, tokens=tokens, **roles
    )


def says_outcomes(status: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a status column says how items came out (`passed`, `failed`), and not whether they were scored."""
    return any(str(row.get(status, "")).strip().lower() in OUTCOMES for row in rows)


def find_failure_column(names: Sequence[str], rows: Sequence[Mapping[str, Any]], scores: Sequence[str]) -> str | None:
    """Return the column that says why rows have no score; None where no such row is among the first ones.

    A name alone is not enough: `state` and `outcome` also are what people compare by.
    """
    lowered = {name.strip().lower(): name for name in reversed(names)}
    without = [row for row in rows if any(cell(row.get(column))[1] == MISSING for column in scores)]
    for called in (*ENDED, *ERRORS):
        name = lowered.get(called)
        if name is not None and any(names_failure(called, row.get(name)) for row in without):
            return name
    return None


def names_failure(column: str, value: Any) -> bool:
    """Tell whether a cell of a column of ENDED or ERRORS says that its row failed."""
    if column.strip().lower() in ERRORS:
        return is_error(value)
    return is_failure(value)


def looks_numeric(values: Iterable[Any]) -> bool:
    """Whether the values read like scores: numbers or nothing, with at least half of the given ones numbers."""
    filled = [value for value in values if value not in (None, "")]
    return not filled or sum(_numeric(value) for value in filled) * 2 >= len(filled)


def cost_columns(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that hold money, by their names."""
    return tuple(name for name in fields if MONEY.search(name))


def token_columns(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that count tokens, or hold a mapping of such counts, by their names."""
    return tuple(name for name in fields if name.lower() in USAGE or (TOKENS.search(name) and not LIMITS.search(name)))


def _may_be_factor(name: str) -> bool:
    lowered = name.strip().lower()
    return not (lowered in OTHER or lowered in CONTENT or lowered in ITEM or COST.search(lowered))


def _numeric(value: Any) -> bool:
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return value.strip().lower() in {"true", "false", "n/a", "na", "nan", "none", "null"}
        return True
    return isinstance(value, int | float)
