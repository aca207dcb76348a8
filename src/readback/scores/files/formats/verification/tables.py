"""The two tables of verification results as the results they were made from, with what each of them lost.

Both are written by biocypher/karenina. The stamped one (column `export_timestamp`) writes false, 0.0 and nothing alike
as an empty cell; the indexed one (first column `row_index`) quotes its cells twice. Neither says which traits are
classes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.readers.json_text import Decoder, NotJson
from readback.scores.files.cells import NUMBER, text_of
from readback.scores.files.formats.verification.outcome import WRONG, truth
from readback.scores.files.formats.verification.traits import INVALID, Scored
from readback.scores.table import FAILED, MISSING, SCORED

STAMP = "export_timestamp"
TRAITS = "question_specific_rubrics"
METRICS = "metric_trait_metrics"
REASONS = "rubric_trait_reasoning"
PREFIX = "rubric_"
NO_TRAIT = {
    *("rubric_summary", "rubric_evaluation_performed", "rubric_evaluation_strategy", REASONS),
    "rubric_hallucination_risk_assessment",
}
ONE_SPELLING = "an empty cell: this table writes false, 0 and nothing alike"
CLASS = "\N{MINUS SIGN}1: no class of the rubric, or a score; this table does not say which traits are classes"
GRANULAR, SIMILAR = "verify_granular_result", "embedding_similarity_score"
PLAIN = ("error", "success", "completed_without_errors", "run_name", "replicate", "evaluation_mode")
NAMES = ("question_id", "answering_model", "parsing_model", "embedding_model_used")
OLD_RUNS = ("answering_replicate", "parsing_replicate")
CHECKED = tuple(f"{check}_{part}" for check in ("abstention", "sufficiency") for part in ("detected", "reasoning"))


@dataclass(slots=True)
class Losses:
    """What empty cells of the stamped table hid: results read back from the error beside them, and the rest."""

    failed: int = 0
    unknown: int = 0
    granular: int = 0
    similar: int = 0

    def __bool__(self) -> bool:
        return bool(self.failed or self.unknown or self.granular or self.similar)


def read_table_row(fields: Mapping[str, Any], losses: Losses, odd: list[str]) -> dict[str, Any]:
    """One row of a table as a flat result; `losses` is counted, `odd` gets the columns that are not JSON."""
    cells = {str(name): unquote(text_of(value)) for name, value in fields.items()}
    flat: dict[str, Any] = {name: cells[name] for name in (*PLAIN, *NAMES, *OLD_RUNS, *CHECKED) if cells.get(name)}
    flat["verify_result"] = truth(cells.get("verify_result", ""))
    if STAMP in cells and flat["verify_result"] is None and cells.get("error") == WRONG:
        flat["verify_result"] = False
        losses.failed += 1
    for name in (GRANULAR, SIMILAR):
        if (share := _value(cells.get(name, ""))) is not None:
            flat[name] = share
    columns = {name[len(PREFIX) :]: _value(cells[name]) for name in _traits(cells)}
    flat["verify_rubric"] = {**columns, **_decoded(cells, TRAITS, odd)}
    flat[METRICS] = _decoded(cells, METRICS, odd)
    flat[REASONS] = _decoded(cells, REASONS, odd)
    return flat


def list_lost_scores(fields: Mapping[str, Any], flat: Mapping[str, Any], losses: Losses) -> Iterator[Scored]:
    """Yield the scores that an empty cell of the stamped table may hide. A share is lost only where others have one."""
    if STAMP not in fields:
        return
    done = truth(fields.get("template_verification_performed"))
    if flat["verify_result"] is None and (done is not False or flat.get("error")):
        losses.unknown += 1
        yield Scored("verify_result", "template", "boolean", (math.nan, MISSING, ONE_SPELLING))
    if done and GRANULAR not in flat:
        yield Scored(GRANULAR, "template", "?", (math.nan, MISSING, ONE_SPELLING))
    if truth(fields.get("embedding_check_performed")) and SIMILAR not in flat:
        losses.similar += 1
        yield Scored(SIMILAR, "embedding", "share", (math.nan, MISSING, ONE_SPELLING))


def without_classes(scored: Scored) -> Scored:
    """Replace a trait's score of −1 in a table by a failed cell: it is how an invalid class is written."""
    value, state, _ = scored.cell
    if scored.kind == "score" and scored.bucket == "llm" and state == SCORED and value == INVALID:
        return Scored(scored.name, scored.bucket, scored.kind, (math.nan, FAILED, CLASS), scored.rationale)
    return scored


def unquote(text: str) -> str:
    """Remove the second pair of quotes that the indexed table puts around commas, quotes and line ends."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        inner = text[1:-1].replace('""', '"')
        if any(mark in inner for mark in ',"\n'):
            return inner
    return text


def _traits(cells: Mapping[str, str]) -> Iterator[str]:
    return (name for name, text in cells.items() if name.startswith(PREFIX) and name not in NO_TRAIT and text)


def _value(text: str) -> Any:
    """Return a cell of a trait as the value it was written from, in Python's or JSON's spelling."""
    bare = text.strip()
    if (truth_value := truth(bare)) is not None:
        return truth_value
    if NUMBER.fullmatch(bare):
        if any(mark in bare for mark in ".eE") or len(bare) > 15:
            return float(bare)
        return int(bare)
    if bare in ("", "N/A", "None", "null"):
        return None
    if bare.startswith("{"):
        return _json(bare)
    return text


def _decoded(cells: Mapping[str, str], name: str, odd: list[str]) -> Mapping[str, Any]:
    text = cells.get(name, "").strip()
    if not text:
        return {}
    if isinstance(value := _json(text), Mapping):
        return value
    odd.append(name)
    return {}


def _json(text: str) -> Any:
    try:
        return Decoder().whole(text)
    except NotJson:
        return text
