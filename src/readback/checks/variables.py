"""What became of the variables over all records: how often used, missing, empty, or replaced by a default."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from readback.checks.facts import record_fields
from readback.prompts.selections import resolve_selection
from readback.records.dataset import Dataset, DatasetChanged
from readback.records.fields.field_path import MISSING, split_path
from readback.sources import albert_names
from readback.types import NOWHERE, Answer, Assembly, Diagnostic, Location, Record, Selection, VariableUse, Workspace

SHAPES = 1_000  # different accounts of a record that are told apart; beyond, they are only counted
NAMES = 2_000  # names counted in one audit
STATES = ("used", "missing", "empty", "default", "falsy", "idle")
COUNTED = {"present": "used", "null": "empty"}  # other states are counted under their own names

Kind = Literal["mode", "task", "judge"]
Shape = tuple[tuple[str, str, bool, str | None, int | None], ...]  # name, state, asked, file, line of each use


@dataclass(frozen=True, slots=True)
class VariableRow:
    """One name that a mode, a task or a judge reads, over `records` records.

    The counts are records in which the name had a value (`used`), had none, was null or empty, came from a default
    only, had a false value replaced by a default, was a loop over nothing; `needed` are those of `missing` where the
    template has nothing else to show. `documented`: among the names that an Albert configuration documents, None for
    other prompts; `suggested` is the documented name, `nearest` the field of the record that may be meant. `first` has
    for each count the number of the first such record, from 0.
    """

    reader: str
    kind: Kind
    name: str
    choice: Selection
    records: int = 0
    used: int = 0
    missing: int = 0
    needed: int = 0
    empty: int = 0
    default: int = 0
    falsy: int = 0
    idle: int = 0
    documented: bool | None = None
    suggested: str | None = None
    nearest: str | None = None
    first: Mapping[str, int] = field(default_factory=dict)
    place: Location = NOWHERE


class AccountWriter:
    """In a child: the accounts of its records, each told once and then by its number."""

    def __init__(self) -> None:
        self.numbers: dict[Shape, int] = {}

    def tell(self, uses: Iterable[VariableUse]) -> list[Any]:
        """Return [number], or [number, shape] for the first time; the number of those that are not kept is -1."""
        use_shape = shape(uses)
        if (number := self.numbers.get(use_shape)) is not None:
            return [number]
        if len(self.numbers) >= SHAPES:
            return [-1, use_shape]
        self.numbers[use_shape] = len(self.numbers)
        return [self.numbers[use_shape], use_shape]

    @staticmethod
    def again(account: list[Any]) -> list[Any] | None:
        """Return the account that repeats this one; None where it was not kept."""
        if account[0] >= 0:
            return account[:1]
        return None


class AccountReader:
    """Outside: the accounts that one child told."""

    def __init__(self) -> None:
        self.shapes: dict[int, Shape] = {}

    def read(self, account: Sequence[Any]) -> Shape:
        """Return the shape that an account stands for."""
        if len(account) == 1:
            return self.shapes[account[0]]
        use_shape: Shape = tuple(tuple(row) for row in account[1])
        if account[0] >= 0:
            self.shapes[account[0]] = use_shape
        return use_shape


def shape(uses: Iterable[VariableUse]) -> Shape:
    """Return the uses of one assembly without their numbers; each name once with each state."""
    rows: dict[tuple[str, str], tuple[bool, str | None, int | None]] = {}
    for use in uses:
        key = (use.name, use.state)
        before = rows.get(key)
        only_asked = use.only_asked and (before is None or before[0])
        rows[key] = (only_asked, *before[1:]) if before else (only_asked, use.place.file, use.place.line)
    return tuple((*key, *rest) for key, rest in rows.items())


@dataclass(slots=True)
class _Count:
    records: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)
    place: Location = NOWHERE

    def add(self, what: str, index: int, times: int) -> None:
        self.records[what] += times
        self.first[what] = min(index, self.first.get(what, index))


@dataclass(slots=True)
class Variables:
    """The counts of an audit on its way. `left_out` are uses of names beyond NAMES; the rest is exact."""

    waiting: dict[tuple[Selection, Shape], list[int]] = field(default_factory=dict)  # records so far, the first of them
    counts: dict[tuple[Selection, str], _Count] = field(default_factory=dict)
    looked_at: Counter[Selection] = field(default_factory=Counter)
    left_out: int = 0
    last: tuple[Sequence[Selection], Sequence[Shape], list[list[int]]] = ((), (), [])  # what was taken, its accounts

    def take(self, choices: Sequence[Selection], shapes: Sequence[Shape], index: int, records: int = 1) -> None:
        """Count so many records under each choice, the first of them by its number. Nobody changes what is in
        `choices` and `shapes` later: most records bring the same two again, whose accounts are at hand then.
        """
        if choices is self.last[0] and shapes is self.last[1]:
            for again in self.last[2]:
                again[0] += records
            return
        accounts: list[list[int]] = []
        for choice, use_shape in zip(choices, shapes, strict=True):
            if (account := self.waiting.get((choice, use_shape))) is None:
                if len(self.waiting) >= SHAPES:
                    self.count()
                    accounts.clear()  # which are in the counts now
                account = self.waiting[choice, use_shape] = [0, index]
            account[0] += records
            accounts.append(account)
        if len(accounts) == len(choices):
            self.last = choices, shapes, accounts

    def count(self) -> None:
        """Turn the accounts into counts of each name."""
        for (choice, use_shape), (times, index) in self.waiting.items():
            self.looked_at[choice] += times
            for name, state, only_asked, file, line in use_shape:
                if (count := self.counts.get((choice, name))) is None:
                    if len(self.counts) >= NAMES:
                        self.left_out += times
                        continue
                    count = self.counts[choice, name] = _Count(place=Location(file=file, line=line))
                count.add(COUNTED.get(state, state), index, times)
                if state == "missing" and not only_asked:
                    count.add("needed", index, times)
        self.waiting.clear()
        self.last = (), (), []

    def rows(self, opened: Workspace, data: Dataset) -> tuple[VariableRow, ...]:
        """Return a row for each name of each mode, task and judge. Conditions with the same texts count once, by the
        most.
        """
        self.count()
        rows: dict[tuple[Kind, str, str], VariableRow] = {}
        for (choice, name), count in self.counts.items():
            if not self.looked_at[choice]:  # given up before its first record was counted
                continue
            kind, whose, albert = reader(opened, choice)
            counts: dict[str, Any] = {what: count.records[what] for what in (*STATES, "needed")}
            first = {what: at for what, at in count.first.items() if what != "untaken"}
            if albert:
                documented = is_documented(name)
            else:
                documented = None
            if documented is False:
                suggested = documented_for(name)
            else:
                suggested = None
            row = VariableRow(
                whose,
                kind,
                name,
                choice,
                self.looked_at[choice],
                **counts,
                documented=documented,
                suggested=suggested,
                first=first,
                place=count.place,
            )
            before = rows.get((kind, whose, name))
            rows[kind, whose, name] = row if before is None else _most(before, row)
        lists = {(row.kind, row.reader, row.name.partition("[*]")[0]) for row in rows.values() if "[*]" in row.name}
        lists |= {key for key, row in rows.items() if row.idle}
        used_names = {row.name for row in rows.values() if row.used}
        return tuple(_near(row, data, (row.kind, row.reader, row.name) in lists, used_names) for row in rows.values())

    def names(self) -> Iterator[str]:
        """Every name that any template reads, taken or not."""
        self.count()
        return (name for _, name in self.counts)


def started(choices: Iterable[Selection], firsts: Iterable[Assembly]) -> Variables:
    """Variables that know the names which the first record shows, also of what is given up after it."""
    variables = Variables()
    for choice, first in zip(choices, firsts, strict=True):
        for use in first.uses:
            if len(variables.counts) < NAMES:
                variables.counts.setdefault((choice, use.name), _Count(place=use.place))
    return variables


def reader(opened: Workspace, choice: Selection) -> tuple[Kind, str, bool]:
    """Whose template a choice fills in, and whether it is an Albert configuration's."""
    if choice.judge:
        return "judge", choice.judge, False
    own = resolve_selection(opened, choice)
    if isinstance(own, Diagnostic):
        return "mode", choice.mode or choice.task or choice.condition or "", False
    return "task" if own.is_task else "mode", own.prompt.mode, own.prompt.settings.get("dialect") == "albert"


def is_documented(name: str) -> bool:
    """Whether the document of the Albert configurations lists a name, or a field of a list's items."""
    root, _, rest = name.partition("[")
    listed, part = albert_names.list_chunk_fields(root), rest.partition("].")[2]
    if part and listed is not None:
        return albert_names.is_documented(root) and part in listed
    return albert_names.is_documented(root.partition(".")[0])


def documented_for(name: str) -> str | None:
    """Return the documented name or field that an unknown one probably means."""
    root, _, rest = name.partition("[")
    part = rest.partition("].")[2]
    if part and albert_names.is_documented(root):
        return albert_names.suggest_field(part, root)
    root = root.partition(".")[0]
    return albert_names.suggest_variable(root) or record_fields.find_nearest_field(
        root, dict.fromkeys(albert_names.VARIABLES, ""), False
    )


def _most(a: VariableRow, b: VariableRow) -> VariableRow:
    first = {what: min(a.first.get(what, at), at) for what, at in {**a.first, **b.first}.items()}
    counts: dict[str, Any] = {what: max(getattr(a, what), getattr(b, what)) for what in ("records", *STATES, "needed")}
    return replace(a, first=first, **counts)


def _near(row: VariableRow, data: Dataset, a_list: bool, used_names: Collection[str]) -> VariableRow:
    """Return the row with the field that the first record offers in which the name is missing."""
    if not row.missing or row.first["missing"] >= len(data):
        return row
    with suppress(DatasetChanged):
        fields = data.record(row.first["missing"]).fields
        return replace(row, nearest=record_fields.find_offered_field(row.name, fields, a_list, used_names))
    return row


ITEM = re.compile(r"\[(\*|-\d+)\]")  # any item, or one counted from the end
NUMBER = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class RecordUse:
    """One name: its uses by state, its first value in the record (MISSING: none), and what it may mean.

    `suggested` is the documented name, only where an Albert template reads one that is not; `nearest` the field of the
    record, only where the name has no value.
    """

    name: str
    uses: tuple[VariableUse, ...]
    value: Any = MISSING
    documented: bool | None = None
    suggested: str | None = None
    nearest: str | None = None
    place: Location = NOWHERE


def record_uses(
    opened: Workspace, record: Record, assembly: Assembly, answer: Answer | None = None
) -> tuple[RecordUse, ...]:
    """Return a line for each name that the templates of an assembly read, in their order; a judge's also of the
    `answer`.
    """
    by_name: dict[str, list[VariableUse]] = {}
    for use in assembly.uses:
        by_name.setdefault(use.name, []).append(use)
    _, _, albert = reader(opened, assembly.choice)
    used_names = {use.name for use in assembly.uses if use.state == "present"}
    rows = []
    for name, uses in by_name.items():
        if albert:
            documented = is_documented(name)
        else:
            documented = None
        missing = all(use.state in ("missing", "null") for use in uses)
        a_list = any(other.startswith(f"{name}[") for other in by_name)
        if missing:
            near = record_fields.find_offered_field(name, record.fields, a_list, used_names)
        else:
            near = None
        if documented is False:
            suggested = documented_for(name)
        else:
            suggested = None
        rows.append(
            RecordUse(
                name, tuple(uses), _value(record, assembly, answer, name), documented, suggested, near, uses[0].place
            )
        )
    return tuple(rows)


def _value(record: Record, assembly: Assembly, answer: Answer | None, name: str) -> Any:
    """Return what a name stands for: for a judge `answer` is the reply, `answer.FIELD` a field of the answer's row."""
    if assembly.choice.judge is None or assembly.choice.condition is None or answer is None:
        return value(record.fields, name)
    if name == "answer":
        if answer.text is None:
            return MISSING
        return answer.text
    if name.startswith("answer."):
        answer_value = value(answer.fields, name.removeprefix("answer."))
    else:
        answer_value = MISSING
    if answer_value is MISSING:
        return value(record.fields, name)
    return answer_value


def value(fields: Mapping[str, Any], name: str) -> Any:
    """Return the first value under a path; `[*]` stands for any item of a list."""
    return _first(fields, split_path(ITEM.sub(r".\1", name)))


def _first(node: Any, path: tuple[str, ...]) -> Any:
    if not path:
        return node
    if isinstance(node, Mapping):
        if path[0] in node:
            return _first(node[path[0]], path[1:])
        if path == ("*",):
            return next(iter(node.values()), MISSING)
        return MISSING
    if not isinstance(node, list):
        return MISSING
    if path[0] != "*":
        if NUMBER.fullmatch(path[0]):
            at = int(path[0])
        else:
            at = len(node)
        if -len(node) <= at < len(node):
            return _first(node[at], path[1:])
        return MISSING
    values = (_first(item, path[1:]) for item in node)
    return next((value for value in values if value is not MISSING), MISSING)
