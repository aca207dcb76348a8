"""The hash of a file's part is worked out once, and again as soon as the file is another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from blake3 import blake3

from readback.readers.files import checksum


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The parts that are read from now on."""
    seen: list[tuple[int, int]] = []
    really = checksum.hash_part

    def of_part(path: Path, start: int, end: int) -> str:
        seen.append((start, end))
        return really(path, start, end)

    monkeypatch.setattr(checksum, "hash_part", of_part)
    return seen


def test_a_part_is_read_once_while_its_file_is_the_same(tmp_path: Path, read: list[tuple[int, int]]) -> None:
    path, hashes = tmp_path / "a", checksum.Hashes()
    path.write_bytes(b"one two")
    parts = [(path, 0, 4), (path, 4, 99)]
    expected = [blake3(one).hexdigest() for one in (b"one ", b"two")]
    assert hashes.hash_parts(parts) == hashes.hash_parts(parts) == expected
    assert sorted(read) == [(0, 4), (4, 99)]
    path.write_bytes(b"one TWO")
    assert hashes.hash_part(path, 4, 99) == blake3(b"TWO").hexdigest()
    assert checksum.Hashes().hash_parts(parts[:1]) == expected[:1]
    assert len(read) == 4  # whoever comes later believes nothing of it


def test_what_changes_while_it_is_read_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, hashes = tmp_path / "a", checksum.Hashes()
    path.write_bytes(b"one")
    really = checksum.hash_part

    def while_read(path: Path, start: int, end: int) -> str:
        made = really(path, start, end)
        path.write_bytes(b"two")
        return made

    with monkeypatch.context() as patch:
        patch.setattr(checksum, "hash_part", while_read)
        assert hashes.hash_part(path, 0, 3) == blake3(b"one").hexdigest()
    assert hashes.hash_part(path, 0, 3) == blake3(b"two").hexdigest()


def test_a_file_of_our_own_is_hashed_once_and_again_when_anything_of_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []
    path = tmp_path / "a"

    def start() -> blake3:
        read.append(b"")
        return blake3()

    monkeypatch.setattr(checksum, "start_hash", start)
    monkeypatch.setattr(checksum, "SETTLED_AFTER", 1 << 62)
    path.write_bytes(b"one")
    expected = blake3(b"one").hexdigest()
    assert [checksum.hash_file(path) for _ in range(2)] == [expected] * 2
    assert len(read) == 2  # the clock of the file system may not have gone on since it was written
    monkeypatch.setattr(checksum, "SETTLED_AFTER", 0)
    assert [checksum.hash_file(path) for _ in range(3)] == [expected] * 3
    assert len(read) == 3
    status = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # as if it were the old one
    assert checksum.hash_file(path) == blake3(b"two").hexdigest()
