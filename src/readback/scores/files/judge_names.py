"""What a judge is called where its scores do not say it: by the model that judges, not by the rubric it judges by.

One model may judge runs with and without documents by two rubrics, as in ignaciolinari/beyond-the-cutoff (MIT); it is
one judge then, with two prompts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from readback.scores.files.formats import metadata, metrics
from readback.scores.files.run_facts import read_record_facts
from readback.scores.files.score_rows import FileSettings
from readback.sources.judges.judge_names import find_judge_model
from readback.types import NOWHERE, Condition, ScoreSource, Workspace


@dataclass(frozen=True, slots=True)
class Judged:
    """By whom the rows of one file were judged, empty where nothing says it. `rubric` is the judge's prompt by name."""

    name: str = ""
    rubric: str = ""


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a run's own file says of its judge."""

    folder: PurePosixPath
    label: str
    model: str
    rubric: str


def of_files(workspace: Workspace, files: Sequence[tuple[ScoreSource, Path]]) -> tuple[Judged, ...]:
    """Return the judge of each score file, as its run's files state it, else as the workspace does.

    Where one condition was judged by one model with two rubrics, the two are told apart by the rubrics' names.
    """
    reported = [entry for source, path in files for entry in _reported(source, path)]
    judges = [(_run(source, reported), _find_judge(workspace, source, reported)) for source, _ in files]
    rubrics: dict[tuple[str, str], set[str]] = {}
    for run, entry in judges:
        if entry.rubric:
            rubrics.setdefault((run, entry.name), set()).add(entry.rubric)
    return tuple(
        Judged(entry.rubric, entry.rubric) if len(rubrics.get((run, entry.name), ())) > 1 else entry
        for run, entry in judges
    )


def name_of(workspace: Workspace, condition: Condition) -> str | None:
    """Return the name of a condition's judge as far as the workspace says: its model, else its rubric."""
    return model_of(workspace, condition) or condition.judge


def model_of(workspace: Workspace, condition: Condition) -> str | None:
    """Return the model that judges a condition: what its run is judged with, else what its judge's settings say."""
    run = condition.settings.get("judge_model")
    if isinstance(run, str) and run:
        return run
    if condition.judge:
        judge = workspace.judges.get(condition.judge)
    else:
        judge = None
    if judge:
        return find_judge_model(judge)
    return None


def _find_judge(workspace: Workspace, source: ScoreSource, reported: Sequence[_Stated]) -> Judged:
    if source.label:
        condition = workspace.condition(source.label)
    else:
        condition = None
    folder_facts = _here(source, reported)
    models = {facts.model for facts in folder_facts if facts.model}
    rubrics = {facts.rubric for facts in folder_facts if facts.rubric}
    if len(models) == 1:
        model = next(iter(models))
    else:
        model = None
    rubric = (condition.judge if condition else None) or (next(iter(rubrics)) if len(rubrics) == 1 else "")
    model = model or (model_of(workspace, condition) if condition else None)
    return Judged(model or rubric, rubric)


def _here(source: ScoreSource, reported: Sequence[_Stated]) -> list[_Stated]:
    """Return what is reported in the file's folder: of its own run, where runs are told apart there."""
    here = [facts for facts in reported if facts.folder == PurePosixPath(source.path).parent]
    return [facts for facts in here if facts.label == source.label] or here


def _run(source: ScoreSource, reported: Sequence[_Stated]) -> str:
    """Which run a file is about, as far as it is known before it is read."""
    labels = {facts.label for facts in _here(source, reported) if facts.label}
    return source.label or (next(iter(labels)) if len(labels) == 1 else str(PurePosixPath(source.path).parent))


def _reported(source: ScoreSource, path: Path) -> Iterator[_Stated]:
    folder = PurePosixPath(source.path).parent
    if path.suffix.lower() == ".json" and (value := metrics.only_object(path, source.path)):
        yield _Stated(folder, *metrics.read_judge(value))
    elif path.suffix.lower() == ".jsonl" and (line := metadata.latest(path, source.path)):
        yield _Stated(folder, *_of_line(line))


def _of_line(line: Mapping[str, Any]) -> tuple[str, str, str]:
    facts = read_record_facts(line, FileSettings(ScoreSource("."), {}, {}, {}), NOWHERE)
    return facts.condition[0][1], facts.judge_model or "", facts.rubric or ""
