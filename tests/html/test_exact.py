"""Exact text as HTML: what a browser makes of it is the text again."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.html import exact
from readback.types import Segment

GLYPHS = {"\0": "NUL", "\r": "CR"}


class Reader(HTMLParser):
    """The text of HTML as a browser reads it, numeric references and all; it collects classes on the way."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.text, self.classes = "", []

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_charref(self, name: str) -> None:
        code = int(name[1:], 16) if name.startswith("x") else int(name)
        assert not 0x7F <= code <= 0x9F, "a browser maps references to U+0080..U+009F to other characters"
        self.text += chr(code)

    def handle_entityref(self, name: str) -> None:
        self.text += {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}[name]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("div", "span", "mark")
        self.classes.append(dict(attrs).get("class") or "")


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def shown(text: str) -> str:
    """What the page says for a text: the same, but for what no browser keeps."""
    return "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else GLYPHS.get(c, c) for c in text)


texts = st.text(st.characters() | st.sampled_from(" \t\n\r\0<>&\"'`\u2028\u202e\u0085\ud800"), max_size=60)


@given(st.lists(texts, max_size=5), st.booleans())
def test_the_text_of_the_html_is_the_text(parts: list[str], whitespace: bool) -> None:
    segments = [Segment(part, "template") for part in parts]
    html = exact.html(segments, whitespace=whitespace)
    assert shown("".join(parts)) == read(html).text


@given(texts.filter(bool), st.data())
def test_marks_change_no_character(text: str, data: st.DataObject) -> None:
    spans = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    pairs = data.draw(st.lists(spans, max_size=4))
    marks = [exact.Mark(min(p), max(p), n, "error", "why") for n, p in enumerate(pairs)]
    half = len(text) // 2
    segments = [Segment(text[:half], "template"), Segment(text[half:], "variable", "q")]
    assert shown(text) == read(exact.html(segments, marks)).text


def test_no_raw_line_end_or_other_control_character_is_left_for_the_element_to_strip() -> None:
    assert not any(ord(c) < 32 for c in exact.text("".join(map(chr, range(33)))))


def test_characters_from_80_to_9f_stay_raw() -> None:
    assert "\x85" in exact.text("\x85")
    assert "&#133;" not in exact.text("\x85")


@pytest.mark.parametrize(
    ("character", "glyph"), [("\0", "NUL"), ("\r", "CR"), ("\ud800", "\\ud800"), ("\udfff", "\\udfff")]
)
def test_what_no_browser_keeps_is_a_glyph_with_its_code(character: str, glyph: str) -> None:
    html = exact.text(character)
    assert f'data-code="{ord(character):04x}"' in html
    assert f">{glyph}</span>" in html


def test_invisible_characters_carry_a_label_beside_them() -> None:
    assert '<span class="rb-c" data-c="rlo">&#8238;</span>' in exact.text("\u202e")


def test_joined_emoji_stay_joined() -> None:
    assert "<span" not in exact.text("👩\u200d👧")
    assert "zwj" in exact.text("👩\u200d👧", whitespace=True)


@pytest.mark.parametrize(
    ("origin", "look"),
    [("system", "yours"), ("task", "yours"), ("template", "yours"), ("instruction", "yours"), ("joiner", "yours"),
     ("variable", "data"), ("default", "default"), ("adapter", "adapter"), ("serving", "server"),
     ("unknown", "unknown")],
)  # fmt: skip
def test_each_origin_has_its_look(origin: str, look: str) -> None:
    assert f"rb-s rb-{look}" in read(exact.html([Segment("x", origin)])).classes  # type: ignore[arg-type]


def test_a_mark_over_two_segments_says_its_number_once() -> None:
    html = exact.html([Segment("abc", "template"), Segment("def", "variable")], [exact.Mark(1, 5, 7, "error", "t")])
    assert html.count("<mark") == 2
    assert html.count('data-n="7"') == 1


def test_untrusted_words_stay_inside_their_attribute() -> None:
    html = exact.html([Segment("x", "variable", 'a"><script>')], describe=lambda s: s.name or "")
    assert "<script" not in html
    assert "rb-s rb-data" in read(html).classes


def test_a_long_text_shows_the_part_around_the_finding_and_says_how_much_is_left_out() -> None:
    segments = [Segment("a" * 1_000_000, "template"), Segment("b" * 1_000_000, "variable")]
    shown_, start, left = exact.window(segments, here=1_500_000)
    assert sum(len(s.text) for s in shown_) == exact.SHOWN
    assert (start, left) == (1_500_000 - exact.BEFORE, 2_000_000 - exact.SHOWN)
    assert exact.shift_mark(exact.Mark(1_500_000, 1_500_010, 1, "error", ""), -start).start == exact.BEFORE


def test_a_short_text_is_whole() -> None:
    assert ((Segment("x", "template"),), 0, 0) == exact.window([Segment("x", "template")])


@pytest.mark.parametrize(
    ("text", "lines", "end"),
    [
        ("", 2, 0),
        ("one\ntwo\nthree", 2, 8),
        ("one\ntwo\nthree", 3, 13),
        ("one two three", 1, 8),  # ten characters are a line, which ends after a word
        ("onetwothreefour", 1, 10),
        ("one two three\n\nfour", 3, 15),
    ],
)
def test_a_fold_is_after_so_many_lines_of_a_width(text: str, lines: int, end: int) -> None:
    assert end == exact.find_fold(text, 0, lines, 10)
