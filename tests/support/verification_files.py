"""Build small verification results in tests: rows as the program writes them, and files of every shape."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

ANSWERING = {"interface": "api", "model_name": "small", "tools": [], "config_id": None}
PARSING = {"interface": "api", "model_name": "judge", "tools": [], "config_id": None}
FAILED_CONTENT = {
    "category": "content", "stage": "verify_template", "reason": "verify_template returned False", "group": "content",
}  # fmt: skip
RUBRIC = {
    "llm_traits": [
        {"name": "clear", "kind": "boolean", "higher_is_better": True},
        {"name": "depth", "kind": "score", "min_score": 1, "max_score": 5, "higher_is_better": False},
        {"name": "tone", "kind": "literal", "classes": {"dry": "a", "warm": "b"}, "higher_is_better": True},
    ],
    "regex_traits": [{"name": "cites", "pattern": "x", "higher_is_better": False}],
    "callable_traits": [
        {"name": "length", "kind": "score", "callable_code": "gASVKAAA", "min_score": 0, "max_score": 10}
    ],
}
STAMPED = (
    *("question_id", "success", "error", "template_verification_performed", "verify_result", "verify_granular_result"),
    *("question_specific_rubrics", "answering_model", "parsing_model", "replicate", "run_name", "export_timestamp"),
    *("embedding_check_performed", "embedding_similarity_score", "metric_trait_metrics"),
)
INDEXED = (
    *("row_index", "question_id", "verify_result", "verify_granular_result", "question_specific_rubrics"),
    *("rubric_summary", "answering_model", "parsing_model", "replicate", "success", "error", "run_name", "job_id"),
    "embedding_check_performed",
)


def row(question: str = "q1", passed: bool | None = True, **more: Any) -> dict[str, Any]:
    """One result of format 2.2; keywords go to metadata, `template` and `rubric` are merged into theirs."""
    template = more.pop("template", {})
    rubric = more.pop("rubric", None)
    return {
        "metadata": {
            "question_id": question, "template_id": "t", "failure": None if passed is not False else FAILED_CONTENT,
            "answering": ANSWERING, "parsing": PARSING, "replicate": None, "run_name": "run", **more,
        },
        "template": None if template is None else {"verify_result": passed, **template},
        "rubric": rubric,
        "deep_judgment": None,
    }  # fmt: skip


def whole(rows: Sequence[Any], rubric: Any = None, **more: Any) -> dict[str, Any]:
    """A file of format 2.2."""
    beside = {"format_version": "2.2", "metadata": {"karenina_version": "0.1", "verification_config": {}}}
    return {**beside, "shared_data": {"rubric_definition": rubric}, "results": list(rows), **more}


def flat(question: str = "q1", passed: Any = True, **more: Any) -> dict[str, Any]:
    """One result of the formats before the nested one."""
    return {
        "question_id": question, "success": True, "error": None, "verify_result": passed, "verify_rubric": {"clear": 4},
        "answering_model": "openai/small", "parsing_model": "openai/judge", "answering_replicate": 1, "run_name": "run",
        **more,
    }  # fmt: skip


def lines(rows: Sequence[Any], rubric: Any = None) -> str:
    """A file of format 2.2 with one result on a line, as the program streams it."""
    head = json.dumps({k: v for k, v in whole((), rubric).items() if k != "results"})[:-1]
    return head + ',"results":[\n' + ",\n".join(json.dumps(one) for one in rows) + "\n]}\n"


def table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """A CSV file with these columns."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def short_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The indexed table as it is written: no cell for the job id, cells with commas and quotes quoted twice."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(INDEXED)
    for one in rows:
        writer.writerow([_twice(str(one.get(name, "")), name) for name in INDEXED if name != "job_id"])
    return out.getvalue()


def _twice(text: str, name: str) -> str:
    odd = name != "question_specific_rubrics" and any(mark in text for mark in ',"\n')
    return '"' + text.replace('"', '""') + '"' if odd else text
