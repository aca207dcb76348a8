"""What a summary of the beyond-the-cutoff evaluation program says of its run, beside the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from readback.scores.files.cells import text_of
from readback.scores.files.score_rows import FileSettings
from readback.scores.table import ConditionKey, RunFacts
from readback.types import Location

CLOSED_BOOK = "instruction"  # a run without documents: what is said about documents does not apply to it
FOUND = "found_in"  # the setting of a condition that nobody defined: the folder in which a run left its results
MOST_ITEMS = 100_000  # of a run that lists what it answered


def name_condition(fields: Mapping[str, Any], settings: FileSettings) -> ConditionKey:
    """Return the condition: the workspace's label of the file, else the run's label, else the name of its folder."""
    label = (
        settings.source.label or text_of(fields.get("model_label")) or PurePosixPath(settings.source.path).parent.name
    )
    return (("condition", settings.aliases.get(label, label)),)


def read_summary_facts(fields: Mapping[str, Any], settings: FileSettings, place: Location) -> RunFacts:
    """Mode, judge, records and items as a summary states them."""
    items = fields.get("evaluated_task_ids")
    return RunFacts(
        condition=name_condition(fields, settings),
        mode=_mode(fields) or None,
        judge=text_of(fields.get("judge_model")) or text_of(fields.get("judge_name")) or None,
        judge_model=text_of(fields.get("judge_model")) or None,
        records=_file(fields.get("dataset")),
        items=tuple(map(text_of, items[:MOST_ITEMS])) if isinstance(items, list) else (),
        place=place,
        rubric=text_of(fields.get("judge_name")) or None,
    )


def read_record_facts(fields: Mapping[str, Any], settings: FileSettings, place: Location) -> RunFacts:
    """Return the facts in a line of `metadata.jsonl`, which also states fingerprints and models."""
    summary = _part(fields, "metrics")
    judge, records = _part(fields, "judge"), _part(fields, "dataset")
    judged_by = text_of(_part(judge, "parameters").get("model")) or None
    facts = read_summary_facts({**summary, "dataset": records.get("path")}, settings, place)
    return RunFacts(
        condition=name_condition({**summary, **fields}, settings),
        mode=facts.mode or text_of(fields.get("prompt_mode")) or None,
        model=text_of(_part(_part(fields, "inference"), "parameters").get("model")) or None,
        judge=judged_by or facts.judge,
        judge_model=judged_by or facts.judge_model,
        judge_prompt=text_of(judge.get("prompt_sha256")) or _file(judge.get("prompt_path")),
        dataset=text_of(records.get("sha256")) or None,
        records=facts.records,
        items=facts.items,
        place=place,
        rubric=facts.rubric,
    )


def is_closed_book(fields: Mapping[str, Any], settings: FileSettings) -> bool:
    """Whether a run had no documents: by its own word, by its rows' modes, or by the workspace's word."""
    name = name_condition(fields, settings)[0][1]
    return (_mode(fields) or settings.modes.get(name)) == CLOSED_BOOK


def _mode(fields: Mapping[str, Any]) -> str:
    counts = _part(fields, "citation_metrics_mode_counts")
    if not fields.get("prompt_mode") and counts.get("instruction_only") and not counts.get("rag"):
        return CLOSED_BOOK
    return text_of(fields.get("prompt_mode"))


def _file(path: Any) -> str | None:
    """Return the file name of a path: its folders are those of one machine."""
    if isinstance(path, str):
        return PurePosixPath(path.replace("\\", "/")).name or None
    return None


def _part(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = fields.get(name)
    if isinstance(value, Mapping):
        return value
    return {}
