"""Rows of a score file into cells, by a layout: what tidy and wide files have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.records.replies.batch_replies import Request
from readback.scores.files.cell_findings import ScoreTexts, list_oddities, without_id
from readback.scores.files.cells import Cell, apply_failure, apply_status, cell, failure_words, legible, stem, text_of
from readback.scores.files.costs import Costs, Spent
from readback.scores.files.intake import CellCodes, Intake, columns, make_conditions
from readback.scores.files.layout import MODE, Layout, fields_of, first, names_failure
from readback.scores.files.reply_column import Reread, Rubrics
from readback.scores.files.row_labels import label
from readback.scores.files.summary_rows import SUMMARIES, SummaryRows
from readback.scores.table import (
    FAILED,
    Columns,
    ConditionKey,
    Expense,
    Outcome,
    OwnSummary,
    Reported,
    RunFacts,
    SourceRead,
)
from readback.scores.values.doubtful_numbers import BESIDE
from readback.types import Criterion, Diagnostic, Location, ScoreSource

# Which judges are people and which are programs, where a column of a score file says it.

SAID = {
    **dict.fromkeys(("human", "person", "people", "expert", "annotator", "crowd", "crowdworker", "manual"), True),
    **dict.fromkeys(("llm", "model", "machine", "ai", "automatic", "auto", "program", "metric", "computed"), False),
}


@dataclass(slots=True)
class People:
    """What rows say of each judge; one of whom they say both is left to its name."""

    kinds_by_judge: dict[str, set[bool]] = field(default_factory=dict)

    def see(self, judge: str, kind: str) -> None:
        """One row: the judge's name and the word for what it is."""
        if judge and (is_person := SAID.get(kind.strip().lower())) is not None:
            self.kinds_by_judge.setdefault(judge, set()).add(is_person)

    def list_people(self) -> Mapping[str, bool]:
        """Judges by name: whether it is a person."""
        return {judge: next(iter(words)) for judge, words in self.kinds_by_judge.items() if len(words) == 1}


class Row(Protocol):
    """What the row reader gives: fields by name and where they stand."""

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the fields by name."""

    @property
    def line(self) -> int:
        """Return the line in the file, from 1."""


@dataclass(frozen=True, slots=True)
class PlainRow:
    """A row that is not as the row reader gives it: its fields were changed, or a whole file is one row."""

    fields: Mapping[str, Any]
    line: int = 1


@dataclass(frozen=True, slots=True)
class FileScores:
    """What came of one file: columns, or means only (`reported`), with diagnostics and an account of it."""

    columns: Columns | None
    source: SourceRead
    diagnostics: tuple[Diagnostic, ...] = ()
    reported: tuple[Reported, ...] = ()
    summaries: tuple[OwnSummary, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    about: tuple[RunFacts, ...] = ()
    criteria: Mapping[str, Criterion] = field(default_factory=dict)  # the scales that the file itself states
    people: Mapping[str, bool] = field(default_factory=dict)  # judges by name: whether a person, where a column says it
    expenses: tuple[Expense, ...] = ()
    # criteria that the file calls otherwise, because their scores are on another scale: by name, what it calls them
    on_other_scale: Mapping[str, str] = field(default_factory=dict)
    called: str = ""  # what a file of means calls the run that it is about


@dataclass(frozen=True, slots=True)
class FileSettings:
    """How one file is to be read: what the workspace says of it and what is known by name."""

    source: ScoreSource
    criteria: Mapping[str, Criterion]  # declared over known
    aliases: Mapping[str, str]  # condition alias -> name
    modes: Mapping[str, str]  # condition name -> mode
    judge: str = ""  # the judge's name where the file does not say
    typed: bool = False  # the file tells texts from numbers (JSON does, CSV does not)
    rubrics: Rubrics = field(default_factory=Rubrics)
    find_request: Callable[[str], Request | None] | None = None  # what a request of a batch is about, by its custom_id
    find_record: Callable[[str], str] = lambda name: name  # the id of what the log of another tool calls a record


MOST_REMEMBERED = 10_000  # rows that are about different things, of which it is remembered what they are about
LayoutOf = Callable[[Sequence[str], FileSettings, Sequence[Mapping[str, Any]]], Layout]


def read_rows(
    what: str, rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings, layout_of: LayoutOf
) -> FileScores:
    """Read every row of `rows` into cells; `head` is what the layout is worked out from, and is part of `rows`."""
    reading = _Reading(settings, layout_of, [row.fields for row in head])
    summaries = SummaryRows(reading.intake, lambda: reading.layout, asks=not settings.source.all_items)
    for row in summaries.list_items(rows):
        if isinstance(row, Diagnostic):
            reading.diagnostics.add(row)
        else:
            reading.add(row)
    return reading.finish(what, summaries)


class _About(NamedTuple):
    """What the cells of a row are about: rows with the same conditions, judge, run and so on share it."""

    combo: int
    judge: str
    names: tuple[tuple[str, str], ...]  # criterion and judge of each cell
    codes: tuple[CellCodes, ...]  # of each cell


class _Reading:
    """The rows of one file on their way into an intake."""

    def __init__(self, settings: FileSettings, layout_of: LayoutOf, samples: Sequence[Mapping[str, Any]]) -> None:
        self.settings = settings
        self.intake = Intake(settings.source.path)
        self.diagnostics = BoundedDiagnostics()
        self.layout = layout_of(fields_of(samples), settings, samples)
        for name in self.layout.candidates:
            self.intake.add_candidate(name)
        self._layout_of = layout_of
        self._fields = set(fields_of(samples))
        self._texts = ScoreTexts()
        self._replies = Reread(settings.source.path, settings.rubrics)
        self._costs, self._spent, self._people = Costs(), Spent(), People()
        self._means = self._used = 0
        self._is_synthetic = settings.source.synthetic
        self._use_layout()

    def _use_layout(self) -> None:
        layout = self.layout
        single = (layout.judge, layout.criterion, layout.cluster, layout.run, layout.replicate, layout.prompt)
        self._about_columns = (*self.intake.candidates, *filter(None, single))
        self._about_by_key: dict[tuple[str, ...], _About] = {}
        self._item = layout.item[0] if len(layout.item) == 1 else None

    def add(self, row: Row) -> None:
        """Take one row, unless it is one of means."""
        fields, layout = row.fields, self.layout
        if not self._fields.issuperset(fields):
            self._widen(fields)
            layout = self.layout
        if layout.aggregated and str(fields.get(layout.aggregated)).strip().lower() == "true":
            self._means += 1
            return
        self._used += 1
        if layout.costs:
            self._costs.row(fields, layout.costs)
        if layout.kind and layout.judge:
            self._people.see(text_of(fields.get(layout.judge)), text_of(fields.get(layout.kind)))
        if "source" in fields and str(fields["source"]).lower().startswith("synthetic"):
            self._is_synthetic = True
        self._add_cells(row)

    def _widen(self, fields: Mapping[str, Any]) -> None:
        """Add columns to the layout that no row had so far."""
        new = [name for name in fields if name not in self._fields]
        self.layout = _widen_layout(
            self.layout, self._layout_of([*self._fields, *new], self.settings, [fields]), self.intake
        )
        self._fields.update(fields)
        self._use_layout()

    def _add_cells(self, row: Row) -> None:
        fields, layout, intake = row.fields, self.layout, self.intake
        about = self._find_about(fields)
        cells: list[Cell] = [cell(fields.get(column)) for column, _, _ in layout.scores]
        if layout.status:
            cells = [apply_status(parsed, fields.get(layout.status)) for parsed in cells]
        if layout.failure and names_failure(layout.failure, fields.get(layout.failure)):
            cells = [apply_failure(parsed, fields.get(layout.failure), layout.failure) for parsed in cells]
        rationale = ""
        if layout.rationales:
            rationales = [text for name in layout.rationales if (text := text_of(fields.get(name)))]
            rationale = rationales[0] if rationales else ""
            if rationales and (begun := failure_words(rationales, cells)):
                cells = [(math.nan, FAILED, f"the judge failed: {begun}")] * len(cells)
        if layout.costs or layout.tokens:
            has_judges = any(judge for _, _, judge in layout.scores)
            self._spent.row((about.combo, "" if has_judges else about.judge), fields, layout.costs, layout.tokens)
        if self._item:
            item = fields.get(self._item)
        else:
            item = None
        if not (isinstance(item, str) and item and item.isascii()):
            item = intake.name_item([text_of(fields.get(name)) for name in layout.item], row.line, label(row))
        code = intake.items.code(item)
        if self.settings.typed:
            for (column, _, _), (criterion, _), parsed in zip(layout.scores, about.names, cells, strict=True):
                self._texts.see(criterion, fields.get(column), parsed, row.line)
        for codes, parsed in zip(about.codes, cells, strict=True):
            intake.append(code, codes, row.line, parsed, rationale)
        if layout.reply:
            stored = [(*names, parsed) for names, parsed in zip(about.names, cells, strict=True)]
            first_cell = len(intake.value) - len(stored)
            self._replies.see(layout.reply, fields.get(layout.reply), item, row.line, stored, first_cell)

    def _find_about(self, fields: Mapping[str, Any]) -> _About:
        values = [fields.get(name) for name in self._about_columns]
        key = tuple([value if type(value) is str else text_of(value) for value in values])
        about = self._about_by_key.get(key)
        if about is None:
            if len(self._about_by_key) >= MOST_REMEMBERED:
                self._about_by_key.clear()
            about = self._about_by_key[key] = self._work_out_about(fields)
        return about

    def _work_out_about(self, fields: Mapping[str, Any]) -> _About:
        layout, intake = self.layout, self.intake

        def read_text(name: str | None) -> str:
            if name:
                return text_of(fields.get(name))
            return ""

        combo = intake.code_combo([read_text(name) for name in intake.candidates])
        criterion_of_row = read_text(layout.criterion) or "score"
        judge_of_row = read_text(layout.judge) or self.settings.judge
        runs = [text for name in (layout.run, layout.replicate) if (text := read_text(name))]
        names = tuple((criterion or criterion_of_row, judge or judge_of_row) for _, criterion, judge in layout.scores)
        codes = tuple(
            CellCodes(
                combo,
                intake.criteria.code(criterion),
                intake.judges.code(judge),
                intake.clusters.code_unless_empty(read_text(layout.cluster)),
                intake.runs.code_unless_empty("/".join(runs)),
                intake.prompts.code_unless_empty(read_text(layout.prompt)),
            )
            for criterion, judge in names
        )
        return _About(combo, judge_of_row, names, codes)

    def finish(self, what: str, summaries: SummaryRows) -> FileScores:
        """Return what came of the file once all of its rows are taken."""
        self.diagnostics.extend(self._texts.diagnostics(self.settings.source.path))
        self.diagnostics.take(self._replies.list_diagnostics())
        self.intake.whys.update(dict.fromkeys(self._replies.doubtful.find_doubtful(), BESIDE))
        self.diagnostics.extend(summaries.diagnostics)
        counted = Counted(
            self._used, self._means, self._is_synthetic, self._costs.format_sums(), self._spent, summaries.count
        )
        read = build_file_scores(what, self.intake, self.layout, self.settings, counted, self.diagnostics)
        return replace(read, people=self._people.list_people())


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


def build_file_scores(
    what: str, intake: Intake, plan: Layout, settings: FileSettings, rows: Counted, diagnostics: BoundedDiagnostics
) -> FileScores:
    """Return the scores of a file, once all its cells are read."""
    source = settings.source
    diagnostics.extend(without_id(intake, plan.item))
    diagnostics.extend(list_oddities(intake, plan.cluster, source, settings.typed))
    conditions, condition_columns = make_conditions(intake, source, stem(source.path))
    conditions = tuple(_apply_aliases(condition, settings.aliases) for condition in conditions)
    mode = first(MODE, [name for name in intake.candidates if name not in condition_columns])
    account = SourceRead(
        path=source.path,
        what=what,
        rows=rows.used,
        cells=len(intake.value),
        columns={
            "item": _legible(plan.item),
            "condition": _legible(condition_columns),
            "judge": _legible((plan.judge,) if plan.judge else ()),
            "score": _legible(column for column, _, _ in plan.scores),
            **({"mode": _legible((mode,))} if mode else {}),
            "unused": _legible(
                (*plan.unused, *(n for n in intake.candidates if n not in condition_columns and n != mode))
            ),
            **({"cost": rows.costs} if rows.costs else {}),
        },
        left_out={what: n for what, n in (("rows of means", rows.means), (SUMMARIES, rows.summaries)) if n},
        synthetic=rows.synthetic,
        texts_left=intake.texts_left,
    )
    about = tuple(_list_modes(intake, conditions, mode, source.path))
    all_diagnostics = diagnostics.list_all(source.path)
    return FileScores(
        columns(intake, conditions), account, all_diagnostics, about=about, expenses=rows.spent.expenses(conditions)
    )


def _list_modes(
    intake: Intake, conditions: Sequence[ConditionKey], column: str | None, file: str
) -> Iterator[RunFacts]:
    """Yield the mode of each condition, where a column that does not tell conditions apart states it."""
    if column is None:
        return
    at = intake.candidates.index(column)
    modes_by_condition: dict[ConditionKey, set[str]] = {}
    for condition, combo in zip(conditions, intake.combos, strict=True):
        modes_by_condition.setdefault(condition, set()).add(combo[at] if at < len(combo) else "")
    for condition, modes in modes_by_condition.items():
        if len(modes) == 1 and (mode := next(iter(modes)).strip()):
            yield RunFacts(condition, mode=mode, place=Location(file=file))


def _widen_layout(plan: Layout, newer: Layout, intake: Intake) -> Layout:
    """Return the layout with the columns that a later row adds; roles that are assigned stay."""
    have = {*plan.item, *(column for column, _, _ in plan.scores), *plan.rationales, *plan.candidates, *plan.unused}
    for name in newer.candidates:
        if name not in have:
            intake.add_candidate(name)
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


def _apply_aliases(condition: tuple[tuple[str, str], ...], aliases: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return a condition under the workspace's name for it, where its own is an alias."""
    return tuple((f, aliases.get(v, v)) if f == "condition" else (f, v) for f, v in condition)
