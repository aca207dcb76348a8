"""Run the audit: cut the records into parts, a bounded child for each on every core, and let nothing stop the rest."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from readback import sandbox
from readback.checks import rules, training, workspace_check
from readback.checks.rules import Fault
from readback.checks.run import excess, marks
from readback.checks.run.audit_run import Found, Run, Workers
from readback.checks.run.batch import Batch
from readback.checks.run.chunk import WORK, about
from readback.checks.run.gathered import CountsByField, Gathered
from readback.checks.run.longest_tokens import with_tokens
from readback.checks.run.once import Once
from readback.checks.run.repeats import FoundByRecord, Repeats
from readback.checks.sample import SEED, Sample, drawn
from readback.checks.store import stored_check, stored_ranges
from readback.checks.summary import Audit, Progress, Tally, rows
from readback.checks.template_fields import find_unfilled_templates, unused
from readback.checks.variables import Variables, started
from readback.prompts import assemble, children, judge_values, selections, token_counts, training_rows
from readback.prompts.judge_values import Rows
from readback.readers.bounded_diagnostics import MANY, many_of
from readback.readers.checksum import Hashes
from readback.records import files_of_rows
from readback.records.changed import describe_change
from readback.records.dataset import Cancelled, Counts, DatasetChanged, open_dataset
from readback.requests import observer
from readback.types import Assembly, Finding, Record, RuleContext, Selection, Workspace

NO_ANSWER, NO_VALUE = "jdg-no-answer", "jdg-value-missing"
FEW = 5  # records at the start that tell whether a dataset brings answers
EARLY = "the records of the dataset, given up before the rest was tried"
KILLS = 5  # records that may kill their child under one choice before the choice is given up
FEWEST = 25  # records of a sample that are worth a child


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What of a workspace is checked, and how.

    `select` and `ignore` hold codes or areas (`fmt`); `conditions` narrows the check to these; findings whose key is in
    `baseline` are known and only counted. `jobs` children work at once (None: one on every core); `workers` work on
    whole ranges in place of these, which changes nothing but the time. `progress(done, total)` is called now and then;
    when it returns False the check stops and says so.

    With `sample`, so many records are drawn by `seed` and looked at, all of them where there are no more. What needs no
    record is looked at in full; what repeats from record to record, and training files beside the dataset, are not.
    """

    select: Collection[str] = ()
    ignore: Collection[str] = ()
    conditions: Collection[str] = ()
    baseline: Collection[str] = ()
    jobs: int | None = None
    progress: Callable[[int, int], bool | None] | None = None
    sample: int | None = None
    seed: int = SEED
    workers: Workers | None = None

    @property
    def codes(self) -> frozenset[str] | None:
        """The codes that are looked for; None: all of them."""
        return frozenset(_list_codes(self.select, self.ignore)) if self.select or self.ignore else None


EVERYTHING = CheckOptions()


def check(opened: Workspace, options: CheckOptions = EVERYTHING) -> Audit:
    """Check a workspace; return the summary with its first 10,000 findings."""
    return next(step for step in stream(opened, options) if isinstance(step, Audit))


def stream(opened: Workspace, options: CheckOptions = EVERYTHING) -> Iterator[Finding | Progress | Audit]:
    """Yield findings as they are found, Progress in between, the summary last.

    Where nothing changed since a check that took long, its findings and its summary come from the store
    (`stored_check`). Raises DatasetChanged when the dataset is written to meanwhile.
    """
    hashes = options.workers.hashes if options.workers else Hashes()
    work = partial(_run_check, opened, options, hashes)
    if options.sample is not None:
        yield from work()
        return
    codes = options.codes
    question = {
        "codes": codes and sorted(codes),
        "conditions": sorted(set(options.conditions)),
        "baseline": sorted(set(options.baseline)),
    }
    yield from stored_check.answer_check(opened, question, work, hashes)


def _run_check(opened: Workspace, options: CheckOptions, hashes: Hashes) -> Iterator[Finding | Progress | Audit]:
    codes, conditions, baseline = options.codes, frozenset(options.conditions), frozenset(options.baseline)
    jobs, progress, workers = options.jobs, options.progress, options.workers
    sample, seed = options.sample, options.seed
    states = files_of_rows.take_snapshots(opened)
    try:
        data = open_dataset(opened.root, opened.dataset, _wanted(progress))
        beside = training.parts(opened, codes, _wanted(progress))
        training_rows.index_training_files(opened)
    except Cancelled:
        yield Audit(opened.name, Counts(), stopped=True)
        return
    choices = [
        choice for choice in selections.list_selections(opened) if not conditions or choice.condition in conditions
    ]
    first = next(iter(data.records(0, 1)), None)
    firsts = [assemble.assemble(opened, first, choice) for choice in choices] if first else []
    tally = Tally(opened, rows(opened, choices if first else (), firsts), baseline)
    names = started(choices, firsts) if first else Variables()
    numbers = range(len(data)) if sample is None else drawn(len(data), sample, seed)
    run = Run(opened, data, codes, list(choices), tally, names, numbers, states=states)
    part = run.sampled
    run.stored, run.workers = None if part else stored_ranges.open_ranges(opened, data, codes, hashes), workers
    shared = token_counts.list_audit_tables(opened)
    if shared and workers is None:
        with suppress(OSError):  # who needs it says so
            sandbox.start_zygote(
                WORK.partition(":")[0], shared=shared
            )  # it takes a second, in which all files are looked at
    of_files = list(workspace_check.found(opened, data, beside, codes))
    full = tuple(sorted({one.code for one in of_files if isinstance(one, Finding) and one.place.index is not None}))
    yield from run.tally.take(of_files)
    if first:
        yield from run.tally.take(_preflight(run, first, firsts))
    others = [
        Run(one.opened, one.data, one.codes, [], tally, Variables(), range(len(one.data)), states=states)
        for one in beside
    ]
    for one in others:
        one.stored, one.workers = stored_ranges.open_ranges(one.opened, one.data, one.codes, hashes), workers
    stopped, again, once, done, marked = False, Repeats(opened), Once(data, guessed=opened.file is None), 0, set[str]()
    gathered = Gathered(is_ignored=run.tally.is_ignored)
    if part and numbers[0]:
        once.count(told := run.tally.take(once.of_all(_of_first(run))))
        yield from told
    runs = (run,) if part else (run, *others)
    total = sum(len(one.numbers) for one in runs)
    for one in runs:
        before = done
        again.begin(one.data)
        for found in iter(()) if stopped else _side_by_side(one, jobs):
            repeated: FoundByRecord = {}
            if part:
                marked.update(marks.codes(found.marks))
            else:
                repeated = again.find(found.indices, found.marks)
            for index in sorted(found.by_index.keys() | repeated.keys()):
                here = gathered.take(once.take(found.by_index.get(index, ())))
                once.count(told := run.tally.take([*here, *repeated.get(index, ())]))
                yield from told
            done += len(found.indices)
            yield Progress(done, total)
            if progress and progress(done, total) is False:
                stopped = True
                break
        for kindred in gathered.end(done - before, None if stopped else CountsByField(one.data, one.numbers)):
            if passed := run.tally.take([kindred.finding]):
                run.tally.count_records(kindred.finding.code, kindred.places)
                yield from passed
    if not stopped and first:
        nowhere = once.is_nowhere if part else None
        yield from run.tally.take(_of_templates(run, dict(zip(choices, firsts, strict=True)), nowhere))
    if not stopped and (name := data.file if data.written else files_of_rows.find_changed(opened, states)):
        raise DatasetChanged(describe_change(name))  # a part of the answer is of each state
    taken = Sample(
        len(numbers), len(data), seed, tuple(sorted(marked)), tuple(one.data.file for one in others),
        dict(once.records), full, _seconds(run, jobs or os.cpu_count() or 1),
    )  # fmt: skip
    yield replace(
        run.tally.audit(data.counts, stopped) if stopped else with_tokens(opened, data, run.tally.audit(data.counts)),
        variables=run.names.rows(opened, data),
        unused=unused(opened, data, run.names.names()),
        names_left_out=run.names.left_out,
        training=training.trained(opened, [one.data for one in (run, *others)]),
        # what was stopped reached the first records only, which are no sample
        sample=taken if part and not stopped else None,
    )


def _of_first(run: Run) -> Iterator[Finding | Fault]:
    """What is found in the first record, where a whole audit tells what is true of all of them."""
    alone = Run(run.opened, run.data, run.codes, list(run.active), Tally(run.opened, ()), Variables(), (0,))
    return chain.from_iterable(one for found in _chunk(alone, 0, 1) for one in found.by_index.values())


def _of_templates(
    run: Run, firsts: Mapping[Selection, Assembly], nowhere: Callable[[str], bool] | None
) -> Iterator[Finding]:
    """What is known of a template when the last record was looked at."""
    for diagnostic in find_unfilled_templates(run.opened, run.data, run.names, firsts, nowhere):
        if run.codes is None or diagnostic.code in run.codes:
            yield rules.build_finding(diagnostic)


def _seconds(run: Run, workers: int) -> float:
    """How long all records would take so many children at the speed of those that were looked at."""
    seconds, count = (sum(part) for part in zip(*run.pace, strict=True)) if run.pace else (0.0, 0)
    return seconds / count * len(run.data) / workers if count else 0.0


def _wanted(progress: Callable[[int, int], bool | None] | None) -> Callable[[int, int], bool] | None:
    """For the first reading of the dataset, which counts bytes: how many records there are is not known yet."""
    return None if progress is None else lambda done, total: progress(0, 0) is not False


def _list_codes(select: Collection[str], ignore: Collection[str]) -> Iterator[str]:
    """The codes that are asked for; a name stands for itself or for an area. That there are more of a code than are
    listed is asked for with that code, too.
    """
    more = {MANY, MANY.partition("-")[0]}
    for code in rules.RULES():
        names = {code, code.partition("-")[0]}
        for name, known in ((code, names), (many_of(code), names | more)):
            if (not select or known & set(select)) and not known & set(ignore):
                yield name


def _preflight(run: Run, record: Record, firsts: Iterable[Assembly]) -> Iterator[Finding | Fault]:
    """Give up choices most of whose records are slow or break a limit; and idle judges."""
    hits = dict[Selection, Finding]()
    for choice, assembly in zip(tuple(run.active), firsts, strict=True):
        if hit := next((diagnostic for diagnostic in assembly.diagnostics if diagnostic.code == "dat-limit"), None):
            hits[choice] = rules.build_case_finding(hit, RuleContext(run.opened, record, assembly))
        elif _waits(run.opened, choice) or _has_nothing_to_judge(run, choice):
            run.active.remove(choice)
            found = about(run.opened, record, assembly, run.codes)
            alone = choice.condition is None
            yield from (_weigh_alone(one) if alone else one for one in found if not _is_no_answer(one))
    for choice, limit in children.find_slow_selections(run.opened, run.data, run.active, hits).items():
        run.give_up(choice, len(run.numbers) if len(run.data) > 1 else 0, limit)  # of one record the finding says it
        yield hits.get(choice) or excess.given_up(run.opened, choice, EARLY, limit)


def _is_no_answer(one: Finding | Fault) -> bool:
    return isinstance(one, Finding) and one.code == NO_ANSWER


def _weigh_alone(one: Finding | Fault) -> Finding | Fault:
    """A judge that nobody has given these records lacks nothing yet: what it would need is a note."""
    return replace(one, severity="info") if isinstance(one, Finding) and one.code == NO_VALUE else one


def _has_nothing_to_judge(run: Run, choice: Selection) -> bool:
    """Whether a judge without a condition meets records of which none of the first ones brings an answer.

    They are questions for models, say, whose answers and judgments lie in other files.
    """
    judge = run.opened.judges.get(choice.judge or "") if choice.condition is None else None
    if judge is None or len(run.data) < FEW:
        return False
    mapped = run.opened.dataset.fields if run.opened.dataset else {}
    first = run.data.records(0, FEW)
    return not any(judge_values.has_answer(Rows(judge, record, None, None, {}, mapped)) for record in first)


def _waits(opened: Workspace, choice: Selection) -> bool:
    """Whether a judge waits for answers nobody has made yet.

    Its prompt is looked at once, for the judge's own faults; that there is nothing to judge is none of them.
    """
    condition = opened.condition(choice.condition) if choice.judge and choice.condition else None
    return condition is not None and condition.answers is None


def _side_by_side(run: Run, jobs: int | None) -> Iterator[Found]:
    """What is found in all records, in their order, while other children are busy with the ranges that come next.

    What a child did not finish, or did for a choice that was given up meanwhile, is done again, one record after
    another.
    """
    most = jobs or (run.workers.at_once if run.workers else children.count_children(run.data))
    spans = deque(_spans(run, most))
    workers = min(most, len(spans))
    if workers < 2:
        with run.children:
            for span in spans:
                yield from _chunk(run, *span, whole=True)
        return
    under_way: deque[_Asked] = deque()
    with run.children, ThreadPoolExecutor(workers, thread_name_prefix="readback-audit") as threads:

        def ask(span: tuple[int, int]) -> _Asked:
            choices = tuple(run.active)
            return _Asked(*span, choices, threads.submit(_raw, run, *span, choices))

        try:
            while spans or under_way:
                while spans and len(under_way) <= workers:
                    under_way.append(ask(spans.popleft()))
                asked = under_way.popleft()
                at, stop, choices, raw = asked.start, asked.stop, asked.choices, asked.future.result()
                if choices == tuple(run.active):
                    for told in raw.told:
                        at += len(told.indices)
                        yield run.take(told, choices)
                yield from _chunk(run, at, stop, careful=raw.stopped)
        finally:
            run.ended.set()


def _spans(run: Run, workers: int) -> Iterator[tuple[int, int]]:
    """Places of records (first, beyond the last) for one child each; of a sample so few that all have work."""
    if not run.sampled:
        return children.split_spans(run.data)
    count = len(run.numbers)
    each = min(children.MAX_RECORDS, max(FEWEST, -(-count // workers)))
    return ((at, min(at + each, count)) for at in range(0, count, each))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A range that a thread is asked for, with the choices of that moment."""

    start: int
    stop: int
    choices: tuple[Selection, ...]
    future: Future[_Raw]


@dataclass(slots=True)
class _Raw:
    """What was told of the records of a range, and whether the next record stopped its child."""

    told: list[Batch] = field(default_factory=list)
    stopped: bool = False


def _raw(run: Run, start: int, stop: int, choices: tuple[Selection, ...]) -> _Raw:
    raw = _Raw()
    try:
        for one in run.told(start, stop, choices):
            raw.told.append(one)
            if run.ended.is_set():
                break
    except sandbox.Stopped:
        raw.stopped = True
    return raw


def _chunk(run: Run, start: int, stop: int, *, careful: bool = False, whole: bool = False) -> Iterator[Found]:
    """What is found in a range (`whole`: one of those that the records are cut into). Where a record kills the child,
    others may be lost with it: they are looked at once more with a frame for each (`careful`), so that it is known
    which it is. It is looked at alone, and the rest goes on.
    """
    at, tried = start, -1
    while at < stop:
        choices = tuple(run.active)
        first = whole and at == start and not careful
        try:
            every = run.told(at, stop, choices) if first else run.asked(at, stop, choices, True, careful)
            for told in every:
                at += len(told.indices)
                yield run.take(told, choices)
            if at < stop:
                children.prepare_retry(run.opened, run.data, run.active, run.states, tried == at)
                observer.prepare(run.opened, run.data)
                tried = at
        except sandbox.Stopped:
            if careful or at + 1 == stop:
                yield _alone(run, at)
                at += 1
            careful = True


def _alone(run: Run, at: int) -> Found:
    """One record whose child was killed: its rules, then each choice in a child of its own, to find the culprit."""
    index = run.numbers[at]
    found: list[Finding | Fault] = []
    its_marks = marks.of_none(1)
    for choice in (None, *run.active):
        choices = () if choice is None else (choice,)
        try:
            for told in run.asked(at, at + 1, choices, choice is None):
                one = run.take(told, choices)
                found.extend(one.by_index.get(index, ()))
                its_marks = one.marks if choice is None else its_marks
        except sandbox.Stopped as stopped:
            found.extend(_killed(run, at, choice, stopped))
    return Found((index,), {index: found}, its_marks)


def _killed(run: Run, at: int, choice: Selection | None, stopped: sandbox.Stopped) -> Iterator[Finding]:
    yield from excess.of_record(run.opened, run.data, run.numbers[at], choice, stopped)
    if choice is None:
        return
    run.kills[choice] += 1
    if run.kills[choice] >= KILLS:
        run.give_up(choice, len(run.numbers) - at - 1, f"{KILLS} records stopped at the limit of {stopped.detail}")
        what = f"the rest of the dataset, given up after {KILLS} records"
        yield excess.given_up(run.opened, choice, what, stopped.detail)
