"""Cells arrive row by row, with every column that may tell conditions apart; when all are read, conditions are made."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from readback.scores.files.cells import legible
from readback.scores.files.layout import CONDITION, CONTENT, FACTORS, first
from readback.scores.files.row_labels import WITHOUT_ID
from readback.scores.table import NONE, Columns, ConditionKey
from readback.types import ScoreSource

MOST_VALUES = 30  # a column with more values than this is not a factor, unless its name says so
LONG = 100  # characters of a value from which on it is a text, and nothing that conditions are called by
# columns that hold what was asked or answered; beside those of the layout, which are no candidates
TEXTS = frozenset({
    *CONTENT, "objective", "assistant_response", "model_response", "reply", "output", "input", "completion",
    "customer_text", "user_input", "model_output",
})  # fmt: skip
TEXT = 32 << 20  # bytes, about, that judges' notes may take in memory for one file; the rest stays in the file
BETWEEN = " | "  # the cells of an id that takes several columns
ROOM = 100  # bytes, about, that a short text takes beyond its letters


@dataclass(slots=True)
class Names:
    """Texts with the code of each, in the order they came."""

    codes: dict[str, int] = field(default_factory=dict)

    def code(self, name: str) -> int:
        return self.codes.setdefault(name, len(self.codes))


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

    def candidate(self, name: str) -> None:
        """From now on rows have one more value that may tell conditions apart."""
        self.candidates.append(name)
        self.values_of.append(set())

    def called(self, id_cells: Sequence[str], line: int, label: str = "") -> str:
        """The item of a row; one without an id is called by its `label`, which is its line where nothing is given."""
        if any(id_cells):
            return BETWEEN.join(id_cells)
        if id_cells or not self.unnamed:  # of a file without ids one line is enough
            if label not in ("", f"line_{line}"):
                self.labels[len(self.unnamed)] = label
            self.unnamed.append(line)
        return label or f"line_{line}"

    def combo_code(self, values: Sequence[str]) -> int:
        """The code of a row's candidate values; those of columns with too many values are let go at once."""
        kept = list(values)
        for at, (value, seen) in enumerate(zip(values, self.values_of, strict=True)):
            if value not in seen:
                if len(seen) > MOST_VALUES and not self.always(self.candidates[at]):
                    kept[at] = ""
                else:
                    seen.add(value)
        return self.combos.setdefault(tuple(kept), len(self.combos))

    @staticmethod
    def always(name: str) -> bool:
        """Whether the column's name alone makes it part of the condition."""
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
        """One more cell."""
        at = len(self.value)
        self.item.append(item)
        self.combo.append(combo)
        self.criterion.append(self.criteria.code(criterion))
        self.judge.append(self.judges.code(judge))
        self.cluster.append(self.clusters.code(cluster) if cluster else NONE)
        self.run.append(self.runs.code(run) if run else NONE)
        self.prompt.append(self.prompts.code(prompt) if prompt else NONE)
        self.line.append(line)
        value, state, why = cell
        self.value.append(value)
        self.state.append(state)
        if why:
            self.whys[at] = why
        if rationale:
            self.keep(at, rationale)

    def keep(self, at: int, rationale: str) -> None:
        """The judge's note of a cell, as long as there is room."""
        if self.text_size > TEXT:
            self.texts_left += 1
            return
        self.text_size += len(rationale) + ROOM
        self.texts[at] = rationale


def columns(intake: Intake, conditions: Sequence[ConditionKey]) -> Columns:
    """The intake as finished columns; `conditions` gives the condition of each combo code."""
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
    """Each code as the one that `to` has in its place; NONE stays."""
    import numpy as np

    made = array("i")
    if len(codes):
        made.frombytes(np.array([*to, NONE], np.int32)[np.asarray(codes)].tobytes())
    return made


def make_conditions(intake: Intake, source: ScoreSource, stem: str) -> tuple[tuple[ConditionKey, ...], tuple[str, ...]]:
    """The condition of each combo, and the candidate columns that are part of it."""
    kept = _factors(intake, source)
    at = [intake.candidates.index(name) for name in kept]
    single: ConditionKey = (("condition", source.label or stem),)
    names = ["condition" if name.strip().lower() in CONDITION else legible(name.strip()) for name in kept]
    made = tuple(
        tuple((name, combo[i] if i < len(combo) else "") for name, i in zip(names, at, strict=True)) or single
        for combo in intake.combos
    )
    return made, tuple(kept)


def _factors(intake: Intake, source: ScoreSource) -> list[str]:
    """Which candidate columns make the condition.

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
    alive = [
        name
        for name, seen in zip(intake.candidates, intake.values_of, strict=True)
        if intake.always(name) or (len(seen) <= MOST_VALUES and not _is_text(name, seen))
    ]
    attributes = _attributes(intake, alive)
    factors = [name for name in alive if name not in attributes]
    apart = any(len(intake.values_of[intake.candidates.index(name)]) > 1 for name in factors)
    return factors if apart else [name for name in factors if intake.always(name)]


def _is_text(name: str, values: Iterable[str]) -> bool:
    """Whether a column holds what was asked or answered."""
    return name.strip().lower() in TEXTS or any(len(value) >= LONG for value in values)


def _varies_within(intake: Intake, name: str, column: str) -> bool:
    """Whether `name` has two values for one value of `column`."""
    i, j = intake.candidates.index(name), intake.candidates.index(column)
    by: dict[str, str] = {}
    return any(by.setdefault(combo[j], combo[i]) != combo[i] for combo in intake.combos if len(combo) > max(i, j))


def _attributes(intake: Intake, names: Sequence[str]) -> set[str]:
    """The columns that describe the item (its topic, say) and not how it was answered.

    Such a column has one value for each item. Where every item has one row only, nothing was answered in two ways that
    a column could tell apart. Where most items have no ids that is no sign; then a column is taken for a description
    when most rows have a value of their own.
    """
    import numpy as np

    pairs = np.unique((np.asarray(intake.item, np.int64) << 32) | np.asarray(intake.combo, np.int64))
    repeated = len(pairs) > len(intake.items.codes)
    named = 2 * sum(map(bool, map(WITHOUT_ID.fullmatch, intake.items.codes))) < len(intake.items.codes)
    found = set()
    for name in names:
        at = intake.candidates.index(name)
        if intake.always(name) or len(intake.values_of[at]) < 2:
            continue
        codes: dict[str, int] = {}
        value = [codes.setdefault(c[at] if at < len(c) else "", len(codes)) for c in intake.combos]
        seen = np.unique(((pairs >> 32) << 32) | np.array(value, np.int64)[pairs & 0xFFFFFFFF])
        if len(seen) == len(intake.items.codes) and (repeated or named or len(codes) * 2 > len(pairs)):
            found.add(name)
    return found
