"""One line of a file, found by the index of its lines: the same bytes as by reading all, and never those of another
file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readback.readers.files import line_index
from readback.readers.files.cache_folder import cache_folder


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_index, "BLOCK", 16)


@given(content=st.lists(st.sampled_from([b"\n", b"a", b"\r\n", b"\xff", b"0123456789abcde"])).map(b"".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_line_is_what_is_there(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    every = content.splitlines(keepends=True) if b"\r" not in content else [*_lines(content)]
    made, kept = line_index.load_index(path), line_index.load_index(path)
    assert made == kept == line_index.read(path)
    for number, line in enumerate(every, 1):
        assert made.line(number, 1 << 20) == line
        assert made.line(number, len(line)) == line
        assert made.line(number, len(line) - 1) is None
    assert [made.line(number, 1 << 20) for number in (-1, 0, len(every) + 1, len(every) + 9)] == [None] * 4


def _lines(content: bytes) -> list[bytes]:
    pieces = content.split(b"\n")
    return [*(one + b"\n" for one in pieces[:-1]), *filter(None, pieces[-1:])]


def shorter(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:40])


def other(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"line 7", b"LINE 7"))


def gone(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(("change", "raised"), [(shorter, line_index.Changed), (other, line_index.Changed),
                                                (gone, OSError)])  # fmt: skip
def test_of_a_file_that_is_another_nothing_is_shown(
    tmp_path: Path, change: Callable[[Path], None], raised: type[Exception]
) -> None:
    path = tmp_path / "file"
    path.write_text("".join(f"line {n}\n" for n in range(20)))
    made = line_index.load_index(path)
    assert made.line(8, 100) == b"line 7\n"
    change(path)
    with pytest.raises(raised):
        made.line(8, 100)
    if path.exists():  # it is indexed again
        assert line_index.load_index(path).line(1, 100) == b"line 0\n"


def test_a_damaged_index_is_made_again_and_one_of_an_older_file_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "file"
    path.write_text("a\nb\n")
    made = line_index.load_index(path)
    (kept,) = cache_folder().glob(f"*/{line_index.LINES}")
    for damage in (b"", kept.read_bytes()[:-1], b"x" + kept.read_bytes()[1:]):
        kept.write_bytes(damage)
        assert line_index.load_index(path) == made
    path.write_text("a\nb\nc\n")
    assert line_index.load_index(path).line(3, 9) == b"c\n"
    assert len([*cache_folder().glob(f"*/{line_index.LINES}")]) == 1


def test_a_file_that_is_written_to_meanwhile_has_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("a\n")
    really = line_index.read

    def read(path: Path) -> line_index.LineIndex:
        made = really(path)
        path.write_text("a\nb\n")
        return made

    monkeypatch.setattr(line_index, "read", read)
    with pytest.raises(line_index.Changed):
        line_index.load_index(path)
