"""The fast way to read a line of JSON and our own reader: the same values, and no diagnostic is lost."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from counts import many
from hypothesis import example, given, settings
from hypothesis import strategies as st

from readback.readers import jsonl
from readback.readers.files.row import Event, Row
from readback.readers.json_text import DEEPEST, Decoder, Plain, decode_plain
from readback.types import Location

LETTERS = st.text(st.characters(exclude_categories=()), max_size=6)  # half surrogate pairs, too
PIECES = ['"', "\\", "a", ":", ",", "{", "}", "[", "]", " ", "\u2028", "é", "😀", "\x7f", "\x00", "\ud800", "u0022"]
TEXTS = LETTERS | st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
NUMBERS = st.integers() | st.integers(-(1 << 70), 1 << 70) | st.floats()
SPELLED = ("-0", "-0.0", "1e3", "1E+2", "1e999", "-1e999", "1e-400", "NaN", "Infinity", "-Infinity", "01", "1.", ".5")
DAMAGE = (b"", b'"', b"\\", b"\xff", b"\xed\xa0\x80", b"\x00", b"\t", b"}", b":", b",", b"1")
BLANKS = st.sampled_from(["", "", "", " ", "\t", "  "])


@st.composite
def written(draw: st.DrawFn, levels: int = 3) -> str:
    """A value as somebody may write it: blanks anywhere, keys twice, texts escaped in one way or the other."""
    around = [draw(BLANKS) for _ in range(4)]
    kinds = ["text", "number", "word"] + ["object", "object", "list"] * (levels > 0)
    match draw(st.sampled_from(kinds)):
        case "text":
            return text(draw)
        case "number":
            return draw(st.sampled_from(SPELLED)) if draw(st.booleans()) else json.dumps(draw(NUMBERS))
        case "word":
            return draw(st.sampled_from(["true", "false", "null"]))
        case "list":
            items = [draw(written(levels - 1)) for _ in range(draw(st.integers(0, 3)))]
            return "[" + around[0] + f"{around[1]},{around[2]}".join(items) + around[3] + "]"
        case _:
            return thing(draw, levels, around)


def text(draw: st.DrawFn) -> str:
    return json.dumps(draw(TEXTS), ensure_ascii=draw(st.booleans())).replace(
        '\\"', draw(st.sampled_from(['\\"', "\\u0022"]))
    )


def thing(draw: st.DrawFn, levels: int, around: list[str]) -> str:
    keys = [draw(st.sampled_from(['"a"', '"b"', '"\\u0061"', '":"'])) if draw(st.booleans()) else text(draw)
            for _ in range(draw(st.integers(0, 3)))]  # fmt: skip
    pairs = [f"{key}{around[1]}:{around[2]}{draw(written(levels - 1))}" for key in keys]
    return "{" + around[0] + ",".join(pairs) + around[3] + "}"


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """An object as bytes, sometimes damaged: bytes taken out, put in or changed."""
    line = thing(draw, 3, [draw(BLANKS) for _ in range(4)]).encode("utf-8", "surrogatepass")
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        at = draw(st.integers(0, len(line)))
        put = draw(st.sampled_from(DAMAGE))
        line = line[:at] + put + line[at + draw(st.integers(0, 2)) :]
    return line


def slowly(raw: bytes) -> tuple[Any, bool]:
    """What our own reader makes of it, and whether it has anything to say."""
    decoder = Decoder()
    try:
        value = decoder.whole(raw.decode("utf-8"))
    except Exception:
        return None, True
    said = not isinstance(value, dict) or bool(decoder.diagnostics(value, Location(line=1)))
    return value, said or bool(decoder.repeated) or decoder.endless


@settings(max_examples=many(20_000), deadline=None)
@given(lines())
@example(b'{"a": 1, "a": 2}')
@example(b'{"a": 1, "a": "\\u0022\\u0022"}')
@example(b'{"a": {"b" : [], "b":[]}}')
@example(b'{"a": 1, "\\u0061": 2}')
@example(b'{"": 1, "": ":"}')
@example(b'{"a": "\\ud800"}')
@example(b'{"a": "\\ud800\\u0041bcdefgh"}')
@example(b'{"a": "\\udc00 later"}')
@example(b'{"a": "\\ud83d\\ude00"}')
@example(b'{"a": 1e999}')
@example(b'{"a": 123456789012345678901234567890, "b": -9223372036854775809, "c": 18446744073709551616}')
@example(b'{"a": -0, "b": -0.0, "c": 1.0, "d": 1e3, "e": 5e-324}')
@example(b'{"a": "\xe2\x80\xa8"}')
@example(b'\xef\xbb\xbf{"a": 1}')
@example(b'{"a": "\\\\"}')
@example(b'{"a": "x"} {"b": 1}')
def test_what_is_read_fast_is_what_our_own_reader_reads_and_has_nothing_to_report(raw: bytes) -> None:
    value, said = slowly(raw)
    for found in readings(raw):
        if found is not None:
            assert not said
            assert spelled(found) == spelled(value)
    if (found := decode_plain(raw)) is not None:  # a repeated key is not asked for here
        assert spelled(found) == spelled(value)


def readings(raw: bytes) -> list[dict[str, Any] | None]:
    """What a reader makes of a line as the first one of its file, and after lines that are written in each way."""
    found = []
    for before in (b"", b'{"a": [1, 2]}', b'{"a":[1,2]}', b'{"a" : 1}'):
        reader = Plain()
        reader.read(before)
        found.append(reader.read(raw))
    return found


def spelled(value: Any) -> str:
    """Values with their types and order of keys: 1 is not 1.0 and -0.0 not 0.0."""
    return repr(value)


@settings(max_examples=many(20_000), deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 25), st.integers(-330, 310))
def test_floats_are_the_nearest_ones_however_they_are_written(number: float, digits: int, power: int) -> None:
    for spelling in (repr(number), f"{number:.{digits}e}", f"{abs(int(number)) % 10**digits}.5e{power}"):
        found = decode_plain(b'{"a": %s}' % spelling.encode())
        if found is not None:
            assert repr(found["a"]) == repr(float(spelling))


@pytest.mark.parametrize("levels", [DEEPEST - 1, DEEPEST, DEEPEST + 1, 5_000, 200_000])
def test_what_is_nested_too_deep_is_left_to_our_own_reader(levels: int) -> None:
    raw = b'{"a":' * levels + b"1" + b"}" * levels
    assert {one is not None for one in (*readings(raw), decode_plain(raw))} == {levels <= DEEPEST}
    assert slowly(raw)[1] == (levels > DEEPEST)


def test_a_plain_record_goes_the_fast_way() -> None:
    record = {"id": 7, "q": 'What is "it": {a}?\n', "rag": {"contexts": ["[1] \\ é", ""], "n": [1.5, None, True]}}
    for raw in (
        json.dumps(record),
        json.dumps(record, ensure_ascii=False),
        json.dumps(record, ensure_ascii=False, separators=(",", ":")),
        json.dumps(record, indent=1),
    ):
        assert [*readings(raw.encode()), decode_plain(raw.encode())] == [record] * 5


@settings(max_examples=many(5_000), deadline=None)
@given(st.lists(lines() | st.sampled_from([b"", b" ", b"# said", b'{"a":', b'"b": 1}']), max_size=6), st.booleans())
def test_a_file_gives_the_same_events_as_without_the_fast_way(parts: list[bytes], windows: bool) -> None:
    data = (b"\r\n" if windows else b"\n").join(parts)
    fast = events(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plain, "read", lambda self, raw: None)
        slow = events(data)
    assert spelled(fast) == spelled(slow)
    for event in fast:
        if isinstance(event, Row):
            assert spelled(jsonl.parse(event.raw, {})) == spelled(event.fields)


def events(data: bytes) -> list[Event]:
    return list(jsonl.rows(io.BytesIO(data), "f"))
