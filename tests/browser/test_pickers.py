"""Every list of Messages and Compare shows what is chosen in it whole; a name that is too long for one is below it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from counts import part
from served import LAPTOP, At, turn_to

import readback
from readback.project_files import EXAMPLES

pytestmark = pytest.mark.browser
Write = Callable[[Mapping[str, Any]], Path]
SIZES = (LAPTOP, {"width": 1920, "height": 1080})
ZOOMED = ({"width": 683, "height": 384}, {"width": 320, "height": 700})
# The lists whose words do not fit, by what each shows. Of the record these are the first words of its question.
CUT = """() => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stSelectbox] input')]
    .filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth && !e.closest('.st-key-record'))
    .map((e) => e.value)"""
BELOW = "[...document.querySelectorAll('.rb-wrapped')].filter((e) => e.checkVisibility()).map((e) => e.textContent)"
ROWS = """name => new Set([...document.querySelectorAll(`.st-key-${name} :is(button, .rb-bar-word, [role=combobox])`)]
    .filter((e) => e.checkVisibility()).map((e) => Math.round(e.getBoundingClientRect().bottom / 20))).size"""
DEMOS = ("six-conditions-mistakes", "six-conditions", "tri-section", "town-hall-albert")
REAL = ("prompt-formats", "mtrag", "llmjudge", "liverag-judge", "checkpoints", "legal", "albert")
LONG = "retrieval with reciprocal rank fusion over three indexes, reranked, 12 passages, advanced prompt, seed "


def longest(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The addresses' keys for the condition with the longest name, as A and as B."""
    names = sorted((one.name for one in readback.open(folder).workspace.conditions if one.mode or one.task), key=len)
    return ({"condition": names[-1]}, {"b_condition": names[-1]}) if names else ({}, {})


def addresses(at: At, folder: Path) -> list[str]:
    a, b = longest(folder)
    asked = (a, a | {"view": "difference"}, b | {"view": "difference"})
    return [at(folder, f"prompts?{urlencode(keys)}") for keys in asked]


@pytest.mark.realdata
@pytest.mark.parametrize("name", part((*DEMOS, *REAL), 1))
def test_no_list_cuts_a_name(at: At, tour: Any, shared: Path, name: str) -> None:
    for url in addresses(at, EXAMPLES / name if name in DEMOS else shared / "data" / name):
        turn_to(tour, url)
        for size in SIZES:
            tour.set_viewport_size(size)
            tour.wait_for_timeout(200)
            assert set(tour.evaluate(CUT)) <= set(tour.evaluate(BELOW)), (url, size)


def test_a_name_that_no_list_can_show_whole_is_below_it(at: At, tour: Any, write: Write) -> None:
    conditions = "".join(f"  - {{name: '{LONG}{n}', mode: {mode}}}\n" for n, mode in enumerate(("plain", "cited")))
    rows = "".join(json.dumps({"id": f"r{n}", "q": "Why?"}) + "\n" for n in range(3))
    folder = write({"readback.yml": f"dataset: d.jsonl\nconditions:\n{conditions}modes:\n"
                    "  - {mode: plain, template: '{{ q }}'}\n  - {mode: cited, template: 'Cite. {{ q }}'}\n",
                    "d.jsonl": rows})  # fmt: skip
    for name, shown in (("prompts", ".rb-wrapped"), ("prompts?view=difference", ".rb-side-name")):
        turn_to(tour, at(folder, name))
        assert tour.evaluate(CUT)  # else this test tries nothing
        assert f"{LONG}0" in tour.locator(shown).first.inner_text()
        assert tour.locator(shown).first.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_on_a_phone_a_name_that_its_list_cuts_is_below_it_and_no_other(at: At, tour: Any) -> None:
    record = "1 · Where does a vessel longer than 60 metres take its pilot on board? · ellery-01"
    long, short = "mistake 4: another system message in one condition", "base, open book"
    for condition, below in ((long, [long, record]), (short, [record])):
        asked = urlencode({"condition": condition, "record": "ellery-01"})
        turn_to(tour, at(EXAMPLES / "six-conditions-mistakes", f"prompts?{asked}"))
        tour.set_viewport_size({"width": 390, "height": 844})
        tour.wait_for_timeout(300)
        assert tour.evaluate(BELOW) == below
    tour.set_viewport_size(LAPTOP)  # there the record stands beside the messages
    tour.wait_for_timeout(300)
    assert tour.evaluate(BELOW) == []


def test_zoomed_in_compare_keeps_a_word_beside_its_list_and_its_answer_on_the_first_screen(at: At, tour: Any) -> None:
    turn_to(tour, at(EXAMPLES / "six-conditions", "prompts?view=difference"))
    for size, rows in zip(ZOOMED, (3, 5), strict=True):
        tour.set_viewport_size(size)
        tour.wait_for_timeout(300)
        for part_of in ("part_how", "part_b_side", "part_layer"):
            assert tour.evaluate(ROWS, part_of) == 1, (size, part_of)
        assert tour.evaluate(ROWS, "sides") <= rows
        box = tour.locator(".rb-lead").bounding_box()
        assert box["y"] < size["height"], size
        outside = (
            "document.querySelector('.st-key-bar').scrollWidth > document.querySelector('.st-key-bar').clientWidth"
        )
        assert not tour.evaluate(outside)
