"""From a bar to its records, a record, its exact messages and back, by keyboard alone; and what a link restores."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from counts import LONG, part
from served import At, open_page, settle, still, turn_to
from test_security import serious
from test_walk import asked

pytestmark = pytest.mark.browser
SCORES = "results?workspace=six-conditions-mistakes"
OPEN = "condition=instruction-only, open book"
COUNT = 'a.rb-link[href*="open+book"][href*="value=2"]'  # how often the best value was given: a part of a bar
FOCUS = "document.activeElement.dataset.rbArrive || ''"
HERE = "document.activeElement.innerText"
NARROW = 400
WIDER = "(() => { const e = document.querySelector('[data-testid=stMain]'); return e.scrollWidth - e.clientWidth })()"


def tab_to(page: Any, text: str) -> None:
    """Press Tab until what has the focus says `text`."""
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate(HERE) == text:
            return
    raise AssertionError(f"no Tab leads to {text}")


def arrived(page: Any, part: str) -> None:
    """Wait until the focus is on the heading of what was opened."""
    for _ in range(300):
        if part in page.evaluate(FOCUS):
            return settle(page)
        page.wait_for_timeout(100)
    raise AssertionError(f"the focus is on {page.evaluate('document.activeElement.outerHTML')[:200]}")


def test_by_keyboard_alone_from_a_bar_to_its_records_to_the_message_and_back(demo: str, page: Any) -> None:
    open_page(page, demo + SCORES, COUNT)
    page.locator(COUNT).first.focus()
    page.keyboard.press("Enter")
    arrived(page, "value=2")
    assert asked(page)["of"] == OPEN
    record = page.locator('th a[href*="item="]:visible').first.inner_text()
    tab_to(page, record)
    page.keyboard.press("Enter")
    arrived(page, f"item={record}")
    tab_to(page, "Open in Prompts")
    page.keyboard.press("Enter")
    page.wait_for_url("**/prompts?*")
    page.wait_for_selector(".rb-exact")
    settle(page)
    assert (asked(page)["record"], asked(page)["condition"]) == (record, "instruction-only, open book")
    for step in part((f"item={record}", "value=2"), 1):
        page.go_back()
        arrived(page, step)
    if LONG:
        page.go_back()
        page.wait_for_selector(".rb-arrive", state="detached")
        assert "of" not in asked(page)


def test_what_a_link_opens_is_in_sight_when_the_charts_are_drawn(demo: str, page: Any) -> None:
    open_page(page, f"{demo}{SCORES}&of=condition%3Dbase%2C+open+book", ".rb-arrive")
    for again in part((False, True), 1):
        if again:
            page.reload()
            page.wait_for_selector(".rb-arrive")
        page.locator('[data-testid="stPlotlyChart"] .main-svg').last.wait_for(state="attached")
        settle(page)
        still(page, ".rb-arrive")
        assert 0 <= page.locator(".rb-arrive").bounding_box()["y"] < 200  # below the header


def test_a_link_restores_the_screen_and_a_cell_is_reached_by_keyboard_through_its_table(demo: str, page: Any) -> None:
    open_page(page, f"{demo}{SCORES}&criterion=faithfulness&view=means", '[data-testid="stPlotlyChart"]')
    assert page.get_by_label("Criterion").input_value() == "faithfulness"
    assert page.locator('[data-testid="stPlotlyChart"]').count() == 1
    page.locator("summary", has_text="The numbers of this chart").last.focus()
    page.keyboard.press("Enter")
    tab_to(page, "instruction-only, open book")
    page.keyboard.press("Enter")
    arrived(page, OPEN)
    assert asked(page)["under"] == "more"


MARK = ".rb-forest-mark"


def test_the_first_thing_seen_is_the_planned_differences_and_a_criterion_is_chosen_below(demo: str, page: Any) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    open_page(page, f"{demo}results?workspace=six-conditions", MARK)
    settle(page)
    still(page, MARK)
    assert page.locator(MARK).count() == len(page.locator(".rb-forest-line").all()) == 2
    assert 60 < page.locator(MARK).first.bounding_box()["y"] < 300
    table = page.get_by_role("table", name="The planned differences, relevance")
    assert "On 23 shared questions" in table.locator("caption").inner_text()
    page.get_by_text("cannot tell if fair").wait_for()  # when the prompts are looked at
    line = table.get_by_role("row", name="Does reading the manual help?")
    assert all(part in line.inner_text() for part in ("+1.78", "1.05 to 2.52", "fair", "Only the prompt"))
    assert table.locator(".rb-forest-how").first.locator(".rb-forest-n").inner_text() == "23 shared questions"
    page.locator(".rb-criteria thead a", has_text="faithfulness").click()
    page.wait_for_url("**criterion=faithfulness**")
    settle(page)
    assert page.get_by_label("Criterion").input_value() == "faithfulness"


def test_on_a_phone_each_difference_is_a_block_within_the_screen(demo: str, page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, f"{demo}results?workspace=six-conditions", MARK)
    settle(page)
    box = page.locator(".rb-forest-line").first.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert page.evaluate(WIDER) <= 0


def test_the_camera_saves_the_picture_with_its_title_and_n(demo: str, page: Any, tmp_path: Path) -> None:
    open_page(page, demo + SCORES, ".modebar-btn")
    for kind, there in part((("svg", b"Spread of the scores: relevance (143 answers)"), ("png", b"PNG")), 1):
        if kind == "png":
            page.get_by_role("button", name="Download").click()
            page.get_by_text("PNG", exact=True).first.click()
            page.keyboard.press("Escape")
            settle(page)
            page.wait_for_timeout(500)
        with page.expect_download() as saved:
            page.locator(".modebar-btn").first.click()
        saved.value.save_as(tmp_path / kind)
        assert saved.value.suggested_filename == f"scores-distribution.{kind}"
        assert there in (tmp_path / kind).read_bytes()


@pytest.mark.parametrize(
    ("more", "width"),
    part(
        [
            ("&of=condition%3Dbase%2C+open+book", 320),
            ("", 320),
            ("&view=joint", 320),
            ("&view=means", 320),
            ("&view=means", 1366),
            ("&item=ellery-02&arm=base%2C+open+book", 1366),
            ("", 1366),
            ("&view=joint", 1366),
            ("&view=slices", 1366),
            ("&view=lengths", 1366),
            ("&view=costs", 1366),
        ],
        1,
    ),
)
def test_no_serious_fault_and_a_narrow_page_scrolls_its_charts_and_nothing_else_sideways(
    demo: str, tour: Any, more: str, width: int
) -> None:
    tour.set_viewport_size({"width": width, "height": 800})
    turn_to(tour, demo + SCORES + more, ".rb-strip, .rb-arrive")
    if width < NARROW:
        tour.wait_for_selector('[data-testid="stPlotlyChart"]')
        assert tour.evaluate(WIDER) <= 0
        assert tour.locator('[data-testid="stPlotlyChart"]').first.bounding_box()["width"] >= 430
    assert serious(tour) == []


@pytest.mark.parametrize("width", part([320, 1366], 1))
def test_where_no_score_differs_the_list_of_pairs_has_no_fault_and_fits(demo: str, tour: Any, width: int) -> None:
    tour.set_viewport_size({"width": width, "height": 800})
    turn_to(tour, f"{demo}results?workspace=copied-prompts", ".rb-level")
    tour.wait_for_selector(".rb-level .rb-fairness-unfair")
    assert tour.evaluate(WIDER) <= 0
    assert serious(tour) == []


LABELS = """() => [...document.querySelectorAll('[class*="st-key-wide_"] .yaxislayer-above text, '
    + '[class*="st-key-wide_"] .overaxes-above text')].filter(e => e.textContent.trim()).map(e => {
        const at = e.getBoundingClientRect(), all = e.closest('.js-plotly-plot').getBoundingClientRect();
        return [e.textContent, at.left - all.left, all.right - at.right, at.top, at.left, at.right];
    })"""


@pytest.mark.parametrize("width", part([1366, 1920], 1))
def test_no_label_of_a_chart_is_cut_or_lies_over_another(at: At, page: Any, tmp_path: Path, width: int) -> None:
    names = ("a short one", "a condition that somebody gave a whole sentence of a name, to be sure of it", "third")
    rows = "".join(f'{q},"{name}",{(q + n) % 3}\n' for q in range(8) for n, name in enumerate(names))
    (tmp_path / "s.csv").write_text(f"qid,arm,relevance_score\n{rows}")
    page.set_viewport_size({"width": width, "height": 900})
    turn_to(page, at(tmp_path, "results"), '[data-testid="stPlotlyChart"]')
    page.locator('[data-testid="stPlotlyChart"] .main-svg').last.wait_for(state="attached")
    still(page, '[class*="st-key-wide_"] :is(.yaxislayer-above, .overaxes-above) text')
    labels = page.evaluate(LABELS)
    said = " ".join(text for text, *_ in labels)
    assert all(word in said for word in " ".join(names).split())
    assert min(min(left, right) for _, left, right, *_ in labels) >= 0
    lines = sorted((top, left, right) for _, _, _, top, left, right in labels)
    for (top, _, right), (below, left, _) in pairwise(lines):
        assert abs(top - below) > 2 or right <= left
    charts = page.locator('[class*="st-key-wide_"]').all()
    assert {round(one.bounding_box()["width"]) for one in charts} == {round(charts[0].bounding_box()["width"])}
    assert charts[0].bounding_box()["width"] >= 0.8 * (width - 240)
