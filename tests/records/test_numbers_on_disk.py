"""Numbers that are on disk but for the last ones are the numbers that came."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.records import numbers_on_disk
from readback.records.numbers_on_disk import NumbersOnDisk

NUMBER = st.integers(-(1 << 63), (1 << 63) - 1)


@given(st.lists(st.one_of(NUMBER, st.lists(NUMBER, max_size=20)), max_size=30), st.integers(1, 9), st.data())
def test_they_are_those_that_came(
    tmp_path_factory: pytest.TempPathFactory, came: list[Any], block: int, data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers_on_disk, "BLOCK", block)
        numbers, expected = NumbersOnDisk(tmp_path_factory.getbasetemp()), list[int]()
        for one in came:
            if isinstance(one, list):
                numbers.extend(one)
                expected.extend(one)
            else:
                numbers.append(one)
                expected.append(one)
            place = st.integers(-len(expected) - 2, len(expected) + 2)
            start, stop = data.draw(place), data.draw(place)
            assert list(numbers[start:stop]) == expected[start:stop]
    assert list(numbers) == expected
    assert len(numbers) == len(expected)
    for outside in (len(expected), -len(expected) - 1):
        with pytest.raises(IndexError):
            numbers[outside]


def test_few_are_in_memory_and_the_file_has_no_name(tmp_path: Path) -> None:
    numbers = NumbersOnDisk(tmp_path)
    for at in range(0, 100_000, 10):
        numbers.extend(range(at, at + 10))
    assert len(numbers._last) <= numbers_on_disk.BLOCK
    assert list(tmp_path.iterdir()) == []
    assert numbers[77_777] == 77_777
    assert list(numbers[49_999:50_002]) == [49_999, 50_000, 50_001]
    with pytest.raises(ValueError, match="without steps"):
        numbers[::2]


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(numbers_on_disk, "TemporaryFile", full)
    with pytest.raises(OSError, match="No space"):
        NumbersOnDisk(tmp_path).extend(range(100_000))
