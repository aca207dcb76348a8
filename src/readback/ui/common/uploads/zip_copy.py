"""A zip file that a server shows: unpacked into the cache with the limits of an upload, where it stays like a folder.

There is one review of a zip file, by its path, whatever is in it.
"""

from __future__ import annotations

import os
from pathlib import Path

from readback.readers.files import cache_folder, checksum, copies
from readback.readers.files.copies import COPY
from readback.types import Diagnostic
from readback.ui.common.uploads import store

KIND = "zips"


class NothingUnpacked(Exception):  # noqa: N818 - an outcome to say
    """No file of a zip could be unpacked; `diagnostics` say why of each."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__()
        self.diagnostics = diagnostics


def unpack(source: Path) -> tuple[Path, tuple[Diagnostic, ...]]:
    """Return the folder with the files of a zip file as it is now, and a note for each file that is left out.

    The folder is called like the zip file; one with the same files stays as it is. Raises NothingUnpacked, OSError and
    DiskFull.
    """
    origin = os.path.realpath(source)
    with cache_folder.room(), copies.write_alone(KIND, origin) as entry:
        staged = cache_folder.fresh(entry / "new")
        try:
            folder = staged / COPY / store.name_folder(source.name)
            folder.mkdir(parents=True)
            diagnostics = store.unpack(source, folder)
            paths = {path.relative_to(staged / COPY).as_posix(): path for path in folder.rglob("*") if path.is_file()}
            if not paths:
                raise NothingUnpacked(diagnostics)
            files = {name: ("", checksum.compute_file_digest(path)) for name, path in paths.items()}
            return copies.store_state(origin, entry, staged, files) / COPY / folder.name, diagnostics
        finally:
            cache_folder.drop(staged)
