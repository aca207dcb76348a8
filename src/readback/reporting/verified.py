"""Whether a report still holds: its bytes, and what they say of the files, the findings, the scores and the review."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from readback.reporting import contents
from readback.reporting.seal import Seal
from readback.review import lock_check, lock_file
from readback.review.event import FIRST
from readback.review.leaves import NothingToLock, leaves
from readback.review.lock_file import BadLock
from readback.review.store import Store
from readback.types import Workspace


@dataclass(frozen=True, slots=True)
class Verified:
    """`changed` says in sentences what no longer holds; `later` how many events the review has since."""

    changed: tuple[str, ...]
    later: int = 0


def verified(opened: Workspace, store: Store, made: Seal, jobs: int | None = None) -> Verified:
    """What a report says held against a workspace as it is now. Raises NotReadable, DatasetChanged, signing.Stopped."""
    holds = made.holds
    events = store.events()
    there = [one.hash for one in events]
    number = holds.get("sequence", 0)
    known = there[number - 1] if 0 < number <= len(there) else FIRST if number == 0 else None
    said = list(_texts(opened, holds.get("lock"), jobs))
    when = contents.Until(events[:number], str(holds.get("as_of", "")))
    if contents.evidence(opened, store, when, jobs) != holds.get("evidence"):
        said.append("The findings or the scores are no longer those of the report.")
    if known != holds.get("event"):
        said.append("The review does not have the events that the report was made from.")
    return Verified(tuple(said), max(0, len(there) - number))


def _texts(opened: Workspace, lock: object, jobs: int | None) -> Iterator[str]:
    if not isinstance(lock, str):
        return
    try:
        held = lock_file.parsed(lock)
        found = leaves(lock_check.dated(opened, held.today), None, None, jobs)
    except BadLock as error:
        yield f"The fingerprints of the report cannot be read: {error}."
        return
    except NothingToLock as nothing:
        yield f"Nothing is sent any more: {nothing}."
        return
    for one in lock_check.compared(held, found) if found else ():
        if one.state != "same":
            yield f"{lock_file.head(one.subject)}: {lock_check.said(one)}."
