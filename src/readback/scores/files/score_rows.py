"""Rows of a score file into cells, by a layout: what tidy and wide files have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from readback.readers.bounded_diagnostics import BoundedDiagnostics
from readback.records.batch_replies import Request
from readback.scores.doubtful_numbers import BESIDE
from readback.scores.files._costs import Costs, Spent
from readback.scores.files._odd import ScoreTexts, oddities, without_id
from readback.scores.files._summary_rows import SUMMARIES, SummaryRows
from readback.scores.files.cells import Cell, cell, failure_words, legible, stem, text_of, with_failure, with_status
from readback.scores.files.intake import Intake, columns, make_conditions
from readback.scores.files.layout import MODE, Layout, fields_of, first, names_failure
from readback.scores.files.reply_column import Reread, Rubrics
from readback.scores.files.row_labels import label
from readback.scores.table import FAILED, Columns, ConditionKey, Expense, Outcome, Reported, RunFacts, SourceRead
from readback.types import Criterion, Diagnostic, Location, ScoreSource

# Which judges are people and which are programs, where a column of a score file says it.

SAID = {
    **dict.fromkeys(("human", "person", "people", "expert", "annotator", "crowd", "crowdworker", "manual"), True),
    **dict.fromkeys(("llm", "model", "machine", "ai", "automatic", "auto", "program", "metric", "computed"), False),
}


@dataclass(slots=True)
class People:
    """What rows say of each judge; one of whom they say both is left to its name."""

    said: dict[str, set[bool]] = field(default_factory=dict)

    def see(self, judge: str, kind: str) -> None:
        """One row: the judge's name and the word for what it is."""
        if judge and (found := SAID.get(kind.strip().lower())) is not None:
            self.said.setdefault(judge, set()).add(found)

    def known(self) -> Mapping[str, bool]:
        """Judges by name: whether it is a person."""
        return {judge: next(iter(found)) for judge, found in self.said.items() if len(found) == 1}


class Row(Protocol):
    """What the row reader gives: fields by name and where they stand."""

    @property
    def fields(self) -> Mapping[str, Any]: ...
    @property
    def line(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Read:
    """What came of one file: columns, or means only (`reported`), with diagnostics and an account of it."""

    columns: Columns | None
    source: SourceRead
    diagnostics: tuple[Diagnostic, ...] = ()
    reported: tuple[Reported, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    about: tuple[RunFacts, ...] = ()
    criteria: Mapping[str, Criterion] = field(default_factory=dict)  # the scales that the file itself states
    people: Mapping[str, bool] = field(default_factory=dict)  # judges by name: whether a person, where a column says it
    expenses: tuple[Expense, ...] = ()
    # criteria that the file calls otherwise, because their scores are on another scale: by name, what it calls them
    on_other_scale: Mapping[str, str] = field(default_factory=dict)
    called: str = ""  # what a file of means calls the run that it is about


@dataclass(frozen=True, slots=True)
class Asked:
    """How one file is to be read: what the workspace says of it and what is known by name."""

    source: ScoreSource
    criteria: Mapping[str, Criterion]  # declared over known
    aliases: Mapping[str, str]  # condition alias -> name
    modes: Mapping[str, str]  # condition name -> mode
    judge: str = ""  # the judge's name where the file does not say
    typed: bool = False  # the file tells texts from numbers (JSON does, CSV does not)
    rubrics: Rubrics = field(default_factory=Rubrics)
    find_request: Callable[[str], Request | None] | None = None  # what a request of a batch is about, by its custom_id


LayoutOf = Callable[[Sequence[str], Asked, Sequence[Mapping[str, Any]]], Layout]


def read_rows(
    what: str, rows: Iterable[Row | Diagnostic], head: Sequence[Row], asked: Asked, layout_of: LayoutOf
) -> Read:
    """Every row of `rows` as cells; `head` is what its layout is worked out from, and is part of `rows`."""
    source = asked.source
    samples = [row.fields for row in head]
    plan = layout_of(fields_of(samples), asked, samples)
    intake = Intake(source.path)
    for name in plan.candidates:
        intake.candidate(name)
    diagnostics = BoundedDiagnostics()
    texts, again = ScoreTexts(), Reread(source.path, asked.rubrics)
    costs, spent, people = Costs(), Spent(), People()
    means = used = 0
    synthetic = source.synthetic
    known = set(fields_of(samples))
    summaries = SummaryRows(intake, lambda: plan, asks=not source.all_items)
    for row in summaries.items(rows):
        if isinstance(row, Diagnostic):
            diagnostics.add(row)
            continue
        fields = row.fields
        if not known.issuperset(fields):
            plan = _widened(plan, layout_of([*known, *(f for f in fields if f not in known)], asked, [fields]), intake)
            known.update(fields)
        if plan.aggregated and str(fields.get(plan.aggregated)).strip().lower() == "true":
            means += 1
            continue
        used += 1
        costs.row(fields, plan.costs)
        if plan.kind and plan.judge:
            people.see(text_of(fields.get(plan.judge)), text_of(fields.get(plan.kind)))
        synthetic = synthetic or str(fields.get("source", "")).lower().startswith("synthetic")
        _take(row, plan, asked, intake, texts, again, spent)
    diagnostics.extend(texts.diagnostics(source.path))
    diagnostics.take(again.found())
    intake.whys.update(dict.fromkeys(again.beside.find_doubtful(), BESIDE))
    diagnostics.extend(summaries.diagnostics())
    counted = Counted(used, means, synthetic, costs.shown(), spent, summaries.left)
    read = finished(what, intake, plan, asked, counted, diagnostics)
    return replace(read, people=people.known())


@dataclass(frozen=True, slots=True)
class Counted:
    """How many rows were used and held means, whether one says that its score is made up, what they cost, and how many
    sum up the others.
    """

    used: int
    means: int
    synthetic: bool
    costs: tuple[str, ...] = ()
    spent: Spent = field(default_factory=Spent)
    summaries: int = 0


def finished(
    what: str, intake: Intake, plan: Layout, asked: Asked, rows: Counted, diagnostics: BoundedDiagnostics
) -> Read:
    """What came of a file, once all its cells are taken in."""
    source = asked.source
    diagnostics.extend(without_id(intake, plan.item))
    diagnostics.extend(oddities(intake, plan.cluster, source, asked.typed))
    conditions, kept = make_conditions(intake, source, stem(source.path))
    conditions = tuple(_named(condition, asked.aliases) for condition in conditions)
    mode = first(MODE, [name for name in intake.candidates if name not in kept])
    account = SourceRead(
        path=source.path,
        what=what,
        rows=rows.used,
        cells=len(intake.value),
        columns={
            "item": _legible(plan.item),
            "condition": _legible(kept),
            "judge": _legible((plan.judge,) if plan.judge else ()),
            "score": _legible(column for column, _, _ in plan.scores),
            **({"mode": _legible((mode,))} if mode else {}),
            "unused": _legible((*plan.unused, *(n for n in intake.candidates if n not in kept and n != mode))),
            **({"cost": rows.costs} if rows.costs else {}),
        },
        left_out={what: n for what, n in (("rows of means", rows.means), (SUMMARIES, rows.summaries)) if n},
        synthetic=rows.synthetic,
        texts_left=intake.texts_left,
    )
    about = tuple(_modes(intake, conditions, mode, source.path))
    found = diagnostics.list_all(source.path)
    return Read(columns(intake, conditions), account, found, about=about,
                expenses=rows.spent.expenses(conditions))  # fmt: skip


def _modes(intake: Intake, conditions: Sequence[ConditionKey], column: str | None, file: str) -> Iterator[RunFacts]:
    """The mode of each condition, where a column says it that is not needed to tell conditions apart."""
    if column is None:
        return
    at = intake.candidates.index(column)
    said: dict[ConditionKey, set[str]] = {}
    for condition, combo in zip(conditions, intake.combos, strict=True):
        said.setdefault(condition, set()).add(combo[at] if at < len(combo) else "")
    for condition, modes in said.items():
        if len(modes) == 1 and (mode := next(iter(modes)).strip()):
            yield RunFacts(condition, mode=mode, place=Location(file=file))


def _take(row: Row, plan: Layout, asked: Asked, intake: Intake, texts: ScoreTexts, again: Reread, spent: Spent) -> None:
    """One row's cells."""
    fields = row.fields
    combo = intake.combo_code([text_of(fields.get(name)) for name in intake.candidates])
    cells: list[Cell] = [cell(fields.get(column)) for column, _, _ in plan.scores]
    if plan.status:
        cells = [with_status(found, fields.get(plan.status)) for found in cells]
    if plan.failure and names_failure(plan.failure, fields.get(plan.failure)):
        cells = [with_failure(found, fields.get(plan.failure), plan.failure) for found in cells]
    rationales = [text for name in plan.rationales if (text := text_of(fields.get(name)))]
    if rationales and (begun := failure_words(rationales, cells)):
        cells = [(math.nan, FAILED, f"the judge failed: {begun}")] * len(cells)
    judged_by = (text_of(fields.get(plan.judge)) if plan.judge else "") or asked.judge
    if plan.costs or plan.tokens:
        several = any(judge for _, _, judge in plan.scores)
        spent.row((combo, "" if several else judged_by), fields, plan.costs, plan.tokens)
    said = text_of(fields.get(plan.criterion)) if plan.criterion else ""
    runs = [text for name in (plan.run, plan.replicate) if name and (text := text_of(fields.get(name)))]
    item = intake.called([text_of(fields.get(name)) for name in plan.item], row.line, label(row))
    code = intake.items.code(item)
    for (column, criterion, judge), found in zip(plan.scores, cells, strict=True):
        if asked.typed:
            texts.see(criterion or said or "score", fields.get(column), found, row.line)
        intake.add(
            code,
            combo,
            criterion or said or "score",
            judge or judged_by,
            found,
            rationale=rationales[0] if rationales else "",
            cluster=text_of(fields.get(plan.cluster)) if plan.cluster else "",
            run="/".join(runs),
            prompt=text_of(fields.get(plan.prompt)) if plan.prompt else "",
            line=row.line,
        )
    if plan.reply:
        named = ((criterion or said or "score", judge or judged_by) for _, criterion, judge in plan.scores)
        stored = [(*names, found) for names, found in zip(named, cells, strict=True)]
        again.see(plan.reply, fields.get(plan.reply), item, row.line, stored, len(intake.value) - len(stored))


def _widened(plan: Layout, newer: Layout, intake: Intake) -> Layout:
    """The layout with the columns that a later row brings; roles that are taken stay as they are."""
    have = {*plan.item, *(column for column, _, _ in plan.scores), *plan.rationales, *plan.candidates, *plan.unused}
    for name in newer.candidates:
        if name not in have:
            intake.candidate(name)
    return replace(
        plan,
        item=plan.item or newer.item,
        scores=(*plan.scores, *(entry for entry in newer.scores if entry[0] not in have)),
        judge=plan.judge or newer.judge,
        kind=plan.kind or newer.kind,
        criterion=plan.criterion or newer.criterion,
        rationales=(*plan.rationales, *(name for name in newer.rationales if name not in have)),
        status=plan.status or newer.status,
        failure=plan.failure or newer.failure,
        run=plan.run or newer.run,
        replicate=plan.replicate or newer.replicate,
        cluster=plan.cluster or newer.cluster,
        prompt=plan.prompt or newer.prompt,
        reply=plan.reply or newer.reply,
        candidates=(*plan.candidates, *(name for name in newer.candidates if name not in have)),
        unused=(*plan.unused, *(name for name in newer.unused if name not in have)),
        costs=(*plan.costs, *(name for name in newer.costs if name not in have)),
        tokens=(*plan.tokens, *(name for name in newer.tokens if name not in have)),
    )


def _legible(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(legible(name) for name in names)


def _named(condition: tuple[tuple[str, str], ...], aliases: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A condition the workspace knows by another name gets that name."""
    return tuple((f, aliases.get(v, v)) if f == "condition" else (f, v) for f, v in condition)
