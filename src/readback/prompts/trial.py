"""Whether the records of a choice are too slow for a whole dataset: some of them are tried before all are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

from readback import sandbox
from readback.prompts import in_child, render
from readback.prompts.assemble import assemble
from readback.prompts.in_child import warm as warm
from readback.records.dataset import Dataset, DatasetChanged
from readback.types import Selection, Workspace

WORK = "readback.prompts.trial:trial_chunk"
TRIED = 10  # records, spread evenly over the dataset, so that all machines try the same
SLOW = 0.25  # seconds of processor time for the messages of one record; ordinary ones take some tenths of a millisecond
MOST = 5  # slow ones among them with which a choice is given up: one poisoned record condemns nobody


def too_slow(
    opened: Workspace, data: Dataset, choices: Sequence[Selection], suspects: Collection[Selection] = ()
) -> Mapping[Selection, str]:
    """The choices most of whose records are slow, and what was found.

    Where there are few records, only `suspects` are tried, whose first record was stopped at its limit: they are given
    up if every other record that is tried is stopped at that limit, too. One stopped record ends nothing.
    """
    if len(data) > 2 * TRIED:
        places = [at * (len(data) - 1) // (TRIED - 1) for at in range(TRIED)]
        return _tried(opened, choices, places, SLOW, MOST)
    others = list(range(1, min(len(data), TRIED + 1)))
    asked = [choice for choice in choices if choice in suspects]
    if not others:  # the only record has been tried by whoever suspects it
        return dict.fromkeys(asked, f"1 of 1 tried, which took more than {sandbox.time_said(render.LIMITS.seconds)}")
    if not asked:
        return {}
    return _tried(opened, asked, others, render.LIMITS.seconds, min(MOST, len(others)))


def _tried(
    opened: Workspace, choices: Sequence[Selection], places: Sequence[int], seconds: float, most: int
) -> Mapping[Selection, str]:
    """The choices of which so many of the records at these places took more time, and what was found."""
    slow = Counter[int]()
    waiting = list(product(range(len(choices)), places))
    while waiting:
        work = {**in_child.payload(opened, choices, 0, 0), "tried": waiting}
        done = 0
        try:
            for _ in sandbox.stream(WORK, work, replace(in_child.LIMITS, seconds=seconds)):
                done += 1
            break
        except sandbox.Stopped:
            culprit, _ = waiting[done]
            slow[culprit] += 1
            waiting = [pair for pair in waiting[done + 1 :] if pair[0] != culprit or slow[culprit] < most]
    limit = f"{most} of {len(places)} tried, each of which took more than {sandbox.time_said(seconds)}"
    return {choices[number]: limit for number, count in slow.items() if count >= most}


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
