"""What every record comes to in every layer, as fingerprints: worked out in bounded children over a whole dataset.

A layer is what is sent as messages, the one text that the model reads, the one text that it learnt from, or what a
judge is shown. A fingerprint is SHA-256 over roles and texts; where there is no text, the code of what kept it away.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from readback import sandbox
from readback.checks.run import excess
from readback.exporting import selections as export_selections
from readback.exporting.chunk import NO_ANSWER, explain_failure
from readback.exporting.selections import NothingToExport
from readback.prompts import children, model_input, training_text
from readback.prompts.assemble import assemble
from readback.prompts.children import Progress
from readback.prompts.children import warm as warm
from readback.prompts.judge_messages import lacks_answer
from readback.prompts.messages import compute_fingerprint
from readback.prompts.self_tests import is_hanging
from readback.prompts.training_text import find_training_messages
from readback.readers.tables.table_columns import as_written
from readback.records.dataset import Dataset, open_dataset
from readback.types import Message, ModelInput, Record, Selection, Workspace

LEAF, NODE = b"\0", b"\1"  # what a leaf and a node are hashed behind, so that neither can pass for the other


def compute_merkle_root(leaves: Iterable[bytes]) -> bytes:
    """Compute the 32 bytes of the tree over `leaves` in their order; for no leaves, the hash of nothing.

    A tree of n leaves is split at the largest power of two below n. So the subtrees that are complete are those of the
    ones in n's binary form: they wait on a stack, and two of one height become the next higher one.
    """
    waiting: list[tuple[int, bytes]] = []  # (height, hash) of complete subtrees, the highest first
    for leaf in leaves:
        height, digest = 0, hashlib.sha256(LEAF + leaf).digest()
        while waiting and waiting[-1][0] == height:
            height, digest = height + 1, hashlib.sha256(NODE + waiting.pop()[1] + digest).digest()
        waiting.append((height, digest))
    if not waiting:
        return hashlib.sha256().digest()
    digest = waiting.pop()[1]
    while waiting:
        digest = hashlib.sha256(NODE + waiting.pop()[1] + digest).digest()
    return digest


WORK = "readback.review.leaves:yield_leaf_frames"
Layer = Literal["messages", "model-input", "training", "judge"]
LAYERS: tuple[Layer, ...] = ("messages", "model-input", "training")  # of what is sent; a judge's have one of their own
DIGEST = 32  # bytes of a fingerprint
NONE = bytes(DIGEST)  # stands where there is no fingerprint but a code, or nothing


class NothingToLock(Exception):  # noqa: N818 - an outcome to say in one sentence
    """There is no record, or nothing that is sent; the text says which."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What one root is about: a choice in one layer."""

    choice: Selection
    layer: Layer


@dataclass(slots=True)
class Column:
    """The fingerprints of one subject, by record: 32 bytes each; `others` has what stands for one: a code, or None.

    None: the layer is known, but not for this record.
    """

    digests: bytearray
    others: dict[int, str | None] = field(default_factory=dict)

    def at(self, index: int) -> str | None:
        """Return the fingerprint in hex, a code, or None."""
        if index in self.others:
            return self.others[index]
        return self.digests[index * DIGEST : (index + 1) * DIGEST].hex()

    @property
    def failed(self) -> int:
        """Records without a text, for which a code says why."""
        return sum(value is not None for value in self.others.values())


@dataclass(frozen=True, slots=True)
class Leaves:
    """Every record of a dataset: its id, which of several with that id it is, its row's hash, and its fingerprints.

    `columns` has a subject only where its layer is known for at least one record. `day` is the one templates printed.
    """

    ids: Sequence[str | None]
    occurrences: array[int]
    rows: bytes  # 32 bytes each
    columns: Mapping[Subject, Column]
    day: str

    def order(self) -> list[int]:
        """Return the indices of the records by id and occurrence, those without an id first: the order of rows does not
        count.
        """
        return sorted(
            range(len(self.ids)), key=lambda at: (self.ids[at] is not None, self.ids[at] or "", self.occurrences[at])
        )

    def row(self, index: int) -> bytes:
        """Return the hash of a record's row."""
        return self.rows[index * DIGEST : (index + 1) * DIGEST]

    def roots(self) -> dict[Subject, bytes]:
        """Compute the Merkle root of each subject over the leaves [id, occurrence, fingerprint or code] in their order.

        A leaf is compact JSON in ASCII, null where there is no id or nothing for the record.
        """
        order = self.order()
        heads = [json.dumps([self.ids[at], self.occurrences[at]], separators=(",", ":"))[:-1] for at in order]
        return {
            subject: compute_merkle_root(
                f"{head},{json.dumps(column.at(at))}]".encode() for head, at in zip(heads, order, strict=True)
            )
            for subject, column in self.columns.items()
        }


def list_choices(opened: Workspace) -> tuple[Selection, ...]:
    """All that is sent, and what each judge is shown of it. Raises NothingToLock."""
    try:
        sent = export_selections.list_default_selections(opened)
    except NothingToExport as nothing:
        if not opened.judges:
            raise NothingToLock(str(nothing)) from None
        sent = ()
    return (
        *sent,
        *(choice for name in opened.judges for choice in export_selections.list_judge_selections(opened, name)),
    )


def compute_leaves(
    opened: Workspace,
    choices: Sequence[Selection] | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Leaves | None:
    """Compute the leaves of every choice over all records; None where `progress` returned False.

    Inside `worked_out_once` what was asked before is told again. Raises NothingToLock, and DatasetChanged when the
    dataset is written to meanwhile.
    """
    if choices is None:
        choices = list_choices(opened)
    else:
        choices = tuple(choices)
    request = (replace(opened, today=model_input.resolve_today(opened)), choices)
    cached = _cache.get()
    if cached is not None and (before := next((computed for key, computed in cached if key == request), None)):
        return before
    computed = _run_children(opened, choices, progress, jobs)
    if cached is not None and computed is not None:
        cached.append((request, computed))
    return computed


@contextmanager
def reuse_leaves() -> Iterator[None]:
    """Inside, in this thread, the leaves of equal workspaces and choices are worked out once: a report asks for the
    same ones for its sign-offs, for its decisions and for itself.
    """
    if _cache.get() is not None:
        yield
        return
    token = _cache.set([])
    try:
        yield
    finally:
        _cache.reset(token)


_cache: ContextVar[list[tuple[tuple[Workspace, tuple[Selection, ...]], Leaves]] | None]
_cache = ContextVar("once", default=None)


def _run_children(
    opened: Workspace, choices: tuple[Selection, ...], progress: Progress | None, jobs: int | None
) -> Leaves | None:
    data = open_dataset(opened.root, opened.dataset)
    if not len(data):
        if data.source is None:
            absent = "the workspace has no dataset"
        else:
            absent = f"the dataset '{data.file}' has none"
        raise NothingToLock(f"there is no record: {absent}")
    gathered = _Gathered(opened, data, choices)
    stopped = False

    def report_progress(done: int, total: int) -> bool:
        nonlocal stopped
        stopped = stopped or bool(progress and progress(done, total) is False)
        return not stopped

    for answer in children.drive(WORK, opened, data, choices, None, report_progress, jobs=jobs):
        gathered.take(answer)
    if stopped:
        return None
    return gathered.leaves()


class _Gathered:
    """Puts what children answered to its record and choice; what no child answered about has a code."""

    def __init__(self, opened: Workspace, data: Dataset, choices: Sequence[Selection]) -> None:
        self.opened, self.data = opened, data
        size = len(data) * DIGEST
        self.columns = {
            Subject(choice, layer): Column(bytearray(size)) for choice in choices for layer in list_layers(choice)
        }
        self.tried = {choice: bytearray(len(data)) for choice in choices}  # by record: 1 where a child answered
        self.rows = bytearray(size)
        self.without = set(range(len(data)))  # records whose row nobody has hashed yet

    def take(self, answer: children.Frame | children.Failure) -> None:
        if isinstance(answer, children.Failure):
            return  # nobody answered about it, and that is seen at the end
        for at, record in enumerate(answer.value["records"], answer.value["first"]):
            self._row(at, bytes.fromhex(record["row"]))
            values = iter(record["leaves"])
            for choice in answer.choices:
                self.tried[choice][at] = 1
                for layer in list_layers(choice):
                    self._put(self.columns[Subject(choice, layer)], at, next(values))

    def _put(self, column: Column, at: int, value: str | None) -> None:
        if value is None or len(value) != 2 * DIGEST:
            column.others[at] = value
        else:
            column.digests[at * DIGEST : (at + 1) * DIGEST] = bytes.fromhex(value)

    def _row(self, at: int, digest: bytes) -> None:
        self.rows[at * DIGEST : (at + 1) * DIGEST] = digest
        self.without.discard(at)

    def leaves(self) -> Leaves:
        for at in self.without:
            self._row(at, hash_row(self.data.record(at)))
        for subject, column in self.columns.items():
            tried = self.tried[subject.choice]
            column.others.update((at, excess.CODE) for at in range(len(tried)) if not tried[at])
        ids = self.data.ids() if self.data.source else (None,)
        counts = Counter[str | None]()
        occurrences = array("q")
        for called in ids:
            occurrences.append(counts[called])
            counts[called] += 1
        columns = {subject: column for subject, column in self.columns.items() if _has_values(column, len(ids))}
        return Leaves(ids, occurrences, bytes(self.rows), columns, model_input.resolve_today(self.opened))


def _has_values(column: Column, total: int) -> bool:
    """Return whether any record has something in this layer."""
    return len(column.others) < total or any(value is not None for value in column.others.values())


def list_layers(choice: Selection) -> tuple[Layer, ...]:
    """Return the layers that a choice has."""
    if choice.judge:
        return ("judge",)
    return LAYERS


# In a bounded child.


@children.stop_when_changed
def yield_leaf_frames(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a frame for some records: {"first", "next", "records": [{"row": hex, "leaves": [hex, code or null]}]}.

    `leaves` has for each choice, in their order, what each of its layers has.
    """
    inside = children.enter(work)
    first, rows = inside.start, list[dict[str, Any]]()
    for record in inside.records():
        at = record.place.index or 0
        leaves: list[str | None] = []
        learnt: dict[str, str | None] = {}
        for number, choice in enumerate(inside.choices):
            if number:
                sandbox.beat()
            leaves += _compute_record_leaves(inside.opened, record, choice, inside.replies, learnt)
        rows.append({"row": hash_row(record).hex(), "leaves": leaves})
        if at + 1 - first >= inside.batch:
            yield {"first": first, "next": at + 1, "records": rows}
            first, rows = at + 1, []
    if rows:
        yield {"first": first, "next": first + len(rows), "records": rows}


def _compute_record_leaves(
    opened: Workspace,
    record: Record,
    choice: Selection,
    replies: children.Replies,
    learnt: dict[str, str | None],
) -> Iterator[str | None]:
    reply = replies.get(choice, record)
    assembly = assemble(opened, record, choice, reply, origins=False)
    if choice.judge:
        is_complete = assembly.messages and not lacks_answer(assembly, reply)
        if is_complete:
            yield assembly.fingerprint
        elif assembly.messages:
            yield NO_ANSWER
        else:
            yield explain_failure(opened, record, assembly)[0]
        return
    yield assembly.fingerprint if assembly.messages else explain_failure(opened, record, assembly)[0]
    if choice.condition:
        condition = opened.condition(choice.condition)
    else:
        condition = None
    if condition and condition.model in opened.models:
        model = condition.model
    else:
        model = None
    if not assembly.messages:
        yield None
    elif is_hanging(opened, model):
        yield excess.CODE
    else:
        yield _fingerprint_text(model_input.build_model_input(opened, record, assembly, condition, False))
    if model and model not in learnt:
        learnt[model] = _fingerprint_training_text(opened, record, model)
    yield learnt[model] if model else None


def _fingerprint_training_text(opened: Workspace, record: Record, model: str) -> str | None:
    """Fingerprint the text that a model was trained on for a record; its training messages without a template."""
    training_messages, template = (
        find_training_messages(opened, record, model),
        training_text.find_training_template(opened.models[model]),
    )
    if training_messages is None or not training_messages.messages:
        return None
    if template is None:
        return training_messages.fingerprint
    if is_hanging(opened, model):
        return excess.CODE
    return _fingerprint_text(training_text.render_training_text(opened, template, training_messages.messages))


def _fingerprint_text(text: ModelInput | None) -> str | None:
    if text is None:
        return None
    if text.segments:
        return compute_fingerprint((Message("prompt", text.segments),))
    if text.diagnostics:
        return text.diagnostics[0].code
    return excess.CODE


def hash_row(record: Record) -> bytes:
    """SHA-256 of a row's fields as compact JSON in ASCII, its keys in order: so their order in the file is nothing."""
    text = json.dumps(as_written(record.fields), sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode()).digest()
