"""Reading text as it is: marks, line ends and wrong bytes are said, what is not a text is refused quickly."""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from in_time import in_time

from readback.readers.files.text_file import read_bytes, read_text
from readback.types import Diagnostic

Write = Callable[[dict[str, Any]], Path]


def codes(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]


@settings(max_examples=some(100), deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_text_without_nul_comes_back_as_it_is(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.txt").write_bytes(text.encode())
    read, diagnostics = read_text(tmp_path / "t.txt", "t.txt")
    assert read == text.removeprefix("\ufeff")
    assert ("dat-bom" in codes(diagnostics), "dat-crlf" in codes(diagnostics)) == (
        text.startswith("\ufeff"),
        "\r\n" in text,
    )


@pytest.mark.parametrize(
    ("data", "text", "expected", "line", "column"),
    [
        (b"a\nb", "a\nb", [], None, None),
        (b"\xef\xbb\xbfa", "a", ["dat-bom"], 1, None),
        (b"a\nb\r\nc\r\n", "a\nb\r\nc\r\n", ["dat-crlf"], 2, None),
        (b"a\nb\xc3\xa9\xe9", None, ["dat-encoding"], 2, 3),
        ("é".encode("utf-16"), None, ["dat-encoding"], 1, None),
        ("abc".encode("utf-16-be"), None, ["dat-encoding"], 1, None),
        ("abc".encode("utf-16-le"), None, ["dat-encoding"], 1, None),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, ["dat-encoding"], 3, None),
        (b"a\n" + b"x" * 9000 + b"\n\0", None, ["dat-encoding"], 3, None),
        (b"\xed\xa0\x80", None, ["dat-encoding"], 1, 1),
        (b"", "", [], None, None),
    ],
)
def test_what_is_odd_is_said_with_its_place(
    write: Write, data: bytes, text: str | None, expected: list[str], line: int | None, column: int | None
) -> None:
    read, diagnostics = read_text(write({"f.txt": data}) / "f.txt", "f.txt")
    assert (text, expected) == (read, codes(diagnostics))
    for diagnostic in diagnostics:
        assert ("f.txt", line, column) == (diagnostic.place.file, diagnostic.place.line, diagnostic.place.column)


def test_the_number_of_wrong_bytes_is_said(write: Write) -> None:
    _, (diagnostic,) = read_text(write({"f.txt": "é\ufffd".encode() + b"\xff\xfe\xe9"}) / "f.txt", "f.txt")
    assert (diagnostic.values["byte"], diagnostic.values["count"]) == ("0xff", 3)


def test_a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_not(write: Write) -> None:
    folder = write({"is.txt": "x" * 100, "over.txt": "x" * 101})
    assert read_text(folder / "is.txt", "is.txt", 100)[0] == "x" * 100
    text, (diagnostic,) = read_text(folder / "over.txt", "over.txt", 100)
    assert (text, diagnostic.code, diagnostic.values["size"], diagnostic.values["limit"]) == (
        None,
        "dat-too-large",
        101,
        100,
    )


def test_half_a_gigabyte_on_one_line_is_refused_at_once_and_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.yml"
    with path.open("wb") as file:
        file.truncate(500_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text, (diagnostic,) = in_time(0.5, lambda: read_text(path, "big.yml"))
    assert (text, diagnostic.code, diagnostic.values["size"]) == (None, "dat-too-large", 500_000_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB


def test_what_is_no_regular_file_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "around").symlink_to(tmp_path / "around")
    (tmp_path / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for name in ("folder", "pipe", "link", "around", "device", "socket", "nothing", "a\0b", "x" * 300):
            found = in_time(0.2, partial(read_bytes, tmp_path / name, name, 100))
            assert isinstance(found, Diagnostic)
            assert (found.code, found.place.file) == ("dat-file-missing", name)


def test_a_file_that_may_not_be_read_is_said(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise PermissionError(13, "Permission denied")

    path = write({"f.txt": "x"}) / "f.txt"
    monkeypatch.setattr(os, "open", refuse)
    _, (diagnostic,) = read_text(path, "f.txt")
    assert (diagnostic.code, diagnostic.values["reason"]) == ("dat-file-missing", "permission denied")
