"""Names that nobody expects: 300 characters with and without a blank, and names written from right to left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from served import At, open_page
from test_reach import OUTSIDE

pytestmark = pytest.mark.browser
SPACED = ("A condition of a name that goes on " * 9)[:300]
SOLID = ("AConditionOfANameThatGoesOn" * 12)[:300]
HEBREW, ARABIC = "ספר סגור", "كتاب مفتوح"
TOP = """(e) => { const box = e.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return box.width > 0 && box.right <= innerWidth && (e === top || e.contains(top)); }"""
# Down to it, and not to the side: what is cut there is cut for whoever does not scroll.
DOWN = """(e) => { e.scrollIntoView({block: 'center'});
    for (let p = e.parentElement; p; p = p.parentElement) p.scrollLeft = 0; }"""
# Where the first letter of each word of a text is drawn, from left to right.
ORDER = """(e, words) => { const found = [];
    const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) for (const word of words) {
        const at = node.data.indexOf(word);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at); range.setEnd(node, at + word.length);
        found.push([word, range.getBoundingClientRect().left]); }
    return found.sort((a, b) => a[1] - b[1]).map(([word]) => word); }"""


def study(write: Any, *names: str) -> Path:
    """A study of conditions of these names, scored, with three prompts that differ."""
    rows = [{"id": f"q{n}", "question": f"What does berth {n} cost?"} for n in range(12)]
    modes = {f"mode {n} {name}"[:300]: {"template": f"{n}: {{{{ question }}}}"} for n, name in enumerate(names)}
    scores = "item,condition,criterion,score\n" + "".join(
        f"q{n},{name},useful,{1 + (n + at) % 4}\n" for n in range(12) for at, name in enumerate(names)
    )
    config = {
        "dataset": "d.jsonl",
        "scores": ["s.csv"],
        "modes": modes,
        "conditions": [{"name": name, "mode": mode} for name, mode in zip(names, modes, strict=True)],
        "comparisons": [{"a": names[0], "b": names[1]}],
    }
    files = {"readback.yml": json.dumps(config, ensure_ascii=False), "d.jsonl": rows, "s.csv": scores}
    return Path(write(files))


def test_a_chip_of_300_characters_keeps_its_button(at: At, page: Any, write: Any) -> None:
    folder = study(write, "plain", SPACED, SOLID)
    for asked in ("prompts?view=sides", "results"):
        open_page(page, at(folder, asked), "[data-testid=stMultiSelect]")
        buttons = page.locator("[data-testid=stMultiSelect] [data-tag] button")
        for width in (1366, 390):
            page.set_viewport_size({"width": width, "height": 768})
            assert buttons.count()
            for number in range(buttons.count()):
                buttons.nth(number).evaluate(DOWN)
                assert buttons.nth(number).evaluate(TOP), (asked, width, number)
            assert page.evaluate(OUTSIDE)[:2] == [0, 0]
        page.set_viewport_size({"width": 1366, "height": 768})


def test_a_name_from_right_to_left_does_not_move_the_number_behind_it(at: At, page: Any, write: Any) -> None:
    open_page(page, at(study(write, HEBREW, ARABIC)), ".rb-status")
    sentence = page.locator(".rb-answer-first")
    words = sentence.inner_text().split()
    number = next(word for word in words if word[-1].isdigit())
    written = sorted(["between", HEBREW, "and", ARABIC, number, "points"], key=sentence.inner_text().index)
    assert written.index(number) == 4  # right behind the second name
    assert sentence.evaluate(ORDER, written) == written
