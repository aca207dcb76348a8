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


def named(said: Mapping[str, Any], settings: FileSettings) -> ConditionKey:
    """The condition: what the workspace says of the file, else the run's label, else the name of its folder."""
    label = settings.source.label or text_of(said.get("model_label")) or PurePosixPath(settings.source.path).parent.name
    return (("condition", settings.aliases.get(label, label)),)


def of_summary(said: Mapping[str, Any], settings: FileSettings, place: Location) -> RunFacts:
    """Mode, judge, records and items as a summary states them."""
    items = said.get("evaluated_task_ids")
    return RunFacts(
        condition=named(said, settings),
        mode=_mode(said) or None,
        judge=text_of(said.get("judge_model")) or text_of(said.get("judge_name")) or None,
        judge_model=text_of(said.get("judge_model")) or None,
        records=_file(said.get("dataset")),
        items=tuple(map(text_of, items[:MOST_ITEMS])) if isinstance(items, list) else (),
        place=place,
        rubric=text_of(said.get("judge_name")) or None,
    )


def of_record(said: Mapping[str, Any], settings: FileSettings, place: Location) -> RunFacts:
    """The same of a line of `metadata.jsonl`, which also knows fingerprints and the models."""
    summary = _part(said, "metrics")
    judge, records = _part(said, "judge"), _part(said, "dataset")
    judged_by = text_of(_part(judge, "parameters").get("model")) or None
    found = of_summary({**summary, "dataset": records.get("path")}, settings, place)
    return RunFacts(
        condition=named({**summary, **said}, settings),
        mode=found.mode or text_of(said.get("prompt_mode")) or None,
        model=text_of(_part(_part(said, "inference"), "parameters").get("model")) or None,
        judge=judged_by or found.judge,
        judge_model=judged_by or found.judge_model,
        judge_prompt=text_of(judge.get("prompt_sha256")) or _file(judge.get("prompt_path")),
        dataset=text_of(records.get("sha256")) or None,
        records=found.records,
        items=found.items,
        place=place,
        rubric=found.rubric,
    )


def closed(said: Mapping[str, Any], settings: FileSettings) -> bool:
    """Whether a run had no documents: by its own word, by its rows' modes, or by the workspace's word."""
    name = named(said, settings)[0][1]
    return (_mode(said) or settings.modes.get(name)) == CLOSED_BOOK


def _mode(said: Mapping[str, Any]) -> str:
    counts = _part(said, "citation_metrics_mode_counts")
    if not said.get("prompt_mode") and counts.get("instruction_only") and not counts.get("rag"):
        return CLOSED_BOOK
    return text_of(said.get("prompt_mode"))


def _file(path: Any) -> str | None:
    """A path without the folders of somebody's machine."""
    return PurePosixPath(path.replace("\\", "/")).name or None if isinstance(path, str) else None


def _part(said: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = said.get(name)
    return value if isinstance(value, Mapping) else {}
