"""What is kept between runs: entries of files that are gone are removed, and not looked for at every file."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from readback.readers.files import cache_folder


def kept(path: Path) -> Path:
    """An entry for that file, kept as an index is."""
    folder = cache_folder.entry(path, {}, "1")
    made = cache_folder.fresh(folder)
    (made / cache_folder.ABOUT).write_text(f'{{"path": "{path}"}}', "utf-8")
    cache_folder.keep(made, folder)
    return folder


def test_what_is_of_no_use_any_more_is_removed_once_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("x", "utf-8")
    first = kept(tmp_path / "a")
    (tmp_path / "a").unlink()
    second = kept(tmp_path / "b")
    assert (first.exists(), second.exists()) == (True, True)
    mark = cache_folder.cache_folder() / cache_folder.TIDIED
    then = time.time() - cache_folder.EVERY - 1
    os.utime(mark, (then, then))
    third = kept(tmp_path / "c")
    assert [one.exists() for one in (first, second, third)] == [False, True, True]
    assert mark.stat().st_mtime > then
