"""A workspace opened by a program: the same assembly and the same rules as the pages and the command line."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readback import adapters, workspace
from readback.checks import rules
from readback.checks.rule import RuleFilter
from readback.checks.run import engine
from readback.checks.run.chunk import check_record
from readback.checks.sample import SEED, Sample, share
from readback.checks.summary import Audit
from readback.compare.diff import compare_sides
from readback.compare.side import SideError, make_sides
from readback.compare.sides import SERVING, show_side
from readback.exporting import selections as export_selections
from readback.exporting.export import ExportResult, NoModel, OwnFile, export_to_file
from readback.exporting.lines import FORMS, Form
from readback.exporting.selections import NothingToExport
from readback.notebook.assembled import Assembled, format_fault
from readback.notebook.compared import Compared
from readback.notebook.records import Records
from readback.notebook.rows import Rows
from readback.notebook.unknown_name import build_unknown_name_error
from readback.prompts import assemble, selections
from readback.prompts import model_input as inputs
from readback.prompts.selections import explain_unknown_system, list_variants
from readback.quantity import quantity
from readback.readers import by_address
from readback.readers.decoding import ENCODINGS
from readback.records import answers
from readback.records.dataset import Dataset, open_dataset
from readback.requests.observer import Observer
from readback.sandbox.children import StayingChildren, use_children
from readback.scores import conclusion, loading, summary
from readback.scores.agreement import answer as agreement_answer
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.tasks import profile_of
from readback.types import Assembly, Finding, ModelInput, Record, Selection, Values, Workspace
from readback.workspace.dataset_choices import ENCODING_KEY
from readback.workspace.left_out import list_files

if TYPE_CHECKING:
    import pandas

FINDING = ("severity", "code", "message", "fix", "file", "line", "condition", "mode", "adapter", "task", "judge",
           "record", "role", "start", "end", "key")  # fmt: skip
SCORE = ("criterion", "judge", "n", "failed", "missing", "not_applicable", "mean", "ci_low", "ci_high", "ci_method",
         "clusters", "synthetic")  # fmt: skip
NO_VALUES: Values = {}


def open_workspace(
    path: Path | str,
    *,
    fields: Mapping[str, str] | None = None,
    plan: str | None = None,
    prompts: str | None = None,
    dataset: str | None = None,
    encoding: str | None = None,
) -> Study:
    """Open a folder or a file. `fields` maps template variables to record fields; `plan`, `prompts` and `dataset` name
    the file that is meant where several could be; `encoding` is that of the dataset where it is not UTF-8.

    Raises ValueError with the reason when nothing at all could be read; every lesser fault is in `findings()`.
    """
    if encoding is not None and encoding not in ENCODINGS:
        raise ValueError(f"no encoding {encoding!r}; there are {', '.join(ENCODINGS)}")
    try:
        named = {"plan": plan, "prompts": prompts, "dataset": dataset, ENCODING_KEY: encoding}
        chosen = {kind: file for kind, file in named.items() if file}
        return Study(workspace.open(path, fields=fields, chosen=chosen))
    except workspace.NothingRead as nothing:
        raise ValueError(nothing.name_path(by_address.redact_address(str(path)))) from None


class Study:
    """A workspace, its records, and what can be asked about them.

    A record is given by its id (a text), its number from 0, or itself; without one the first is meant. A name that
    does not exist is a KeyError whose sentence lists the names there are; what cannot be done, a ValueError that says
    why.
    """

    def __init__(self, opened: Workspace) -> None:
        self.workspace = opened
        self._children = StayingChildren()  # what is assembled again and again is rendered by one child

    @cached_property
    def records(self) -> Records:
        """The records, read from disk when they are asked for: `for record in …`, `len(…)`, `…["id"]`, `…[0]`."""
        return Records(self._dataset)

    def files(self) -> Rows:
        """Every file of the folder: what it was taken for, whether it is used, and if not, why. Counts add up."""
        names = ("path", "what", "used", "count", "detail", "looks")
        rows = ({name: getattr(one, name) for name in names} for one in list_files(self.workspace.recognised))
        return Rows(names, tuple(rows))

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of the conditions."""
        return tuple(one.name for one in self.workspace.conditions)

    @property
    def modes(self) -> tuple[str, ...]:
        """The names of the modes."""
        return tuple(self.workspace.prompts)

    def assemble(
        self,
        condition: str | None = None,
        record: Record | str | int | None = None,
        *,
        mode: str | None = None,
        task: str | None = None,
        adapter: str | None = None,
        judge: str | None = None,
        values: Values = NO_VALUES,
    ) -> Assembled:
        """The exact messages for a record. `values` replace the record's fields for this look only."""
        choice = self._choice(Selection(condition, mode, adapter, task, judge))
        one = self._record(record)
        with use_children(self._children):
            return self._assembled(choice, one, values)

    def _assembled(self, choice: Selection, one: Record, values: Values) -> Assembled:
        made = self._made(choice, one, values)
        tried = assemble.apply_values(self.workspace, one, values)
        seen = None if values else self._observer.observe(one, made)
        both = tuple(check_record(self.workspace, tried, made, seen, self._decided))
        findings = tuple(found for found in both if isinstance(found, Finding))
        faults = tuple(fault for fault in both if isinstance(fault, rules.Fault))
        unknown = explain_unknown_system(self.workspace, choice, made.messages)
        return Assembled(made, findings, faults, list_variants(self.workspace, choice), unknown)

    def assemble_text(
        self,
        condition: str | None = None,
        record: Record | str | int | None = None,
        *,
        mode: str | None = None,
        task: str | None = None,
        adapter: str | None = None,
        values: Values = NO_VALUES,
    ) -> tuple[str, str]:
        """The system and the user text for a record, examples before the question included, before they are messages:
        no earlier turns, and a system text that an interface cannot send stands by itself. Without one it is empty.

        Raises ValueError where no texts can be built, with what is wrong.
        """
        choice = self._choice(Selection(condition, mode, adapter, task))
        tried = assemble.apply_values(self.workspace, self._record(record), values)
        made = assemble.build_texts(self.workspace, tried, choice)
        if made.system is None or made.user is None:
            wrong = [rules.build_finding(one).message for one in made.diagnostics]
            raise ValueError("; ".join(("nothing could be built", *wrong)))
        system, user = ("".join(segment.text for segment in text) for text in (made.system, made.user))
        return system, user

    def model_input(
        self,
        condition: str | None = None,
        record: Record | str | int | None = None,
        *,
        mode: str | None = None,
        task: str | None = None,
        adapter: str | None = None,
        values: Values = NO_VALUES,
    ) -> ModelInput:
        """The one text that a server makes of the messages for a record: `.text`, `.segments`, `.format`, `.stops`.

        Raises ValueError where no messages can be built, where nothing says what serves them, and where its template
        makes no text of them.
        """
        choice = self._choice(Selection(condition, mode, adapter, task))
        one = self._record(record)
        made = self._made(choice, one, values)
        known = self.workspace.condition(choice.condition) if choice.condition else None
        read = inputs.build_model_input(self.workspace, one, made, known, False)
        if read is None and made.messages:
            raise ValueError(f"no chat format is known here; {SERVING}")
        if read is None or not read.segments:
            wrong = [
                rules.build_finding(one).message for one in (*made.diagnostics, *(read.diagnostics if read else ()))
            ]
            raise ValueError("; ".join(("nothing could be built", *wrong)))
        return read

    def compare(
        self, a: str | Mapping[str, str], b: str | Mapping[str, str], record: Record | str | int | None = None
    ) -> Compared:
        """What differs between two conditions for a record: `.equal`, `.sentence`, `.changes()`, `.over_records()`.

        In place of a condition's name, a mapping with the keys of `readback diff`: {"mode": "rag", "layer": "wire"}.
        What one mapping does not say is as in the other.
        """
        one, other = ({"condition": self._condition(side)} if isinstance(side, str) else dict(side) for side in (a, b))
        try:
            side_a, side_b = make_sides(one, other)
            at = self._record(record).place.index or 0
            found = compare_sides(show_side(self.workspace, side_a, at), show_side(self.workspace, side_b, at))
        except SideError as error:
            raise ValueError(str(error)) from None
        return Compared(self.workspace, found, side_a, side_b)

    def audit(
        self, *, select: Collection[str] = (), ignore: Collection[str] = (), sample: int | None = None, seed: int = SEED
    ) -> Audit:
        """Every rule over every record and condition, as `readback check` runs them; codes or areas narrow it.

        With `sample` only so many records are looked at, spread over the file and drawn by `seed`; `.sample` says so
        (None: all were looked at). Raises ValueError for a sample of less than one.
        """
        if sample is not None and sample < 1:
            raise ValueError(f"a sample of {sample}: at least one record has to be drawn")
        return engine.check(self.workspace, engine.CheckOptions(select=select, ignore=ignore, sample=sample, seed=seed))

    def findings(
        self, *, select: Collection[str] = (), ignore: Collection[str] = (), sample: int | None = None, seed: int = SEED
    ) -> Rows:
        """The findings of `audit` as rows; the first 10,000. It says so when there are more, when a rule failed, and
        when they are those of a sample.
        """
        audit = self.audit(select=select, ignore=ignore, sample=sample, seed=seed)
        said = [_of_sample(audit.sample)] if audit.sample else []
        if audit.truncated:
            said.append(f"{quantity(sum(audit.counts.values()), 'finding')} in all; these are the ones kept")
        said += dict.fromkeys(map(format_fault, audit.faults))
        return Rows(FINDING, tuple(map(_finding, audit.findings)), ". ".join(said))

    def export(
        self,
        file: Path | str,
        form: Form = "messages-jsonl",
        *,
        condition: str | None = None,
        mode: str | None = None,
        judge: str | None = None,
        model: str | None = None,
    ) -> ExportResult:
        """Write the messages of every record under every condition (or one) to a file, as `readback export` does.

        `form` is messages-jsonl, openai-batch or parquet. The answer counts: records, choices, written, failed, masked,
        wording. Raises ValueError where there is nothing to export or a batch lacks a `model`, and OSError.
        """
        if form not in FORMS:
            raise ValueError(f"there is no form '{form}'; there are: {', '.join(FORMS)}")
        asked = self._choice(Selection(condition, mode, judge=judge)) if condition or mode or judge else Selection()
        conditions, modes = ([one] if one else [] for one in (asked.condition, asked.mode))
        try:
            choices = export_selections.choose_selections(self.workspace, conditions, modes, asked.judge)
            return export_to_file(self.workspace, choices, form, Path(file), model=model)
        except (NothingToExport, NoModel, OwnFile) as refused:
            raise ValueError(str(refused)) from None

    def scores(self, by: str | None = None, criterion: str | None = None, judge: str | None = None) -> pandas.DataFrame:
        """A row for each condition (or value of the factor `by`), criterion and judge: its mean, and how sure it is.

        `ci_low` and `ci_high` are the interval that the pages show, made by `ci_method`; NaN where none can be given.
        `synthetic` says of all rows that a generator made the scores, not a judge. `failed`, `missing` and
        `not_applicable` answers are in no mean.
        """
        import pandas

        table = self._scores(criterion=criterion, judge=judge, by=by)
        found = summary.rows(table, by, criterion, judge)
        factors = {factor: None for row in found for factor, _ in row.condition}
        titles = {factor: f"{factor} (condition)" if factor in SCORE else factor for factor in factors}
        rows = ({**{titles[factor]: value for factor, value in row.condition}, **_score(row, table)} for row in found)
        return pandas.DataFrame(list(rows), columns=[*titles.values(), *SCORE])

    def conclusions(self, criterion: str | None = None) -> list[dict[str, Any]]:
        """Return which condition is better under each criterion and whether that is clear, as `readback scores` has it.

        These are the `conclusions` of `readback scores --format json`: a planned pair, the only two conditions there
        are, or the best of several, each with `criterion`, `judge`, `verdict`, `better` (None unless it is clear) and
        `answer`, a sentence. Whether the prompts of both sides may be compared is not checked: `audit` does that.
        """
        return conclusion.list_conclusions(self.workspace, self._scores(criterion=criterion), criterion)

    def agreement(self, criterion: str | None = None) -> pandas.DataFrame:
        """How far judges agree, a number in each row: measure, judge, other, value, `ci_low`, `ci_high`, n.

        The criteria that nothing can be said of are in `.attrs["skipped"]`, with the reason. Raises ValueError with the
        reason where that is all of them.
        """
        import pandas

        answer = agreement_answer.build_answer(self._scores(criterion=criterion), criterion)
        if not answer["criteria"]:
            skipped = answer["skipped"]
            raise ValueError(skipped if isinstance(skipped, str) else "; ".join(dict.fromkeys(skipped.values())))
        titles = [{"low": "ci_low", "high": "ci_high"}.get(name, name) for name in agreement_answer.COLUMNS]
        frame = pandas.DataFrame(list(agreement_answer.list_rows(answer)), columns=titles)
        frame.attrs.update(skipped=answer["skipped"], synthetic=answer["synthetic"])
        return frame.astype(dict.fromkeys(("value", "ci_low", "ci_high"), float))

    def __repr__(self) -> str:
        workspace = self.workspace
        counts = (
            ("record", len(self.records)),
            ("condition", len(workspace.conditions)),
            ("mode", len(workspace.prompts)),
            ("task", len(workspace.tasks)),
            ("judge", len(workspace.judges)),
        )
        return f"{workspace.name}: " + (", ".join(quantity(n, what) for what, n in counts if n) or "nothing to send")

    @cached_property
    def _dataset(self) -> Dataset:
        return open_dataset(self.workspace.root, self.workspace.dataset)

    @cached_property
    def _decided(self) -> RuleFilter:
        return rules.filter_rules(self.workspace)

    @cached_property
    def _observer(self) -> Observer:
        return Observer(self.workspace, self._dataset)

    def _made(self, choice: Selection, record: Record, values: Values) -> Assembly:
        known = self.workspace.condition(choice.condition) if choice.condition else None
        said = answers.open_answers(self.workspace, known).get(record.id) if choice.judge and known else None
        return assemble.assemble(self.workspace, record, choice, said, values)

    def _condition(self, name: str) -> str:
        """The name of the condition of that name or alias."""
        known = self.workspace.condition(name)
        if known is None:
            raise build_unknown_name_error("condition", name, self.conditions)
        return known.name

    def _choice(self, asked: Selection) -> Selection:
        opened = self.workspace
        if asked.condition and (asked.mode or asked.task or asked.adapter):
            raise ValueError("a condition settles mode, task and adapter: give either it or them")
        if asked.judge and (asked.mode or asked.task or asked.adapter):
            raise ValueError("a judge goes with a condition or alone")
        known: dict[str, Collection[str]] = {
            "mode": opened.prompts,
            "judge": opened.judges,
            "adapter": {**opened.adapters, **adapters.load_shipped(profile_of(opened.options))},
            "task": opened.tasks,
        }
        for kind, names in known.items():
            name = getattr(asked, kind)
            # Beside a mode, a task only chooses what is added, and may be one without texts of its own.
            if name is not None and name not in names and not (kind == "task" and asked.mode):
                raise build_unknown_name_error(kind, name, names)
        if asked.condition is not None:
            return replace(asked, condition=self._condition(asked.condition))
        if asked.mode or asked.task or asked.judge:
            return asked
        every = [one for one in selections.list_selections(opened) if one.judge is None]
        fitting = [one for one in every if asked.adapter is None or one.condition is None]
        if len(fitting) != 1:
            raise ValueError(f"say which condition, mode or task: {', '.join(map(_said, every)) or 'there is none'}")
        return replace(fitting[0], adapter=asked.adapter or fitting[0].adapter)

    def _record(self, asked: Record | str | int | None) -> Record:
        if isinstance(asked, Record):
            return asked
        if asked is None and not len(self._dataset):
            raise ValueError("there is no record: the dataset has none")
        if asked is None or (asked == 0 and not self._dataset.source):
            return self._dataset.record(0)  # without a dataset, the empty record that defaults are shown with
        return self.records[asked]

    def _scores(self, *, criterion: str | None = None, judge: str | None = None, by: str | None = None) -> ScoreTable:
        """The scores, once every name that is asked for is known."""
        table = loading.load(self.workspace)
        columns = table.columns
        known = {
            "criterion": (criterion, columns.criteria, [name.removesuffix("_score") for name in columns.criteria]),
            "judge": (judge, columns.judges, []),
            "factor": (by, tuple(table.factors), []),
        }
        for kind, (name, names, shorter) in known.items():
            if name is not None and name not in (*names, *shorter):
                raise build_unknown_name_error(kind, name, filter(None, names))
        return table


def _finding(one: Finding) -> Mapping[str, Any]:
    return {name: getattr(one if hasattr(one, name) else one.place, name) for name in FINDING}


def _of_sample(sample: Sample) -> str:
    _, most = share(0, sample).percents
    of = f"{sample.drawn:,} of {quantity(sample.of, 'record')}"
    return f"a sample of {of}; what is in 0 of {sample.drawn:,} is in at most {most} % of all (95 %)"


def _score(row: Row, table: ScoreTable) -> Mapping[str, Any]:
    low, high = row.span or (math.nan, math.nan)
    mean = math.nan if row.mean is None else row.mean
    values = (
        row.criterion, row.judge or None, row.n, row.failed, row.missing, row.not_applicable, mean, low, high,
        row.span_method, row.clusters, table.synthetic,
    )  # fmt: skip
    return dict(zip(SCORE, values, strict=True))


def _said(choice: Selection) -> str:
    parts = (choice.condition, choice.mode, choice.task, choice.adapter)
    return " · ".join(f"'{part}'" for part in parts if part)
