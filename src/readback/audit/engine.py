"""Run the audit: cut the dataset into ranges, a bounded child for each on every core, and let nothing stop the rest."""

from __future__ import annotations

import contextlib
import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

from readback import as_json, cell, rules
from readback.assembly import assemble, in_chunks, training_match
from readback.assembly.probes import always, probes
from readback.audit import before, training
from readback.audit.chunk import about, payload
from readback.audit.longest import with_tokens
from readback.audit.repeats import Mark, Repeats
from readback.audit.summary import Audit, Progress, Tally, rows
from readback.audit.unused import unused
from readback.audit.variables import Heard, Variables, started
from readback.records.dataset import Cancelled, Counts, Dataset, DatasetChanged, open_dataset
from readback.rules import Fault
from readback.types import Assembly, Case, Choice, Finding, Note, Record, Workspace

WORK = "readback.audit.chunk:audit_chunk"
NO_ANSWER = "jdg-no-answer"
KILLS = 20  # records that may kill their child under one choice before the choice is given up
LIMITS = cell.Limits(seconds=2.0, output=1 << 30, total=6 * 3600.0)  # between two beats; a chunk has thousands


@dataclass(slots=True)
class _Run:
    """What one audit works with; `active` are the choices not given up."""

    opened: Workspace
    data: Dataset
    codes: Collection[str] | None
    active: list[Choice]
    tally: Tally
    names: Variables
    kills: Counter[Choice] = field(default_factory=Counter)

    def frames(self, start: int, stop: int, choices: Iterable[Choice], records: bool) -> Iterator[_Frame]:
        work = payload(self.opened, choices, start, stop, codes=self.codes, records=records)
        yield from self.read(cell.stream(WORK, work, LIMITS), choices)

    def read(self, frames: Iterable[Mapping[str, Any]], choices: Iterable[Choice]) -> Iterator[_Frame]:
        heard = Heard()
        for frame in frames:
            faults = (Fault(rule, error, as_json.read_place(at)) for rule, error, at in frame["faults"])
            found: list[Finding | Fault] = [*map(as_json.read_finding, frame["findings"]), *faults]
            self.names.take(choices, map(heard.read, frame["uses"]), frame["index"])
            yield _Frame(frame["index"], found, frame["longest"], frame["observed"], frame["marks"])

    def wants(self, code: str) -> bool:
        return self.codes is None or code in self.codes


@dataclass(frozen=True, slots=True)
class _Frame:
    index: int
    found: list[Finding | Fault]
    longest: list[int]
    observed: list[bool | None] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)


def check(
    opened: Workspace,
    *,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
    conditions: Collection[str] = (),
    baseline: Collection[str] = (),
    jobs: int | None = None,
    progress: Callable[[int, int], bool | None] | None = None,
) -> Audit:
    """The whole audit at once, with its first 10,000 findings.

    `progress(done, total)` is told now and then; when it answers False the audit stops and says so.
    """
    steps = stream(
        opened,
        select=select,
        ignore=ignore,
        conditions=conditions,
        baseline=baseline,
        jobs=jobs,
        progress=progress,
    )
    return next(step for step in steps if isinstance(step, Audit))


def stream(
    opened: Workspace,
    *,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
    conditions: Collection[str] = (),
    baseline: Collection[str] = (),
    jobs: int | None = None,
    progress: Callable[[int, int], bool | None] | None = None,
) -> Iterator[Finding | Progress | Audit]:
    """Findings as they are found, Progress in between, the summary last.

    `select` and `ignore` hold codes or areas (`fmt`); `conditions` narrows the audit to these; findings whose
    key is in `baseline` are known and only counted; `jobs` children work at once (None: one on every core). Raises
    DatasetChanged when the dataset is written to meanwhile.
    """
    codes = None if not (select or ignore) else frozenset(_codes(select, ignore))
    try:
        data = open_dataset(opened.root, opened.dataset, _going_on(progress))
        beside = training.parts(opened, codes, _going_on(progress))
        training_match.prepare(opened)
    except Cancelled:
        yield Audit(opened.name, Counts(), stopped=True)
        return
    choices = [choice for choice in assemble.choices(opened) if not conditions or choice.condition in conditions]
    first = next(iter(data.records(0, 1)), None)
    firsts = [assemble.assemble(opened, first, choice) for choice in choices] if first else []
    tally = Tally(opened, rows(opened, choices if first else (), firsts), frozenset(baseline))
    run = _Run(opened, data, codes, list(choices), tally, started(choices, firsts) if first else Variables())
    yield from run.tally.take(_before(run))
    if first:
        yield from run.tally.take(_preflight(run, first, firsts))
    others = [_Run(part.opened, part.data, part.codes, [], tally, Variables()) for part in beside]
    for other in others:
        noted = training.noted(other.opened, other.data)
        yield from run.tally.take(rules.finding(note) for note in noted if run.wants(note.code))
    stopped, again, done = False, Repeats(opened), 0
    total = len(data) + sum(len(other.data) for other in others)
    for one in (run, *others):
        again.begin(one.data)
        for frame in () if stopped else _side_by_side(one, jobs):
            yield from run.tally.take([*frame.found, *again.take(frame.index, frame.marks)])
            yield (at := Progress(done + frame.index + 1, total))
            if progress and progress(at.done, at.total) is False:
                stopped = True
                break
        done += len(one.data)
    yield replace(
        run.tally.audit(data.counts, stopped) if stopped else with_tokens(opened, data, run.tally.audit(data.counts)),
        variables=run.names.rows(opened, data),
        unused=unused(opened, data, run.names.names()),
        names_left_out=run.names.left_out,
        training=training.trained(opened, [one.data for one in (run, *others)]),
    )


def _going_on(progress: Callable[[int, int], bool | None] | None) -> Callable[[int, int], bool] | None:
    """For the first reading of the dataset, which counts bytes: how many records there are is not known yet."""
    return None if progress is None else lambda done, total: progress(0, 0) is not False


def _codes(select: Collection[str], ignore: Collection[str]) -> Iterator[str]:
    """The codes that are asked for; a name stands for itself or for an area."""
    for code in rules.RULES():
        names = {code, code.partition("-")[0]}
        if (not select or names & set(select)) and not names & set(ignore):
            yield code


def _before(run: _Run) -> Iterator[Finding | Fault]:
    """What is known before any record: what loading noted, and the rules about the workspace."""
    yield from (rules.finding(note) for note in before.notes(run.opened, run.data) if run.wants(note.code))
    served = probes(run.opened)
    yield from (rules.finding(note) for note in always(served, run.opened) if run.wants(note.code))
    yield from rules.check(Case(run.opened, probes=served), "workspace", run.codes)


def _preflight(run: _Run, record: Record, firsts: Iterable[Assembly]) -> Iterator[Finding | Fault]:
    """Give up choices whose first record breaks a limit, since every other would cost as much; and idle judges."""
    for choice, assembly in zip(tuple(run.active), firsts, strict=True):
        if hit := next((note for note in assembly.notes if note.code == "dat-limit"), None):
            run.active.remove(choice)
            yield rules.noted(hit, Case(run.opened, record, assembly))
        elif _waits(run.opened, choice):
            run.active.remove(choice)
            found = about(run.opened, record, assembly, run.codes)
            yield from (one for one in found if isinstance(one, Fault) or one.code != NO_ANSWER)


def _waits(opened: Workspace, choice: Choice) -> bool:
    """Whether a judge waits for answers nobody has made yet.

    Its prompt is looked at once, for the judge's own faults; that there is nothing to judge is none of them.
    """
    arm = opened.condition(choice.condition) if choice.judge and choice.condition else None
    return arm is not None and arm.answers is None


def _side_by_side(run: _Run, jobs: int | None) -> Iterator[_Frame]:
    """The frames of all records in their order, while other children are busy with the ranges that come next.

    What a child did not finish, or did for a choice that was given up meanwhile, is done again, one record after
    another.
    """
    spans = deque(in_chunks.spans_of(run.data))
    workers = min(jobs or os.cpu_count() or 1, len(spans))
    if workers < 2:
        for span in spans:
            yield from _chunk(run, *span)
        return
    ended = Event()
    under_way: deque[tuple[int, int, tuple[Choice, ...], Future[list[Mapping[str, Any]]]]] = deque()
    with ThreadPoolExecutor(workers, thread_name_prefix="readback-audit") as threads:
        try:
            while spans or under_way:
                while spans and len(under_way) <= workers:
                    (start, stop), choices = spans.popleft(), tuple(run.active)
                    under_way.append((start, stop, choices, threads.submit(_raw, run, start, stop, choices, ended)))
                at, stop, choices, future = under_way.popleft()
                if (raw := future.result()) and choices == tuple(run.active):
                    for frame in run.read(raw, choices):
                        run.tally.measure(frame.index, choices, frame.longest, frame.observed)
                        at = frame.index + 1
                        yield frame
                yield from _chunk(run, at, stop)
        finally:
            ended.set()


def _raw(run: _Run, start: int, stop: int, choices: tuple[Choice, ...], ended: Event) -> list[Mapping[str, Any]]:
    """What the child of a range says, as far as it comes."""
    said: list[Mapping[str, Any]] = []
    work = payload(run.opened, choices, start, stop, codes=run.codes)
    with contextlib.suppress(cell.Stopped):
        for frame in cell.stream(WORK, work, LIMITS):
            said.append(frame)
            if ended.is_set():
                break
    return said


def _chunk(run: _Run, start: int, stop: int) -> Iterator[_Frame]:
    """The frames of a range; where a record kills the child, it is looked at alone and the rest goes on after it."""
    at = start
    while at < stop:
        choices = tuple(run.active)
        try:
            for frame in run.frames(at, stop, choices, True):
                run.tally.measure(frame.index, choices, frame.longest, frame.observed)
                at = frame.index + 1
                yield frame
            if at < stop:
                raise DatasetChanged(f"{run.data.file} was changed while it was looked through")
        except cell.Stopped:
            yield _alone(run, at)
            at += 1


def _alone(run: _Run, index: int) -> _Frame:
    """One record whose child was killed: its rules, then each choice in a child of its own, to find the culprit."""
    found: list[Finding | Fault] = []
    marks: list[Mark] = []
    for choice in (None, *run.active):
        choices = () if choice is None else (choice,)
        try:
            for frame in run.frames(index, index + 1, choices, choice is None):
                run.tally.measure(frame.index, choices, frame.longest, frame.observed)
                found.extend(frame.found)
                marks.extend(frame.marks)
        except cell.Stopped as stopped:
            found.extend(_killed(run, index, choice, stopped))
    return _Frame(index, found, [], [], marks)


def _killed(run: _Run, index: int, choice: Choice | None, stopped: cell.Stopped) -> Iterator[Finding]:
    case = _case(run, index, choice)
    yield rules.noted(Note("dat-limit", {"what": "this record", "limit": stopped.detail}, flagged=stopped.kind), case)
    if choice is None:
        return
    run.kills[choice] += 1
    if run.kills[choice] >= KILLS:
        run.active.remove(choice)
        values = {"what": f"the rest of the dataset, given up after {KILLS} records", "limit": stopped.detail}
        whole = Case(run.opened, None, case.assembly)
        yield rules.noted(Note("dat-limit", values, flagged="given up"), whole)


def _case(run: _Run, index: int, choice: Choice | None) -> Case:
    """A case for a record that cannot be worked on: where it stands, and nothing made from it."""
    place = run.data.place(index)
    record = Record(place.record, {}, place)
    return Case(run.opened, record, Assembly(choice, record.id, index, (), "") if choice else None)
