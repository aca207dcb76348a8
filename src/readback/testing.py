"""Hold the prompts of a project against its lock, in the tests of that project.

from readback.testing import assert_locked

def test_prompts_are_the_reviewed_ones():
    assert_locked("prompts/study")
"""

from __future__ import annotations

from pathlib import Path

from readback import workspace
from readback.review.leaves import NothingToLock
from readback.review.locks import lock_check, lock_file


def assert_locked(path: Path | str, lock: Path | str | None = None) -> None:
    """Assemble every prompt of the workspace at `path` and compare with its `readback.lock`, or the file `lock`.

    Raises AssertionError that names each condition and layer that changed, and where there is no lock to compare with.
    """
    try:
        opened = workspace.open(path)
        checked = lock_check.check_lock(opened, Path(lock) if lock else opened.root / lock_file.NAME)
    except (workspace.NothingRead, lock_file.BadLock, NothingToLock) as error:
        raise AssertionError(f"{path}: {error}") from None
    if checked and checked.stale:
        changes = [
            f"{lock_file.format_head(line.subject)}: {lock_check.describe_change(line)}" for line in checked.stale
        ]
        raise AssertionError("\n".join([f"{path}: the prompts are not those of the lock", *changes]))
