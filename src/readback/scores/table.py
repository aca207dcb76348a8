"""Scores as columns: a million of them in some fifty megabytes, each still readable as a Score."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, overload

from readback.scores.values.doubtful_numbers import IN_QUESTION, Question
from readback.scores.values.outlying_numbers import OutlyingNumbers
from readback.types import NOWHERE, Criterion, Diagnostic, Location, Score, ScoreState

STATES: tuple[ScoreState, ...] = ("scored", "failed", "missing", "not applicable")
SCORED, FAILED, MISSING, NOT_APPLICABLE = range(4)
NOT_READ = "not read: Readback does not know the form of this reply"  # why a cell is missing
NONE = -1  # the code of an absent cluster, run or prompt

ConditionKey = tuple[tuple[str, str], ...]  # (factor, value) pairs


@dataclass(frozen=True, slots=True)
class Columns:
    """One entry a cell in every array; a code points into the tuple of names of the same column.

    `whys` and `texts` are sparse, by cell: why a cell has no value, and the judge's note.
    """

    item: array[int]
    condition: array[int]
    criterion: array[int]
    judge: array[int]
    cluster: array[int]
    run: array[int]
    prompt: array[int]  # what the row says was sent: a prompt's fingerprint
    file: array[int]
    line: array[int]
    value: array[float]
    state: bytearray
    items: tuple[str, ...]
    conditions: tuple[ConditionKey, ...]
    criteria: tuple[str, ...]
    judges: tuple[str, ...]
    clusters: tuple[str, ...]
    runs: tuple[str, ...]
    prompts: tuple[str, ...]
    files: tuple[str, ...]
    whys: Mapping[int, str]
    texts: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.value)


@dataclass(frozen=True, slots=True)
class SourceRead:
    """What came of one score file.

    The file holds `rows` that were used, those that `left_out` counts by reason, and `refused` that could not be read:
    together every row there is. `cells` came of the used rows; `doubled` of them stand for what was scored before.
    """

    path: str
    what: str  # the reader's name
    rows: int = 0
    cells: int = 0
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # item, condition, judge, score, unused
    left_out: Mapping[str, int] = field(default_factory=dict)
    synthetic: bool = False
    refused: int = 0
    doubled: int = 0
    texts_left: int = 0  # judges' notes that stay in the file
    failures: Mapping[str, int] = field(default_factory=dict)  # rows by the group of failure that the file records


@dataclass(frozen=True, slots=True)
class Expense:
    """What one judge's `rows` under a condition cost: sums by column, of money and of tokens."""

    condition: ConditionKey
    judge: str
    rows: int
    cost: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reported:
    """A mean or rate that a file states without the rows behind it; None where it does not say.

    `mean` is NaN unless `state` is SCORED. `whole` is what all of them would be, 1 or 100, where this is the share of
    items for which something holds; `count` of `n` items is that share, where the file counts them.
    """

    condition: ConditionKey
    criterion: str
    judge: str
    mean: float
    decimals: int = 6  # how exactly it is stated
    n: int | None = None
    place: Location = NOWHERE
    sd: float | None = None  # of the sample
    low: float | None = None
    high: float | None = None
    whole: float | None = None
    count: int | None = None
    state: int = SCORED


@dataclass(frozen=True, slots=True)
class OwnSummary:
    """A number that a log states of its rows and that these cannot give again: it is no plain mean of them."""

    condition: ConditionKey
    criterion: str
    judge: str
    name: str
    value: float | None
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class PassRule:
    """When a rubric's verdict is "pass": the weighted total and these criteria reach their least values."""

    total: float
    least: Mapping[str, float] = field(default_factory=dict)
    every: float | None = None  # the least value of every criterion with a weight


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What files say of how one condition was run and judged; None or empty where nothing says it."""

    condition: ConditionKey
    mode: str | None = None
    model: str | None = None
    judge: str | None = None
    judge_model: str | None = None
    judge_prompt: str | None = None  # its fingerprint, else its path
    dataset: str | None = None  # sha256 of the records
    weights: Mapping[str, float] = field(default_factory=dict)  # of the criteria in the total
    place: Location = NOWHERE
    passes: PassRule | None = None  # what a verdict of the judge is meant to follow
    records: str | None = None  # the file of the records, by its name
    items: tuple[str, ...] = ()  # what was answered, as far as the run lists it
    by_workspace: bool = False  # the workspace says it, no file of the run
    rubric: str | None = None  # what the judge's prompt is called; `judge` is what its scores are found under


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who won when two conditions were shown side by side; `first` is the one shown first, where that is known."""

    item: str
    a: ConditionKey
    b: ConditionKey
    outcome: Literal["a", "b", "tie"]
    judge: str = ""
    first: Literal["a", "b"] | None = None
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Planned:
    """One comparison that the study meant to make before it saw scores; the texts stand as they were written."""

    a: str
    b: str
    criteria: tuple[str, ...] = ()  # empty: every criterion both have
    judge: str | None = None
    margin: float | None = None
    question: str = ""
    expected: str = ""
    name: str = ""
    group: str = ""
    warning: str = ""
    not_comparable: tuple[str, ...] = ()  # criteria that the study itself forbids


@dataclass(frozen=True, slots=True)
class Reference:
    """Why a condition is taken for the gold answer.

    By its name and by `criterion`, an automatic metric that is 1.00 on all `n` of its scored items; or by its `n`
    answers, each equal to the dataset's own.
    """

    by: Literal["metric", "answers"]
    n: int
    criterion: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Whose scores a pooled table takes together: the names in `table` by criterion and what the pool is called."""

    table: ScoreTable
    judges: Mapping[tuple[str, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Every score of a workspace, the scale of each criterion, and what was said on the way. Equal only to itself."""

    columns: Columns
    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    sources: tuple[SourceRead, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reported: tuple[Reported, ...] = ()
    summaries: tuple[OwnSummary, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    about: tuple[RunFacts, ...] = ()  # files first, then what the workspace says
    inferred: frozenset[str] = frozenset()  # criteria whose scale was worked out from the values
    planned: tuple[Planned, ...] = ()  # the comparisons that the study meant to make
    people: Mapping[str, bool] = field(default_factory=dict)  # judges by name: whether a person, where it is said
    expenses: tuple[Expense, ...] = ()  # of rows, never of means
    apart: Mapping[ConditionKey, Reference] = field(default_factory=dict)  # conditions that are the gold answer
    questions: tuple[Question, ...] = ()  # numbers of which nobody has said whether they are scores
    # criteria whose scores are those of another criterion on another scale: by name, what they are called in the files
    on_other_scale: Mapping[str, str] = field(default_factory=dict)
    outlying: Mapping[str, OutlyingNumbers] = field(default_factory=dict)  # by criterion, where its scale is inferred
    pool: Pool | None = None  # of a table made by `scores.pooled`: what its means over judges are made of

    @property
    def scores(self) -> Sequence[Score]:
        """The cells as Score values, made when they are looked at."""
        return Scores(self.columns)

    @property
    def marks(self) -> Any:
        """Return an array with one entry a cell: 1 where a reply was not read, 2 where a number is in question."""
        return _marks(self.columns.whys, len(self.columns))

    def asks(self, criterion: str) -> tuple[Question, ...]:
        """Return what is in question under a criterion; empty where every number is known to be a score or none."""
        return tuple(question for question in self.questions if question.criterion == criterion)

    @property
    def factors(self) -> Mapping[str, tuple[str, ...]]:
        """Each factor with its values, in the order they were met."""
        by_name: dict[str, dict[str, None]] = {}
        for condition in self.columns.conditions:
            for factor, value in condition:
                by_name.setdefault(factor, {})[value] = None
        return {factor: tuple(values) for factor, values in by_name.items()}

    @property
    def varying(self) -> tuple[str, ...]:
        """What a label needs: the factors with several values, and others where stating them tells conditions apart."""
        return _varying(self.columns.conditions)

    @property
    def synthetic(self) -> bool:
        """True when any score was made up by a generator."""
        return any(source.synthetic for source in self.sources)

    def label(self, condition: ConditionKey) -> str:
        """Name a condition: the values of the factors that vary, with their names where they are several."""
        needed = _varying(self.columns.conditions)
        return label(tuple(pair for pair in condition if pair[0] in needed) or condition)


def _marks(whys: Mapping[int, str], many: int) -> Any:
    import numpy as np

    marks = np.zeros(many, np.uint8)
    for at, why in whys.items():
        if why.startswith(IN_QUESTION):
            marks[at] = 2
        elif why == NOT_READ:
            marks[at] = 1
    return marks


def list_item_scores(table: ScoreTable, item: str) -> tuple[Score, ...]:
    """Return every score of one item, in the order of the files."""
    import numpy as np

    if item not in table.columns.items:
        return ()
    code = table.columns.items.index(item)
    return tuple(table.scores[cell] for cell in np.flatnonzero(np.asarray(table.columns.item) == code).tolist())


@lru_cache(maxsize=8)  # asked once for every label
def _varying(conditions: tuple[ConditionKey, ...]) -> tuple[str, ...]:
    values: dict[str, dict[str, int]] = {}  # of each factor, with the number of conditions that state it
    for condition in conditions:
        for factor, value in condition:
            counts = values.setdefault(factor, {})
            counts[value] = counts.get(value, 0) + 1
    several = tuple(factor for factor, counts in values.items() if len(counts) > 1)
    distinct = {tuple(pair for pair in key if pair[0] in several) or key for key in conditions}
    if len(distinct) == len(conditions):
        return several
    # a factor that only some conditions state tells these from the others
    return tuple(f for f, counts in values.items() if len(counts) > 1 or sum(counts.values()) < len(conditions))


def label(condition: ConditionKey) -> str:
    """Name a condition: its value, or each factor with its value."""
    if len(condition) == 1:
        return condition[0][1]
    return " · ".join(f"{factor}={value}" for factor, value in condition)


@dataclass(frozen=True, slots=True)
class Scores(Sequence[Score]):
    """A view on columns as Score values; nothing is copied."""

    columns: Columns

    def __len__(self) -> int:
        return len(self.columns)

    @overload
    def __getitem__(self, index: int) -> Score: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Score, ...]: ...
    def __getitem__(self, index: int | slice) -> Score | tuple[Score, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        c = self.columns
        at = range(len(c))[index]
        return Score(
            item=c.items[c.item[at]],
            condition=c.conditions[c.condition[at]],
            criterion=c.criteria[c.criterion[at]],
            judge=c.judges[c.judge[at]],
            value=c.value[at],
            state=STATES[c.state[at]],
            why=c.whys.get(at, ""),
            rationale=c.texts.get(at, ""),
            cluster=None if c.cluster[at] == NONE else c.clusters[c.cluster[at]],
            run=None if c.run[at] == NONE else c.runs[c.run[at]],
            place=Location(file=c.files[c.file[at]], line=c.line[at] or None),
        )

    def __iter__(self) -> Iterator[Score]:
        return (self[at] for at in range(len(self)))
