"""A workspace opened by a program: the same assembly and the same rules as the pages and the command line."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property, partial
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
from readback.readers.files import by_address
from readback.readers.files.decoding import ENCODINGS
from readback.records.dataset import Dataset, open_dataset
from readback.records.replies import answers
from readback.requests.observer import Observer
from readback.sandbox.children import StayingChildren, use_children
from readback.scores import conclusion, loading, summary
from readback.scores.agreement import answer as agreement_answer
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.tasks import profile_of
from readback.types import Assembly, Finding, ModelInput, Record, Selection, Values, Workspace
from readback.workspace.dataset_choices import ENCODING_KEY, TABLE_KEY
from readback.workspace.left_out import list_files
from readback.workspace.tools.tool_choices import KEY as TOOL_KEY
from readback.workspace.tools.tool_choices import find_name, list_names

if TYPE_CHECKING:
    import pandas

FINDING_COLUMNS = (
    "severity",
    "code",
    "message",
    "fix",
    "file",
    "line",
    "condition",
    "mode",
    "adapter",
    "task",
    "judge",
    "record",
    "role",
    "start",
    "end",
    "key",
)
SCORE_COLUMNS = (
    "criterion",
    "judge",
    "n",
    "failed",
    "missing",
    "not_applicable",
    "mean",
    "ci_low",
    "ci_high",
    "ci_method",
    "clusters",
    "synthetic",
)
NO_VALUES: Values = {}


def open_workspace(
    path: Path | str,
    *,
    fields: Mapping[str, str] | None = None,
    plan: str | None = None,
    prompts: str | None = None,
    dataset: str | None = None,
    encoding: str | None = None,
    table: str | None = None,
    tool: str | None = None,
) -> Study:
    """Open a folder or a file. `fields` maps template variables to record fields; `plan`, `prompts` and `dataset` name
    the file to use where several could be; `encoding` is that of the dataset where it is not UTF-8, `table` the sheet
    or table of a workbook or a database, and `tool` the tool that reads the prompt files, as for `--as-tool`.

    Raises ValueError with the reason when nothing at all could be read; every lesser fault is in `findings()`.
    """
    if encoding is not None and encoding not in ENCODINGS:
        raise ValueError(f"no encoding {encoding!r}; there are {', '.join(ENCODINGS)}")
    unknown = [line for line in (tool or "").split("\n") if line and find_name(line.rpartition("=")[2]) is None]
    if unknown:
        raise ValueError(f"no tool {unknown[0]!r}; there are {', '.join(list_names())}")
    named = {
        "plan": plan,
        "prompts": prompts,
        "dataset": dataset,
        ENCODING_KEY: encoding,
        TABLE_KEY: table,
        TOOL_KEY: tool,
    }
    try:
        chosen = {kind: file for kind, file in named.items() if file}
        return Study(workspace.open(path, fields=fields, chosen=chosen))
    except workspace.NothingRead as nothing:
        raise ValueError(nothing.name_path(by_address.redact_address(str(path)))) from None


class Study:
    """A workspace and its records, with methods to assemble, compare, check, export and score.

    A record is given by its id (a text), its number from 0, or itself; without one the first is meant. A name that
    does not exist is a KeyError whose sentence lists the names there are; what cannot be done, a ValueError that says
    why.
    """

    def __init__(self, opened: Workspace) -> None:
        self.workspace = opened

    @cached_property
    def records(self) -> Records:
        """The records, read from disk when they are used: `for record in …`, `len(…)`, `…["id"]`, `…[0]`."""
        return Records(self._dataset)

    def files(self) -> Rows:
        """Return a row for every file of the folder: what it is read as, whether it is used, and if not, why."""
        names = ("path", "what", "used", "count", "detail", "looks")
        files = list_files(self.workspace.recognised)
        return Rows(names, tuple({name: getattr(file, name) for name in names} for file in files))

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of the conditions."""
        return tuple(condition.name for condition in self.workspace.conditions)

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
        """Assemble the exact messages for a record. `values` replace the record's fields in this call only.

        The rules run when the findings of what is returned are read.
        """
        choice = self._resolve_selection(Selection(condition, mode, adapter, task, judge))
        chosen_record = self._find_record(record)
        with use_children(self._children):
            assembly = self._build_assembly(choice, chosen_record, values)
        unknown = explain_unknown_system(self.workspace, choice, assembly.messages)
        variants = list_variants(self.workspace, choice)
        run_rules = partial(self._check_assembly, chosen_record, assembly, values)
        return Assembled(assembly, run_rules, variants, unknown)

    def _check_assembly(self, record: Record, assembly: Assembly, values: Values) -> list[Finding | rules.Fault]:
        """Return what the rules find in an assembly of the record, beside what was logged for it."""
        filled_record = assemble.apply_values(self.workspace, record, values)
        with use_children(self._children):
            if values:
                observation = None
            else:
                observation = self._observer.observe(record, assembly)
            return list(check_record(self.workspace, filled_record, assembly, observation, self._rule_filter))

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
        """Build the system and the user text for a record, with the examples before the question.

        These are the texts before they become messages: without earlier turns, and with a system text also where the
        interface cannot send one. Where there is no system text it is empty.

        Raises ValueError where no texts can be built, with what is wrong.
        """
        choice = self._resolve_selection(Selection(condition, mode, adapter, task))
        filled_record = assemble.apply_values(self.workspace, self._find_record(record), values)
        texts = assemble.build_texts(self.workspace, filled_record, choice)
        if texts.system is None or texts.user is None:
            messages = [rules.build_finding(diagnostic).message for diagnostic in texts.diagnostics]
            raise ValueError("; ".join(("nothing could be built", *messages)))
        system, user = ("".join(segment.text for segment in text) for text in (texts.system, texts.user))
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
        """Build the text that a server makes of the messages for a record: `.text`, `.segments`, `.format`, `.stops`.

        Raises ValueError where no messages can be built, where nothing says what serves them, and where its template
        makes no text of them.
        """
        choice = self._resolve_selection(Selection(condition, mode, adapter, task))
        chosen_record = self._find_record(record)
        assembly = self._build_assembly(choice, chosen_record, values)
        if choice.condition:
            named_condition = self.workspace.condition(choice.condition)
        else:
            named_condition = None
        model_text = inputs.build_model_input(self.workspace, chosen_record, assembly, named_condition, False)
        if model_text is None and assembly.messages:
            raise ValueError(f"no chat format is known here; {SERVING}")
        if model_text is None or not model_text.segments:
            diagnostics = [*assembly.diagnostics]
            if model_text is not None:
                diagnostics += model_text.diagnostics
            messages = [rules.build_finding(diagnostic).message for diagnostic in diagnostics]
            raise ValueError("; ".join(("nothing could be built", *messages)))
        return model_text

    def compare(
        self, a: str | Mapping[str, str], b: str | Mapping[str, str], record: Record | str | int | None = None
    ) -> Compared:
        """Compare two conditions for a record: `.equal`, `.sentence`, `.changes()`, `.over_records()`.

        In place of a condition's name, a mapping with the keys of `readback diff`: {"mode": "rag", "layer": "wire"}.
        What one mapping does not say is as in the other.
        """
        try:
            side_a, side_b = make_sides(self._build_side(a), self._build_side(b))
            index = self._find_record(record).place.index or 0
            comparison = compare_sides(
                show_side(self.workspace, side_a, index), show_side(self.workspace, side_b, index)
            )
        except SideError as error:
            raise ValueError(str(error)) from None
        return Compared(self.workspace, comparison, side_a, side_b)

    def audit(
        self, *, select: Collection[str] = (), ignore: Collection[str] = (), sample: int | None = None, seed: int = SEED
    ) -> Audit:
        """Run every rule over every record and condition, as `readback check` does; codes or areas narrow it.

        With `sample` only so many records are checked, spread over the file and drawn by `seed`; `.sample` says so
        (None: all were checked). Raises ValueError for a sample of less than one.
        """
        if sample is not None and sample < 1:
            raise ValueError(f"a sample of {sample}: at least one record has to be drawn")
        return engine.check(self.workspace, engine.CheckOptions(select=select, ignore=ignore, sample=sample, seed=seed))

    def findings(
        self, *, select: Collection[str] = (), ignore: Collection[str] = (), sample: int | None = None, seed: int = SEED
    ) -> Rows:
        """Return the findings of `audit` as rows, at most 10,000.

        The note of the rows says when there are more, when a rule failed, and when only a sample was checked.
        """
        audit = self.audit(select=select, ignore=ignore, sample=sample, seed=seed)
        if audit.sample:
            sentences = [_format_sample(audit.sample)]
        else:
            sentences = []
        if audit.truncated:
            sentences.append(f"{quantity(sum(audit.counts.values()), 'finding')} in all; these are the ones kept")
        sentences += dict.fromkeys(map(format_fault, audit.faults))
        return Rows(FINDING_COLUMNS, tuple(map(_build_finding_row, audit.findings)), ". ".join(sentences))

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
        if condition or mode or judge:
            selection = self._resolve_selection(Selection(condition, mode, judge=judge))
        else:
            selection = Selection()
        conditions, modes = ([name] if name else [] for name in (selection.condition, selection.mode))
        try:
            choices = export_selections.choose_selections(self.workspace, conditions, modes, selection.judge)
            return export_to_file(self.workspace, choices, form, Path(file), model=model)
        except (NothingToExport, NoModel, OwnFile) as error:
            raise ValueError(str(error)) from None

    def scores(self, by: str | None = None, criterion: str | None = None, judge: str | None = None) -> pandas.DataFrame:
        """Return a row for each condition (or value of the factor `by`), criterion and judge: mean and interval.

        `ci_low` and `ci_high` are the interval that the pages show, made by `ci_method`; NaN where none can be given.
        `synthetic` says of all rows that a generator made the scores, not a judge. `failed`, `missing` and
        `not_applicable` answers are in no mean.
        """
        import pandas

        table = self._load_scores(criterion=criterion, judge=judge, by=by)
        score_rows = summary.rows(table, by, criterion, judge)
        factors = {factor: None for row in score_rows for factor, _ in row.condition}
        titles = {factor: f"{factor} (condition)" if factor in SCORE_COLUMNS else factor for factor in factors}
        rows = []
        for row in score_rows:
            condition = {titles[factor]: value for factor, value in row.condition}
            rows.append({**condition, **_build_score_row(row, table)})
        return pandas.DataFrame(rows, columns=[*titles.values(), *SCORE_COLUMNS])

    def conclusions(self, criterion: str | None = None) -> list[dict[str, Any]]:
        """Return which condition is better under each criterion and whether that is clear, as `readback scores` has it.

        These are the `conclusions` of `readback scores --format json`: a planned pair, the only two conditions there
        are, or the best of several, each with `criterion`, `judge`, `verdict`, `better` (None unless it is clear) and
        `answer`, a sentence. Whether the prompts of both sides may be compared is not checked: `audit` does that.
        """
        return conclusion.list_conclusions(self.workspace, self._load_scores(criterion=criterion), criterion)

    def agreement(self, criterion: str | None = None) -> pandas.DataFrame:
        """Return how far judges agree, a number in each row: measure, judge, other, value, `ci_low`, `ci_high`, n.

        The criteria that nothing can be said of are in `.attrs["skipped"]`, with the reason. Raises ValueError with the
        reason where that is all of them.
        """
        import pandas

        answer = agreement_answer.build_answer(self._load_scores(criterion=criterion), criterion)
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
    def _children(self) -> StayingChildren:
        """One child renders all that is assembled here."""
        return StayingChildren()

    @cached_property
    def _dataset(self) -> Dataset:
        return open_dataset(self.workspace.root, self.workspace.dataset)

    @cached_property
    def _rule_filter(self) -> RuleFilter:
        return rules.filter_rules(self.workspace)

    @cached_property
    def _observer(self) -> Observer:
        return Observer(self.workspace, self._dataset)

    def _build_assembly(self, choice: Selection, record: Record, values: Values) -> Assembly:
        if choice.condition:
            named_condition = self.workspace.condition(choice.condition)
        else:
            named_condition = None
        if choice.judge and named_condition:
            reply_texts = answers.open_answers(self.workspace, named_condition).get(record.id)
        else:
            reply_texts = None
        return assemble.assemble(self.workspace, record, choice, reply_texts, values)

    def _find_condition(self, name: str) -> str:
        """Return the name of the condition of that name or alias."""
        condition = self.workspace.condition(name)
        if condition is None:
            raise build_unknown_name_error("condition", name, self.conditions)
        return condition.name

    def _build_side(self, side: str | Mapping[str, str]) -> dict[str, str]:
        """Return the keys of a side of `compare`. A text is the name of a condition."""
        if isinstance(side, str):
            return {"condition": self._find_condition(side)}
        return dict(side)

    def _resolve_selection(self, selection: Selection) -> Selection:
        workspace = self.workspace
        if selection.condition and (selection.mode or selection.task or selection.adapter):
            raise ValueError("a condition settles mode, task and adapter: give either it or them")
        if selection.judge and (selection.mode or selection.task or selection.adapter):
            raise ValueError("a judge goes with a condition or alone")
        names_by_kind: dict[str, Collection[str]] = {
            "mode": workspace.prompts,
            "judge": workspace.judges,
            "adapter": {**workspace.adapters, **adapters.load_shipped(profile_of(workspace.options))},
            "task": workspace.tasks,
        }
        for kind, names in names_by_kind.items():
            name = getattr(selection, kind)
            # Beside a mode, a task only chooses what is added, and may be one without texts of its own.
            if name is not None and name not in names and not (kind == "task" and selection.mode):
                raise build_unknown_name_error(kind, name, names)
        if selection.condition is not None:
            return replace(selection, condition=self._find_condition(selection.condition))
        if selection.mode or selection.task or selection.judge:
            return selection
        candidates = [candidate for candidate in selections.list_selections(workspace) if candidate.judge is None]
        fitting = [candidate for candidate in candidates if selection.adapter is None or candidate.condition is None]
        if len(fitting) != 1:
            raise ValueError(
                f"say which condition, mode or task: {', '.join(map(_format_selection, candidates)) or 'there is none'}"
            )
        return replace(fitting[0], adapter=selection.adapter or fitting[0].adapter)

    def _find_record(self, record: Record | str | int | None) -> Record:
        if isinstance(record, Record):
            return record
        if record is None and not len(self._dataset):
            raise ValueError("there is no record: the dataset has none")
        if record is None or (record == 0 and not self._dataset.source):
            return self._dataset.record(0)  # without a dataset, the empty record that defaults are shown with
        return self.records[record]

    def _load_scores(
        self, *, criterion: str | None = None, judge: str | None = None, by: str | None = None
    ) -> ScoreTable:
        """Load the scores. Raise KeyError for a name that the table does not have."""
        table = loading.load(self.workspace)
        columns = table.columns
        names_by_kind = {
            "criterion": (criterion, columns.criteria, [name.removesuffix("_score") for name in columns.criteria]),
            "judge": (judge, columns.judges, []),
            "factor": (by, tuple(table.factors), []),
        }
        for kind, (name, names, shorter) in names_by_kind.items():
            if name is not None and name not in (*names, *shorter):
                raise build_unknown_name_error(kind, name, filter(None, names))
        return table


def _build_finding_row(finding: Finding) -> Mapping[str, Any]:
    return {name: getattr(finding if hasattr(finding, name) else finding.place, name) for name in FINDING_COLUMNS}


def _format_sample(sample: Sample) -> str:
    _, most = share(0, sample).percents
    counted = f"{sample.drawn:,} of {quantity(sample.total, 'record')}"
    return f"a sample of {counted}; what is in 0 of {sample.drawn:,} is in at most {most} % of all (95 %)"


def _build_score_row(row: Row, table: ScoreTable) -> Mapping[str, Any]:
    low, high = row.span or (math.nan, math.nan)
    mean = math.nan if row.mean is None else row.mean
    return {
        "criterion": row.criterion,
        "judge": row.judge or None,
        "n": row.n,
        "failed": row.failed,
        "missing": row.missing,
        "not_applicable": row.not_applicable,
        "mean": mean,
        "ci_low": low,
        "ci_high": high,
        "ci_method": row.span_method,
        "clusters": row.clusters,
        "synthetic": table.synthetic,
    }


def _format_selection(choice: Selection) -> str:
    parts = (choice.condition, choice.mode, choice.task, choice.adapter)
    return " · ".join(f"'{part}'" for part in parts if part)
