"""A block of lines into an intake: each distinct text is looked at once, the rest is arithmetic on codes."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from readback.readers.csv_blocks import Block, Irregular
from readback.scores.files._costs import Costs, Spent
from readback.scores.files._summary_rows import WORDS
from readback.scores.files.cells import (
    FAILURE_WORDS,
    LARGEST,
    Cell,
    cell,
    failure_words,
    is_failure,
    with_failure,
    with_status,
)
from readback.scores.files.intake import BETWEEN, MOST_VALUES, TEXT, Intake, Names
from readback.scores.files.layout import Layout, names_failure
from readback.scores.files.score_rows import Asked
from readback.scores.table import FAILED, MISSING, NONE, SCORED

FEW = 500  # texts that are parsed one by one; of more, those that are plain numbers are parsed together
PLAIN = r"^-?[0-9]+(\.[0-9]+)?$"


@dataclass(frozen=True, slots=True)
class Distinct:
    """`texts` are an array of pyarrow, `codes` one of numpy."""

    texts: Any
    codes: Any

    @property
    def listed(self) -> list[Any]:
        """The texts as Python's."""
        found: list[Any] = self.texts.to_pylist()
        return found

    def of_rows(self, values: Sequence[Any], kind: Any) -> Any:
        """For each row the one of `values`, which are as many as the texts."""
        import numpy as np

        return np.array(values, kind)[self.codes]

    def where(self, holds: Callable[[str], bool]) -> Any:
        """For each row whether this holds of its text."""
        return self.of_rows([holds(text) for text in self.listed], bool)

    def named(self, names: Names, instead: str | None = None) -> Any:
        """The codes that `names` has for the texts; an empty text has none, or that of what is instead of it."""
        known = names.codes
        if instead is None:
            found = [known.setdefault(text, len(known)) if text else NONE for text in self.listed]
        else:
            found = [known.setdefault(text or instead, len(known)) for text in self.listed]
        return self.of_rows(found, "int32")


SOURCE = "source"  # the column in which a generator of made-up scores says so
SUMMARY = f"^(?:{WORDS})$"  # an id of a row that may sum up the others
FULL = 1 << 40  # a number of combinations that still can be counted in one integer
COLUMNS = ("item", "combo", "criterion", "judge", "cluster", "run", "prompt", "line", "value")
Arrays = Mapping[str, Any]  # a column of texts, by name


@dataclass(slots=True)
class Batch:
    """What has been taken in of one file."""

    intake: Intake
    plan: Layout
    asked: Asked
    names: tuple[str, ...]
    separator: str
    room: int  # rows there can be
    seen: int = 0  # rows
    used: int = 0
    means: int = 0
    synthetic: bool = False
    costs: Costs = field(default_factory=Costs)
    spent: Spent = field(default_factory=Spent)
    at: int = 0  # cells taken in
    kept: list[dict[str, int]] = field(default_factory=list)  # of each candidate, the codes of values that count

    def __post_init__(self) -> None:
        many = self.room * len(self.plan.scores)
        for name in COLUMNS:  # at their full length at once: growing, they would leave holes as large as they are
            setattr(self.intake, name, array(getattr(self.intake, name).typecode, [0]) * many)
        self.intake.state = bytearray(many)
        for name in self.plan.candidates:
            self.intake.candidate(name)
            self.kept.append({})

    def take(self, block: Block) -> None:
        """The cells of some more records. Raises Irregular."""
        import numpy as np

        columns = self._columns(block)
        lines = block.lines
        self.seen += block.rows
        if self.seen > self.room:  # the file grew
            raise Irregular
        if self.plan.aggregated:
            means = distinct(columns[self.plan.aggregated]).where(lambda text: text.strip().lower() == "true")
            if many := int(means.sum()):
                self.means += many
                columns = {name: _picked(column, ~means) for name, column in columns.items()}
                lines = lines[~means]
        self.used += len(lines)
        if not len(lines):
            return
        if SOURCE in columns and not self.synthetic:
            made_up = distinct(columns[SOURCE]).where(lambda text: text.lower().startswith("synthetic"))
            self.synthetic = bool(made_up.any())
        for name in self.plan.costs:
            self.costs.column(name, columns[name])
        self._rows(columns, lines)
        self._spend(columns, len(lines))
        value, state, why, whys = self._cells(columns, any(start.encode() in block.data for start in FAILURE_WORDS))
        at = self.at
        for one, text in zip(np.flatnonzero(why).tolist(), why[why > 0].tolist(), strict=True):
            self.intake.whys[at + one] = whys[text]
        self._texts(columns, at)
        self._put("value", value.ravel())
        self.intake.state[at : at + len(state)] = state.tobytes()
        self.at += len(state)

    def _spend(self, columns: Arrays, rows: int) -> None:
        """What the records cost, by condition and judge."""
        import numpy as np

        plan, intake, many = self.plan, self.intake, len(self.plan.scores)
        if many and (plan.costs or plan.tokens):
            cells = slice(self.at, self.at + rows * many, many)
            combos, judges = np.asarray(intake.combo)[cells], np.asarray(intake.judge)[cells]
            known = [""] * len(intake.judges.codes) if any(j for _, _, j in plan.scores) else list(intake.judges.codes)
            self.spent.block(combos, judges, known, columns, plan.costs, plan.tokens)

    def done(self) -> None:
        """No more lines will come."""
        for name in COLUMNS:
            del getattr(self.intake, name)[self.at :]
        del self.intake.state[self.at :]

    def _put(self, name: str, cells: Any) -> None:
        import numpy as np

        np.asarray(getattr(self.intake, name))[self.at : self.at + len(cells)] = cells

    def _columns(self, block: Block) -> Arrays:
        """The columns that have a role."""
        import pyarrow as pa  # type: ignore[import-untyped]
        from pyarrow import csv

        plan = self.plan
        single = (
            plan.criterion,
            plan.judge,
            plan.status,
            plan.failure,
            plan.run,
            plan.replicate,
            plan.cluster,
            plan.prompt,
        )
        wanted = {
            *plan.item,
            *plan.rationales,
            *plan.candidates,
            *plan.costs,
            *plan.tokens,
            *filter(None, (*single, plan.aggregated)),
        }
        wanted |= {name for name, _, _ in plan.scores} | ({SOURCE} & set(self.names))
        at = {name: str(number) for number, name in enumerate(self.names) if name in wanted}
        try:
            table = csv.read_csv(
                pa.BufferReader(block.data),
                csv.ReadOptions(column_names=[str(n) for n in range(len(self.names))], block_size=len(block.data) + 1),
                csv.ParseOptions(
                    delimiter=self.separator, quote_char='"' if block.quoted else False,
                    newlines_in_values=block.multiline, ignore_empty_lines=False,
                ),
                csv.ConvertOptions(
                    check_utf8=False, column_types=dict.fromkeys(at.values(), pa.string()),
                    include_columns=list(at.values()),
                ),
            )  # fmt: skip
        except pa.ArrowInvalid:  # a row of another width
            raise Irregular from None
        if table.num_rows != block.rows:
            raise Irregular
        return {name: table[number].combine_chunks() for name, number in at.items()}

    def _rows(self, columns: Arrays, lines: Any) -> None:
        """What is the same for all cells of a row."""
        import numpy as np

        intake, plan, many = self.intake, self.plan, len(self.plan.scores)
        if plan.item:
            item = distinct(self._items([columns[name] for name in plan.item], lines)).named(intake.items, "")
        else:
            item = np.array([intake.items.code(intake.called((), line)) for line in lines.tolist()], np.int32)
        runs = [columns[name] for name in (plan.run, plan.replicate) if name]
        for kind, names, column in (
            ("cluster", intake.clusters, columns[plan.cluster] if plan.cluster else None),
            ("run", intake.runs, _either(*runs) if runs else None),
            ("prompt", intake.prompts, columns[plan.prompt] if plan.prompt else None),
        ):
            codes = np.full(len(lines), NONE, np.int32) if column is None else distinct(column).named(names)
            self._put(kind, np.repeat(codes, many))
        for kind, codes in (("item", item), ("combo", self._combos(columns, len(lines))), ("line", lines)):
            self._put(kind, np.repeat(codes, many))
        said = {"criterion": plan.criterion, "judge": plan.judge}
        for kind, known, column, fixed, instead in (
            ("criterion", intake.criteria, said["criterion"], [name for _, name, _ in plan.scores], "score"),
            ("judge", intake.judges, said["judge"], [name for _, _, name in plan.scores], self.asked.judge),
        ):
            if any(fixed) or not column:
                codes = np.tile(np.array([known.code(name or instead) for name in fixed], np.int32), len(lines))
            else:
                codes = np.repeat(distinct(columns[column]).named(known, instead), many)
            self._put(kind, codes)

    def _items(self, columns: Sequence[Any], lines: Any) -> Any:
        """The id of each row, which is called by its line where all cells of its id are empty."""
        import pyarrow as pa
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        joined = pc.binary_join_element_wise(*columns, BETWEEN) if len(columns) > 1 else columns[0]
        if len(columns) == 1 and not self.asked.source.all_items and _one_is(SUMMARY, joined):
            raise Irregular  # what it is, is known when all rows are
        absent = pc.equal(joined, BETWEEN * (len(columns) - 1))
        if not pc.any(absent).as_py():
            return joined
        self.intake.unnamed.extend(lines[absent.to_numpy(zero_copy_only=False)].tolist())
        return pc.if_else(absent, pa.array([f"line_{line}" for line in lines.tolist()]), joined)

    def _combos(self, columns: Arrays, rows: int) -> Any:
        """The code of each row's candidate values, as `Intake.combo_code` gives them."""
        import numpy as np
        import pyarrow as pa

        key = np.zeros(rows, np.int64)
        size = 1
        for name, seen, kept in zip(self.plan.candidates, self.intake.values_of, self.kept, strict=True):
            column = distinct(columns[name])
            always = Intake.always(name)
            codes = []
            for text in column.listed:
                if text not in seen:
                    if len(seen) > MOST_VALUES and not always:
                        text = ""
                    else:
                        seen.add(text)
                codes.append(kept.setdefault(text, len(kept)))
            if size * len(kept) > FULL:
                raise Irregular
            key = key * len(kept) + column.of_rows(codes, np.int64)
            size *= len(kept)
        found = distinct(pa.array(key))
        texts = [list(kept) for kept in self.kept]
        combos = []
        for one in found.listed:
            values = []
            for known in reversed(texts):
                one, at = divmod(one, len(known))
                values.append(known[at])
            combos.append(self.intake.combos.setdefault(tuple(reversed(values)), len(self.intake.combos)))
        return found.of_rows(combos, np.int32)

    def _cells(self, columns: Arrays, failures: bool) -> tuple[Any, Any, Any, list[str]]:
        """Value, state and the number of the reason of every cell, with the reasons (0: none)."""
        import numpy as np

        whys = {"": 0}
        parts = []
        for name, _, _ in self.plan.scores:
            column = distinct(columns[name])
            values, states, said = cells(column.texts)
            numbers = [whys.setdefault(why, len(whys)) for why in said]
            parts.append((values[column.codes], states[column.codes], column.of_rows(numbers, np.int32)))
        value, state, why = (np.stack([part[at] for part in parts], axis=1) for at in range(3))
        if self.plan.status:
            status = distinct(columns[self.plan.status])
            said_by = [with_status((0.0, SCORED, ""), text) for text in status.listed]
            states = status.of_rows([one for _, one, _ in said_by], np.uint8)
            reasons = status.of_rows([whys.setdefault(text, len(whys)) for _, _, text in said_by], np.int32)
            over = states != SCORED
            value[over], state[over], why[over] = np.nan, states[over, None], reasons[over, None]
            self._fail(distinct(columns[self.plan.status]), "status", is_failure, (value, state, why), whys)
        if self.plan.failure:
            says = partial(names_failure, self.plan.failure)
            self._fail(distinct(columns[self.plan.failure]), self.plan.failure, says, (value, state, why), whys)
        if failures and self.plan.rationales:
            for row, begun in _failures([columns[name] for name in self.plan.rationales], value, state):
                reason = f"the judge failed: {begun}"
                value[row], state[row], why[row] = math.nan, FAILED, whys.setdefault(reason, len(whys))
        return value, state.ravel(), why.ravel(), list(whys)

    @staticmethod
    def _fail(
        column: Distinct, name: str, says: Callable[[str], bool], into: tuple[Any, Any, Any], whys: dict[str, int]
    ) -> None:
        """Make the missing cells of rows that failed, as a column of texts says, failed ones."""
        import numpy as np

        value, state, why = into
        empty: Cell = (math.nan, MISSING, "")
        reasons = [with_failure(empty, text, name)[2] if says(text) else "" for text in column.listed]
        codes = column.of_rows([whys.setdefault(reason, len(whys)) for reason in reasons], np.int32)
        failed = (state == MISSING) & (codes > 0)[:, None]
        value[failed] = np.nan
        why[failed] = np.broadcast_to(codes[:, None], why.shape)[failed]
        state[failed] = FAILED

    def _texts(self, columns: Arrays, at: int) -> None:
        """The first diagnostic of each row, for each of its cells, as long as there is room."""
        import pyarrow.compute as pc

        intake, many = self.intake, len(self.plan.scores)
        if not self.plan.rationales:
            return
        first = columns[self.plan.rationales[0]]
        for name in self.plan.rationales[1:]:
            first = pc.if_else(pc.equal(first, ""), columns[name], first)
        if intake.text_size > TEXT:
            intake.texts_left += many * int(pc.sum(pc.not_equal(first, "")).as_py() or 0)
            return
        for row, text in enumerate(first.to_pylist()):
            if text:
                for cell in range(at + row * many, at + (row + 1) * many):
                    intake.keep(cell, text)


def _one_is(pattern: str, texts: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(texts, pattern, ignore_case=True)).as_py())


def _picked(column: Any, keep: Any) -> Any:
    import pyarrow as pa

    return column.filter(pa.array(keep))


def _either(one: Any, other: Any = None) -> Any:
    """Two columns as one, their texts joined by a slash where both say something."""
    import pyarrow.compute as pc

    if other is None:
        return one
    both = pc.binary_join_element_wise(one, other, "/")
    return pc.if_else(pc.equal(one, ""), other, pc.if_else(pc.equal(other, ""), one, both))


def _failures(texts: Sequence[Any], value: Any, state: Any) -> Any:
    """The rows that a failed judge wrote down as zeros, each with how its note begins."""
    import numpy as np
    import pyarrow.compute as pc

    maybe = np.zeros(len(value), bool)
    for column in texts:
        for start in FAILURE_WORDS:
            maybe |= pc.match_substring(column, start).to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(maybe).tolist():
        said = [text for column in texts if (text := column[row].as_py())]
        found = [(float(v), int(s), "") for v, s in zip(value[row], state[row], strict=True)]
        if begun := failure_words(said, found):
            yield row, begun


# A column of texts as its distinct texts, in the order they come, and the code of each row.


def distinct(column: Any) -> Distinct:
    """An array of pyarrow in this form."""
    encoded = column.dictionary_encode()
    return Distinct(encoded.dictionary, encoded.indices.to_numpy())


def cells(texts: Any) -> tuple[Any, Any, list[str]]:
    """Value, state and reason of each text, as `_cells.cell` has them."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    many = len(texts)
    if many <= FEW:
        return _one_by_one(texts.to_pylist())
    try:
        values = pc.cast(texts, pa.float64()).to_numpy() + 0.0  # there is one zero, not two
        odd = ~(np.abs(values) < LARGEST)
    except pa.ArrowInvalid:
        plain = pc.match_substring_regex(texts, PLAIN).to_numpy(zero_copy_only=False)
        values = np.full(many, np.nan)
        values[plain] = pc.cast(texts.filter(pa.array(plain)), pa.float64()).to_numpy() + 0.0
        odd = ~plain | ~(np.abs(values) < LARGEST)
    states, whys = np.full(many, SCORED, np.uint8), [""] * many
    at = np.flatnonzero(odd)
    if len(at):
        values = values.copy()
        values[at], states[at], said = _one_by_one(texts.take(pa.array(at)).to_pylist())
        for one, why in zip(at.tolist(), said, strict=True):
            whys[one] = why
    return values, states, whys


def _one_by_one(texts: Sequence[str]) -> tuple[Any, Any, list[str]]:
    import numpy as np

    found: list[Cell] = [cell(text) for text in texts]
    values, states = np.array([value for value, _, _ in found]), np.array([state for _, state, _ in found], np.uint8)
    return values, states, [why for _, _, why in found]
