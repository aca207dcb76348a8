"""A workspace opened by a program: the same assembly and the same rules as the pages and the command line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from readback import rules, workspace
from readback.assembly import assemble
from readback.assembly.unknown_system import unknown_system
from readback.assembly.variants import variants
from readback.audit import engine
from readback.audit.chunk import everything
from readback.audit.summary import Audit
from readback.files.yaml_file import nearest
from readback.notebook.assembled import Assembled
from readback.notebook.assembled import said as fault_said
from readback.notebook.rows import Rows
from readback.observed.observer import Observer
from readback.quantity import quantity
from readback.records import answers
from readback.records.dataset import Dataset, open_dataset
from readback.records.missing_record import no_record
from readback.scores import answer as scores_answer
from readback.scores import loading
from readback.types import Finding, Record, Selection, Values, Workspace

FINDING = ("severity", "code", "message", "fix", "file", "line", "condition", "mode", "adapter", "task", "judge",
           "record", "role", "start", "end", "key")  # fmt: skip
NO_VALUES: Values = {}


def open_workspace(
    path: Path | str,
    *,
    fields: Mapping[str, str] | None = None,
    plan: str | None = None,
    prompts: str | None = None,
    dataset: str | None = None,
) -> Opened:
    """Open a folder or a file. `fields` maps template variables to record fields; `plan`, `prompts` and `dataset` name
    the file that is meant where several could be.

    Raises ValueError with the reason when nothing at all could be read; every lesser fault is in `findings()`.
    """
    try:
        named = {"plan": plan, "prompts": prompts, "dataset": dataset}
        chosen = {kind: file for kind, file in named.items() if file}
        return Opened(workspace.open(Path(path), fields=fields, chosen=chosen))
    except workspace.NothingRead as nothing:
        raise ValueError(f"{path}: {nothing.reason}") from None


class Opened:
    """A workspace, its records, and what can be asked about them."""

    def __init__(self, opened: Workspace) -> None:
        self.workspace = opened

    @cached_property
    def records(self) -> Dataset:
        """The records, read from disk when they are asked for: `len(…)`, `.record(0)`, `.ids()`."""
        return open_dataset(self.workspace.root, self.workspace.dataset)

    def files(self) -> Rows:
        """Every file of the folder: what it was taken for, whether it is used, and if not, why. Counts add up."""
        names = ("path", "what", "used", "count", "detail")
        rows = ({name: getattr(one, name) for name in names} for one in self.workspace.recognised)
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
        record: str | int | None = None,
        *,
        mode: str | None = None,
        task: str | None = None,
        adapter: str | None = None,
        judge: str | None = None,
        values: Values = NO_VALUES,
    ) -> Assembled:
        """The exact messages for a record: by its id (a text) or its number from 0; the first where none is given.

        `values` replace the record's fields for this look only. Raises LookupError for a name that does not exist.
        """
        choice = self._choice(Selection(condition, mode, adapter, task, judge))
        one = self._record(record)
        known = self.workspace.condition(choice.condition) if choice.condition else None
        said = answers.open_answers(self.workspace, known).get(one.id) if choice.judge and known else None
        made = assemble.assemble(self.workspace, one, choice, said, values)
        tried = assemble.tried(self.workspace, one, values)
        seen = None if values else self._observer.seen(one, made)
        both = tuple(everything(self.workspace, tried, made, seen))
        findings = tuple(found for found in both if isinstance(found, Finding))
        faults = tuple(fault for fault in both if isinstance(fault, rules.Fault))
        unknown = unknown_system(self.workspace, choice, made.messages)
        return Assembled(made, findings, faults, variants(self.workspace, choice), unknown)

    def audit(self, *, select: Collection[str] = (), ignore: Collection[str] = ()) -> Audit:
        """Every rule over every record and condition, as `readback check` runs them; codes or areas narrow it."""
        return engine.check(self.workspace, select=select, ignore=ignore)

    def findings(self, *, select: Collection[str] = (), ignore: Collection[str] = ()) -> Rows:
        """The findings of `audit` as rows; the first 10,000. It says so when there are more, and when a rule failed."""
        audit = self.audit(select=select, ignore=ignore)
        said = (
            [f"{quantity(sum(audit.counts.values()), 'finding')} in all; these are the ones kept"]
            if audit.truncated
            else []
        )
        said += dict.fromkeys(map(fault_said, audit.faults))
        return Rows(FINDING, tuple(map(_finding, audit.findings)), ". ".join(said))

    def scores(self, by: str | None = None, criterion: str | None = None, judge: str | None = None) -> Rows:
        """How many, which mean and how sure, by condition, criterion and judge. LookupError for an unknown name."""
        table = loading.load(self.workspace)
        found = scores_answer.as_rows(table, by, criterion, judge)
        factors = list(dict.fromkeys(factor for row in found for factor in row["condition"]))
        numbers = ("criterion", "judge", "n", "failed", "missing", "not_applicable", "mean", "interval")
        rows = ({**row["condition"], **{name: row[name] for name in numbers}} for row in found)
        said = "These scores are synthetic: made by a generator, not by a judge." if table.synthetic else ""
        return Rows((*factors, *numbers), tuple(rows), said)

    def __repr__(self) -> str:
        workspace = self.workspace
        counts = (
            ("records", len(self.records) if workspace.dataset else 0),
            ("conditions", len(workspace.conditions)),
            ("modes", len(workspace.prompts)),
            ("tasks", len(workspace.tasks)),
            ("judges", len(workspace.judges)),
        )
        return f"{workspace.name}: " + (", ".join(f"{n:,} {what}" for what, n in counts if n) or "nothing to send")

    @cached_property
    def _observer(self) -> Observer:
        return Observer(self.workspace, self.records)

    def _choice(self, asked: Selection) -> Selection:
        workspace = self.workspace
        known = {
            "condition": [name for condition in workspace.conditions for name in (condition.name, *condition.aliases)],
            "mode": list(workspace.prompts),
            "judge": list(workspace.judges),
        }
        for kind, names in known.items():
            name = getattr(asked, kind)
            if name is not None and name not in names:
                raise LookupError(_unknown(kind, name, names))
        if asked == Selection():
            every = [choice for choice in assemble.choices(workspace) if choice.judge is None]
            if len(every) != 1:
                raise LookupError(
                    f"say which condition, mode or task: {', '.join(map(_said, every)) or 'there is none'}"
                )
            return every[0]
        if asked.condition and (asked.mode or asked.task or asked.adapter):
            raise LookupError("a condition settles mode, task and adapter: give either it or them")
        return asked

    def _record(self, asked: str | int | None) -> Record:
        if isinstance(asked, str):
            found = self.records.find(asked)
            if found is None:
                raise LookupError(no_record(str(asked), self.records))
            return self.records.record(found)
        return self.records.record(asked or 0)


def _finding(one: Finding) -> Mapping[str, Any]:
    return {name: getattr(one if hasattr(one, name) else one.place, name) for name in FINDING}


def _unknown(kind: str, name: str, names: Collection[str]) -> str:
    near = nearest(name, names)
    there = f"there are: {', '.join(names)}" if names else "the workspace has none"
    return f"no {kind} '{name}'; " + (f"did you mean '{near}'?" if near else there)


def _said(choice: Selection) -> str:
    return choice.condition or " · ".join(part for part in (choice.mode, choice.task, choice.adapter) if part)
