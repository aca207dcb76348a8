"""Every format: what is read, what is refused and where, and that nothing is lost or raised on the way."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import example, given, settings
from hypothesis import strategies as st

from readback.folder import by
from readback.readers import csv_file, json_file, jsonl, tsv
from readback.readers.files.decoding import unpack
from readback.readers.files.row import Blank, Event, Header, Refused, Row
from readback.readers.files.text_file import LONGEST
from readback.records.raw_rows import read_raw_rows
from readback.types import Diagnostic

Write = Callable[[dict[str, Any]], Path]
TEXT = [one for one in by("readback.readers", "NAME").values() if hasattr(one, "rows")]
BY_LINES = [one for one in TEXT if getattr(one, "BY_LINES", True)]


def events(module: Any, data: bytes) -> list[Event]:
    return list(module.rows(io.BytesIO(data), "f"))


def rows(module: Any, data: bytes) -> list[Row]:
    return [event for event in events(module, data) if isinstance(event, Row)]


def fields(module: Any, data: bytes) -> list[dict[str, Any]]:
    return [row.fields for row in rows(module, data)]


def diagnostics(module: Any, data: bytes) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for event in events(module, data):
        if isinstance(event, Diagnostic):
            found.append(event)
        elif isinstance(event, Refused) and event.diagnostic:
            found.append(event.diagnostic)
        elif isinstance(event, Row):
            found.extend(event.diagnostics)
    return found


def codes(module: Any, data: bytes) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics(module, data)]


def test_every_format_says_what_it_is() -> None:
    names = {"arrow", "checkpoint", "llama-factory", "csv", "json", "jsonl", "parquet", "sqlite", "tsv", "xlsx"}
    formats = by("readback.readers", "NAME")
    assert {name for name, module in formats.items() if module.SUFFIXES or name in names} == names


@given(st.binary(max_size=300))
@example(b"\xef\xbb\xbf")
@example(b"\xff\xfe{\x00}\x00\n\x00")
@example(b'a,b\n"x\ny,"z"\n"')
@example(b'a\n"\n"\n')
@example(b'[{"a":1}{"b":2}]')
@example(b'{"data":[{"a":1},')
@settings(max_examples=some(300), deadline=None)
def test_any_bytes_are_read_without_an_exception_and_every_line_is_accounted_for(data: bytes) -> None:
    physical = data.count(b"\n") + bool(data and not data.endswith(b"\n"))
    for module in TEXT:
        spans = [e for e in events(module, data) if not isinstance(e, Diagnostic)]
        if module in BY_LINES:
            assert physical == sum(1 if isinstance(e, Blank) else e.end_line - e.line + 1 for e in spans)


@given(
    st.lists(
        st.sampled_from(("{", "}", "[", "]", '"a": 1', '"a": {', ",", ' "b": [', ' "', "", '{"a": 1}', "}{", "  7,"))
    )
)
@settings(max_examples=500, deadline=None)
def test_no_line_of_json_is_lost_whatever_its_brackets(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    numbers: list[int] = []
    for event in events(jsonl, data):
        if not isinstance(event, Diagnostic):
            last = event.line if isinstance(event, Blank) else event.end_line
            numbers.extend(range(event.line, last + 1))
    assert numbers == list(range(1, len(data.splitlines()) + 1))


@given(st.text(alphabet=',"\n\r\tab;', max_size=80))
@settings(max_examples=some(300), deadline=None)
def test_no_line_of_csv_is_lost_whatever_its_quotes(text: str) -> None:
    data = text.encode()
    numbers: list[int] = []
    for event in events(csv_file, data):
        if not isinstance(event, Diagnostic):
            last = event.line if isinstance(event, Blank) else event.end_line
            numbers.extend(range(event.line, last + 1))
    assert numbers == list(range(1, len(numbers) + 1))


FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.lists(st.dictionaries(st.text(max_size=5), JSON, max_size=4), min_size=1, max_size=5)


@given(RECORDS, st.booleans(), st.sampled_from([None, 0, 1]))
@settings(deadline=None)
def test_json_records_come_back_as_they_were(
    records: list[dict[str, Any]], ascii_only: bool, indent: int | None
) -> None:
    for spread, between in ((None, "\n"), (indent, "\n"), (indent, "\r\n\n"), (1, "")):
        lines = between.join(json.dumps(one, ensure_ascii=ascii_only, indent=spread) for one in records if one)
        assert [one for one in records if one] == fields(jsonl, lines.encode())
    whole = json.dumps(records, ensure_ascii=ascii_only, indent=indent)
    assert records == fields(json_file, whole.encode())


CELL = st.text(alphabet=st.characters(codec="utf-8"))


@given(st.lists(st.tuples(CELL, CELL)))
@settings(deadline=None)
def test_csv_cells_come_back_as_they_were(cells: list[tuple[str, str]]) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("id", "text"), *cells])
    given = [pair for pair in cells if not csv_file.is_blank(pair)]
    assert given == [(row["id"], row["text"]) for row in fields(csv_file, out.getvalue().encode())]


@given(RECORDS)
@settings(deadline=None)
def test_what_stands_between_offsets_reads_as_the_same_record(records: list[dict[str, Any]]) -> None:
    for module, text in (
        (jsonl, "\ufeff" + "\r\n\n".join(json.dumps(one, ensure_ascii=False) for one in records)),
        (jsonl, "\ufeff" + "".join(json.dumps({"é": one}, ensure_ascii=False, indent=1) for one in records)),
        (json_file, " " + json.dumps({"data": records, "é": 1}, ensure_ascii=False, indent=2)),
    ):
        data = text.encode()
        for row in rows(module, data):
            assert row.raw == data[row.offset : row.end]
            assert row.fields == module.parse(row.raw, {})


def test_json_lines_are_cut_at_line_feeds_only() -> None:
    text = "a\u2028b\u0085c\x7f"
    data = ('{"t": "' + text + '"}\n').encode() + b'{"t": "\\u000b"}\n'
    assert [{"t": text}, {"t": "\x0b"}] == fields(jsonl, data)


REFUSED_LINES = [
    (b'{"a": 1', "dat-bad-line", 1, 8, "not JSON (expecting ',' delimiter)"),
    (b'{"a": 1} {"b": 2}', "dat-bad-line", 1, 10, "not JSON (something follows the value)"),
    (b'{"a": "x\ty"}', "dat-bad-line", 1, 9, "not JSON (invalid control character)"),
    (b"[1]", "dat-bad-line", 1, 1, "a list, where an object is needed"),
    (b"7", "dat-bad-line", 1, 1, "a number, where an object is needed"),
    (b"null", "dat-bad-line", 1, 1, "null, where an object is needed"),
    (b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}", "dat-bad-line", 1, 1, "not JSON (nested deeper than 100 levels)"),
    (b'{"a": ' + b"[" * 100_000, "dat-bad-line", 1, 1, "not JSON (nested deeper than 100 levels)"),
    (b'{"a": ' + b"9" * 100_000 + b"}", "dat-bad-line", 1, 1, "not JSON (a whole number of thousands of digits)"),
]


@pytest.mark.parametrize(("line", "code", "number", "column", "reason"), REFUSED_LINES)
def test_a_bad_line_is_refused_where_it_is_wrong(line: bytes, code: str, number: int, column: int, reason: str) -> None:
    data = line + b'\n{"id": "next"}'
    (diagnostic,) = diagnostics(jsonl, data)
    assert (code, number, column, reason) == (
        diagnostic.code,
        diagnostic.place.line,
        diagnostic.place.column,
        diagnostic.values["reason"],
    )
    assert fields(jsonl, data) == [{"id": "next"}]


def test_a_wrong_byte_is_located_by_letter_and_counted() -> None:
    (diagnostic,) = diagnostics(jsonl, '{"é": "'.encode() + b'\xe9\xe9"}\n{}')
    assert (diagnostic.place.line, diagnostic.place.column, diagnostic.values["byte"], diagnostic.values["count"]) == (
        1,
        8,
        "0xe9",
        2,
    )


def test_utf16_is_one_note_and_no_row() -> None:
    data = '{"a": 1}\n{"a": 2}\n'.encode("utf-16")
    assert codes(jsonl, data) == ["dat-encoding"]
    assert codes(csv_file, data) == ["dat-encoding"]
    assert codes(json_file, data) == ["dat-encoding"]


def test_byte_order_mark_and_windows_line_ends_are_said_and_left_out() -> None:
    data = b'\xef\xbb\xbf{"a": "1"}\r\n{"a": "2"}\r\n'
    assert codes(jsonl, data) == ["dat-bom", "dat-crlf"]
    assert fields(jsonl, data) == [{"a": "1"}, {"a": "2"}]
    assert fields(csv_file, b"\xef\xbb\xbfa\r\n1\r\n") == [{"a": "1"}]


def test_repeated_keys_and_endless_numbers_are_said_and_the_row_is_kept() -> None:
    found = diagnostics(jsonl, b'{"a": 1, "a": 2, "b": [NaN, {"c": 1e999}]}')
    assert [(diagnostic.code, diagnostic.flagged) for diagnostic in found] == [
        ("dat-duplicate-key", "a"),
        ("dat-nan", "b[0]"),
        ("dat-nan", "b[1].c"),
    ]
    assert fields(jsonl, b'{"a": 1, "a": 2}')[0]["a"] == 2


def test_a_lone_surrogate_stays_in_the_text() -> None:
    assert fields(jsonl, b'{"a": "\\ud800"}') == [{"a": "\ud800"}]


def test_a_line_without_end_is_refused_without_being_held() -> None:
    class Endless(io.BytesIO):
        """60 MiB that exist only while they are read."""

        left = 60 << 20
        asked = 0

        def readline(self, size: int | None = -1) -> bytes:
            assert size is not None
            self.asked = max(self.asked, size)
            given = min(size, self.left)
            self.left -= given
            return b"x" * given

    stream = Endless()
    (only,) = jsonl.rows(stream, "f")
    assert isinstance(only, Refused)
    assert only.diagnostic
    assert (only.diagnostic.code, only.diagnostic.values["size"]) == ("dat-too-large", 60 << 20)
    assert stream.asked <= LONGEST + 2


@pytest.mark.parametrize(
    ("data", "read", "said"),
    [
        (b'# a\n{"id": 1}\n// b\n{"id": 2}\n#', 2, ["dat-comment-lines"]),
        (b'\xef\xbb\xbf# a\n{"id": 1}\n', 1, ["dat-bom", "dat-comment-lines"]),
        (b'{"id": 1}\n# a\n{"id": 2}\n', 2, ["dat-bad-line"]),
    ],
)
def test_comments_of_json_lines_are_left_out_where_the_first_one_stands_above(
    data: bytes, read: int, said: list[str]
) -> None:
    assert len(rows(jsonl, data)) == read
    assert codes(jsonl, data) == said


SPREAD = [
    (b'{\n "a": 1\n}\n{"a": 2}\n{\n "a": [\n  {}\n ]\n}', [(1, 3), (4, 4), (5, 9)], [("dat-over-lines", 1)]),
    (b'{\n "a": 1\n}{\n "a": 2\n}\n', [(1, 2), (3, 5)], [("dat-over-lines", 1)]),
    (b'{\n"a": {\n"b": "}"\n}\n}\n', [(1, 5)], [("dat-over-lines", 1)]),
    (b'{\n "a": 1\n},\n{\n "a": 2\n}\n', [(4, 6)], [("dat-bad-line", 3), ("dat-over-lines", 4)]),
    (b'{\n "a": 1\n "b": 2\n}\n{"a": 2}\n', [(5, 5)], [("dat-bad-line", 3)]),
    (b'{\n "a": "1}\n}\n{"a": 2}\n', [(4, 4)], [("dat-bad-line", 2)]),
    (b'{\n "a": "1\n}\n{"a": 2}\n', [(4, 4)], [("dat-bad-line", 2)]),
    (b'{\n "a": \xe9\n}\n{"a": 2}\n', [(4, 4)], [("dat-encoding", 2)]),
    (b'{"a": 1}\n{\n "a": 1,\n', [(1, 1)], [("dat-bad-line", 3)]),
    (b'{"a": [\n{"a": 2}\n{"a": 3}\n', [(2, 2), (3, 3)], [("dat-bad-line", 1)]),  # one line that broke off
    (b'{"a":\n{"a":\n{"b": 1}\n', [(3, 3)], [("dat-bad-line", 1), ("dat-bad-line", 2)]),
    (b'{"a":\n7\n{"a": 3}\n', [(3, 3)], [("dat-bad-line", 1), ("dat-bad-line", 2)]),
]


@pytest.mark.parametrize(("data", "read", "said"), SPREAD)
def test_an_object_over_several_lines_is_one_record_or_one_fault(
    data: bytes, read: list[tuple[int, int]], said: list[tuple[str, int]]
) -> None:
    assert [(row.line, row.end_line) for row in rows(jsonl, data)] == read
    assert [(diagnostic.code, diagnostic.place.line) for diagnostic in diagnostics(jsonl, data)] == said


def test_after_too_many_open_objects_each_line_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "AGAIN", -1)
    assert codes(jsonl, b'{\n "a": 1\n}\n') == ["dat-bad-line"] * 3


CSV = [
    (b'id,t\n007,"a\nb"\n', [{"id": "007", "t": "a\nb"}], []),
    (b'id,t\n1,"a\r\nb"\n', [{"id": "1", "t": "a\r\nb"}], ["dat-crlf"]),
    (b"id,t\n1,NA\n2,\n", [{"id": "1", "t": "NA"}, {"id": "2", "t": ""}], []),
    (b"id;t\n1;a,b\n", [{"id": "1", "t": "a,b"}], []),
    (b"id,t,t,t_2\n1,a,b,c\n", [{"id": "1", "t": "a", "t_3": "b", "t_2": "c"}], ["dat-duplicate-name"]),
    (b"id,,\n1,a,\n", [{"id": "1", "": "a", "_2": ""}], ["dat-unnamed-columns"]),
    (b"Remark.,,\n,,\nid,q,t\n1,a,b\n", [{"id": "1", "q": "a", "t": "b"}], ["dat-comment-lines"]),
    (b"Remark.;;\n\nid;q;t\n1;a;b\n", [{"id": "1", "q": "a", "t": "b"}], ["dat-comment-lines"]),
    (b",\nid,q\n1,a\n", [{"id": "1", "q": "a"}], ["dat-comment-lines"]),
    (b"id,q,t\n1,a,b\n\n# Sum\nall,2\n", [{"id": "1", "q": "a", "t": "b"}], ["dat-comment-lines"]),
    (
        b"id,q\n1,a\n\n# Sum\n2,b\n3\n",
        [{"id": "1", "q": "a"}, {"id": "2", "q": "b"}],
        ["dat-row-width", "dat-comment-lines"],
    ),
    (b"id,q\n1,a\n\n3\n# Sum\n", [{"id": "1", "q": "a"}], ["dat-row-width"] * 2),
    (b"\nid,q\n1,a\n", [{"id": "1", "q": "a"}], []),
    (b'id,q\n1,a\n,\n"", \n"\n",\n,,,\n2,b\n', [{"id": "1", "q": "a"}, {"id": "2", "q": "b"}], ["dat-blank-rows"]),
    (b"id,q,t\n1,a,b\n,,\n# Sum\nall,2\n", [{"id": "1", "q": "a", "t": "b"}], ["dat-comment-lines", "dat-blank-rows"]),
    (b",q\n,\n,a\n", [{"": "", "q": "a"}], ["dat-blank-rows"]),
    (b",q\n0,a\nx,b\n", [{"": "0", "q": "a"}, {"": "x", "q": "b"}], []),  # row numbers have no name
    (b"q,\na,b\nc,d\n", [{"q": "a", "": "b"}, {"q": "c", "": "d"}], []),  # of two columns one may have none
    (b"q,,\n1,a,b\n2,c,d\n", [{"q": "1", "": "a", "_2": "b"}, {"q": "2", "": "c", "_2": "d"}], ["dat-unnamed-columns"]),
    (b"id,t\n1,a,b\n2,c\n", [{"id": "2", "t": "c"}], ["dat-row-width"]),
    (b'id,t\n1,"a\n2,b\n3,c\n', [{"id": "2", "t": "b"}, {"id": "3", "t": "c"}], ["dat-bad-line"]),
    (b'id,t\n1,"a"b\n2,c\n', [{"id": "2", "t": "c"}], ["dat-bad-line"]),
    (b"id,t\n\n1,a\n\n", [{"id": "1", "t": "a"}], []),
    (b"id,t\n1,\xe9\n2,b\n", [{"id": "2", "t": "b"}], ["dat-encoding"]),
    (b"id,\xe9\n1,a\n", [], ["dat-encoding"]),
]


def test_a_row_of_tabs_is_a_blank_row_too() -> None:
    data = b"id\tq\n1\ta\n\t\n \t \n2\tb\n"
    assert fields(tsv, data) == [{"id": "1", "q": "a"}, {"id": "2", "q": "b"}]
    (diagnostic,) = diagnostics(tsv, data)
    assert (diagnostic.code, diagnostic.values["rows"], diagnostic.place.line) == ("dat-blank-rows", 2, 3)


@pytest.mark.parametrize(("data", "expected", "said"), CSV)
def test_csv_keeps_text_and_refuses_row_by_row(data: bytes, expected: list[dict[str, str]], said: list[str]) -> None:
    assert expected == fields(csv_file, data)
    assert said == codes(csv_file, data)


def test_a_record_over_several_lines_knows_them_and_its_bytes() -> None:
    data = b'id,t\n1,"a\nb\n"\n2,c\n'
    first, second = rows(csv_file, data)
    assert (first.line, first.end_line, data[first.offset : first.end]) == (2, 4, b'1,"a\nb\n"')
    assert (second.line, second.end_line) == (5, 5)
    shape = next(event for event in events(csv_file, data) if isinstance(event, Header)).shape
    assert first.fields == csv_file.parse(first.raw, shape)


def test_after_too_many_open_quotes_each_line_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_file, "AGAIN", 0)
    data = b'id,t\n1,"a\n2,b\n3,"c\n"\n4,d\n'
    assert fields(csv_file, data) == [{"id": "2", "t": "b"}, {"id": "4", "t": "d"}]


LISTS = [
    (b'[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}], []),
    (b'{"version": 1, "data": [{"a": 1}], "more": [2]}', [{"a": 1}], []),
    (b'{"anything": [{"a": 1}]}', [{"a": 1}], []),
    (b'{"question": "q", "chunks": [{"text": "t"}]}', [{"question": "q", "chunks": [{"text": "t"}]}], []),
    (b'{"a": 1}', [{"a": 1}], []),
    (b"[]", [], []),
    (b'[{"a": 1}, 2]', [{"a": 1}], ["dat-bad-line"]),
    (b'[{"a": 1}', [{"a": 1}], ["dat-bad-line"]),
    (b'{"data": [{"a": 1}, {"a":', [{"a": 1}], ["dat-bad-line"]),
    (b'[{"a": 1}] x', [{"a": 1}], ["dat-bad-line"]),
    (b'"text"', [], ["dat-bad-line"]),
    (b'[\n {"a": 1},\n {"a" 2},\n {"a":\n 3}\n]', [{"a": 1}, {"a": 3}], ["dat-bad-line"]),
    (b'[{"a": "\xe9"}, {"a": 2}]', [{"a": 2}], ["dat-encoding"]),
]


@pytest.mark.parametrize(("data", "expected", "said"), LISTS)
def test_json_files_in_each_shape(data: bytes, expected: list[dict[str, Any]], said: list[str]) -> None:
    assert expected == fields(json_file, data)
    assert said == codes(json_file, data)


def test_items_of_a_json_list_know_their_lines() -> None:
    data = '[\n  {"a": "é",\n   "b": 1},\n  {"a": 2}\n]'.encode()
    assert [(row.line, row.end_line) for row in rows(json_file, data)] == [(2, 3), (4, 4)]


def test_a_json_list_is_read_across_pieces_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readback.readers.json_file.CHUNK", 7)
    records = [{"id": n, "t": "é" * n, "n": 12345.5} for n in range(30)]
    assert records == fields(json_file, json.dumps(records, ensure_ascii=False, indent=1).encode())


def test_a_json_value_above_the_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readback.readers.json_file.CHUNK", 50)
    monkeypatch.setattr("readback.readers.json_file.LONGEST", 200)
    data = b'[\n{"a": 1},\n{"a": "' + b"x" * 1000 + b'"},\n{"a": 2}\n]'
    assert codes(json_file, data) == ["dat-too-large"]
    assert fields(json_file, data) == [{"a": 1}, {"a": 2}]


FEED = (
    b'{"@type": "DataFeed", "dataFeedElement": [{"item": {"text": "q", "a": "1"}}, {"item": {"text": "r", "a": "2"}}]}'
)
BY_CONTENT = [
    ("d.json", b'{"a": "1"}\n{"a": "2"}\n', ["1", "2"]),
    ("d.jsonl", b'[{"a": "1"},\n{"a": "2"}]\n', ["1", "2"]),
    ("d.txt", b'{"a": "1"}\n{"a": "2"}\n', ["1", "2"]),
    ("d.tsv", b"a\tb\n1\tx\n2\ty\n", ["1", "2"]),
    ("d.csv.gz", gzip.compress(b"a,b\n1,x\n", mtime=0) + gzip.compress(b"2,y\n", mtime=0), ["1", "2"]),
    ("d.json.gz", gzip.compress(b'[{"a": "1"}, {"a": "2"}]', mtime=0), ["1", "2"]),
    ("D.CSV", b"a\n1\n2\n", ["1", "2"]),
    ("d.jsonld", FEED, ["1", "2"]),
    ("d.json", FEED, ["1", "2"]),
    ("d.jsonld.gz", gzip.compress(FEED, mtime=0), ["1", "2"]),
]


@pytest.mark.parametrize(("name", "data", "expected"), BY_CONTENT)
def test_a_file_is_read_by_its_content_and_its_name(write: Write, name: str, data: bytes, expected: list[str]) -> None:
    found = list(read_raw_rows(write({name: data}) / name, name))
    assert expected == [row.fields["a"] for row in found if isinstance(row, Row)]


@pytest.mark.parametrize("name", ["d.bin", "d", "missing.jsonl"])
def test_an_unknown_or_missing_file_is_a_note(write: Write, name: str) -> None:
    folder = write({"d.bin": b"\x00\x01", "d": "words"})
    (diagnostic,) = read_raw_rows(folder / name, name)
    assert isinstance(diagnostic, Diagnostic)
    assert diagnostic.code == ("dat-file-missing" if name.startswith("missing") else "dat-not-recognised")


def test_what_was_unpacked_before_the_packed_data_end_is_kept(write: Write) -> None:
    packed = gzip.compress("".join(f'{{"id": "{n * n}"}}\n' for n in range(5000)).encode())
    found = list(read_raw_rows(write({"d.jsonl.gz": packed[:-500]}) / "d.jsonl.gz", "d.jsonl.gz"))
    assert "the packed data end too early" in [n.values.get("reason") for n in found if isinstance(n, Diagnostic)]
    assert 1000 < sum(isinstance(row, Row) for row in found) < 5000


def test_unpacking_stops_at_its_budget(write: Write) -> None:
    path = write({"bomb.gz": gzip.compress(bytes(5 << 20))}) / "bomb.gz"
    out = io.BytesIO()
    found = [one for one in unpack(path, out, "bomb.gz", budget=1 << 20) if isinstance(one, Diagnostic)]
    assert [diagnostic.code for diagnostic in found] == ["dat-limit"]
    assert len(out.getvalue()) == 1 << 20
