"""Find the records whose row or whose texts are no longer those of a sign-off."""

from __future__ import annotations

from readback.prompts.children import Progress
from readback.review import signing
from readback.review.leaves import Leaves, Subject, compute_leaves
from readback.review.locks import lock_check, lock_file
from readback.review.locks.lock_file import LockedRecords
from readback.review.state import SignOff
from readback.review.store import Store
from readback.review.subject import list_covered
from readback.types import Workspace


def find_changed_records(
    opened: Workspace, store: Store, signoff: SignOff, progress: Progress | None = None
) -> frozenset[str] | None:
    """Return the ids of the records that are new, or whose row or texts differ; None where that is no longer kept.

    Raises NothingToLock, DatasetChanged and signing.Stopped.
    """
    raw, side_file = store.content(signoff.payload["lock"]), store.content(signoff.payload["records"])
    if raw is None or side_file is None:
        return None
    locked = lock_file.parse_records(raw, side_file.splitlines())
    if locked is None:
        return None
    dated = lock_check.set_day(opened, signoff.payload["today"])
    leaves = compute_leaves(dated, list_covered(opened, signoff.subject), progress)
    if leaves is None:
        raise signing.Stopped
    return frozenset(_list_changed(leaves, locked))


def _list_changed(leaves: Leaves, locked: LockedRecords) -> set[str]:
    """Return the ids; a text that the sign-off did not have under a subject is no change of the record."""
    shared = [subject for subject in leaves.columns if subject in locked.columns]
    changed: set[str] = set()
    for at, key in enumerate(zip(leaves.ids, leaves.occurrences, strict=True)):
        name = key[0]
        if name is None:
            continue
        is_same = locked.rows.get(key) == lock_file.shorten(leaves.row(at).hex())
        if not is_same or any(_differs(leaves, locked, subject, key, at) for subject in shared):
            changed.add(name)
    return changed


def _differs(leaves: Leaves, locked: LockedRecords, subject: Subject, key: tuple[str | None, int], at: int) -> bool:
    before = locked.columns[subject]
    return key not in before or before[key] != lock_file.shorten(leaves.columns[subject].at(at))
