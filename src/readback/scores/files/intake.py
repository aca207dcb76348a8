"""Cells arrive row by row, with every column that may tell conditions apart; when all are read, conditions are made."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from readback.scores.files.cells import legible
from readback.scores.files.layout import CONDITION, CONTENT, FACTORS, first
from readback.scores.files.row_labels import WITHOUT_ID
from readback.scores.table import NONE, Columns, ConditionKey
from readback.types import ScoreSource

MOST_VALUES = 30  # a column with more values than this is not a factor, unless its name says so
LONG = 100  # characters of a value from which on it is a text, and nothing that conditions are called by
# columns that hold what was asked or answered; beside those of the layout, which are no candidates
TEXTS = frozenset(
    {
        *CONTENT,
        "objective",
        "assistant_response",
        "model_response",
        "reply",
        "output",
        "input",
        "completion",
        "customer_text",
        "user_input",
        "model_output",
    }
)
TEXT = 32 << 20  # bytes, about, that judges' notes may take in memory for one file; the rest stays in the file
BETWEEN = " | "  # the cells of an id that takes several columns
ROOM = 100  # bytes, about, that a short text takes beyond its letters


@dataclass(slots=True)
class Names:
    """Texts with the code of each, in the order they came."""

    codes: dict[str, int] = field(default_factory=dict)

    def code(self, name: str) -> int:
        """Return the code of a name, a new one where the name is new."""
        return self.codes.setdefault(name, len(self.codes))

    def code_unless_empty(self, name: str) -> int:
        """Return the code of a name; NONE for an empty one."""
        if name:
            return self.code(name)
        return NONE


class CellCodes(NamedTuple):
    """What a cell is about, beside its item, as codes."""

    combo: int
    criterion: int
    judge: int
    cluster: int
    run: int
    prompt: int


@dataclass(slots=True)
class Intake:
    """The growing columns of one file. `combo` holds a row's values of the candidate columns."""

    file: str
    candidates: list[str] = field(default_factory=list)
    items: Names = field(default_factory=Names)
    criteria: Names = field(default_factory=Names)
    judges: Names = field(default_factory=Names)
    clusters: Names = field(default_factory=Names)
    runs: Names = field(default_factory=Names)
    prompts: Names = field(default_factory=Names)
    combos: dict[tuple[str, ...], int] = field(default_factory=dict)
    values_of: list[set[str]] = field(default_factory=list)  # by candidate; a full set no longer counts
    item: array[int] = field(default_factory=lambda: array("i"))
    combo: array[int] = field(default_factory=lambda: array("i"))
    criterion: array[int] = field(default_factory=lambda: array("i"))
    judge: array[int] = field(default_factory=lambda: array("i"))
    cluster: array[int] = field(default_factory=lambda: array("i"))
    run: array[int] = field(default_factory=lambda: array("i"))
    prompt: array[int] = field(default_factory=lambda: array("i"))
    line: array[int] = field(default_factory=lambda: array("q"))
    value: array[float] = field(default_factory=lambda: array("d"))
    state: bytearray = field(default_factory=bytearray)
    whys: dict[int, str] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    text_size: int = 0
    texts_left: int = 0
    unnamed: array[int] = field(default_factory=lambda: array("q"))  # lines of rows without an id
    labels: dict[int, str] = field(default_factory=dict)  # of those that are not called by their line, by their place

    def add_candidate(self, name: str) -> None:
        """Take one more column whose values may tell conditions apart."""
        self.candidates.append(name)
        self.values_of.append(set())

    def name_item(self, id_cells: Sequence[str], line: int, label: str = "") -> str:
        """Return the item of a row; one without an id gets its `label`, or its line where there is no label."""
        if any(id_cells):
            return BETWEEN.join(id_cells)
        if id_cells or not self.unnamed:  # of a file without ids one line is enough
            if label not in ("", f"line_{line}"):
                self.labels[len(self.unnamed)] = label
            self.unnamed.append(line)
        return label or f"line_{line}"

    def code_combo(self, values: Sequence[str]) -> int:
        """Return the code of a row's candidate values; those of columns with too many values are dropped at once."""
        counted = list(values)
        for at, (value, known_values) in enumerate(zip(values, self.values_of, strict=True)):
            if value in known_values:
                continue
            if len(known_values) > MOST_VALUES and not self.is_always_factor(self.candidates[at]):
                counted[at] = ""
            else:
                known_values.add(value)
        return self.combos.setdefault(tuple(counted), len(self.combos))

    @staticmethod
    def is_always_factor(name: str) -> bool:
        """Tell whether the column's name alone makes it part of the condition."""
        return name.strip().lower() in (*CONDITION, *FACTORS)

    def add(
        self,
        item: int,
        combo: int,
        criterion: str,
        judge: str,
        cell: tuple[float, int, str],
        *,
        rationale: str = "",
        cluster: str = "",
        run: str = "",
        prompt: str = "",
        line: int = 0,
    ) -> None:
        """Add one cell by the names of what it is about."""
        codes = CellCodes(
            combo,
            self.criteria.code(criterion),
            self.judges.code(judge),
            self.clusters.code_unless_empty(cluster),
            self.runs.code_unless_empty(run),
            self.prompts.code_unless_empty(prompt),
        )
        self.append(item, codes, line, cell, rationale)

    def append(self, item: int, codes: CellCodes, line: int, cell: tuple[float, int, str], rationale: str) -> None:
        """Add one cell by codes."""
        combo, criterion, judge, cluster, run, prompt = codes
        value, state, why = cell
        self.item.append(item)
        self.combo.append(combo)
        self.criterion.append(criterion)
        self.judge.append(judge)
        self.cluster.append(cluster)
        self.run.append(run)
        self.prompt.append(prompt)
        self.line.append(line)
        self.value.append(value)
        self.state.append(state)
        if why:
            self.whys[len(self.value) - 1] = why
        if rationale:
            self._add_text(len(self.value) - 1, rationale)

    def _add_text(self, cell: int, rationale: str) -> None:
        if self.text_size > TEXT:
            self.texts_left += 1
            return
        self.text_size += len(rationale) + ROOM
        self.texts[cell] = rationale


def columns(intake: Intake, conditions: Sequence[ConditionKey]) -> Columns:
    """Return the finished columns; `conditions` gives the condition of each combo code."""
    distinct: dict[ConditionKey, int] = {}
    to = [distinct.setdefault(condition, len(distinct)) for condition in conditions]
    return Columns(
        item=intake.item,
        condition=intake.combo if to == list(range(len(to))) else recoded(intake.combo, to),
        criterion=intake.criterion,
        judge=intake.judge,
        cluster=intake.cluster,
        run=intake.run,
        prompt=intake.prompt,
        file=array("i", [0]) * len(intake.value),
        line=intake.line,
        value=intake.value,
        state=intake.state,
        items=tuple(intake.items.codes),
        conditions=tuple(distinct),
        criteria=tuple(intake.criteria.codes),
        judges=tuple(intake.judges.codes),
        clusters=tuple(intake.clusters.codes),
        runs=tuple(intake.runs.codes),
        prompts=tuple(intake.prompts.codes),
        files=(intake.file,),
        whys=intake.whys,
        texts=intake.texts,
    )


def recoded(codes: array[int], to: Sequence[int]) -> array[int]:
    """Return the codes with each replaced by what `to` has in its place; NONE stays."""
    import numpy as np

    codes_after = array("i")
    if len(codes):
        codes_after.frombytes(np.array([*to, NONE], np.int32)[np.asarray(codes)].tobytes())
    return codes_after


def make_conditions(intake: Intake, source: ScoreSource, stem: str) -> tuple[tuple[ConditionKey, ...], tuple[str, ...]]:
    """Return the condition of each combo, and the candidate columns that are part of it."""
    columns = _find_factors(intake, source)
    places = [intake.candidates.index(name) for name in columns]
    names = ["condition" if name.strip().lower() in CONDITION else legible(name.strip()) for name in columns]
    conditions: list[ConditionKey] = []
    for combo in intake.combos:
        values = [combo[at] if at < len(combo) else "" for at in places]
        conditions.append(tuple(zip(names, values, strict=True)) or (("condition", source.label or stem),))
    return tuple(conditions), tuple(columns)


def _find_factors(intake: Intake, source: ScoreSource) -> list[str]:
    """Return the candidate columns that make the condition.

    Those the workspace names; else a column `condition` with whatever tells apart rows of one condition among mode,
    adapter and model; else, unless the workspace says which condition the file is, every column with a few values, none
    of them a text that was asked or answered, that is no attribute of the item. What has one value in the whole file
    belongs to the conditions that others tell apart; alone (a grade that everything got, say) it makes none, unless
    conditions are usually called so.
    """
    if source.condition:
        return list(intake.candidates)
    if column := first(CONDITION, intake.candidates):
        extra = [name for name in intake.candidates if name.lower() in ("mode", "adapter", "model")]
        return [column, *(name for name in extra if _varies_within(intake, name, column))]
    if source.label:
        return []
    candidates = [
        name
        for name, values in zip(intake.candidates, intake.values_of, strict=True)
        if intake.is_always_factor(name) or (len(values) <= MOST_VALUES and not _holds_texts(name, values))
    ]
    attributes = _find_attributes(intake, candidates)
    factors = [name for name in candidates if name not in attributes]
    if any(len(intake.values_of[intake.candidates.index(name)]) > 1 for name in factors):
        return factors
    return [name for name in factors if intake.is_always_factor(name)]


def _holds_texts(name: str, values: Iterable[str]) -> bool:
    """Tell whether a column holds what was asked or answered."""
    return name.strip().lower() in TEXTS or any(len(value) >= LONG for value in values)


def _varies_within(intake: Intake, name: str, column: str) -> bool:
    """Tell whether `name` has two values for one value of `column`."""
    i, j = intake.candidates.index(name), intake.candidates.index(column)
    first_values: dict[str, str] = {}
    for combo in intake.combos:
        if len(combo) > max(i, j) and first_values.setdefault(combo[j], combo[i]) != combo[i]:
            return True
    return False


def _find_attributes(intake: Intake, names: Sequence[str]) -> set[str]:
    """Return the columns that describe the item (its topic, say) and not how it was answered.

    Such a column has one value for each item. Where every item has one row only, nothing was answered in two ways that
    a column could tell apart. Where most items have no ids that is no sign; then a column is taken for a description
    when most rows have a value of their own.
    """
    import numpy as np

    pairs = np.unique((np.asarray(intake.item, np.int64) << 32) | np.asarray(intake.combo, np.int64))
    items = len(intake.items.codes)
    is_repeated = len(pairs) > items
    has_ids = 2 * sum(WITHOUT_ID.fullmatch(item) is not None for item in intake.items.codes) < items
    attributes = set()
    for name in names:
        at = intake.candidates.index(name)
        if intake.is_always_factor(name) or len(intake.values_of[at]) < 2:
            continue
        codes = Names()
        value_of_combo = [codes.code(combo[at] if at < len(combo) else "") for combo in intake.combos]
        values = np.array(value_of_combo, np.int64)[pairs & 0xFFFFFFFF]
        values_of_items = np.unique(((pairs >> 32) << 32) | values)
        if len(values_of_items) == items and (is_repeated or has_ids or len(codes.codes) * 2 > len(pairs)):
            attributes.add(name)
    return attributes
