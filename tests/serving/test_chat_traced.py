"""A traced text has the characters of an ordinary one, and its stretches cover it, whatever is done to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.serving.chat.traced_text import (
    MOST,
    UNKNOWN,
    TooManySpans,
    TracedText,
    get_spans,
    join_texts,
    merge_spans,
)

PIECES = st.lists(st.tuples(st.text(st.sampled_from("ab \n\tß.%{}é"), max_size=6), st.integers(-4, 4)), max_size=5)
SHORT = st.text(st.sampled_from("ab \n%"), max_size=2)
WHOLE = st.integers(-7, 7)
STEPS: list[Callable[..., Any]] = [
    lambda t, s, n: t + s,
    lambda t, s, n: s + t,
    lambda t, s, n: t * n,
    lambda t, s, n: t[n:],
    lambda t, s, n: t[:n],
    lambda t, s, n: t[n : n + 3],
    lambda t, s, n: t[::-1],
    lambda t, s, n: t[n] if -len(t) <= n < len(t) else t,
    lambda t, s, n: t.strip(s or None),
    lambda t, s, n: t.lstrip(s or None),
    lambda t, s, n: t.rstrip(s or None),
    lambda t, s, n: t.split(s or None, n),
    lambda t, s, n: t.rsplit(s or None, n),
    lambda t, s, n: t.splitlines(),
    lambda t, s, n: t.splitlines(keepends=True),
    lambda t, s, n: t.partition(s or "a"),
    lambda t, s, n: t.rpartition(s or "a"),
    lambda t, s, n: t.replace(s, "xy", n),
    lambda t, s, n: t.replace(s, s + s),
    lambda t, s, n: t.removeprefix(s),
    lambda t, s, n: t.removesuffix(s),
    lambda t, s, n: t.join([s, t, s]),
    lambda t, s, n: t.upper(),
    lambda t, s, n: t.lower(),
    lambda t, s, n: t.title(),
    lambda t, s, n: t.capitalize(),
    lambda t, s, n: t.swapcase(),
    lambda t, s, n: t.center(n),
    lambda t, s, n: t.encode("utf-8"),
    lambda t, s, n: str(t),
    lambda t, s, n: f"{t}",
]


def traced(pieces: list[tuple[str, int]]) -> TracedText:
    return join_texts(TracedText(text, ((len(text), source),) if text else ()) for text, source in pieces)


def told(value: Any) -> Any:
    """The value as ordinary texts, once its stretches are seen to cover it."""
    if isinstance(value, list | tuple):
        return [told(one) for one in value]
    if isinstance(value, str):
        found = get_spans(value)
        assert sum(length for length, _ in found) == len(value)
        assert all(length > 0 for length, _ in found)
        return "".join(value)
    return value


@given(PIECES, st.sampled_from(STEPS), SHORT, WHOLE)
def test_what_is_done_to_a_traced_text_gives_what_it_gives_with_an_ordinary_one(
    pieces: list[tuple[str, int]], step: Callable[..., Any], short: str, number: int
) -> None:
    text = traced(pieces)
    assert told(step(text, short, number)) == told(step("".join(text), short, number))


@given(PIECES, st.integers(0, 20), st.integers(0, 20))
def test_a_slice_keeps_for_each_character_where_it_came_from(
    pieces: list[tuple[str, int]], start: int, stop: int
) -> None:
    text = traced(pieces)
    sources = [source for part, source in pieces for _ in part]
    assert [source for length, source in get_spans(text[start:stop]) for _ in range(length)] == sources[start:stop]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda t: "%s-%s" % (t, 1), None),  # noqa: UP031 - the form that templates use
        (lambda t: TracedText("%s-%s", ((5, -3),)) % (t, "x"), ((2, 7), (1, -3), (1, UNKNOWN))),
        (lambda t: TracedText("%5s", ((3, -3),)) % t, ((5, UNKNOWN),)),
        (lambda t: TracedText("a", ((1, -3),)) + t + TracedText("b", ((1, -3),)), ((1, -3), (2, 7), (1, -3))),
        (lambda t: t.replace("x", "y"), ((1, UNKNOWN), (1, 7))),
    ],
)
def test_only_what_is_certain_is_claimed(made: Callable[[TracedText], str], expected: Any) -> None:
    found = made(TracedText("xz", ((2, 7),)))
    assert (get_spans(found) if type(found) is TracedText else None) == expected


def test_a_text_of_too_many_stretches_is_given_up() -> None:
    with pytest.raises(TooManySpans):
        merge_spans((1, i) for i in range(MOST + 1))
    with pytest.raises(TooManySpans):
        TracedText("ab", ((1, 1), (1, 2))) * MOST


def test_a_template_cannot_read_the_stretches_and_nothing_else_is_new() -> None:
    own = {name for name in dir(TracedText) if name not in dir(str)}
    assert all(name.startswith("_") for name in own)
