"""A folder of results without a plan: each run that left a folder there is a condition, as its own files describe it.

Source: the results tree of ignaciolinari/beyond-the-cutoff (MIT), `<label>/details.jsonl`, `metrics.json` and
`metadata.jsonl`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from readback.readers.paths import show
from readback.records.raw_rows import read_raw_rows
from readback.scores.files.formats import metadata, metrics
from readback.scores.files.formats.details import run_mode
from readback.scores.files.run_facts import FOUND, named, of_record, of_summary
from readback.scores.files.score_rows import FileSettings
from readback.scores.table import RunFacts
from readback.types import Condition, Diagnostic, Location, ScoreSource
from readback.workspace.draft import Draft
from readback.workspace.recognise import SCORES
from readback.workspace.run_results import KINDS
from readback.workspace.survey import Survey

ROWS = 5  # of the details that are asked for the run's name and mode


def take(draft: Draft, around: Survey) -> None:
    """The runs become conditions, where none are defined; modes that nothing here can render are only said."""
    if draft.conditions:
        return
    taken: set[str] = set()
    for folder, files in _folders(around).items():
        facts = _facts(draft, files)
        name = next((dict(one.condition)["condition"] for one in facts), folder.name)
        if name in taken:
            continue  # a second folder of that run: its scores are there all the same
        taken.add(name)
        draft.conditions.append(_condition(draft, name, folder, files, facts))


def _folders(around: Survey) -> Mapping[Path, dict[str, Path]]:
    """The files of each run by kind. A folder with several of a kind is no folder of one run."""
    found: dict[Path, list[tuple[str, Path]]] = {}
    for one in around.all(SCORES):
        for kind, name in KINDS.items():
            if name == one.detail:
                found.setdefault(one.path.parent, []).append((kind, one.path))
    return {
        folder: dict(files)
        for folder, files in found.items()
        if len(dict(files)) == len(files) and folder != around.root
    }


def _condition(draft: Draft, name: str, folder: Path, files: Mapping[str, Path], facts: list[RunFacts]) -> Condition:
    def said(what: str) -> Any:
        return next((value for one in facts if (value := getattr(one, what))), None)

    mode, rubric = said("mode"), said("rubric")
    settings = {"model": said("model"), "judge_model": said("judge_model"), "mode": mode}
    details = files.get("details")
    return Condition(
        name=name,
        mode=mode if mode in draft.prompts else None,
        judge=rubric if rubric in draft.judges else None,
        answers=show(draft.root, details) if details else None,
        settings={FOUND: show(draft.root, folder), **{key: value for key, value in settings.items() if value}},
        place=Location(file=show(draft.root, next(iter(files.values())))),
    )


def _facts(draft: Draft, files: Mapping[str, Path]) -> list[RunFacts]:
    """What the run's files say of it, the latest line of its metadata first."""
    return [one for kind in ("metadata", "metrics", "details") if kind in files
            for one in _of_file(kind, files[kind], show(draft.root, files[kind]))]  # fmt: skip


def _of_file(kind: str, path: Path, file: str) -> Iterator[RunFacts]:
    asked, place = FileSettings(ScoreSource(file), {}, {}, {}), Location(file=file)
    if kind == "metadata":
        line = metadata.latest(path, file)
        yield from [of_record(line, asked, place)] if line else []
    elif kind == "metrics":
        value = metrics.only_object(path, file)
        yield from [of_summary(metrics.summary(value), asked, place)] if value else []
    else:
        for row in islice((row for row in read_raw_rows(path, file) if not isinstance(row, Diagnostic)), ROWS):
            yield RunFacts(named(row.fields, asked), mode=run_mode(row.fields) or None)
