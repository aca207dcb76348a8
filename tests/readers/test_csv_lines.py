"""Plain lines of a CSV file, which are cut at their separators, give what the csv module reads of them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from counts import many, some
from hypothesis import given, settings
from hypothesis import strategies as st

from readback.readers import csv_file
from readback.readers.files import text_file
from readback.readers.files.row import Event

CELLS = ("1", "q1", "", " ", "é", "\u2028", "\x85", "\x1c", "\ufeff", "\x0b", "#", "# x", "a b", "0,5", "a;b", "a\tb")
SPOILT = ("", "", "", "", '"', '""', "\n\n", "\r", "\r\n", "\0", "\t", ",", ";", "\n \n", "\ufeff", "\n,\n", "\n#,\n")


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """A table of cells that may be in quotes, as it is or spoilt in one place."""
    width = draw(st.integers(1, 4))
    quoting = draw(st.sampled_from((0, 0, 3)))  # in how many of four cells there are quotes

    def cell() -> str:
        text = draw(st.sampled_from(CELLS))
        return f'"{text}"' if draw(st.integers(0, 3)) < quoting else text

    separator, ending = draw(st.sampled_from(",;\t")), draw(st.sampled_from(("\n", "\n", "\r\n")))
    rows = [[f"c{at}" for at in range(width)]]
    rows += [[cell() for _ in range(width)] for _ in range(draw(st.integers(0, 40)))]
    text = ending.join(separator.join(row) for row in rows) + draw(st.sampled_from(("", ending, ending * 3)))
    at = draw(st.integers(0, len(text)))
    spoilt = (text[:at] + draw(st.sampled_from(SPOILT)) + text[at:]).encode()
    at = draw(st.integers(0, len(spoilt)))
    return draw(st.sampled_from((spoilt, spoilt, b"\xef\xbb\xbf" + spoilt, spoilt[:at] + b"\xff" + spoilt[at:])))


def read(data: bytes, *, split: bool, size: int = 1 << 20, **options: Any) -> list[Event]:
    """Every event of the file; without `split` the csv module reads all of its lines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_file, "FIRST_BLOCK", size)
        patch.setattr(text_file, "BUFFER", size)
        if not split:
            patch.setattr(csv_file, "split_plain", lambda block: None)
        return list(csv_file.rows(BytesIO(data), "s.csv", **options))


@settings(max_examples=many(1_500, 150), deadline=None)
@given(
    tables(), st.sampled_from((1, 7, 40, 300, 1 << 20)), st.sampled_from((None, "\t")), st.sampled_from((None, "c1"))
)
def test_lines_that_are_split_give_what_the_csv_module_reads(
    data: bytes, size: int, delimiter: str | None, absent: str | None
) -> None:
    expected = read(data, split=False, delimiter=delimiter, absent=absent)
    assert expected == read(data, split=True, size=size, delimiter=delimiter, absent=absent)


@settings(max_examples=some(500), deadline=None)
@given(st.binary(max_size=200), st.sampled_from((1, 7, 40)))
def test_any_bytes_are_read_alike_in_blocks_of_any_size(data: bytes, size: int) -> None:
    assert read(data, split=False) == read(data, split=True, size=size)


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (b"a,b\n1,2\n", 1),
        (b"a,b\r\n1,2", 2),
        ("é,\u2028\n".encode(), 1),
        (b'a,"b"\n', None),
        (b"a,b\r\n1,2\n", None),
        (b"a,\rb\n", None),
        (b"a,b\0\n", None),
        (b"a,\xff\n", None),
    ],
)
def test_a_block_is_plain_without_quotes_where_its_lines_end_alike(data: bytes, ending: int | None) -> None:
    plain = csv_file.split_plain(text_file.Block(data, 1, 0))
    assert (plain.ending if plain else None) == ending


@pytest.mark.parametrize("length", [text_file.LONGEST + 1, text_file.LONGEST + 2, text_file.LONGEST + 3])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n1,2\n"])
def test_blocks_bound_a_line_as_lines_do(length: int, end: bytes) -> None:
    data = b"a,b\n" + b"x" * length + end
    expected = list(text_file.read_lines(BytesIO(data)))
    split = []
    for block in text_file.read_blocks(BytesIO(data)):
        split.extend(block.split() if isinstance(block, text_file.Block) else [block])
    assert [line[:4] for line in expected] == [line[:4] for line in split]
