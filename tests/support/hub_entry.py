"""An entry of a Hugging Face cache, with links as the hub makes them."""

from __future__ import annotations

from pathlib import Path


def cache_entry(folder: Path) -> Path:
    """A made-up Hugging Face cache entry with two snapshots, and another entry beside it."""
    entry = folder / "models--org--study"
    for revision in ("aaa", "bbb"):
        (entry / "snapshots" / revision / "data").mkdir(parents=True)
    (entry / "blobs").mkdir()
    (entry / "blobs" / "123").write_text('{"id": "1", "question": "Why?"}\n')
    (entry / "snapshots/aaa/data/rows.jsonl").symlink_to("../../../blobs/123")
    (entry / "snapshots/aaa/other.jsonl").symlink_to("../../../models--org--other/blobs/9")
    (entry / "snapshots/aaa/refs.txt").symlink_to("../../refs/main")
    (entry / "refs").mkdir()
    (entry / "refs/main").write_text("aaa\n")
    (folder / "models--org--other/blobs").mkdir(parents=True)
    (folder / "models--org--other/blobs/9").write_text("x")
    return entry
