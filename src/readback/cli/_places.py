"""Where a file of a workspace is for a program that shows a whole repository."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from pathlib import Path


def in_repository(root: Path) -> Callable[[str], str]:
    """What turns a file's path below the workspace `root` into its path below the git repository around it.

    Outside a repository it stays the path below the workspace. The workspace itself is "" and becomes its folder.
    """
    folder = Path(os.path.abspath(root))  # noqa: PTH100 - resolve() would lose a link's own name
    top = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)
    below = folder.relative_to(top).as_posix()
    return lambda file: posixpath.normpath(posixpath.join(below, file))
