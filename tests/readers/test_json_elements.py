"""A list in a big JSON object is read element by element: bad elements cost themselves, memory is bounded."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.readers.logs import json_elements
from readback.readers.logs.json_elements import Unreadable, iterate_elements, read_without

PATH = ("results", "results")
ROWS = [{"a": 1, "text": 'x {"y": [1]} \\" é 水 🤷'}, {"a": None, "b": [[], {}]}, {"c": 1.5}]
LOG = {"id": "e", "results": {"version": 3, "results": ROWS, "stats": {"n": 3}}, "config": {"tests": [{"q": 1}]}}
REST = {"id": "e", "results": {"version": 3, "stats": {"n": 3}}, "config": {"tests": [{"q": 1}]}}


def read(text: str | bytes, path: tuple[str, ...] = PATH, **more: Any) -> list[tuple[int, Any]]:
    data = text.encode() if isinstance(text, str) else text
    return list(iterate_elements(io.BytesIO(data), path, **more))


def values(text: str | bytes, path: tuple[str, ...] = PATH) -> list[Any]:
    return ["bad" if isinstance(value, Unreadable) else value for _, value in read(text, path)]


@pytest.mark.parametrize("indent", [None, 0, 1, 2, 4, "\t"])
def test_elements_and_rest_are_those_of_the_whole_object(indent: Any) -> None:
    text = json.dumps(LOG, indent=indent, ensure_ascii=False)
    rest: dict[str, Any] = {}
    assert [value for _, value in read(text, rest=rest)] == ROWS
    assert rest == REST
    assert read_without(io.BytesIO(text.encode()), PATH) == REST
    assert read_without(io.BytesIO(text.encode()), PATH, leave=[("config",)]) == {k: REST[k] for k in ("id", "results")}


def test_lines_are_those_of_the_file() -> None:
    text = '{"samples": [\n{"a": 1},\n\n{"a": 2}]}'
    assert read(text, ("samples",)) == [(2, {"a": 1}), (4, {"a": 2})]


def test_a_mark_at_the_beginning_is_no_fault() -> None:
    assert values(b"\xef\xbb\xbf" + json.dumps(LOG).encode()) == ROWS


def test_numbers_that_are_none_are_null() -> None:
    text = '{"samples": [{"a": NaN, "b": -Infinity, "c": 1e999, "d": 1.0, "e": 12345678901234567890123}]}'
    assert values(text, ("samples",)) == [{"a": None, "b": None, "c": None, "d": 1.0, "e": 12345678901234567890123}]


def test_a_key_that_stands_twice_is_named() -> None:
    repeated: list[tuple[int, str]] = []
    assert read('{"samples": [\n{"a": 1, "a": 2}]}', ("samples",), repeated=repeated) == [(2, {"a": 2})]
    assert repeated == [(2, "a")]


@pytest.mark.parametrize(
    "text",
    [
        '{"samples": [\n  {"a": 1},\n  {"a": tru},\n  {"a": 3}\n], "rest": [\n  {"z": 1}\n]}',
        '{"samples": [{"a": 1}, {"a": tru}, {"a": 3}]}',
        '{"samples": [{"a": 1}, {"a": "\xff"}, {"a": 3}]}'.encode("latin-1"),
        '{"samples": [{"a": 1}, ' + '{"d":' * 5000 + "1" + "}" * 5000 + ', {"a": 3}]}',
        '{"samples": [\n  {"a": 1},\n  {"a": "open},\n  {"a": 3}\n]}',
    ],
)
def test_a_bad_element_costs_itself_alone(text: str | bytes) -> None:
    assert values(text, ("samples",)) == [{"a": 1}, "bad", {"a": 3}]


def test_the_last_element_may_be_bad() -> None:
    text = '{"samples": [\n  {"a": 1},\n  {"a": tru}\n],\n"rest": [\n  {"z": 1}\n]}'
    rest: dict[str, Any] = {}
    assert next(value for _, value in read(text, ("samples",), rest=rest)) == {"a": 1}
    assert rest == {"rest": [{"z": 1}]}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_that_ends_early_gives_what_was_before(indent: int | None) -> None:
    text = json.dumps(LOG, indent=indent)
    for end in range(len(text)):
        rows = values(text[:end])
        assert rows[-1] == "bad" or rows == ROWS
        good = [row for row in rows if row != "bad"]
        assert good == ROWS[: len(good)]
        read_without(io.BytesIO(text[:end].encode()), PATH)


@pytest.mark.parametrize("text", ["", "[]", "1", "{}", '{"results": []}', '{"results": {"results": 1}}', "\x00", "{"])
def test_without_the_list_the_last_thing_is_that_it_is_missing(text: str) -> None:
    assert set(values(text)) == {"bad"}


def test_the_list_twice_is_named() -> None:
    assert values('{"samples": [1], "samples": [2]}', ("samples",)) == [1]
    rest: dict[str, Any] = {}
    assert [
        "bad" if isinstance(v, Unreadable) else v
        for _, v in read('{"samples": [1], "samples": [2]}', ("samples",), rest=rest)
    ] == [1, "bad"]


def test_memory_is_bounded() -> None:
    class Stream(io.RawIOBase):
        """Two hundred megabytes of elements, and a value beside them of a hundred."""

        def __init__(self) -> None:
            self.parts = iter(
                [b'{"big": ["', *[b"x" * (1 << 20)] * 100, b'"], "samples": ['],
            )
            self.count = 0
            self.left = b""

        def seek(self, offset: int, whence: int = 0) -> int:
            self.parts = iter([b'{"big": ["', *[b"x" * (1 << 20)] * 100, b'"], "samples": ['])
            self.left = b""
            return 0

        def read(self, size: int = -1) -> bytes:  # type: ignore[override]
            while len(self.left) < size:
                part = next(self.parts, None)
                if part is None:
                    self.count += 1
                    part = b'{"a": "' + b"y" * (1 << 20) + b'"}' + (b"]}" if self.count == 200 else b",")
                    if self.count > 200:
                        break
                self.left += part
            data, self.left = self.left[:size], self.left[size:]
            return data

    tracemalloc.start()
    rest: dict[str, Any] = {}
    count = sum(1 for _ in iterate_elements(Stream(), ("samples",), rest=rest))  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 200
    assert isinstance(rest["big"], Unreadable)
    assert peak < 150 << 20


@given(
    st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3) | st.none() | st.integers(), max_size=3)),
    st.data(),
)
def test_whatever_is_damaged_nothing_is_raised(rows: list[Any], data: st.DataObject) -> None:
    text = bytearray(
        json.dumps(
            {"id": 1, "results": {"results": rows, "n": [1]}}, indent=data.draw(st.sampled_from([None, 2]))
        ).encode()
    )
    rng = random.Random(data.draw(st.integers(0, 1 << 30)))
    for _ in range(rng.randint(0, 4)):
        at = rng.randrange(len(text))
        text[at : at + rng.randint(0, 3)] = bytes(rng.choices(b'{}[]",:\\ \n\xff0aN', k=rng.randint(0, 3)))
    rest: dict[str, Any] = {}
    list(iterate_elements(io.BytesIO(bytes(text)), PATH, rest=rest))
    read_without(io.BytesIO(bytes(text)), PATH)


def test_many_bad_elements_end_the_reading() -> None:
    text = '{"samples": [' + ", ".join(["{x}"] * 3000) + "]}"
    assert len(read(text, ("samples",))) <= json_elements.MOST_BAD + 3


@pytest.mark.parametrize("text", ['{"samples": [1]} x', '{"samples": [1]}}'])
def test_what_follows_the_end_is_named(text: str) -> None:
    rest: dict[str, Any] = {}
    assert [1, Unreadable("something follows the end")] == [value for _, value in read(text, ("samples",), rest=rest)]
    assert [1, Unreadable("something follows the end")] == [value for _, value in read("[1] x", ())]
