"""Where a path leads: inside the workspace, or nowhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub_entry import cache_entry
from hypothesis import given
from hypothesis import strategies as st

from readback.readers.files.paths import expand, format_relative, list_files, resolve
from readback.readers.hub_cache import snapshot
from readback.types import Diagnostic, Location

Write = Callable[[dict[str, Any]], Path]


def code(found: Path | Diagnostic) -> str:
    return found.code if isinstance(found, Diagnostic) else format_relative(found.parent, found)


@pytest.mark.parametrize(
    ("expected", "relative"),
    [
        ("a.txt", "a.txt"),
        ("a.txt", "./sub/../a.txt"),
        ("b c.txt", "sub/b c.txt"),
        ("dat-path-outside", "../a.txt"),
        ("dat-path-outside", "sub/../../x"),
        ("dat-path-outside", "/etc/passwd"),
        ("dat-path-outside", "~/x"),
        ("dat-path-outside", "C:\\x"),
        ("dat-path-outside", "\\\\server\\share"),
        ("dat-file-missing", "none.txt"),
        ("dat-file-missing", "sub"),
        ("dat-file-missing", ""),
        ("dat-file-missing", "a\0b"),
        ("dat-file-missing", "a.txt/b"),
        ("dat-file-missing", "x" * 5000),
        ("dat-file-missing", "\ud800"),
        ("dat-file-missing", "https://example.com/a.txt"),
    ],
)
def test_a_path_is_a_file_of_the_workspace_or_a_note(write: Write, expected: str, relative: str) -> None:
    root = write({"a.txt": "", "sub/b c.txt": ""})
    assert expected == code(resolve(root, relative))


def test_a_path_is_seen_from_its_base_but_may_not_leave_the_root(write: Write) -> None:
    root = write({"a.txt": "", "sub/deep/plan.yaml": ""})
    base = root / "sub" / "deep"
    assert root / "a.txt" == resolve(root, "../../a.txt", base=base)
    assert code(resolve(base, "../../a.txt", base=base)) == "dat-path-outside"


def test_the_note_names_the_path_and_the_place_that_asked_for_it(write: Write) -> None:
    found = resolve(write({}), "../x", place=Location(file="readback.yml", line=3))
    assert isinstance(found, Diagnostic)
    assert (found.place.file, found.place.line, found.values["path"]) == ("readback.yml", 3, "../x")


def test_a_link_may_lead_inside_the_workspace_and_not_out_of_it(write: Write, tmp_path_factory: Any) -> None:
    root = write({"real.txt": "x", "sub/x": ""})
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text("s")
    (root / "in.txt").symlink_to("real.txt")
    (root / "out.txt").symlink_to(outside / "secret.txt")
    (root / "gone.txt").symlink_to("nowhere")
    (root / "loop.txt").symlink_to("loop.txt")
    (root / "door").symlink_to(outside)
    assert isinstance(resolve(root, "in.txt"), Path)
    assert code(resolve(root, "out.txt")) == "dat-path-outside"
    assert code(resolve(root, "door/secret.txt")) == "dat-path-outside"
    assert code(resolve(root, "gone.txt")) == "dat-file-missing"
    assert code(resolve(root, "loop.txt")) == "dat-file-missing"


def test_a_pipe_and_a_device_are_no_files(write: Write) -> None:
    root = write({})
    os.mkfifo(root / "pipe.jsonl")
    assert code(resolve(root, "pipe.jsonl")) == "dat-file-missing"


def test_a_link_of_a_hugging_face_cache_entry_leads_into_its_own_blobs_only(tmp_path: Path) -> None:
    root = cache_entry(tmp_path) / "snapshots" / "aaa"
    assert isinstance(resolve(root, "data/rows.jsonl"), Path)
    assert code(resolve(root, "other.jsonl")) == "dat-path-outside"
    assert code(resolve(root, "refs.txt")) == "dat-path-outside"


def another_cache(folder: Path) -> Path:
    """Somebody else's folder that looks like a cache entry: blobs/ with a secret, and a snapshot of it."""
    (folder / "blobs").mkdir(parents=True)
    (folder / "blobs" / "9").write_text("secret")
    (folder / "snapshots" / "r").mkdir(parents=True)
    (folder / "snapshots" / "r" / "a.txt").symlink_to("../../blobs/9")
    return folder


def test_c2_a_link_called_like_a_cache_entry_leads_nowhere(tmp_path: Path) -> None:
    outside = another_cache(tmp_path / "else" / "models--them--study")
    (root := tmp_path / "ws").mkdir()
    (root / "models--x").symlink_to(outside)
    (root / "sub").symlink_to(outside.parent)
    (inner := root / "models--y").mkdir()
    (inner / "blobs").symlink_to(outside / "blobs")
    (inner / "a.txt").symlink_to("blobs/9")
    (inner / "deep").symlink_to(outside)
    for named in ("models--x/snapshots/r/a.txt", "models--x/blobs/9", "sub/models--them--study/snapshots/r/a.txt",
                  "models--y/a.txt", "models--y/blobs/9", "models--y/deep/snapshots/r/a.txt"):  # fmt: skip
        assert code(resolve(root, named)) == "dat-path-outside", named


def test_c2_a_plain_cache_entry_in_the_workspace_keeps_its_links(tmp_path: Path) -> None:
    cache_entry(tmp_path / "ws")
    root = tmp_path / "ws"
    assert isinstance(resolve(root, "models--org--study/snapshots/aaa/data/rows.jsonl"), Path)
    (tmp_path / "door").symlink_to(root)  # the workspace itself may be opened through a link
    assert isinstance(resolve(tmp_path / "door", "models--org--study/snapshots/aaa/data/rows.jsonl"), Path)


def test_c2_a_snapshot_that_is_a_link_is_not_opened(tmp_path: Path) -> None:
    outside = another_cache(tmp_path / "else" / "models--them--study")
    (entry := tmp_path / "models--x").mkdir()
    (entry / "snapshots").mkdir()
    (entry / "snapshots" / "r").symlink_to(outside / "snapshots" / "r")
    assert entry == snapshot(entry)
    (entry / "snapshots" / "r").unlink()
    (entry / "snapshots").rmdir()
    (entry / "snapshots").symlink_to(outside / "snapshots")
    assert entry == snapshot(entry)


def test_the_snapshot_of_a_cache_entry_is_that_of_main_or_the_only_one(tmp_path: Path) -> None:
    entry = cache_entry(tmp_path)
    assert entry / "snapshots" / "aaa" == snapshot(entry)
    (entry / "refs" / "main").unlink()
    assert entry == snapshot(entry)
    (entry / "snapshots" / "bbb" / "data").rmdir()
    (entry / "snapshots" / "bbb").rmdir()
    assert entry / "snapshots" / "aaa" == snapshot(entry)
    assert tmp_path == snapshot(tmp_path)


def test_a_search_goes_four_folders_deep_and_skips_what_is_hidden(write: Write) -> None:
    root = write({"top": "", "a/b/c/d/four": "", "a/b/c/d/e/five": "", ".git/x": "", "a/.hidden": ""})
    assert {"top", "four"} == {p.name for p in list_files(root).files}


def test_a_search_finds_the_shallow_files_first_and_stops_with_a_note(write: Write) -> None:
    root = write({f"sub/{i:04d}": "" for i in range(30)} | {"z": ""})
    found = list_files(root, limit=5)
    assert [p.name for p in found.files] == ["z", "0000", "0001", "0002", "0003"]
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["dat-limit"]


def test_a_search_does_not_enter_folders_that_are_links(write: Write) -> None:
    root = write({"a/x": ""})
    (root / "a" / "again").symlink_to(root)
    assert sorted((p.name for p in list_files(root).files), reverse=True) == ["x", "again"]


@pytest.mark.parametrize(
    ("expected", "pattern"),
    [
        (["r/a.jsonl", "r/b.jsonl"], "r/*.jsonl"),
        (["r/a.jsonl", "r/b.jsonl", "r/s/c.jsonl"], "r/**/*.jsonl"),
        (["r/a.jsonl"], "r/[a].jsonl"),
        (["r/s/c.jsonl"], "*/*/?.jsonl"),
        (["r/a.jsonl"], "r/a.jsonl"),
        (["r/a.jsonl", "r/b.jsonl", "r/s/c.jsonl"], "**/**/**/*.jsonl"),
        ([], "*.jsonl"),
        ([], "../*/r/a.jsonl"),
        ([], "/*"),
    ],
)
def test_a_pattern_finds_files_below_the_folder(write: Write, expected: list[str], pattern: str) -> None:
    root = write({"r/a.jsonl": "", "r/b.jsonl": "", "r/s/c.jsonl": "", "r/x.csv": "", "r/.h.jsonl": ""})
    found, diagnostics = expand(root, pattern)
    assert expected == [format_relative(root, p) for p in found]
    assert bool(diagnostics) == (not expected)


@given(st.text(max_size=40))
def test_no_path_makes_resolve_raise_or_leave_the_root(tmp_path_factory: Any, relative: str) -> None:
    root = Path(tmp_path_factory.getbasetemp())
    found = resolve(root, relative)
    assert isinstance(found, Diagnostic) or found.is_relative_to(root)
