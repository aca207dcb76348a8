"""Load the scores of a workspace; read again only when a file, or what is said of it, has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock

from readback.readers.files.checksum import State, state
from readback.readers.files.paths import resolve
from readback.readers.files.progress import Cancelled, Progress
from readback.readers.yaml.yaml_file import find_nearest
from readback.records.dataset import open_dataset
from readback.records.replies.batch_replies import MARK, START, BatchRequests, Request
from readback.records.replies.log_records import match_records
from readback.scores import expenses, reference, rubrics
from readback.scores import files as score_files
from readback.scores.comparing.compare import list_planned
from readback.scores.files import aggregated, judge_names
from readback.scores.files.reply_column import Rubrics
from readback.scores.files.run_facts import FOUND
from readback.scores.files.score_rows import FileScores, FileSettings
from readback.scores.join import join
from readback.scores.pairwise import contestants
from readback.scores.reported.contradictions import find_off_scale_means
from readback.scores.resolve import resolve_columns
from readback.scores.table import Columns, RunFacts, ScoreTable, SourceRead
from readback.scores.values.criteria import load_shipped_criteria, look_up, scale_text
from readback.types import Criterion, Diagnostic, Judge, Location, ScoreSource, Workspace

NONE = "–"


READING = Lock()  # a page and a check that want the same scores at once read them once
KEEP = 4  # tables kept; one of a million scores takes some fifty megabytes


def load(workspace: Workspace, progress: Progress | None = None) -> ScoreTable:
    """Every score the workspace names, in one table.

    What is wrong in the files is in the table's diagnostics, and nothing is dropped without one. Raises Cancelled when
    `progress` answers False.
    """
    request, diagnostics = _prepare_request(workspace, progress)
    with READING:
        table = _load(request)
    if diagnostics:
        return replace(table, diagnostics=(*diagnostics, *table.diagnostics))
    return table


def fingerprint(workspace: Workspace) -> str:
    """Return what tells whether scores must be read again: the files as they are now, and the settings for them."""
    request, diagnostics = _prepare_request(workspace, None)
    return hashlib.sha256(
        repr((request.files, request.settings, diagnostics)).encode("utf-8", "surrogatepass")
    ).hexdigest()


def _prepare_request(workspace: Workspace, progress: Progress | None) -> tuple[_Request, list[Diagnostic]]:
    files: list[_File] = []
    diagnostics: list[Diagnostic] = []
    for source in workspace.scores:
        path = resolve(workspace.root, source.path, place=source.place)
        if isinstance(path, Diagnostic):
            diagnostics.append(path)
            continue
        try:
            now = state(path)
        except OSError as gone:  # between two looks
            values = {"path": source.path, "reason": (gone.strerror or "it cannot be read").lower()}
            diagnostics.append(Diagnostic("dat-file-missing", values, source.place, source.path))
            continue
        files.append(_File(source, str(path), now))
    if any(_is_of_batch(file.path) for file in files):
        of_batches = _of_batches(workspace)
    else:
        of_batches = ()
    return _Request(tuple(files), (*_list_settings(workspace), of_batches), workspace, progress), diagnostics


def _is_of_batch(path: str) -> bool:
    """Whether a file may hold the replies of a batch, which the dataset and the names of choices explain."""
    try:
        with Path(path).open("rb") as file:
            return MARK in file.read(START)
    except OSError:
        return False


def _of_batches(workspace: Workspace) -> tuple[object, ...]:
    """Return what the requests of batches depend on: the dataset as it is now, and the names of choices."""
    source = workspace.dataset
    named = (sorted(workspace.prompts), sorted(workspace.tasks), sorted(workspace.judges))
    return (repr(named), source and source.id, source and reference.state_of(workspace, source.path))


def _requests(workspace: Workspace) -> Callable[[str], Request | None]:
    """How the requests of batches are found; the dataset is opened when the first is asked for."""

    @cache
    def requests() -> BatchRequests:
        return BatchRequests(workspace, open_dataset(workspace.root, workspace.dataset))

    return lambda name: requests().find(name)


def _of_logs(workspace: Workspace) -> tuple[object, ...]:
    """Return what the records of logs depend on: the dataset as it is now. Nothing where no log is read."""
    source = workspace.dataset
    if source is None or not any(condition.logged for condition in workspace.conditions):
        return ()
    return source.path, source.id, reference.state_of(workspace, source.path)


def _find_records_of_log(workspace: Workspace, log: str) -> Callable[[str], str]:
    """Return what finds the id here of a record of a log; the two are matched when the first is asked for."""

    @cache
    def matched() -> Mapping[str, str]:
        if workspace.dataset is None or workspace.dataset.path == log:
            return {}
        return match_records(workspace.root, open_dataset(workspace.root, workspace.dataset), log).ids

    return lambda name: matched().get(name, name)


@dataclass(frozen=True, slots=True)
class _File:
    source: ScoreSource
    path: str
    state: State


@dataclass(frozen=True, slots=True)
class _Request:
    """What a table is made from; two are equal when the same files are read in the same way."""

    files: tuple[_File, ...]
    settings: tuple[object, ...]
    workspace: Workspace = field(compare=False)
    progress: Progress | None = field(compare=False)


def _list_settings(workspace: Workspace) -> tuple[object, ...]:
    """Return what the workspace file says that changes how scores are read, in a form that can be compared."""
    return (
        tuple(
            (c.name, c.scale, c.values, c.low, c.high, c.direction, c.unit, tuple(c.meanings.items()))
            for c in workspace.criteria.values()
        ),
        tuple((c.failed, c.scores) for c in workspace.criteria.values()),
        tuple((c.name, c.mode, c.judge, c.aliases) for c in workspace.conditions),
        _of_logs(workspace),
        repr((_rubrics(workspace), sorted(workspace.people.items()))),
        _list_answered(workspace),
    )


def _list_answered(workspace: Workspace) -> tuple[object, ...]:
    """Return what scores depend on of what was answered and by whom it was judged; nothing of score files alone."""
    if not (workspace.conditions or workspace.models or workspace.judges or workspace.comparisons):
        return ()
    return (
        repr((tuple(rubrics.facts(workspace)), tuple(of_workspace(workspace)), list_planned(workspace))),
        repr(contestants.list_inputs(workspace)),
        reference.files(workspace),
    )


@lru_cache(maxsize=KEEP)
def _load(request: _Request) -> ScoreTable:
    workspace = request.workspace
    criteria = {**load_shipped_criteria(), **workspace.criteria}
    reads: list[FileScores] = []
    diagnostics: list[Diagnostic] = []
    judges = judge_names.of_files(workspace, [(file.source, Path(file.path)) for file in request.files])
    rubric = _rubrics(workspace)
    total = sum(file.state.size for file in request.files)
    done = 0
    for file, judged in zip(request.files, judges, strict=True):
        source = file.source
        read = score_files.read_scores(
            Path(file.path),
            FileSettings(
                source,
                criteria,
                _aliases(workspace),
                _modes(workspace),
                judged.name,
                rubrics=rubric.under(judged.name, judged.rubric),
                find_request=_requests(workspace),
                find_record=_find_records_of_log(workspace, source.path),
            ),
            _beat(request.progress, done, total),
        )
        done += file.state.size
        if isinstance(read, Diagnostic):
            diagnostics.append(read)
        else:
            reads.append(read)
            diagnostics.extend(read.diagnostics)
    labels = {file.source.label for file in request.files if file.source.label}
    reads = aggregated.join_means_with_rows(reads, {*labels, *(c.name for c in workspace.conditions)})
    reads, declared, differing = with_scales(reads, workspace.criteria)
    resolved = resolve_columns(
        join([read.columns for read in reads if read.columns is not None]),
        declared,
        load_shipped_criteria(),
        _modes(workspace, reads),
        rubrics.ungrounded(workspace),
    )
    reported = tuple(means for read in reads for means in read.reported)
    off = find_off_scale_means(reported, {*resolved.criteria, *workspace.criteria})
    table = ScoreTable(
        columns=resolved.columns,
        criteria=resolved.criteria,
        sources=sources(reads, resolved.columns),
        diagnostics=(
            *diagnostics,
            *differing,
            *resolved.diagnostics,
            *unknown_conditions(workspace, resolved.columns),
            *off,
        ),
        reported=reported,
        summaries=tuple(summary for read in reads for summary in read.summaries),
        outcomes=tuple(outcome for read in reads for outcome in read.outcomes),
        about=(
            *(expense for read in reads for expense in read.about),
            *of_workspace(workspace),
            *rubrics.facts(workspace),
        ),
        inferred=resolved.inferred,
        questions=resolved.questions,
        outlying=resolved.outlying,
        on_other_scale={name: base_name for read in reads for name, base_name in read.on_other_scale.items()},
        planned=list_planned(workspace),
        expenses=expenses.together(expense for read in reads for expense in read.expenses),
        people={**{name: expense for read in reads for name, expense in read.people.items()}, **workspace.people},
    )
    return replace(
        table,
        diagnostics=(*table.diagnostics, *contestants.find_family_judges(workspace, table)),
        apart=reference.references(table, workspace, _still(request.progress, total)),
    )


def _beat(progress: Progress | None, before: int, total: int) -> Callable[[int], None]:
    def beat(offset: int) -> None:
        if progress and not progress(min(before + offset, total), total):
            raise Cancelled

    return beat


def _still(progress: Progress | None, total: int) -> Progress:
    """Report that the scores are read; the steps that follow may still be stopped."""
    return lambda *_: progress is None or progress(total, total)


def _aliases(workspace: Workspace) -> dict[str, str]:
    return {alias: condition.name for condition in workspace.conditions for alias in condition.aliases}


def _rubrics(workspace: Workspace) -> Rubrics:
    """Return the rubrics of the workspace's judges: what they are asked for, and how their replies are read."""
    return Rubrics(
        {name: judge.criteria for name, judge in workspace.judges.items() if judge.criteria},
        tuple(name for name, judge in workspace.judges.items() if judge.syntax == "placeholder"),
        workspace.options.get("reply_parser") == "upstream",
    )


def _modes(workspace: Workspace, reads: Sequence[FileScores] = ()) -> dict[str, str]:
    """Return the mode of each condition by its name: as its scores say, else as the workspace does."""
    with_mode = (facts for read in reads for facts in reversed(read.about) if facts.mode)
    return {
        **{condition.name: condition.mode for condition in workspace.conditions if condition.mode},
        **{name: facts.mode for facts in with_mode if facts.mode and (name := dict(facts.condition).get("condition"))},
    }


# What the workspace says of how each of its conditions is run and judged, in the form in which files say it.
def of_workspace(workspace: Workspace) -> Iterator[RunFacts]:
    """Mode, model, judge, its rubric and the fingerprint of that prompt, of each condition; weights: `rubrics`."""
    for condition in workspace.conditions:
        if condition.judge:
            judge = workspace.judges.get(condition.judge)
        else:
            judge = None
        yield RunFacts(
            condition=(("condition", condition.name),),
            mode=condition.mode,
            model=condition.model,
            judge=judge_names.name_of(workspace, condition),
            judge_model=judge_names.model_of(workspace, condition),
            judge_prompt=prompt_of(judge) if judge else None,
            place=condition.place,
            by_workspace=True,
            rubric=condition.judge,
        )


def prompt_of(judge: Judge) -> str:
    """SHA-256 of the compact JSON [[role, template], …], as an assembly's fingerprint is made of its texts."""
    if judge.system:
        pairs = [["system", judge.system], ["user", judge.user]]
    else:
        pairs = [["user", judge.user]]
    text = json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# Scales that score files state themselves, and what to do where two files state different ones under one name.
def with_scales(
    reads: Sequence[FileScores], workspace: Mapping[str, Criterion]
) -> tuple[list[FileScores], dict[str, Criterion], list[Diagnostic]]:
    """Return the files, every scale that is declared by the workspace or else by a file, and what differs.

    Where a later file states another scale than an earlier one, its criterion is called after its scale as well, and a
    diagnostic names both: nothing is averaged over two scales.
    """
    reported: dict[str, Criterion] = {}
    first_files: dict[str, str] = {}
    on_scale = []
    differing = []
    for read in reads:
        called: dict[str, str] = {}
        for name, criterion in read.criteria.items():
            declared_criterion = look_up(name, workspace)
            if declared_criterion is not None and declared_criterion.scale != "unknown":
                continue
            reported_criterion = reported.get(name)
            if reported_criterion is not None and _scale(reported_criterion) != _scale(criterion):
                called[name] = f"{name} ({scale_text(criterion)})"
                reported.setdefault(called[name], replace(criterion, name=called[name]))
                both = ((reported_criterion, first_files[name]), (criterion, read.source.path))
                differing.append(_differing(name, both))
            else:
                reported[name] = _together(reported_criterion, criterion)
                first_files.setdefault(name, read.source.path)
        if called and read.columns is not None:
            names = tuple(called.get(name, name) for name in read.columns.criteria)
            apart = {called.get(name, name): base_name for name, base_name in read.on_other_scale.items()}
            apart |= {new: name for name, new in called.items() if name not in read.on_other_scale}
            columns = replace(read.columns, criteria=names)
            on_scale.append(replace(read, columns=columns, on_other_scale=apart))
        else:
            on_scale.append(read)
    return on_scale, {**reported, **workspace}, differing


def _differing(name: str, both: Sequence[tuple[Criterion, str]]) -> Diagnostic:
    """Name the two scales that two files state for one criterion."""
    differs = ", ".join(f"{scale_text(criterion)} in {file}" for criterion, file in both)
    values = {"criterion": name, "judge": "", "a": "", "b": "", "differs": differs, "part": [], "pairs": 1}
    return Diagnostic("scr-scale-differs", values, Location(file=both[-1][1]), flagged=name)


def _scale(criterion: Criterion) -> tuple[object, ...]:
    return criterion.scale, criterion.values, criterion.low, criterion.high


def _together(usual: Criterion | None, criterion: Criterion) -> Criterion:
    """Class names met in several files are put together."""
    if usual is None:
        return criterion
    return replace(usual, meanings={**criterion.meanings, **usual.meanings})


# What became of every row and cell of the files, and which conditions nobody has defined.


def sources(reads: Sequence[FileScores], resolved: Columns) -> tuple[SourceRead, ...]:
    """Return the account of each file, with how many of its cells were dropped as duplicates."""
    import numpy as np

    if len(resolved):
        counts = np.bincount(np.asarray(resolved.file), minlength=len(resolved.files)).tolist()
    else:
        counts = []
    there = dict(zip(resolved.files, counts, strict=False))
    return tuple(
        read.source
        if read.columns is None
        else replace(read.source, doubled=max(len(read.columns) - there.get(read.source.path, 0), 0))
        for read in reads
    )


def unknown_conditions(workspace: Workspace, c: Columns) -> Iterator[Diagnostic]:
    """Return a diagnostic for each condition with scores that the workspace does not define, where it defines any.

    Runs that only left their results do not define which conditions there are.
    """
    import numpy as np

    names = [condition.name for condition in workspace.conditions if FOUND not in condition.settings]
    defined = {*names, *(alias for condition in workspace.conditions for alias in condition.aliases)}
    codes: dict[str, list[int]] = {}
    for code, key in enumerate(c.conditions):
        name = dict(key).get("condition")
        if name is not None and name not in defined:
            codes.setdefault(name, []).append(code)
    if not names:
        return
    for name, of_it in codes.items():
        cells = np.flatnonzero(np.isin(np.asarray(c.condition), of_it))
        if not len(cells):
            continue
        at = int(cells[0])
        close = find_nearest(name, defined) or NONE
        values = {"name": name, "count": len(cells), "nearest": close, "known": ", ".join(names)}
        place = Location(file=c.files[c.file[at]], line=c.line[at] or None, condition=name)
        yield Diagnostic("scr-unknown-condition", values, place, name)
