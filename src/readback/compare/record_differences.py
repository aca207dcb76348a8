"""The records where two sides differ, counted over a whole dataset in bounded children."""

from __future__ import annotations

import contextlib
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from readback import sandbox
from readback.compare import similarity
from readback.compare.side import Layer, NoRowError, ShownSide, Side, SideError, match_forms
from readback.compare.sides import open_side, resolve_choice, show_record
from readback.compare.similarity import name_edit
from readback.prompts import children
from readback.prompts.children import warm as warm
from readback.records.answers import open_answers
from readback.records.dataset import Cancelled, Dataset, open_dataset
from readback.sandbox.json_values import freeze, thaw
from readback.types import Record, Selection, Workspace

MAX_EDITS = 1_000  # different edits that are told apart
NAMED_RECORDS = 3  # records that are named for each
WORK = "readback.compare.record_differences:differ_chunk"
FIRST_RECORDS = 1_000  # records that are named
PART_SECONDS = 0.3  # seconds between two looks at what is counted so far
# What a kind is called from the other side.
OPPOSITE_KINDS = {
    "added": "removed",
    "removed": "added",
    "only_system_a": "only_system_b",
    "only_system_b": "only_system_a",
}
NEED_ORIGINS = ("system", "changed")  # kinds that may be "order", by which variables are where
EQUAL, ONLY_A, ONLY_B, NEITHER, UNPAIRED = "equal", "only_a", "only_b", "neither", "unpaired"

Progress = Callable[[int, int], bool | None]


@dataclass(frozen=True, slots=True)
class Edit:
    """How many records have the same edit (`edit.edit`), and the first of them by (index, id)."""

    records: int
    first: tuple[tuple[int, str | None], ...]


@dataclass(frozen=True, slots=True)
class RecordCounts:
    """How many records differ, and how.

    done = equal + differing + only_a + only_b + neither + unpaired_a. `only_a`: B could not be built; `neither`: none
    of them, or the record stopped its process. `kinds` count each differing record once (alike.KINDS). With two
    datasets, `unpaired_a` and `unpaired_b` are the records whose id is only in one of them, B's counted at the end.
    `first` names at most 1,000 differing records of A (index, id), `differ` all of them by index. `edits`, of two
    versions, has every differing record under its edit, the most frequent edit first; empty where there are more than
    1,000 edits. `stopped`: not all
    records were looked at, since somebody said so or, with `why`, because too many could not be worked on.
    """

    done: int
    total: int
    equal: int = 0
    differing: int = 0
    only_a: int = 0
    only_b: int = 0
    neither: int = 0
    unpaired_a: int = 0
    unpaired_b: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)
    first: tuple[tuple[int, str | None], ...] = ()
    differ: array[int] = field(default_factory=lambda: array("q"))
    stopped: bool = False
    why: str = ""
    edits: tuple[Edit, ...] = ()


def count_selection_differences(
    opened: Workspace,
    a: Selection,
    b: Selection,
    progress: Progress | None = None,
    options_a: Mapping[str, str] | None = None,
    options_b: Mapping[str, str] | None = None,
) -> RecordCounts:
    """Compare two choices for every record; see `over_sides`."""
    one = Side(a, options=tuple((options_a or {}).items()))
    other = Side(b, options=tuple((options_b or {}).items()))
    return count_differences(opened, one, other, progress)


def count_differences(
    opened: Workspace, a: Side, b: Side, progress: Progress | None = None, jobs: int | None = None
) -> RecordCounts:
    """Compare two sides for every record of A, whatever record they name; two datasets are matched by record id.

    `progress(done, total)` is told now and then; when it answers False the count ends with what it has. `jobs` children
    work at once (None: one on every core). Raises SideError where a side cannot be shown at all, and DatasetChanged
    when a dataset is written to meanwhile.
    """
    *_, counted = iterate_counts(opened, a, b, progress, jobs)
    return counted


def iterate_counts(
    opened: Workspace, a: Side, b: Side, progress: Progress | None = None, jobs: int | None = None
) -> Iterator[RecordCounts]:
    """What `over_sides` has counted so far, now and then (the first `done` records); the last is its answer."""
    (one, _), (other, _) = open_side(opened, a), open_side(opened, b)
    a, b = replace(a, choice=resolve_choice(one, a.choice)), replace(b, choice=resolve_choice(other, b.choice))
    yield from _iterate_counts(one, a, other, b, progress, jobs)


def count_version_differences(
    old: Workspace,
    new: Workspace,
    choice: Selection,
    progress: Progress | None = None,
    layer: Layer = "messages",
    jobs: int | None = None,
) -> RecordCounts:
    """Compare what two versions of a workspace send, A the old one and B the new one, for every record of the new one.

    `progress`, `jobs` and what is raised are those of `over_sides`. The new one is tried first, so that a template
    which breaks a limit is not tried on every record; so `unpaired_a` are records that only the new one has.
    """
    *_, counted = _iterate_counts(
        new, Side(choice, layer=layer), old, Side(choice, layer=layer), progress, jobs, edits=True
    )
    kinds = {OPPOSITE_KINDS.get(kind, kind): count for kind, count in counted.kinds.items()}
    in_order = {kind: kinds[kind] for kind in similarity.KINDS if kind in kinds}
    return replace(counted, only_a=counted.only_b, only_b=counted.only_a, kinds=in_order)


def _iterate_counts(
    one: Workspace,
    a: Side,
    other: Workspace,
    b: Side,
    progress: Progress | None,
    jobs: int | None = None,
    edits: bool = False,
) -> Iterator[RecordCounts]:
    try:
        data, data_b = _open_dataset(one, a, progress), _open_dataset(other, b, progress)
    except Cancelled:
        yield RecordCounts(0, 0, stopped=True)
        return
    _check_layer(one, a, data)
    _check_layer(other, b, data_b)
    together = _have_same_records(one, other)
    extra = {
        "other": None if other is one else freeze(other),
        "together": together,
        "choice_b": asdict(b.choice),
        "layers": [a.layer, b.layer],
        "edits": edits,
    }
    tally, told = _Tally(), time.monotonic()
    spans = children.split_growing_spans(data)
    for frame in children.drive(WORK, one, data, (a.choice,), extra, progress, together=True, jobs=jobs, spans=spans):
        tally.take(frame)
        if time.monotonic() - told > PART_SECONDS and tally.done < len(data):
            yield tally.so_far(len(data))
            told = time.monotonic()
    yield tally.counted(len(data), 0 if together else len(data_b))


@children.stop_when_changed
def differ_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A frame for some records: {"next", "counts": {kind: n}, "differ": [[index, id, edit]]}, where `edit` is ""
    unless edits are asked for; runs in a bounded child.
    """
    inside = children.enter(work)
    other = inside.opened if work["other"] is None else thaw(work["other"])
    data = None if work["together"] else open_dataset(other.root, other.dataset)
    replies = inside.replies if other is inside.opened else children.Replies(other)
    a, b = (
        Side(c, layer=layer)
        for c, layer in zip((inside.choices[0], Selection(**work["choice_b"])), work["layers"], strict=True)
    )
    counts, differ, first = Counter[str](), list[tuple[int, str | None, str]](), inside.start
    origins = False  # whether the last record needed them: most records are like the one before
    for record in inside.records():
        at = record.place.index or 0
        partner = record if data is None else _find_partner(data, record)
        if partner is None:
            found, edited = UNPAIRED, ""
        else:
            sides = (inside.opened, a, record, inside.replies), (other, b, partner, replies)
            found, edited = _compare_records(*sides, origins, work["edits"])
            if not origins and found in NEED_ORIGINS:
                found, edited = _compare_records(*sides, True, work["edits"])
            origins = found in (*NEED_ORIGINS, "order")
        counts[found] += 1
        if found in similarity.KINDS:
            differ.append((at, record.id, edited))
        if at + 1 - first >= inside.batch:
            yield {"next": at + 1, "counts": dict(counts), "differ": differ}
            counts, differ, first = Counter(), [], at + 1
    if counts:
        yield {"next": first + counts.total(), "counts": dict(counts), "differ": differ}


RecordSide = tuple[Workspace, Side, Record, children.Replies]


def _compare_records(a: RecordSide, b: RecordSide, origins: bool, edits: bool) -> tuple[str, str]:
    """See `_kind`. Without `origins` a kind of TOLD_BY_ORIGIN may be another one with them."""
    one = _show_side(*a, origins)
    sandbox.beat()
    return _find_difference(one, _show_side(*b, origins), edits)


def _show_side(
    workspace: Workspace, side: Side, record: Record, replies: children.Replies, origins: bool
) -> ShownSide | None:
    try:
        return show_record(workspace, side, record, replies.get(side.choice, record), origins=origins, marked=False)
    except SideError:  # no layer for this record: nothing is built
        return None


def _find_difference(a: ShownSide | None, b: ShownSide | None, edits: bool) -> tuple[str, str]:
    """The kind of difference, and the name of the edit where it is asked for and both are there."""
    if a and b:
        a, b = match_forms(a, b)
    one, other = (side.messages if side else () for side in (a, b))
    if not one or not other:
        return ONLY_A if one else ONLY_B if other else NEITHER, ""
    kind = similarity.find_kind(one, other)
    if not kind:
        return EQUAL, ""
    return kind, name_edit(*([(m.role, m.text) for m in each] for each in (one, other))) if edits else ""


def _find_partner(data: Dataset, record: Record) -> Record | None:
    """The record of that id in the other dataset."""
    index = data.find(record.id) if record.id is not None else 0
    return data.record(index) if index is not None and index < len(data) else None


def _open_dataset(workspace: Workspace, side: Side, progress: Progress | None) -> Dataset:
    """The dataset of a side, indexed, and with it the answers that a judge is given: children write nothing."""

    def wanted(*_: int) -> bool:
        return progress is None or progress(0, 0) is not False

    condition = workspace.condition(side.choice.condition) if side.choice.judge and side.choice.condition else None
    if condition:
        open_answers(workspace, condition, wanted)
    return open_dataset(workspace.root, workspace.dataset, wanted)


def _check_layer(workspace: Workspace, side: Side, data: Dataset) -> None:
    """Raises SideError where the first record says that the side has no such layer."""
    if side.layer != "messages" and (record := next(iter(data.records(0, 1)), None)) is not None:
        with contextlib.suppress(NoRowError):
            show_record(workspace, side, record)


def _have_same_records(one: Workspace, other: Workspace) -> bool:
    """Whether both read the same records, so that a record is its own partner."""
    return one.root == other.root and one.dataset == other.dataset


@dataclass(slots=True)
class _Tally:
    done: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    first: list[tuple[int, str | None]] = field(default_factory=list)
    differ: array[int] = field(default_factory=lambda: array("q"))
    why: str = ""
    edits: dict[str, Edit] | None = field(default_factory=dict)  # None: too many

    def take(self, one: children.Frame | children.Failure) -> None:
        if isinstance(one, children.Failure):
            if one.index is None:
                self.why = one.why
            else:
                self.counts[NEITHER] += 1
                self.done = one.index + 1
            return
        self.done = one.value["next"]
        self.counts.update(one.value["counts"])
        self.differ.extend(index for index, *_ in one.value["differ"])
        room = FIRST_RECORDS - len(self.first)
        self.first += [(index, called) for index, called, _ in one.value["differ"][:room]]
        for index, called, name in one.value["differ"] if self.edits is not None else ():
            self._edited(index, called, name)

    def _edited(self, index: int, called: str | None, name: str) -> None:
        if self.edits is None or not name:
            return
        found = self.edits.setdefault(name, Edit(0, ()))
        first = found.first if len(found.first) == NAMED_RECORDS else (*found.first, (index, called))
        self.edits[name] = Edit(found.records + 1, first)
        if len(self.edits) > MAX_EDITS:
            self.edits = None

    def so_far(self, total: int) -> RecordCounts:
        """What is counted while the count goes on: a copy, without the records that are only in B."""
        return replace(self.counted(total, 0), differ=self.differ[:], stopped=False)

    def counted(self, total: int, total_b: int) -> RecordCounts:
        kinds = {name: self.counts[name] for name in similarity.KINDS if self.counts[name]}
        met = self.done - self.counts[UNPAIRED]
        whole = self.done == total
        return RecordCounts(
            self.done,
            total,
            self.counts[EQUAL],
            len(self.differ),
            self.counts[ONLY_A],
            self.counts[ONLY_B],
            self.counts[NEITHER],
            self.counts[UNPAIRED],
            max(0, total_b - met) if whole and total_b else 0,
            kinds,
            tuple(self.first),
            self.differ,
            not whole,
            self.why,
            tuple(sorted((self.edits or {}).values(), key=lambda one: -one.records)),
        )
