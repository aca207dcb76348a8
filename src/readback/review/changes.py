"""What changed in the prompts between two versions of a workspace: how many, and by what, in the words of Compare."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from readback.compare import side as sides_of
from readback.compare.diff import compare_sides
from readback.compare.record_differences import Edit, RecordCounts, count_version_differences
from readback.compare.sentence import format_sentence
from readback.compare.side import Side
from readback.compare.sides import show_record
from readback.prompts.children import Replies
from readback.quantity import quantity
from readback.records.dataset import Dataset, open_dataset
from readback.review.leaves import Layer, Subject
from readback.types import Record, Workspace

LOOKED_AT = 50  # edits, or differing records, that are put into words
NAMED = 3  # different sentences that are told, and records that are named for each
Named = tuple[int, str | None]  # a record by index and id
SIDE: Mapping[Layer, sides_of.Layer] = {
    "messages": "messages",
    "model-input": "wire",
    "training": "training",
    "judge": "messages",
}


@dataclass(frozen=True, slots=True)
class Change:
    """What differs between two versions under one subject, A the old and B the new one.

    `sentences` counts what differs in words, and `examples` names up to 3 records for each, by (index, id). Of
    `looked_at` of the differing records the words are known: of all, where they have few different edits, and else of
    some, spread evenly over them.
    """

    subject: Subject
    counted: RecordCounts
    sentences: Mapping[str, int] = field(default_factory=dict)
    looked_at: int = 0
    examples: Mapping[str, tuple[Named, ...]] = field(default_factory=dict)


def changed(old: Workspace, new: Workspace, subject: Subject, jobs: int | None = None) -> Change:
    """What differs for every record of the new version. Raises SideError where one of them has no such subject, and
    DatasetChanged.
    """
    layer = SIDE[subject.layer]
    counted = count_version_differences(old, new, subject.choice, None, layer, jobs)
    edits = _edits(counted)
    before, after = open_dataset(old.root, old.dataset), open_dataset(new.root, new.dataset)
    side = Side(subject.choice, layer=layer)
    firsts = [after.record(one.first[0][0]) for one in edits]
    pairs = [(_partner(before, record), record) for record in firsts]
    # A text that a server makes is made in a child, which this process only waits for.
    with ThreadPoolExecutor(jobs or os.cpu_count() or 1, thread_name_prefix="readback-changes") as threads:
        told = list(threads.map(lambda pair: _sentence(old, new, side, *pair), pairs))
    counts, examples = Counter[str](), dict[str, tuple[Named, ...]]()
    for words, one, record in zip(told, edits, firsts, strict=True):
        counts[words] += one.records
        named = one.first if one.records > 1 else ((one.first[0][0], record.id),)
        examples[words] = (*examples.get(words, ()), *named)[:NAMED]
    return Change(subject, counted, dict(counts.most_common()), counts.total(), examples)


def _edits(counted: RecordCounts) -> tuple[Edit, ...]:
    """The edits that are put into words: all, where there are few; else single records, spread evenly over them."""
    if 0 < len(counted.edits) <= LOOKED_AT:
        return counted.edits
    step = max(1, len(counted.differ) // LOOKED_AT)
    return tuple(Edit(1, ((at, None),)) for at in counted.differ[::step][:LOOKED_AT])


def _partner(data: Dataset, record: Record) -> Record:
    at = data.find(record.id) if record.id is not None else 0
    return data.record(at or 0)


def _sentence(old: Workspace, new: Workspace, side: Side, before: Record, after: Record) -> str:
    a, b = (
        replace(show_record(one, side, record, Replies(one).get(side.choice, record)), label=name)
        for one, record, name in ((old, before, "A"), (new, after, "B"))
    )
    return format_sentence(compare_sides(a, b))


def said(change: Change) -> str:
    """One sentence: 312 of 2,000 prompts differ, all by this: B adds a newline after “Answer:”."""
    found = change.counted
    total = quantity(found.total, NOUNS[change.subject.layer], f"{NOUNS[change.subject.layer]}s")
    differ = "differs" if found.differing == 1 else "differ"
    parts = [f"{found.differing:,} of {total} {differ}{_by(change)}"]
    counts = {
        "can no longer be built": found.only_a,
        "can be built now": found.only_b,
        "belong to records that are new": found.unpaired_a,
    }
    parts += [f"{count:,} {what}" for what, count in counts.items() if count]
    return "; ".join(parts)


NOUNS: Mapping[Layer, str] = {
    "messages": "prompt",
    "model-input": "model input",
    "training": "training text",
    "judge": "judge prompt",
}


def _by(change: Change) -> str:
    """By what they differ; of the records that were looked at, where these are not all."""
    if not change.sentences:
        return ""
    clauses = [one.rstrip(".") for one in change.sentences]
    whole = change.looked_at == change.counted.differing
    of = ", all" if whole else f"; {change.looked_at} of them were compared, and all of these differ"
    if len(clauses) == 1:
        alone = change.counted.differing == 1
        return f": {clauses[0]}" if alone else f"{of} by this: {clauses[0]}"
    told = [
        f"{clause} ({count:,})" for clause, count in list(zip(clauses, change.sentences.values(), strict=True))[:NAMED]
    ]
    more = len(clauses) - len(told)
    rest = f"; and in {more:,} more {'ways' if more > 1 else 'way'}" if more else ""
    looked = "" if whole else f"; {change.looked_at} of them were compared"
    return f"{looked}: {'; '.join(told)}{rest}"
