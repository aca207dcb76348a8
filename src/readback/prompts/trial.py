"""Whether the records of a choice are too slow for a whole dataset: some of them are tried before all are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

from readback import sandbox
from readback.prompts import in_child
from readback.prompts.assemble import assemble
from readback.prompts.in_child import warm as warm
from readback.records.dataset import Dataset, DatasetChanged
from readback.types import Selection, Workspace

WORK = "readback.prompts.trial:trial_chunk"
TRIED = 10  # records, spread evenly over the dataset, so that all machines try the same
SLOW = 0.25  # seconds of processor time for the messages of one record; ordinary ones take some tenths of a millisecond
MOST = 5  # slow ones among them with which a choice is given up: one poisoned record condemns nobody


def too_slow(opened: Workspace, data: Dataset, choices: Sequence[Selection]) -> Mapping[Selection, str]:
    """The choices most of whose records are slow, and what was found. Nothing is tried where there are few records."""
    if len(data) <= 2 * TRIED:
        return {}
    slow = Counter[int]()
    waiting = list(product(range(len(choices)), (at * (len(data) - 1) // (TRIED - 1) for at in range(TRIED))))
    while waiting:
        work = {**in_child.payload(opened, choices, 0, 0), "tried": waiting}
        done = 0
        try:
            for _ in sandbox.stream(WORK, work, replace(in_child.LIMITS, seconds=SLOW)):
                done += 1
            break
        except sandbox.Stopped:
            culprit, _ = waiting[done]
            slow[culprit] += 1
            waiting = [pair for pair in waiting[done + 1 :] if pair[0] != culprit or slow[culprit] < MOST]
    limit = f"{MOST} of {TRIED} tried, each of which took more than {sandbox.time_said(SLOW)}"
    return {choices[number]: limit for number, count in slow.items() if count >= MOST}


def trial_chunk(work: Mapping[str, Any]) -> Iterator[int]:
    """A frame for each pair of a choice and a record; runs in a bounded child."""
    inside = in_child.enter(work)
    with suppress(DatasetChanged):  # written to meanwhile: whoever reads it next says so
        for number, index in work["tried"] if len(inside.data) else ():  # a file that has changed has no index here
            choice, record = inside.choices[number], inside.data.record(index)
            reply = inside.replies.get(choice, record)
            sandbox.beat()
            assemble(inside.opened, record, choice, reply)
            yield index
