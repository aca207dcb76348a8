"""Entries out of the tool: Markdown that is only words, and plain values that come back as they were."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.bookmarks import markdown
from readback.bookmarks.entry import (
    AROUND,
    STRETCH,
    WHOLE,
    Entry,
    Excerpt,
    cut_beginning,
    cut_excerpt,
    read_entry,
    split_at_marks,
)

WORDS = {
    "link": "See it",
    "left_before": "{n} before",
    "left_after": "{n} after",
    "spelled": "written out",
    "workspace": "Workspace",
    "error": "error",
    "warning": "warning",
    "info": "note",
}
HOSTILE = "<img src=x onerror=alert(1)> ![a](http://evil/x.png) | `code` *b* _i_ [l](http://evil) &amp; \\"
ONE = Entry(
    "finding",
    "the user message repeats system text",
    "http://host/prompts?record=1&finding=ab",
    (Excerpt("before You are brief. after", "user message", ((7, 21),)),),
    ("record 1", "leave it out"),
    (("Fingerprint", "0f" * 32),),
    "error",
    "Study",
)
TEXTS = st.text(st.characters(codec=None), max_size=60)


def test_an_entry_says_the_sentence_the_excerpt_the_link_and_the_fingerprint() -> None:
    assert markdown.format_entry(ONE, WORDS) == (
        "**error:** the user message repeats system text\n\n- record 1\n- leave it out\n\n*user message*\n\n"
        "```text\nbefore You are brief. after\n```\n\n"
        f"Workspace: Study  \nFingerprint: `{'0f' * 32}`  \n[See it](<http://host/prompts?record=1&finding=ab>)\n"
    )


@pytest.mark.parametrize("text", ["# no heading", "- no list", "1. no list", "+ x", "=== x", "2) y"])
def test_a_sentence_makes_no_heading_and_no_list(text: str) -> None:
    assert not re.match(r"(#|-|\+|=|\d+[.)])", markdown.line(text))
    assert text == re.sub(r"\\(.)", r"\1", markdown.line(text))


def test_markup_in_a_sentence_is_only_words() -> None:
    said = markdown.line(HOSTILE)
    assert re.sub(r"\\(.)", r"\1", said) == HOSTILE
    assert not re.search(r"(?<!\\)[<>`*_\[\]|&!]", said)


@given(TEXTS)
def test_a_fence_is_longer_than_any_in_the_text(text: str) -> None:
    lines = markdown.fence(text).split("\n")
    bar = lines[-1]
    assert lines[0] == f"{bar}text"
    assert bar not in text
    assert "\n".join(lines[1:-1]) == text


@given(TEXTS)
def test_what_markdown_cannot_hold_is_written_out_and_the_rest_is_as_it_is(text: str) -> None:
    said = markdown.spelling(text)
    said.encode("utf-8")
    assert not re.search("[\x00\r\u202e\ud800-\udfff]", said)
    if not markdown.UNKEPT.search(text):
        assert said == text


def test_that_something_was_written_out_or_left_out_is_said() -> None:
    one = Entry("message", "m", excerpts=(Excerpt("a\0b", "", (), 4, 10), Excerpt("plain")))
    said = markdown.format_entry(one, WORDS)
    assert "(4 before; 3 after; written out)" in said
    assert "a\\u0000b" in said
    assert said.count("written out") == 1


@pytest.mark.parametrize("link", ["http://h/x> y", "/x`<b>", 'http://h/"\n'])
def test_a_link_cannot_be_left(link: str) -> None:
    assert not re.search(r'[<>"`\s]', markdown.quote_link(link))


# Python's parser drops references to control characters, which browsers keep: tests/browser looks at those.


def test_a_lone_surrogate_stops_no_export() -> None:
    one = Entry("finding", "\ud800", "/x?\ud800", (Excerpt("\ud800\r\0"),), ("\udfff",))
    markdown.format_entry(one, WORDS).encode("utf-8")
    assert read_entry(json.loads(json.dumps(asdict(one)))) == one
    assert len(one.key) == 16


def test_a_stretch_has_its_context_and_says_what_is_left_out() -> None:
    text = "a" * 200 + "HERE" + "b" * 300
    part = cut_excerpt(text, 200, 204)
    assert part.text == "a" * AROUND + "HERE" + "b" * AROUND
    assert (part.before, part.after) == (200 - AROUND, 300 - AROUND)
    assert split_at_marks(part) == (("a" * AROUND, False), ("HERE", True), ("b" * AROUND, False))


def test_of_a_long_stretch_the_beginning_is_taken() -> None:
    part = cut_excerpt("x" * 5_000_000, 10, 4_000_000)
    assert len(part.text) == 10 + STRETCH
    assert part.after == 5_000_000 - 10 - STRETCH
    assert len(cut_beginning("y" * 5_000_000).text) == WHOLE


@given(st.text(max_size=300), st.integers(-5, 400), st.integers(-5, 400))
def test_an_excerpt_is_always_a_part_of_its_text(text: str, start: int, end: int) -> None:
    part = cut_excerpt(text, start, end)
    assert part.text == text[part.start : part.start + len(part.text)]
    assert part.before + len(part.text) + part.after == len(text)
    assert "".join(piece for piece, _ in split_at_marks(part)) == part.text
