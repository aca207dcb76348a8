"""An upload as a folder to take along: the files it uses, with a readback.yml that says what was worked out.

Only whoever uploaded the files gets them back: files of the server may hold private fields and keys, which no page
shows.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from readback.readers.files.paths import resolve
from readback.types import Workspace
from readback.workspace.workspace_file import NAME

MOST = 200 << 20  # bytes of all files together: what a browser is given at once


def size(workspace: Workspace) -> int:
    """Bytes of the files that the workspace uses."""
    return sum(path.stat().st_size for _, path in _files(workspace))


def folder_zip(workspace: Workspace, configuration: str) -> bytes:
    """Return a zip of the files that the workspace uses, each at its path, with `configuration` as its readback.yml."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        archive.writestr(NAME, configuration.encode("utf-8", "surrogatepass"))
        for name, path in _files(workspace):
            archive.write(path, name)
    return buffer.getvalue()


def _files(workspace: Workspace) -> list[tuple[str, Path]]:
    """Yield the files in use but for readback.yml itself; one that has gone meanwhile is left out."""
    used = [entry.path for entry in workspace.recognised if entry.used and entry.count == 1 and entry.path != NAME]
    resolved = [(name, resolve(workspace.root, name)) for name in dict.fromkeys(used)]
    return [(name, path) for name, path in resolved if isinstance(path, Path)]
