"""Run the audit: cut the records into ranges, ask a bounded child about each on every core, go on whatever stops."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from readback import sandbox
from readback.checks import rules, training, workspace_check
from readback.checks.fields.template_fields import find_unfilled_templates, unused
from readback.checks.rules import Fault
from readback.checks.run import excess
from readback.checks.run.audit_run import Answer, Run, Workers
from readback.checks.run.batch import Batch
from readback.checks.run.chunk import WORK, check_assembly
from readback.checks.run.gathered import CountsByField, Gathered
from readback.checks.run.longest_tokens import with_tokens
from readback.checks.run.marks import build_empty_marks, list_codes
from readback.checks.run.once import Once
from readback.checks.run.repeats import FoundByRecord, Repeats
from readback.checks.sample import SEED, Sample, drawn
from readback.checks.store import stored_check, stored_ranges
from readback.checks.summary import LIMIT, Audit, Progress, Tally, rows
from readback.checks.variables import Variables, started
from readback.prompts import assemble, children, judge_values, selections, token_counts, training_rows
from readback.prompts.judge_values import Rows
from readback.readers.files.bounded_diagnostics import MANY, many_of
from readback.readers.files.checksum import Hashes
from readback.records import files_of_rows
from readback.records.changed import describe_change
from readback.records.dataset import Cancelled, Counts, DatasetChanged, open_dataset
from readback.records.files_of_rows import States
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
        if self.select or self.ignore:
            return frozenset(_list_codes(self.select, self.ignore))
        return None


EVERYTHING = CheckOptions()


def check(opened: Workspace, options: CheckOptions = EVERYTHING) -> Audit:
    """Check a workspace; return the summary with its first 10,000 findings."""
    return next(step for step in stream(opened, options) if isinstance(step, Audit))


def stream(opened: Workspace, options: CheckOptions = EVERYTHING) -> Iterator[Finding | Progress | Audit]:
    """Yield findings as they are found, Progress in between, the summary last.

    Where nothing changed since a check that took long, its findings and its summary come from the store
    (`stored_check`). Raises DatasetChanged when the dataset is written to meanwhile.
    """
    if options.workers:
        hashes = options.workers.hashes
    else:
        hashes = Hashes()
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
    codes, progress, workers = options.codes, options.progress, options.workers
    states = files_of_rows.take_snapshots(opened)
    try:
        data = open_dataset(opened.root, opened.dataset, _wrap_progress(progress))
        training_parts = training.parts(opened, codes, _wrap_progress(progress))
        training_rows.index_training_files(opened)
    except Cancelled:
        yield Audit(opened.name, Counts(), stopped=True)
        return
    choices = selections.list_selections(opened)
    if options.conditions:
        choices = tuple(choice for choice in choices if choice.condition in options.conditions)
    first = next(iter(data.records(0, 1)), None)
    if first:
        firsts = [assemble.assemble(opened, first, choice) for choice in choices]
    else:
        firsts = []
    tally = Tally(opened, rows(opened, choices if first else (), firsts), frozenset(options.baseline))
    if first:
        names = started(choices, firsts)
    else:
        names = Variables()
    numbers = range(len(data)) if options.sample is None else drawn(len(data), options.sample, options.seed)
    run = Run(opened, data, codes, list(choices), tally, names, numbers, workers=workers, states=states)
    is_sample = run.sampled
    if not is_sample:
        run.stored = stored_ranges.open_ranges(opened, data, codes, hashes)
    shared = token_counts.list_audit_tables(opened)
    if shared and workers is None:
        with suppress(OSError):  # who needs it says so
            # It takes a second, in which all files are looked at.
            sandbox.start_zygote(WORK.partition(":")[0], shared=shared)
    of_files = list(workspace_check.check_workspace(opened, data, training_parts, codes))
    of_rows = (finding for finding in of_files if isinstance(finding, Finding) and finding.place.index is not None)
    codes_of_all_records = tuple(sorted({finding.code for finding in of_rows}))
    yield from tally.take(of_files)
    if first:
        yield from tally.take(_preflight(run, first, firsts))
    training_runs = [_build_training_run(part, tally, states, hashes, workers) for part in training_parts]
    runs = (run,) if is_sample else (run, *training_runs)
    total = sum(len(each.numbers) for each in runs)
    once = Once(data, guessed=opened.file is None)
    gathered = Gathered(is_ignored=tally.is_ignored)
    repeats = Repeats(opened)
    codes_of_marks: set[str] = set()
    stopped, done = False, 0
    if is_sample and numbers[0]:
        general = tally.take(once.take_general(_check_first_record(run)))
        once.count(general)
        yield from general
    for current in runs:
        done_before = done
        repeats.begin(current.data)
        answers = iter(()) if stopped else _ask_side_by_side(current, options.jobs)
        for answer in answers:
            repeated: FoundByRecord = {}
            if is_sample:
                codes_of_marks.update(list_codes(answer.marks))
            else:
                repeated = repeats.find(answer.indices, answer.marks)
            for index in sorted(answer.by_index.keys() | repeated.keys()):
                of_record = gathered.take(once.take(answer.by_index.get(index, ())))
                new = tally.take([*of_record, *repeated.get(index, ())])
                once.count(new)
                yield from new
            done += len(answer.indices)
            yield Progress(done, total)
            if progress and progress(done, total) is False:
                stopped = True
                break
        if stopped:
            count_like = None
        else:
            count_like = CountsByField(current.data, current.numbers)
        for kindred in gathered.end(done - done_before, count_like):
            new = tally.take([kindred.finding])
            if new:
                tally.count_records(kindred.finding.code, kindred.places)
                yield from new
    if not stopped and first:
        if is_sample:
            is_nowhere = once.is_nowhere
        else:
            is_nowhere = None
        yield from tally.take(_check_templates(run, dict(zip(choices, firsts, strict=True)), is_nowhere))
    if not stopped:
        changed = data.file if data.written else files_of_rows.find_changed(opened, states)
        if changed:  # a part of the answer is of each state
            raise DatasetChanged(describe_change(changed))
    audit = tally.audit(data.counts, stopped)
    sample = None
    if is_sample and not stopped:  # what was stopped reached the first records only, which are no sample
        sample = Sample(
            len(numbers),
            len(data),
            options.seed,
            tuple(sorted(codes_of_marks)),
            tuple(part.data.file for part in training_parts),
            dict(once.records),
            codes_of_all_records,
            _estimate_seconds(run, options.jobs or os.cpu_count() or 1),
        )
    yield replace(
        audit if stopped else with_tokens(opened, data, audit),
        variables=run.names.rows(opened, data),
        unused=unused(opened, data, run.names.names()),
        names_left_out=run.names.left_out,
        training=training.trained(opened, [each.data for each in (run, *training_runs)]),
        sample=sample,
    )


def _build_training_run(
    part: training.Part, tally: Tally, states: States, hashes: Hashes, workers: Workers | None
) -> Run:
    """Return the run over a training file beside the dataset."""
    numbers = range(len(part.data))
    run = Run(part.opened, part.data, part.codes, [], tally, Variables(), numbers, workers=workers, states=states)
    run.stored = stored_ranges.open_ranges(part.opened, part.data, part.codes, hashes)
    return run


def _check_first_record(run: Run) -> Iterator[Finding | Fault]:
    """Yield the findings of the first record, where a whole audit reports what is true of all records."""
    alone = Run(run.opened, run.data, run.codes, list(run.active), Tally(run.opened, ()), Variables(), (0,))
    for answer in _ask_range(alone, 0, 1):
        for findings in answer.by_index.values():
            yield from findings


def _check_templates(
    run: Run, firsts: Mapping[Selection, Assembly], is_nowhere: Callable[[str], bool] | None
) -> Iterator[Finding]:
    """Yield the findings about templates that are known when the last record was looked at."""
    for diagnostic in find_unfilled_templates(run.opened, run.data, run.names, firsts, is_nowhere):
        if run.codes is None or diagnostic.code in run.codes:
            yield rules.build_finding(diagnostic)


def _estimate_seconds(run: Run, children: int) -> float:
    """Return how long so many children would take for all records, at the speed of those that were looked at."""
    seconds = sum(seconds for seconds, _ in run.pace)
    count = sum(count for _, count in run.pace)
    if count:
        return seconds / count * len(run.data) / children
    return 0.0


def _wrap_progress(progress: Callable[[int, int], bool | None] | None) -> Callable[[int, int], bool] | None:
    """Return the progress of the first reading, which counts bytes: the number of records is not known yet."""
    if progress is None:
        return None
    return lambda done, total: progress(0, 0) is not False


def _list_codes(select: Collection[str], ignore: Collection[str]) -> Iterator[str]:
    """Yield the codes that are looked for; a name stands for itself or for an area.

    A code brings the code that says there are more findings of it than are listed.
    """
    more = {MANY, MANY.partition("-")[0]}
    for code in rules.RULES():
        names = {code, code.partition("-")[0]}
        for name, names_of_it in ((code, names), (many_of(code), names | more)):
            if (not select or names_of_it & set(select)) and not names_of_it & set(ignore):
                yield name


def _preflight(run: Run, record: Record, firsts: Iterable[Assembly]) -> Iterator[Finding | Fault]:
    """Give up choices most of whose records are slow or break a limit, and judges that have nothing to judge."""
    hits: dict[Selection, Finding] = {}
    for choice, assembly in zip(tuple(run.active), firsts, strict=True):
        hit = next((diagnostic for diagnostic in assembly.diagnostics if diagnostic.code == LIMIT), None)
        if hit:
            hits[choice] = rules.build_case_finding(hit, RuleContext(run.opened, record, assembly))
        elif _waits(run.opened, choice) or _has_nothing_to_judge(run, choice):
            run.active.remove(choice)
            for finding in check_assembly(run.opened, record, assembly, run.codes):
                if isinstance(finding, Finding) and finding.code == NO_ANSWER:
                    continue
                yield _weigh_alone(finding) if choice.condition is None else finding
    for choice, limit in children.find_slow_selections(run.opened, run.data, run.active, hits).items():
        run.give_up(choice, len(run.numbers) if len(run.data) > 1 else 0, limit)  # of one record the finding says it
        yield hits.get(choice) or excess.report_choice(run.opened, choice, EARLY, limit)


def _weigh_alone(finding: Finding | Fault) -> Finding | Fault:
    """Return the finding of a judge without a condition: what it would need is a note, for it lacks nothing yet."""
    if isinstance(finding, Finding) and finding.code == NO_VALUE:
        return replace(finding, severity="info")
    return finding


def _has_nothing_to_judge(run: Run, choice: Selection) -> bool:
    """Whether a judge without a condition meets records of which none of the first ones brings an answer.

    They are questions for models, say, whose answers and judgments lie in other files.
    """
    if choice.condition is None:
        judge = run.opened.judges.get(choice.judge or "")
    else:
        judge = None
    if judge is None or len(run.data) < FEW:
        return False
    if run.opened.dataset:
        mapped = run.opened.dataset.fields
    else:
        mapped = {}
    records = run.data.records(0, FEW)
    return not any(judge_values.has_answer(Rows(judge, record, None, None, {}, mapped)) for record in records)


def _waits(opened: Workspace, choice: Selection) -> bool:
    """Whether a judge waits for answers that no model has given yet.

    Its prompt is looked at once, for the judge's own faults; that there is nothing to judge is none of them.
    """
    if choice.judge and choice.condition:
        condition = opened.condition(choice.condition)
    else:
        condition = None
    return condition is not None and condition.answers is None


def _ask_side_by_side(run: Run, jobs: int | None) -> Iterator[Answer]:
    """Yield the answers about all records, in their order, while other children work on the ranges that come next.

    What a child did not finish, or did for a choice that was given up meanwhile, is done again, record by record.
    """
    most = jobs or (run.workers.at_once if run.workers else children.count_children(run.data))
    spans = deque(_list_spans(run, most))
    workers = min(most, len(spans))
    if workers < 2:
        with run.children:
            for span in spans:
                yield from _ask_range(run, *span, whole=True)
        return
    under_way: deque[_Request] = deque()
    with run.children, ThreadPoolExecutor(workers, thread_name_prefix="readback-audit") as threads:

        def submit(span: tuple[int, int]) -> _Request:
            choices = tuple(run.active)
            return _Request(*span, choices, threads.submit(_collect, run, *span, choices))

        try:
            while spans or under_way:
                while spans and len(under_way) <= workers:
                    under_way.append(submit(spans.popleft()))
                request = under_way.popleft()
                place, collected = request.start, request.future.result()
                if request.choices == tuple(run.active):
                    for batch in collected.batches:
                        place += len(batch.indices)
                        yield run.take(batch, request.choices)
                yield from _ask_range(run, place, request.stop, careful=collected.stopped)
        finally:
            run.ended.set()


def _list_spans(run: Run, workers: int) -> Iterator[tuple[int, int]]:
    """Return places of records (first, beyond the last) for one child each; of a sample so few that all have work."""
    if not run.sampled:
        return children.split_spans(run.data)
    count = len(run.numbers)
    each = min(children.MAX_RECORDS, max(FEWEST, -(-count // workers)))
    return ((start, min(start + each, count)) for start in range(0, count, each))


@dataclass(frozen=True, slots=True)
class _Request:
    """A range that a thread works on, with the choices of the moment when it began."""

    start: int
    stop: int
    choices: tuple[Selection, ...]
    future: Future[_Collected]


@dataclass(slots=True)
class _Collected:
    """The answers about the records of a range, and whether the next record stopped its child."""

    batches: list[Batch] = field(default_factory=list)
    stopped: bool = False


def _collect(run: Run, start: int, stop: int, choices: tuple[Selection, ...]) -> _Collected:
    collected = _Collected()
    try:
        for batch in run.ask_range(start, stop, choices):
            collected.batches.append(batch)
            if run.ended.is_set():
                break
    except sandbox.Stopped:
        collected.stopped = True
    return collected


def _ask_range(run: Run, start: int, stop: int, *, careful: bool = False, whole: bool = False) -> Iterator[Answer]:
    """Yield the answers about a range (`whole`: one of those that the records are cut into).

    Where a record kills the child, others may be lost with it: they are looked at once more with a frame for each
    (`careful`), which shows the one that kills. It is looked at alone, and the rest goes on.
    """
    place, last_try = start, -1
    while place < stop:
        choices = tuple(run.active)
        try:
            if whole and place == start and not careful:
                batches = run.ask_range(place, stop, choices)
            else:
                batches = run.ask_child(place, stop, choices, True, careful)
            for batch in batches:
                place += len(batch.indices)
                yield run.take(batch, choices)
            if place < stop:
                children.prepare_retry(run.opened, run.data, run.active, run.states, last_try == place)
                observer.prepare_logs(run.opened, run.data)
                last_try = place
        except sandbox.Stopped:
            if careful or place + 1 == stop:
                yield _ask_alone(run, place)
                place += 1
            careful = True


def _ask_alone(run: Run, place: int) -> Answer:
    """Return the answer about a record that killed its child.

    Its rules and each choice are looked at in a child of their own, to find which one kills.
    """
    index = run.numbers[place]
    findings: list[Finding | Fault] = []
    marks = build_empty_marks(1)
    for choice in (None, *run.active):
        choices = () if choice is None else (choice,)
        try:
            for batch in run.ask_child(place, place + 1, choices, choice is None):
                answer = run.take(batch, choices)
                findings.extend(answer.by_index.get(index, ()))
                if choice is None:
                    marks = answer.marks
        except sandbox.Stopped as stopped:
            findings.extend(_report_kill(run, place, choice, stopped))
    return Answer((index,), {index: findings}, marks)


def _report_kill(run: Run, place: int, choice: Selection | None, stopped: sandbox.Stopped) -> Iterator[Finding]:
    yield from excess.report_record(run.opened, run.data, run.numbers[place], choice, stopped)
    if choice is None:
        return
    run.kills[choice] += 1
    if run.kills[choice] >= KILLS:
        run.give_up(choice, len(run.numbers) - place - 1, f"{KILLS} records stopped at the limit of {stopped.detail}")
        what = f"the rest of the dataset, given up after {KILLS} records"
        yield excess.report_choice(run.opened, choice, what, stopped.detail)
