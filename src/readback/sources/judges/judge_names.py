"""The names that a judge's format template reads, what other programs usually call a question and an
answer, and the model that judges.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter

from readback.types import Judge

USUAL = {
    **dict.fromkeys(("query", "user_query", "user_question", "instruction", "input", "user_input"), "question"),
    **dict.fromkeys(
        (
            "response",
            "generated_answer",
            "prediction",
            "output",
            "completion",
            "candidate",
            "candidate_answer",
            "model_response",
            "model_answer",
            "model_output",
            "generated_response",
            "assistant_response",
            "llm_response",
        ),
        "answer",
    ),
    **dict.fromkeys(("reference", "reference_answer", "ground_truth", "expected_answer", "gold_answer"), "gold"),
}
PLAIN = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}")  # doubled braces are text


def names_a_field(text: str) -> bool:
    """Tell whether a plain name is in braces: what `str.format` fills in, and every program that does it alike."""
    return any(hit[1] for hit in PLAIN.finditer(text))


def list_format_fields(judge: Judge) -> frozenset[str] | None:
    """Return the fields of a `str.format` template as written; None for another syntax or broken braces."""
    if judge.syntax != "format":
        return None
    try:
        return frozenset(field for _, field, _, _ in Formatter().parse(judge.user) if field is not None)
    except ValueError:
        return None


def find_record_value(judge: Judge, name: str) -> str | None:
    """Which of question, answer, documents, gold goes into the template's `name`: mapped so, or usually called so."""
    fields = list_format_fields(judge) or frozenset()
    for value, field in judge.fields.items():
        if field == name and value not in fields:
            return value
    return USUAL.get(name.lower())


def find_judge_model(judge: Judge) -> str | None:
    """Return the model that a judge's settings name, also one level down."""
    inference = judge.settings.get("inference")
    if isinstance(inference, Mapping):
        nested = inference.get("model")
    else:
        nested = None
    model = judge.settings.get("model") or nested
    if isinstance(model, str) and model:
        return model
    return None
