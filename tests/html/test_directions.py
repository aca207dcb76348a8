"""Names of a right-to-left script inside English sentences."""

from __future__ import annotations

import re

import pytest

from readback.html.directions import isolate_names

A, B = "ספר סגור", "كتاب مفتوح"


@pytest.mark.parametrize(
    ("written", "isolated"),
    [
        ("<p>“open” is better: +0.08 of 3</p>", "<p>“open” is better: +0.08 of 3</p>"),
        (f"<p>between “{A}” and “{B}”: +0.08</p>", f"<p>between “<bdi>{A}</bdi>” and “<bdi>{B}</bdi>”: +0.08</p>"),
        (f"<p>scale of {A}; 1, 2, 3 is inferred</p>", f"<p>scale of <bdi>{A}</bdi>; 1, 2, 3 is inferred</p>"),
        (f"<p>Record ש1, {B}, line 2</p>", f"<p>Record <bdi>ש1</bdi>, <bdi>{B}</bdi>, line 2</p>"),
        ("<p>for ספר 3 סגור 12 times</p>", "<p>for <bdi>ספר 3 סגור</bdi> 12 times</p>"),
        (f"<p>It is {A}.</p>", f"<p>It is <bdi>{A}</bdi>.</p>"),
        (f"<p>“mode A {B}”: 3</p>", f"<p>“<bdi>mode A {B}</bdi>”: 3</p>"),
        ("<p>by ג&#39;ורג&#39; 12</p>", "<p>by <bdi>ג&#39;ורג&#39;</bdi> 12</p>"),
        (f"“<b>{A}</b>”: 3", f"“<b><bdi>{A}</bdi></b>”: 3"),
        ("<p>“a\u202eb” is not fair.</p>", "<p>“<bdi>a\u202eb</bdi>” is not fair.</p>"),
        ("<p>“\u2067a” with “b”: 3</p>", "<p>“<bdi>\u2067a</bdi>” with “b”: 3</p>"),
        ("<p>1 place in x\u202dy. Next</p>", "<p>1 place in <bdi>x\u202dy</bdi>. Next</p>"),
        (f"<td> {A}, {A} </td>", f"<td> <bdi>{A}, {A}</bdi> </td>"),
    ],
)
def test_a_name_does_not_turn_the_sentence_around_it(written: str, isolated: str) -> None:
    assert isolate_names(written) == isolated
    assert re.sub("</?bdi>", "", isolated) == written


@pytest.mark.parametrize(
    "markup",
    [
        f'<a title="{A}: 3" href="?x={A}">x</a>',
        f'<div class="rb-exact rb-white">See <span>{A}: 3</span><br>of {A}</div>',
        f'<p class="rb-excerpt">of {A}</p>',
        f'<div class="text">of {A}</div>',
        f"<!-- of {A} -->",
        f"<svg><text>of {A}</text></svg>",
        f"<style>.x::after {{ content: 'of {A}' }}</style>",
        f"<p>of <bdi>{A}</bdi></p>",
    ],
)
def test_exact_texts_attributes_and_what_is_no_text_stay(markup: str) -> None:
    assert isolate_names(markup) == markup


def test_after_an_exact_text_names_are_isolated_again() -> None:
    assert isolate_names(f'<div class="rb-exact"><br>{A}</div>of {A}: 3').endswith(f"</div>of <bdi>{A}</bdi>: 3")
