"""A dataset: any record by number or id, what was wrong by line, private fields nowhere."""

from __future__ import annotations

import datetime
import json
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from counts import many, some
from hypothesis import given, settings
from hypothesis import strategies as st

from readback.readers import jsonl
from readback.readers.files import cache_folder, text_file
from readback.records import raw_lines
from readback.records.dataset import MISSING, Cancelled, Dataset, DatasetChanged, look, open_dataset
from readback.records.fields.field_names import FieldNames
from readback.records.fields.field_path import list_names
from readback.records.index_pass import build
from readback.types import DatasetSource, Location

Write = Callable[[dict[str, Any]], Path]


def opened(folder: Path, name: str = "d.jsonl", **settings: Any) -> Dataset:
    return open_dataset(folder, DatasetSource(name, **settings))


def entries() -> set[Path]:
    """What is kept, and what was begun; locks stay and are empty."""
    return {path for path in cache_folder.cache_folder().iterdir() if not path.name.startswith(".lock-")}


def codes(data: Dataset) -> list[str]:
    return [diagnostic.code for diagnostic in data.diagnostics]


def reconciled(data: Dataset) -> bool:
    c = data.counts
    return c.read + c.bad + c.blank + c.header + c.continued == c.lines


def test_a_disk_that_fails_is_told_as_a_dataset_that_is_gone(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    data = opened(write({"d.jsonl": '{"id": "1"}\n'}))

    def failing(*_: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("readback.records.dataset.os.pread", failing)
    with pytest.raises(DatasetChanged, match=r"d\.jsonl: record 0: bytes 0 to 11 cannot be read: .*Input/output error"):
        data.record(0)


@given(st.binary(max_size=200) | st.text(alphabet='{}[]":,\n\r a1é', max_size=120).map(str.encode))
@settings(max_examples=some(100), deadline=None)
def test_any_file_opens_and_its_counts_reconcile(content: bytes) -> None:
    for name in ("d.jsonl", "d.csv", "d.json", "d.tsv"):
        with TemporaryDirectory() as folder:
            (Path(folder) / name).write_bytes(content)
            data = opened(Path(folder), name)
            assert reconciled(data)
            assert list(data.records()) == [data.record(index) for index in range(len(data))]
            assert data.ids() == tuple(record.id for record in data.records())


IDS = st.lists(st.integers(-9, 9) | st.text(max_size=2) | st.none() | st.floats(-2, 2), min_size=1, max_size=12)


@given(IDS)
@settings(max_examples=some(100), deadline=None)
def test_an_id_finds_the_first_record_that_has_it(ids: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        lines = "".join(json.dumps({"key": one}) + "\n" for one in ids)
        (Path(folder) / "d.jsonl").write_text(lines, "utf-8")
        data = opened(Path(folder), id="key")
        called = data.ids()
        assert [called.index(one) for one in called] == [data.find(one) for one in called]
        assert len(called) - len(set(called)) == data.diagnostic_counts.get("dat-duplicate-id", 0)
        assert data.find("not there") is None


def test_ids_keep_their_spelling(write: Write) -> None:
    lines = ['"a"', "1", "1.0", "1.50", "1e2", "-0", '"007"', "12345678901234567890"]
    folder = write({"d.jsonl": "".join(f'{{"id": {one}}}\n' for one in lines), "d.csv": "id\n007\n1.0\n NA\n"})
    assert opened(folder).ids() == ("a", "1", "1.0", "1.50", "1e2", "-0", "007", "12345678901234567890")
    assert opened(folder, "d.csv").ids() == ("007", "1.0", " NA")


CANDIDATES = [
    ([{"id": "a", "task_id": "b"}], "id", ("a",)),
    ([{"id": "a", "qid": "b"}, {"qid": "c"}], "qid", ("b", "c")),
    ([{"id": ["a"], "item_id": 7}], "item_id", ("7",)),
    ([{"id": True}], None, ("line_1",)),
    ([{"id": "x"}, {}, {}], None, ("line_1", "line_2", "line_3")),
    ([{"id": " "}], None, ("line_1",)),
]


@pytest.mark.parametrize(("rows", "field", "ids"), CANDIDATES)
def test_the_first_field_that_gives_every_record_an_id_is_taken(
    write: Write, rows: list[Any], field: str | None, ids: tuple[str, ...]
) -> None:
    data = opened(write({"d.jsonl": rows}))
    assert (field, ids) == (data.id_field, data.ids())
    assert (["dat-missing-id"] if field is None else []) == codes(data)


def test_b4_one_record_without_an_id_is_called_by_its_line_and_the_others_keep_theirs(write: Write) -> None:
    data = opened(write({"d.jsonl": '{"task_id": "a"}\n\n{"q": 1}\n{"task_id": "c"}\n{"task_id": 4, "id": "x"}\n'}))
    assert (data.id_field, data.ids()) == ("task_id", ("a", "line_3", "c", "4"))
    (diagnostic,) = data.diagnostics
    assert (diagnostic.code, diagnostic.place.line, diagnostic.place.index, diagnostic.place.record) == (
        "dat-missing-id",
        3,
        1,
        "line_3",
    )
    assert diagnostic.values == {"field": "task_id", "called": "line_3"}
    assert [data.is_called_by_line(at) for at in range(4)] == [False, True, False, False]
    assert [data.find(name) for name in data.ids()] == [0, 1, 2, 3]


def test_b4_where_few_records_have_an_id_the_finding_says_how_many(write: Write) -> None:
    data = opened(write({"d.jsonl": [{"qid": "x"}, {}, {}]}))
    assert data.diagnostics[0].values["field"][0] == "qid (which only 1 of 3 records have)"
    assert data.diagnostic_counts == {"dat-missing-id": 1}


def test_b4_the_column_that_more_records_have_is_the_id(write: Write) -> None:
    rows = [{"id": "a", "qid": "1"}, {"id": "b", "qid": "2"}, {"qid": "3"}, {}]
    assert opened(write({"d.jsonl": rows})).ids() == ("1", "2", "3", "line_4")


@pytest.mark.parametrize("rows", [[{"id": "line_3"}, {"id": "b"}, {}], [{"id": "a"}, {}, {"id": "line_2"}]])
def test_b4_an_own_id_that_looks_like_a_line_keeps_its_name(write: Write, rows: list[Any]) -> None:
    data = opened(write({"d.jsonl": rows}))
    own = next(at for at, row in enumerate(rows) if row.get("id", "").startswith("line_"))
    lost = rows.index({})
    assert (rows[own]["id"], f"line_{lost + 1}_") == (data.ids()[own], data.ids()[lost])
    assert own == data.find(rows[own]["id"])
    assert (data.is_called_by_line(own), data.is_called_by_line(lost)) == (False, True)
    assert data.diagnostic_counts == {"dat-missing-id": 1}


@given(st.lists(st.one_of(st.none(), st.sampled_from(["a", "line_1", "line_2", "line_2_", "é\ud800"])), max_size=9))
@settings(deadline=None)
def test_b4_every_record_has_its_own_id_or_a_name_that_nobody_else_has(given_ids: list[str | None]) -> None:
    with TemporaryDirectory() as name:
        lines = [json.dumps({"q": 1} if one is None else {"id": one}) for one in given_ids]
        Path(name, "d.jsonl").write_text("".join(line + "\n" for line in lines))
        data = opened(Path(name))
        known = sum(one is not None for one in given_ids)
        if given_ids and 2 * known >= len(given_ids):
            assert all(one in (None, called) for one, called in zip(given_ids, data.ids(), strict=True))
            made_up = [called for one, called in zip(given_ids, data.ids(), strict=True) if one is None]
            assert len({*made_up}) == len(made_up) == data.diagnostic_counts.get("dat-missing-id", 0)
            assert not {*made_up} & {*given_ids}
        else:
            assert tuple(f"line_{n}" for n in range(1, len(given_ids) + 1)) == data.ids()


def test_a_record_without_the_named_id_is_called_by_its_line(write: Write) -> None:
    data = opened(write({"d.jsonl": '{"m": {"key": 1}}\n\n{"m": {}}\n'}), id="m.key")
    assert data.ids() == ("1", "line_3")
    assert [(n.code, n.place.line, n.place.record) for n in data.diagnostics] == [("dat-missing-id", 3, "line_3")]


def test_doubled_ids_name_the_line_of_the_first(write: Write) -> None:
    data = opened(write({"d.jsonl": '{"id": "a"}\n{"id": "b"}\n{"id": "a"}\n'}))
    (diagnostic,) = data.diagnostics
    assert (
        diagnostic.code,
        diagnostic.values["id"],
        diagnostic.values["first"],
        diagnostic.place.line,
        diagnostic.place.index,
    ) == ("dat-duplicate-id", "a", 1, 3, 2)
    assert data.find("a") == 0


def test_a_record_knows_its_place(write: Write) -> None:
    data = opened(write({"deep/d.csv": 'id,t\n1,"a\nb"\n\n2,c\n'}), "deep/d.csv")
    assert Location(file="deep/d.csv", line=5, index=1, record="2") == data.record(1).place
    assert data.record(1).fields == {"id": "2", "t": "c"}


def test_mapped_names_stand_beside_the_fields(write: Write) -> None:
    folder = write({"d.jsonl": [{"id": "1", "q": "why", "rag": {"contexts": ["x", "y"]}, "a.b": 3}]})
    fields = {"query": "q", "chunk": "rag.contexts[1]", "also": "rag.contexts.0", "dotted": "a.b", "gone": "rag.nope"}
    data = opened(folder, fields=fields, place=Location(file="readback.yml", line=2))
    (record,) = data.records()
    assert tuple(record.fields[n] for n in ("query", "chunk", "also", "dotted", "q")) == ("why", "y", "x", 3, "why")
    assert "gone" not in record.fields
    (diagnostic,) = data.diagnostics
    assert (diagnostic.code, diagnostic.values["key"], diagnostic.place.file) == (
        "dat-unknown-key",
        "rag.nope",
        "readback.yml",
    )


def test_an_unknown_field_comes_with_the_nearest_one(write: Write) -> None:
    (diagnostic,) = opened(
        write({"d.jsonl": [{"id": "1", "question": "why"}]}), fields={"query": "qestion"}
    ).diagnostics
    assert (diagnostic.values["nearest"], diagnostic.values["known"]) == ("question", ["id", "question"])


SECRET = "ann@example.org"
PRIVATE = [
    ({"private": ("email",)}, ["email"]),
    ({"private": ("who.email",), "fields": {"mail": "who.email", "person": "who"}}, ["mail", "person"]),
    ({"private": ("mail",), "fields": {"mail": "email"}}, ["mail", "email"]),
    ({"private": ("people.email",), "fields": {"first": "people[0].email"}}, ["first"]),
    ({"private": ("person.email",), "fields": {"person": "who"}}, ["person", "who"]),
]


@pytest.mark.parametrize(("settings", "names"), PRIVATE)
def test_private_fields_are_masked_under_every_name(write: Write, settings: dict[str, Any], names: list[str]) -> None:
    row = {"id": "1", "text": "hello"}
    if "email" in settings["private"] or settings.get("fields") == {"mail": "email"}:
        row |= {"email": SECRET}
    else:
        row |= {"who": {"email": SECRET}, "people": [{"email": SECRET}]}  # type: ignore[dict-item]
    if "person" in settings.get("fields", {}):
        row.pop("people", None)
    if "people.email" in settings["private"]:
        row.pop("who")
    data = opened(write({"d.jsonl": [row]}), **settings)
    record = data.record(0)
    assert record.masked
    assert SECRET not in json.dumps(record.fields)
    assert all("[masked]" in json.dumps(record.fields[name]) for name in names)
    assert list(data.search("ann@")) == []
    assert list(data.search("HELLO")) == [0]


def test_a_private_field_is_no_id(write: Write) -> None:
    data = opened(write({"d.jsonl": [{"id": SECRET}]}), private=("id",))
    assert (data.id_field, data.ids()) == (None, ("line_1",))
    assert opened(write({"d.jsonl": [{"id": SECRET}]}), id="id", private=("id",)).ids() == ("line_1",)


def test_a_private_field_that_is_nowhere_is_an_error(write: Write) -> None:
    (diagnostic,) = opened(write({"d.jsonl": [{"id": "1", "email": SECRET}]}), private=("emial",)).diagnostics
    assert (diagnostic.code, diagnostic.severity, diagnostic.values["nearest"]) == ("dat-unknown-key", "error", "email")


def test_invisible_characters_in_names_and_ids_are_said(write: Write) -> None:
    found = opened(write({"d.jsonl": '{"id": "a\u200b", "ti\u00a0tle": "x\u200b"}\n'})).diagnostics
    assert [(diagnostic.values["what"], diagnostic.values["characters"]) for diagnostic in found] == [
        ("id", ["U+200B"]),
        ("field name", ["U+00A0"]),
    ]


def test_without_a_source_there_is_one_empty_record(tmp_path: Path) -> None:
    data = open_dataset(tmp_path, None)
    assert (len(data), data.record(0).id, data.record(0).fields, data.diagnostics) == (1, None, {}, ())
    assert [data.record(0)] == list(data.records())
    assert data.spans() == ((0, 1),)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("no.jsonl", "dat-file-missing"),
        ("../d.jsonl", "dat-path-outside"),
        ("d.bin", "dat-not-recognised"),
        ("e.csv", "dat-empty-file"),
    ],
)
def test_what_cannot_be_read_is_a_dataset_without_records(write: Write, path: str, code: str) -> None:
    data = opened(write({"d.bin": b"\0", "e.csv": ""}), path)
    assert (0, [code]) == (len(data), codes(data))
    assert list(data.records()) == []
    assert data.spans() == ()


def test_notes_are_bounded_and_counted(write: Write) -> None:
    for begin in ("", '{"id": "1"}\n'):  # notes before the first record are kept as the others are
        data = opened(write({"d.jsonl": begin + '{"id"\n' * 1500}))
        assert (len(data.diagnostics), data.diagnostic_counts["dat-bad-line"], data.counts.bad) == (1001, 1500, 1500)
    data = opened(write({"d.jsonl": "[1]\n" * 1500 + '{"id": "1"}\n'}))
    assert (len(data.diagnostics), data.diagnostic_counts["dat-bad-line"], data.counts.bad) == (1001, 1500, 1500)


def test_that_not_every_fault_is_listed_is_a_finding(write: Write) -> None:
    row, more = '{"id": "1"}\n', {"code": "dat-duplicate-id", "told": 1000}
    assert "dat-many-faults" not in codes(opened(write({"d.jsonl": row * 1001})))
    data = opened(write({"d.jsonl": row * 1002}))
    assert codes(data)[-1:] == ["dat-many-faults"]
    assert data.diagnostics[-1].values == {**more, "count": 1001, "rest": 1}
    assert data.diagnostics[-1].place == Location(file="d.jsonl")


@pytest.mark.long
@pytest.mark.parametrize(("line", "told", "bad"), [("1\n", 1, True), ("x\n", 1001, True), ("\n", 1, False)])
def test_lines_of_one_byte_are_all_counted_however_many(write: Write, line: str, told: int, bad: bool) -> None:
    count = many(1_000_000)
    data = opened(write({"d.jsonl": line * count}))
    assert len(data.diagnostics) == told
    assert (data.counts.lines, data.counts.bad, data.counts.blank) == (count, count * bad, count * (not bad))
    assert codes(data)[-1:] == ["dat-many-faults" if told > 1 else "dat-bad-line" if bad else "dat-empty-file"]


@pytest.mark.parametrize(
    "kinds",
    [(b"x", b"[1]", b" x", b"nul"), (b"x\r", b"x"), (b'{"id": 1}', b"1", b'{"a"}', b'""'), (b"\xff", b"{", b"x", b"[")],
)
def test_a_short_line_that_was_refused_before_is_told_as_if_it_were_the_first(
    write: Write, monkeypatch: pytest.MonkeyPatch, kinds: tuple[bytes, ...]
) -> None:
    content = b"\n".join((*kinds, *reversed(kinds), *kinds)) + b"\n"
    remembered = opened(write({"d.jsonl": content}))
    monkeypatch.setattr(jsonl, "SHORT", -1)
    alone = opened(write({"e.jsonl": content}), "e.jsonl")
    assert [replace(one, place=replace(one.place, file="e.jsonl")) for one in remembered.diagnostics] == list(
        alone.diagnostics
    )
    assert (remembered.counts, remembered.diagnostic_counts) == (alone.counts, alone.diagnostic_counts)
    assert len(alone.diagnostics) > len(kinds)


def test_a_line_of_16_mib_is_read_and_a_longer_one_is_named(write: Write) -> None:
    row, rest = '{"id": "1"}', '{"id": "2"}'
    data = opened(write({"d.jsonl": f"{row.ljust(text_file.LONGEST)}\n{row.ljust(text_file.LONGEST + 2)}\n{rest}"}))
    assert data.ids() == ("1", "2")
    assert [(one.code, one.place.line) for one in data.diagnostics] == [("dat-too-large", 2)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[1]\n" * 1500, "records are objects, but none of its 1,500 rows is one; the first is a list"),
        ("7\n", "a number, where an object is needed"),
    ],
)
def test_a_file_without_a_single_object_is_said_once(write: Write, content: str, reason: str) -> None:
    data = opened(write({"d.jsonl": content}))
    (diagnostic,) = data.diagnostics
    assert (diagnostic.code, diagnostic.place.line, diagnostic.values["reason"]) == ("dat-bad-line", 1, reason)
    assert (data.diagnostic_counts, data.counts.bad) == ({"dat-bad-line": 1}, content.count("\n"))


@pytest.mark.parametrize("named", [None, "jsonl"])
def test_records_that_have_no_line_of_their_own_are_read_and_told_once(write: Write, named: str | None) -> None:
    records = [{"id": str(n), "t": ["é", {"n": n}]} for n in range(3)]
    apart = "".join(json.dumps(one, indent=2) for one in records)
    for content, how in ((apart, "written over several lines"), (json.dumps(records, indent=2), "written as one list")):
        data = opened(write({"my d.jsonl": content}), "my d.jsonl", format=named)
        assert [dict(data.record(at).fields) for at in range(3)] == records
        assert [data.record(at).id for at in range(3)] == ["0", "1", "2"]
        assert reconciled(data)
        (diagnostic,) = data.diagnostics
        assert (diagnostic.code, diagnostic.values["records"], diagnostic.values["how"]) == ("dat-over-lines", 3, how)
        assert "'my d.jsonl'" in diagnostic.values["command"]


def test_what_is_refused_is_told_in_its_order(write: Write) -> None:
    data = opened(write({"d.jsonl": '[1]\n{"id"\n2\n{"id": "1"}\n3\n'}))
    assert [diagnostic.place.line for diagnostic in data.diagnostics] == [1, 2, 3, 5]
    assert [diagnostic.place.line for diagnostic in opened(write({"d.jsonl": '[1]\n{"id"\n2\n'})).diagnostics] == [
        1,
        2,
        3,
    ]


def test_the_index_is_private_kept_and_read_again(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write({"d.jsonl": [{"id": str(n)} for n in range(9)] + [{"id": "1"}]})
    first = opened(folder, fields={"x": "nope"})
    monkeypatch.setattr("readback.records.dataset.build", None)
    again = opened(folder, fields={"x": "nope"})
    assert (first.diagnostics, first.counts, first.ids(), first.fields) == (
        again.diagnostics,
        again.counts,
        again.ids(),
        again.fields,
    )
    assert stat.S_IMODE(cache_folder.cache_folder().stat().st_mode) == 0o700
    for path in cache_folder.cache_folder().rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077 or stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_changed_file_is_read_anew_and_the_old_index_goes(write: Write) -> None:
    folder = write({"d.jsonl": [{"id": "a"}]})
    old = opened(folder)
    before = entries()
    (folder / "new").write_text('{"id": "b"}\n{"id": "c"}\n')
    (folder / "new").replace(folder / "d.jsonl")
    assert opened(folder).ids() == ("b", "c")
    assert old.record(0).fields["id"] == "a"  # the file as it was, as long as somebody looks at it
    assert len(before) == len(entries())


def test_a_file_written_to_while_it_is_open_is_told(write: Write) -> None:
    folder = write({"d.jsonl": [{"id": "a"}, {"id": "b"}]})
    data = opened(folder)
    (folder / "d.jsonl").write_text("short")
    with pytest.raises(DatasetChanged):
        data.record(1)


def test_a_damaged_index_is_made_again(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path_factory.mktemp("cache")))  # others are in use
    folder = write({"d.jsonl": [{"id": "a"}]})
    opened(folder)
    for kept in cache_folder.cache_folder().rglob("numbers.i64"):
        kept.write_bytes(b"123")
    assert opened(folder).ids() == ("a",)


def test_forgetting_a_folder_removes_what_was_kept_of_it(write: Write) -> None:
    folder = write({"up/d.jsonl": [{"id": "a"}], "d.jsonl": [{"id": "b"}]})
    opened(folder, "up/d.jsonl")
    opened(folder)
    assert cache_folder.forget(folder / "up") == 1
    assert cache_folder.forget(folder / "up") == 0
    (folder / "d.jsonl").unlink()
    assert cache_folder.tidy() >= 1


def test_progress_rises_to_the_end_and_stops_the_reading(write: Write) -> None:
    folder = write({"d.jsonl": "".join(f'{{"id": "{n}", "t": "{"x" * 1000}"}}\n' for n in range(12_000))})
    size = (folder / "d.jsonl").stat().st_size
    seen: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> bool:
        seen.append((done, total))
        return len(seen) < 3

    before = entries()
    with pytest.raises(Cancelled):
        open_dataset(folder, DatasetSource("d.jsonl"), progress)
    assert before == entries()
    risen: list[tuple[int, int]] = []

    def follow(done: int, total: int) -> bool:
        risen.append((done, total))
        return True

    open_dataset(folder, DatasetSource("d.jsonl"), follow)
    assert risen[-1] == (size, size)
    assert risen == sorted(risen)


def test_spans_cover_every_record_once(write: Write) -> None:
    data = opened(write({"d.jsonl": [{"id": str(n), "t": "x" * 100} for n in range(50)]}))
    spans = data.spans(1000)
    assert len(spans) > 3
    assert list(range(50)) == [index for start, stop in spans for index in range(start, stop)]


def test_search_looks_into_texts_whatever_the_case_and_the_spelling(write: Write) -> None:
    rows = '{"id": "1", "t": "Straße"}\n{"id": "2", "t": "\\u00c9t\\u00e9"}\n{"id": "3", "n": {"x": ["a\\nb"]}}\n'
    data = opened(write({"d.jsonl": rows}))
    searched = [list(data.search(text)) for text in ("STRASSE", "été", "A\nb", "t", "2")]
    assert searched == [[0], [1], [2], [0, 1], [1]]
    assert list(data.search("t", start=1)) == [1]


def test_lines_that_are_passed_over_hold_no_text_that_search_finds(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_lines, "SMALL", 0)
    texts = ["Straße", "\u212aelvin \u017f", "o\ufb03ce", "\u0130stanbul", 'a "b" \\ c\nd', "pi\u00f1a", "A.C", "abc"]
    for ascii_only in (True, False):
        rows = "".join(json.dumps({"id": str(n), "t": one, "n": n / 4}, ensure_ascii=ascii_only) + "\n"
                       for n, one in enumerate(texts * 2))  # fmt: skip
        data = opened(write({f"d{ascii_only}.jsonl": rows}), f"d{ascii_only}.jsonl")
        for text in (
            "STRASSE",
            "kelvin S",
            "office",
            "FFI",
            "i",
            "istan",
            '"',
            "c\nd",
            "pi\u00f1a",
            "a.c",
            "0.25",
            "zz",
        ):
            for start in (0, 5):
                expected = next(data.search(text, start, 14), None)
                assert raw_lines.find_first(data, text, start, 14) == expected, text
    assert raw_lines.find_first(data, "abc", 0, 9, lambda *_: False) is None


def test_several_threads_read_at_once(write: Write) -> None:
    data = opened(write({"d.jsonl": [{"id": str(n)} for n in range(500)]}))
    with ThreadPoolExecutor(8) as pool:
        assert [str(n) for n in range(500)] == list(pool.map(lambda n: data.record(n).fields["id"], range(500)))


def test_several_who_open_a_new_file_at_once_read_it_once(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write({"d.jsonl": [{"id": str(n)} for n in range(3000)]})
    built: list[int] = []

    def counted(*arguments: Any) -> None:
        built.append(1)
        build(*arguments)

    monkeypatch.setattr("readback.records.dataset.build", counted)
    with ThreadPoolExecutor(8) as pool:
        lengths = list(pool.map(lambda _: len(opened(folder)), range(8)))
    assert (lengths, built) == ([3000] * 8, [1])


def test_parquet_comes_as_json_values(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {
        "id": [1, 2],
        "price": [Decimal("1.50"), None],
        "when": [datetime.datetime(2020, 1, 2, 3), None],
        "day": [datetime.date(2020, 1, 2), None],
        "raw": [b"text", b"\xff\x00"],
        "list": [[{"a": 1}], []],
        "number": [0.5, float("nan")],
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "d.parquet")
    data = opened(tmp_path, "d.parquet")
    assert data.record(0).fields == {
        "id": 1,
        "price": "1.50",
        "when": "2020-01-02T03:00:00",
        "day": "2020-01-02",
        "raw": "text",
        "list": [{"a": 1}],
        "number": 0.5,
    }
    assert (data.record(1).fields["raw"], data.record(1).fields["price"], data.record(1).place.line) == (
        "/wA=",
        None,
        2,
    )
    assert (codes(data), data.ids(), data.format) == (["dat-nan"], ("1", "2"), "parquet")


def test_a_file_that_only_claims_to_be_parquet_is_a_note(write: Write) -> None:
    data = opened(write({"d.parquet": b"PAR1" + bytes(200) + b"PAR1"}), "d.parquet")
    assert (len(data), codes(data)[0]) == (0, "dat-bad-line")


def test_packed_files_are_reached_by_offset_too(write: Write) -> None:
    import gzip

    data = opened(write({"d.csv.gz": gzip.compress(b"id,t\n1,a\n2,b\n")}), "d.csv.gz")
    assert (data.record(1).fields, data.record(1).place.line, data.format) == ({"id": "2", "t": "b"}, 3, "csv in gzip")


def test_open_files_are_closed_with_the_dataset(write: Write) -> None:
    folder = write({"d.jsonl": [{"id": "a"}]})
    opened(folder)
    files = Path("/proc/self/fd")
    before = len(list(files.glob("*")))
    for _ in range(20):
        opened(folder).record(0)
    assert len(list(files.glob("*"))) <= before + 1


PATHS = [
    ("a", 1),
    ("b.c", [10, 20]),
    ("b.c[1]", 20),
    ("b.c.1", 20),
    ("x.y", "whole"),
    ("b.c[2]", MISSING),
    ("b.c.-1", MISSING),
    ("a.b", MISSING),
    ("", MISSING),
    ("null", None),
    ("b.c[99999999999999999999]", MISSING),
]


@pytest.mark.parametrize(("path", "expected"), PATHS)
def test_a_dotted_path_reaches_into_a_record(path: str, expected: Any) -> None:
    assert expected == look({"a": 1, "b": {"c": [10, 20]}, "x.y": "whole", "null": None}, path)


@pytest.mark.realdata
def test_the_real_study_opens(shared: Path) -> None:
    data = opened(shared / "data/prompt-formats", "offline_dataset.jsonl")
    assert (
        data.counts.read,
        data.counts.bad,
        data.counts.blank,
        data.counts.lines,
        data.id_field,
    ) == (16, 0, 0, 16, "task_id")
    assert all(isinstance(one, str) for one in data.ids())
    assert [data.find(data.ids()[3])] == [3]
    assert len(data.record(2).fields["rag"]["contexts"]) == 4


@pytest.mark.realdata
def test_a_hundred_records_in_301_lines_are_explained(shared: Path) -> None:
    data = opened(shared / "data/liverag-judge", "factor_analysis_query_level_scores.hyde.tsv")
    assert (data.counts.read, data.counts.lines, data.counts.header, data.counts.continued) == (100, 301, 1, 200)
    assert reconciled(data)
    assert data.record(0).id == "232"


@settings(max_examples=some(500), deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["a", "b", "a.b", "c"]),
            st.none() | st.dictionaries(st.sampled_from("bcd"), st.none() | st.just({"e": {"f": 1}}), max_size=2),
            max_size=4,
        ),
        max_size=8,
    )
)
def test_field_names_are_counted_as_if_row_by_row(given_rows: list[dict[str, Any]]) -> None:
    counted: dict[str, int] = {}
    seen = FieldNames(DatasetSource("f"), ())
    for row in given_rows:
        seen.add(row)
        for name in list_names(row):
            counted[name] = counted.get(name, 0) + 1
    assert list(seen.counts.items()) == list(counted.items())


def test_field_names_beyond_those_remembered_are_counted_too() -> None:
    seen = FieldNames(DatasetSource("f"), ())
    for _ in range(2):
        for number in range(600):
            seen.add({"id": 1, f"name_{number}": 2})
        seen.add(dict.fromkeys(map(str, range(300))))
    counts = seen.counts
    assert (counts["id"], counts["name_0"], counts["name_599"], counts["299"]) == (1200, 2, 2, 2)
