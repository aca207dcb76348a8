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
from readback.records.dataset import Cancelled, Dataset, open_dataset
from readback.records.replies.answers import open_answers
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
    of them, or the record stopped its process. `kinds` count each differing record once (similarity.KINDS). With two
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
    """Compare two choices for every record; see `count_differences`."""
    side_a = Side(a, options=tuple((options_a or {}).items()))
    side_b = Side(b, options=tuple((options_b or {}).items()))
    return count_differences(opened, side_a, side_b, progress)


def count_differences(
    opened: Workspace, a: Side, b: Side, progress: Progress | None = None, jobs: int | None = None
) -> RecordCounts:
    """Compare two sides for every record of A, whatever record they name; two datasets are matched by record id.

    `progress(done, total)` is called now and then; when it returns False the count ends early. `jobs` children
    work at once (None: one on every core). Raises SideError where a side cannot be shown at all, and DatasetChanged
    when a dataset is written to meanwhile.
    """
    *_, counted = iterate_counts(opened, a, b, progress, jobs)
    return counted


def iterate_counts(
    opened: Workspace, a: Side, b: Side, progress: Progress | None = None, jobs: int | None = None
) -> Iterator[RecordCounts]:
    """Yield the counts so far, now and then (the first `done` records); the last are those of `count_differences`."""
    (workspace_a, _), (workspace_b, _) = open_side(opened, a), open_side(opened, b)
    a, b = (
        replace(a, choice=resolve_choice(workspace_a, a.choice)),
        replace(b, choice=resolve_choice(workspace_b, b.choice)),
    )
    yield from _iterate_counts(workspace_a, a, workspace_b, b, progress, jobs)


def count_version_differences(
    old: Workspace,
    new: Workspace,
    choice: Selection,
    progress: Progress | None = None,
    layer: Layer = "messages",
    jobs: int | None = None,
) -> RecordCounts:
    """Compare what two versions of a workspace send, A the old one and B the new one, for every record of the new one.

    `progress`, `jobs` and the errors are those of `count_differences`. The new one is tried first, so that a template
    which breaks a limit is not tried on every record; so `unpaired_a` are records that only the new one has.
    """
    *_, counted = _iterate_counts(
        new, Side(choice, layer=layer), old, Side(choice, layer=layer), progress, jobs, edits=True
    )
    kinds = {OPPOSITE_KINDS.get(kind, kind): count for kind, count in counted.kinds.items()}
    in_order = {kind: kinds[kind] for kind in similarity.KINDS if kind in kinds}
    return replace(counted, only_a=counted.only_b, only_b=counted.only_a, kinds=in_order)


def _iterate_counts(
    workspace_a: Workspace,
    a: Side,
    workspace_b: Workspace,
    b: Side,
    progress: Progress | None,
    jobs: int | None = None,
    edits: bool = False,
) -> Iterator[RecordCounts]:
    try:
        data, data_b = _open_dataset(workspace_a, a, progress), _open_dataset(workspace_b, b, progress)
    except Cancelled:
        yield RecordCounts(0, 0, stopped=True)
        return
    _check_layer(workspace_a, a, data)
    _check_layer(workspace_b, b, data_b)
    together = _have_same_records(workspace_a, workspace_b)
    extra = {
        "other": None if workspace_b is workspace_a else freeze(workspace_b),
        "together": together,
        "choice_b": asdict(b.choice),
        "layers": [a.layer, b.layer],
        "edits": edits,
    }
    tally, reported_at = _Tally(), time.monotonic()
    spans = children.split_growing_spans(data)
    for frame in children.drive(
        WORK, workspace_a, data, (a.choice,), extra, progress, together=True, jobs=jobs, spans=spans
    ):
        tally.take(frame)
        if time.monotonic() - reported_at > PART_SECONDS and tally.done < len(data):
            yield tally.make_partial_counts(len(data))
            reported_at = time.monotonic()
    yield tally.make_counts(len(data), 0 if together else len(data_b))


@children.stop_when_changed
def differ_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a frame for some records: {"next", "counts": {kind: n}, "differ": [[index, id, edit]]}, where `edit` is ""
    unless edits are asked for; runs in a bounded child.
    """
    inside = children.enter(work)
    if work["other"] is None:
        workspace_b = inside.opened
    else:
        workspace_b = thaw(work["other"])
    if work["together"]:
        data = None
    else:
        data = open_dataset(workspace_b.root, workspace_b.dataset)
    if workspace_b is inside.opened:
        replies = inside.replies
    else:
        replies = children.Replies(workspace_b)
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
            kind, edit = UNPAIRED, ""
        else:
            sides = (inside.opened, a, record, inside.replies), (workspace_b, b, partner, replies)
            kind, edit = _compare_records(*sides, origins, work["edits"])
            if not origins and kind in NEED_ORIGINS:
                kind, edit = _compare_records(*sides, True, work["edits"])
            origins = kind in (*NEED_ORIGINS, "order")
        counts[kind] += 1
        if kind in similarity.KINDS:
            differ.append((at, record.id, edit))
        if at + 1 - first >= inside.batch:
            yield {"next": at + 1, "counts": dict(counts), "differ": differ}
            counts, differ, first = Counter(), [], at + 1
    if counts:
        yield {"next": first + counts.total(), "counts": dict(counts), "differ": differ}


RecordSide = tuple[Workspace, Side, Record, children.Replies]


def _compare_records(a: RecordSide, b: RecordSide, origins: bool, edits: bool) -> tuple[str, str]:
    """Compare a record; see `_find_difference`. Without `origins` a kind of NEED_ORIGINS may not be the true one."""
    side_a = _show_side(*a, origins)
    sandbox.beat()
    return _find_difference(side_a, _show_side(*b, origins), edits)


def _show_side(
    workspace: Workspace, side: Side, record: Record, replies: children.Replies, origins: bool
) -> ShownSide | None:
    try:
        return show_record(workspace, side, record, replies.get(side.choice, record), origins=origins, marked=False)
    except SideError:  # no layer for this record: nothing is built
        return None


def _find_difference(a: ShownSide | None, b: ShownSide | None, edits: bool) -> tuple[str, str]:
    """Return the kind of difference, and the name of the edit if `edits` and both sides have messages, else ""."""
    if a and b:
        a, b = match_forms(a, b)
    messages_a, messages_b = (side.messages if side else () for side in (a, b))
    if not messages_a and not messages_b:
        return NEITHER, ""
    if not messages_b:
        return ONLY_A, ""
    if not messages_a:
        return ONLY_B, ""
    kind = similarity.find_kind(messages_a, messages_b)
    if not kind:
        return EQUAL, ""
    return kind, name_edit(*([(m.role, m.text) for m in each] for each in (messages_a, messages_b))) if edits else ""


def _find_partner(data: Dataset, record: Record) -> Record | None:
    """Return the record of the same id in the other dataset; None without one."""
    if record.id is not None:
        index = data.find(record.id)
    else:
        index = 0
    if index is not None and index < len(data):
        return data.record(index)
    return None


def _open_dataset(workspace: Workspace, side: Side, progress: Progress | None) -> Dataset:
    """Return a side's dataset, indexed, and index the answers that a judge gets: children write nothing."""

    def wanted(*_: int) -> bool:
        return progress is None or progress(0, 0) is not False

    if side.choice.judge and side.choice.condition:
        condition = workspace.condition(side.choice.condition)
    else:
        condition = None
    if condition:
        open_answers(workspace, condition, wanted)
    return open_dataset(workspace.root, workspace.dataset, wanted)


def _check_layer(workspace: Workspace, side: Side, data: Dataset) -> None:
    """Raise SideError where the first record shows that the side has no such layer."""
    if side.layer != "messages" and (record := next(iter(data.records(0, 1)), None)) is not None:
        with contextlib.suppress(NoRowError):
            show_record(workspace, side, record)


def _have_same_records(workspace_a: Workspace, workspace_b: Workspace) -> bool:
    """Return whether both read the same records, so that a record is its own partner."""
    return workspace_a.root == workspace_b.root and workspace_a.dataset == workspace_b.dataset


@dataclass(slots=True)
class _Tally:
    done: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    first: list[tuple[int, str | None]] = field(default_factory=list)
    differ: array[int] = field(default_factory=lambda: array("q"))
    why: str = ""
    edits: dict[str, Edit] | None = field(default_factory=dict)  # None: too many

    def take(self, frame: children.Frame | children.Failure) -> None:
        if isinstance(frame, children.Failure):
            if frame.index is None:
                self.why = frame.why
            else:
                self.counts[NEITHER] += 1
                self.done = frame.index + 1
            return
        self.done = frame.value["next"]
        self.counts.update(frame.value["counts"])
        self.differ.extend(index for index, *_ in frame.value["differ"])
        room = FIRST_RECORDS - len(self.first)
        self.first += [(index, record_id) for index, record_id, _ in frame.value["differ"][:room]]
        for index, record_id, name in frame.value["differ"] if self.edits is not None else ():
            self._count_edit(index, record_id, name)

    def _count_edit(self, index: int, record_id: str | None, name: str) -> None:
        if self.edits is None or not name:
            return
        edit = self.edits.setdefault(name, Edit(0, ()))
        if len(edit.first) == NAMED_RECORDS:
            first = edit.first
        else:
            first = (*edit.first, (index, record_id))
        self.edits[name] = Edit(edit.records + 1, first)
        if len(self.edits) > MAX_EDITS:
            self.edits = None

    def make_partial_counts(self, total: int) -> RecordCounts:
        """Return a copy of the counts while counting goes on, without the records that are only in B."""
        return replace(self.make_counts(total, 0), differ=self.differ[:], stopped=False)

    def make_counts(self, total: int, total_b: int) -> RecordCounts:
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
            tuple(sorted((self.edits or {}).values(), key=lambda edit: -edit.records)),
        )
