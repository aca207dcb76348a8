"""A walk through the pages as a person takes it: by the navigation, by links, by keys, and back again."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from counts import part
from playwright.sync_api import expect
from served import follow, open_page, settle, tab, turn_to

from readback.ui.common.draw.head.changed import LOOK

pytestmark = pytest.mark.browser
TO_MESSAGE = 'a.rb-link[href*="/prompts?"][href*="finding="]'


def asked(page: Any) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def go(page: Any, name: str) -> None:
    """By the navigation on top."""
    follow(page, page.locator(".rb-rooms a", has_text=name), f"**/{name.lower()}**")


def test_a_link_to_a_finding_brings_its_stretch_into_view(demo: str, page: Any) -> None:
    page.set_viewport_size({"width": 1000, "height": 300})
    open_page(
        page, f"{demo}prompts?workspace=six-conditions-mistakes&condition=mistake+1%3A+system+text+in+the+question"
    )
    for _ in range(5):  # the first key may meet a page that is still being drawn
        page.keyboard.press("f")
        for _ in range(20):
            if page.locator("mark.rb-here").count():
                break
            page.wait_for_timeout(100)
        else:
            continue
        break
    settle(page)
    box = page.locator("mark.rb-here").first.bounding_box()
    assert 0 <= box["y"] <= 300


# What Tab reaches of the first screen: all but what is hidden, shut or one of several that the arrow keys go through.
REACHED = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
    .filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({visibilityProperty: true})).filter((e) => {
        const box = e.getBoundingClientRect();
        const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
        return inside && box.width && box.height;
    }).map((e) => e.tagName + ' ' + (e.ariaLabel || e.innerText || e.className))"""


def test_the_first_screen_of_prompts_is_text_with_few_controls(demo: str, tour: Any) -> None:
    turn_to(tour, f"{demo}prompts?workspace=six-conditions", ".rb-exact")
    assert len(tour.evaluate(REACHED)) <= 25, tour.evaluate(REACHED)
    assert tour.locator(".rb-exact").first.bounding_box()["y"] < 260
    tops = (
        "[...document.querySelectorAll('.st-key-bar :is(button, .rb-views, summary)')].filter(e => e.checkVisibility())"
    )
    rows = tour.evaluate(f"new Set({tops}.map(e => Math.round(e.getBoundingClientRect().bottom / 20))).size")
    assert rows == 1


@pytest.mark.parametrize("condition", part(("instruction-only, closed book", "base, closed book", ""), 1))
def test_the_first_screen_of_every_mode_and_adapter_has_few_stops(demo: str, tour: Any, condition: str) -> None:
    asked = f"prompts?workspace=six-conditions&view=every&condition={quote(condition)}".removesuffix("&condition=")
    turn_to(tour, f"{demo}{asked}", ".rb-every-row")
    assert len(tour.evaluate(REACHED)) <= 25, tour.evaluate(REACHED)
    assert tour.locator(".rb-outline-text").first.bounding_box()["y"] < 330
    texts = tour.locator(".rb-matrix a")
    texts.first.focus()
    for _ in range(2):  # the arrow keys go from text to text
        tour.keyboard.press("ArrowRight")
    assert tour.evaluate("document.activeElement.ariaLabel") == texts.nth(2).get_attribute("aria-label")
    tour.keyboard.press("Enter")  # and each leads to its whole text
    assert tour.evaluate("document.activeElement.id") == texts.nth(2).get_attribute("data-rb-to")
    links = tour.locator(".rb-every-head").first.locator("a")
    links.first.focus()
    names = [links.nth(number).inner_text() for number in range(links.count())]
    assert len(names) > 1
    for name in (*names[1:], names[0]):  # the arrow keys go through them, and round
        tour.keyboard.press("ArrowRight")
        assert tour.evaluate("document.activeElement.textContent") == name


def test_a_step_is_told_aloud_and_the_arrow_keys_go_through_the_views(demo: str, tour: Any) -> None:
    turn_to(tour, f"{demo}prompts?workspace=six-conditions", ".rb-exact")
    tour.keyboard.press("j")
    expect(tour.locator("body > .rb-aloud[role=status]")).to_contain_text("Record 2 of 24: ellery-02, ")
    settle(tour)
    tour.locator(".rb-views a[aria-current]").focus()
    tour.keyboard.press("End")
    assert tour.evaluate("document.activeElement.textContent").startswith("All records")


def test_zoomed_in_no_control_of_the_bar_is_cut(demo: str, page: Any) -> None:
    for size in ({"width": 683, "height": 384}, {"width": 390, "height": 844}, {"width": 341, "height": 192}):
        page.set_viewport_size(size)
        open_page(page, f"{demo}prompts?workspace=six-conditions", ".rb-exact")
        spans = page.locator(".st-key-bar :is(button, input, .rb-views a, summary):visible").evaluate_all(
            "all => all.map((e) => e.getBoundingClientRect()).map((box) => [box.left, box.right])"
        )
        assert spans
        assert [one for one in spans if one[0] < 0 or one[1] > size["width"]] == [], size


def test_keys_move_and_back_goes_one_step_back(demo: str, page: Any) -> None:
    open_page(page, f"{demo}prompts?workspace=six-conditions-mistakes", ".rb-exact")
    for key, record, condition in (
        ("j", "ellery-02", None),
        ("j", "ellery-03", None),
        ("k", "ellery-02", None),
        ("]", "ellery-02", "mistake 3: Modelfile edited after training"),  # the first is the one with most to see
    ):
        page.keyboard.press(key)
        settle(page)
        assert (asked(page)["record"], asked(page).get("condition")) == (record, condition)
    for record in ("ellery-02", "ellery-03", "ellery-02"):
        page.go_back()
        settle(page)
        assert asked(page)["record"] == record
        assert "condition" not in asked(page)
    expect(page.get_by_label("Record, of 24")).to_have_value(
        re.compile("^2 · ")
    )  # Streamlit fills fields in after its run has ended


def test_steps_in_quick_succession_all_count(demo: str, page: Any) -> None:
    open_page(page, f"{demo}prompts?workspace=six-conditions-mistakes", ".rb-exact")
    for _ in range(4):
        page.keyboard.press("j")
    page.wait_for_url("**record=ellery-05*")
    settle(page)
    page.locator(".st-key-previous button").first.evaluate("button => { for (let n = 0; n < 3; n++) button.click(); }")
    page.wait_for_url("**record=ellery-02*")
    settle(page)
    assert page.get_by_label("Record, of 24").input_value().startswith("2 · ")
    for record in ("ellery-03", "ellery-04", "ellery-05"):
        page.go_back()
        settle(page)
        assert asked(page)["record"] == record


def test_the_next_finding_is_one_step_of_history(demo: str, tour: Any) -> None:
    turn_to(tour, f"{demo}prompts?workspace=six-conditions-mistakes&condition=base%2C+closed+book", ".rb-exact")
    before = tour.url
    tour.keyboard.press("f")
    tour.wait_for_url("**finding=*")
    settle(tour)
    assert asked(tour)["record"] != "ellery-01"
    tour.go_back()
    tour.wait_for_url(before)


def test_looks_that_were_sent_before_the_answer_was_heard_take_nobody_back(demo: str, chromium: Any) -> None:
    ways: list[Any] = []
    late: list[bytes | str] = []
    slow = [False]

    def between(way: Any) -> None:
        ways.append(way)
        way.connect_to_server().on_message(lambda said: late.append(said) if slow[0] else way.send(said))

    with tab(chromium) as page:
        page.route_web_socket("**/_stcore/stream", between)
        open_page(page, f"{demo}prompts?workspace=six-conditions-mistakes&condition=base%2C+closed+book", ".rb-exact")
        slow[0] = True
        page.keyboard.press("f")
        page.wait_for_timeout(2_500 * LOOK)  # the page looks for changed files meanwhile, and says what it shows
        slow[0] = False
        for said in late:
            ways[-1].send(said)
        page.wait_for_url("**finding=*")
        settle(page)
        page.wait_for_timeout(500)
        assert asked(page).get("record") == "ellery-21"
        page.keyboard.press("j")
        page.wait_for_url("**record=ellery-22*")


def test_moving_between_pages_is_one_step_of_history(demo: str, tour: Any) -> None:
    turn_to(tour, f"{demo}prompts?workspace=six-conditions-mistakes&record=ellery-05", ".rb-exact")
    go(tour, "Findings")
    assert asked(tour)["record"] == "ellery-05"
    tour.go_back()
    tour.wait_for_url("**/prompts?*record=ellery-05*")


def test_keys_do_nothing_while_somebody_types(demo: str, tour: Any) -> None:
    turn_to(tour, f"{demo}prompts?workspace=six-conditions-mistakes", ".rb-exact")
    tour.keyboard.press("/")
    tour.get_by_label("Id or text").fill("")
    tour.get_by_label("Id or text").press_sequentially("jkw]f?")
    assert tour.get_by_label("Id or text").input_value() == "jkw]f?"
    assert "record" not in asked(tour)


def test_find_closes_over_its_result_and_keeps_what_was_looked_for(demo: str, page: Any) -> None:
    open_page(page, f"{demo}prompts?workspace=six-conditions", ".rb-exact")
    for button in ("Find next", "List all"):
        page.keyboard.press("/")
        page.get_by_label("Id or text").fill("vessel")
        page.get_by_role("button", name=button).click()
        page.locator(".st-key-menu_items").wait_for(state="hidden")
        settle(page)
    page.locator(".rb-hits li").first.wait_for()
    assert 50 < page.locator(".st-key-search_results").bounding_box()["y"] < 400
    page.keyboard.press("/")
    assert page.get_by_label("Id or text").input_value() == "vessel"


def test_a_list_of_hits_comes_into_view_and_stays_whatever_is_drawn_above_it_later(demo: str, page: Any) -> None:
    page.set_viewport_size({"width": 1000, "height": 500})
    open_page(page, f"{demo}prompts?workspace=six-conditions&record=ellery-07", ".rb-exact")
    page.keyboard.press("/")
    page.get_by_label("Id or text").fill("the")
    page.get_by_role("button", name="List all").click()
    results = page.locator(".st-key-search_results")
    page.locator(".rb-hits li").first.wait_for()
    settle(page)
    assert 40 < results.bounding_box()["y"] < 400
    page.evaluate("""() => { const late = document.createElement('div'); late.style.height = '900px';
        document.querySelector('.st-key-search_results').before(late); }""")
    page.wait_for_timeout(300)
    held = results.bounding_box()["y"]
    assert 40 < held < 400
    page.mouse.wheel(0, 50)  # from here on the reader goes where they want
    page.wait_for_function(  # the browser scrolls some time after it was told to
        "held => document.querySelector('.st-key-search_results').getBoundingClientRect().y < held - 40", arg=held
    )
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    page.evaluate("document.body.append(document.createElement('i'))")
    page.wait_for_timeout(300)
    assert results.bounding_box()["y"] > 900


def test_keys_can_be_switched_off(demo: str, page: Any) -> None:
    open_page(page, f"{demo}prompts?workspace=six-conditions-mistakes", ".rb-exact")
    page.keyboard.press("?")
    page.get_by_text("Keys work on this page").click()
    settle(page)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    settle(page)
    assert "record" not in asked(page)


def test_the_origin_answers_on_hover_and_on_focus(demo: str, tour: Any) -> None:
    turn_to(tour, f"{demo}prompts?workspace=six-conditions-mistakes&condition=base%2C+closed+book", ".rb-exact")
    said = "e => getComputedStyle(e, '::after').content"
    stretch = tour.locator(".rb-exact .rb-data").first
    stretch.hover()
    assert "from instruction, data/harbour.jsonl line 1" in stretch.evaluate(said)
    tour.mouse.move(0, 0)
    assert stretch.evaluate(said) == "none"
    tour.locator(".rb-exact").first.focus()
    tour.keyboard.press("ArrowRight")
    tour.keyboard.press("ArrowRight")
    assert "from instruction" in stretch.evaluate(said)


def test_the_first_tab_on_messages_leads_past_the_controls(demo: str, page: Any) -> None:
    open_page(page, f"{demo}prompts?workspace=six-conditions-mistakes&record=ellery-07&condition=base%2C+open+book")
    page.keyboard.press("Tab")
    skip = page.locator("a.rb-skip:focus")
    assert skip.bounding_box()["height"] > 20
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "rb-exact"
    page.locator('a[data-rb-to="context-2"]').press("Enter")
    assert page.evaluate("document.activeElement.closest('mark').id") == "context-2"


def test_a_low_window_shows_text_and_hints_open_beside_the_word(demo: str, tour: Any) -> None:
    tour.set_viewport_size({"width": 683, "height": 384})  # 200 % zoom of a laptop
    turn_to(tour, f"{demo}prompts?workspace=six-conditions-mistakes&record=ellery-07&condition=base%2C+open+book")
    settle(tour)
    # The tab may stand where the test before it scrolled.
    tour.locator("[data-testid=stMain]").evaluate("e => e.scrollTo(0, 0)")
    assert tour.locator(".rb-exact").first.bounding_box()["y"] < 350
    stretch = tour.locator(".rb-exact .rb-s").first
    stretch.focus()
    box = stretch.bounding_box()
    edge = "(e, side) => parseFloat(getComputedStyle(e, '::after')[side])"
    if box["y"] > 384 / 2:  # in the lower half of the window a hint opens above its word, in the upper half below it
        assert 384 - stretch.evaluate(edge, "bottom") < box["y"] + 1
    else:
        assert stretch.evaluate(edge, "top") > box["y"]
