"""The walk of a meeting by keyboard alone, every step as a link for the next browser, and every opened drawer."""

from __future__ import annotations

from typing import Any

import pytest
from counts import LONG, part
from served import Others, follow, open_page, settle, turn_to
from test_security import CONTRASTS, faults

pytestmark = pytest.mark.browser
MAIN = '[data-testid="stMainBlockContainer"]'
MORE = ".rb-beside a"
RULE = '.rb-rule-first a[href*="code=fmt-system-text-in-user"]'
PLACE = ".rb-places a.rb-link"
SIX = "workspace=six-conditions-mistakes"
OTHER = "condition=instruction-only%2C+closed+book&b_condition=RAG-trained%2C+open+book"
SPAN = "mark.rb-here"
MARKED = "all => all.map((e) => e.textContent).join('')"
# States of the screen that an address alone does not hold: the address, and what is opened there one after another,
# each by itself or, after a comma, in what is opened first.
MENU = ".st-key-menu .rb-menu summary"
DRAWERS = {
    "prompts": (
        (MENU,),
        (".st-key-edit_open summary",),
        (MENU, ".st-key-keys summary"),
        (MENU, ".st-key-copy_as summary"),
    ),
    "": (('[data-testid="stExpander"] summary',),),
    "prompts?condition=mistake+1%3A+system+text+in+the+question": ((".st-key-try_open summary",),),
    f"prompts?view=difference&{OTHER}": ((MENU,), (MENU, ".st-key-take button")),
    "findings?code=fmt-system-text-in-user&severity=error": ((".st-key-more_filters button",),),
    "findings?code=fmt-system-text-in-user&area=fmt": (
        (".st-key-take_findings button",),
        (".st-key-explained button",),
    ),
}


@pytest.fixture
def next_browser(others: Others) -> Any:
    """A page of somebody else, who has only the link; it fails the test when it asks another server for anything."""
    return others(1)[0]


def tab_to(page: Any, selector: str) -> None:
    """Go there by the Tab key alone."""
    page.wait_for_selector(selector)
    for _ in range(250):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"no way to {selector}")


def enter(page: Any, url: str, ready: str) -> str:
    """Press what is in focus; answers the address it leads to."""
    page.keyboard.press("Enter")
    return arrived(page, url, ready)


def key(page: Any, name: str, url: str, ready: str) -> str:
    page.keyboard.press(name)
    return arrived(page, url, ready)


def arrived(page: Any, url: str, ready: str) -> str:
    page.wait_for_url(url, timeout=30_000)
    page.wait_for_selector(ready)
    settle(page)
    address: str = page.url
    return address


def in_view(page: Any, selector: str) -> bool:
    box = page.locator(selector).first.bounding_box()
    return bool(box and 0 <= box["y"] <= 768)


def test_the_walk_by_keyboard_alone_and_each_step_as_a_link(demo: str, page: Any, next_browser: Any) -> None:
    shown: dict[str, str] = {}

    def keep(address: str) -> str:
        shown[address] = page.locator(MAIN).inner_text()
        return address

    open_page(page, f"{demo}?{SIX}", ".rb-first")
    page.evaluate("window.kept = true")
    overview = keep(page.url)
    tab_to(page, MORE)
    keep(enter(page, "**/findings?**", ".rb-rule"))
    tab_to(page, RULE)
    keep(enter(page, "**code=fmt-system-text-in-user**", PLACE))
    tab_to(page, ".st-key-more_filters button")
    page.keyboard.press("Enter")
    tab_to(page, ".st-key-severity input")
    page.keyboard.type("error")
    enter(page, "**severity=error**", PLACE)
    page.keyboard.press("Escape")
    page.wait_for_selector("[data-testid=stPopoverBody]", state="detached")
    settle(page)
    findings = keep(page.url)
    span = page.locator(".rb-places .rb-excerpt:has(mark)").first.locator("mark").evaluate_all(MARKED)
    tab_to(page, PLACE)
    message = keep(enter(page, "**/prompts?**", SPAN))
    assert page.locator(SPAN).evaluate_all(MARKED) == span
    assert in_view(page, SPAN)
    keep(key(page, "d", "**/prompts?**", ".rb-diff"))
    keep(key(page, "]", "**b_condition=**", ".rb-diff"))
    compare = keep(key(page, "i", "**inline=1**", ".rb-inline"))
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.dataset.rbChange") == "1"
    assert in_view(page, "[data-rb-change].rb-at")
    assert page.evaluate("window.kept")  # no step was a new load

    steps = list(shown)
    for address in reversed(steps[:-1] if LONG else steps[-3:-1]):
        page.go_back()
        page.wait_for_url(address)
        settle(page)
        assert page.locator(MAIN).inner_text() == shown[address], address
    assert not LONG or page.url == overview

    ready = {overview: ".rb-first", findings: PLACE, message: SPAN, compare: ".rb-inline"}
    for address, text in shown.items():
        if not LONG and address not in (message, compare):
            continue
        open_page(next_browser, address, ready.get(address, "h1"))
        assert next_browser.locator(MAIN).inner_text() == text, address
        if address == message:
            assert next_browser.locator(SPAN).evaluate_all(MARKED) == span
            assert in_view(next_browser, SPAN)


def test_what_is_put_on_the_agenda_another_browser_sees(demo: str, page: Any, next_browser: Any) -> None:
    open_page(page, f"{demo}findings?{SIX}&code=fmt-system-text-in-user", PLACE)
    page.keyboard.press("N")
    field = page.get_by_role("textbox", name="Your name")
    field.fill("Ada")
    field.press("Tab")
    settle(page)
    page.keyboard.press("Escape")
    tab_to(page, ".st-key-more_place_0 button")
    page.keyboard.press("Enter")
    tab_to(page, ".st-key-list_place_0 button")
    page.keyboard.press("Enter")
    page.wait_for_selector(".st-key-unlist_place_0")
    open_page(next_browser, f"{demo}review?{SIX}", ".rb-agenda")
    added = next_browser.locator(".rb-agenda a", has_text="The user message contains system text")  # its rule's
    follow(next_browser, added, "**item=**")
    next_browser.wait_for_selector(".rb-entry")
    assert "Added by Ada." in next_browser.locator(MAIN).inner_text()
    page.keyboard.press("Escape")  # the menu closes, and is opened again
    tab_to(page, ".st-key-more_place_0 button")
    page.keyboard.press("Enter")
    tab_to(page, ".st-key-unlist_place_0 button")
    page.keyboard.press("Enter")
    page.wait_for_selector(".st-key-list_place_0")


@pytest.mark.parametrize("scheme", part(["light", "dark"], 1))
@pytest.mark.parametrize("asked", part(list(DRAWERS), 1))
def test_no_serious_fault_with_a_drawer_open(demo: str, tour: Any, asked: str, scheme: str) -> None:
    path, _, query = asked.partition("?")
    tour.emulate_media(color_scheme=scheme)  # a popover that is open keeps the theme it was opened in
    open_page(tour, f"{demo}{path}?{SIX}{'&' if query else ''}{query}")
    found = {}
    for drawer in DRAWERS[asked][:: 1 if LONG else 2]:
        for step in drawer:
            opener = tour.locator(f"{MAIN} {step}").locator("visible=true").first
            opener.focus()
            tour.keyboard.press("Enter")
        popover = tour.get_by_test_id("stPopoverBody")
        if opener.evaluate("e => e.tagName") == "SUMMARY":
            assert opener.evaluate("e => e.parentElement.open"), drawer
        else:
            popover.wait_for()
        tour.wait_for_timeout(300)  # it is drawn over the page little by little
        settle(tour)
        found[drawer] = faults(tour, **(CONTRASTS if scheme == "dark" else {}))
        tour.keyboard.press("Escape")
        popover.wait_for(state="hidden")
    assert not any(found.values()), found


def test_the_bar_of_messages_keeps_its_height_whatever_a_view_needs(demo: str, tour: Any) -> None:
    heights = []
    for asked in (
        SIX,
        f"{SIX}&condition=RAG-trained%2C+open+book",
        "workspace=tri-section",
        "workspace=town-hall-albert",
    ):
        turn_to(tour, f"{demo}prompts?{asked}", ".rb-exact")
        heights.append(tour.locator(".st-key-bar").first.bounding_box()["height"])
    assert max(heights) - min(heights) <= 2  # else the text jumps from one condition to the next
    assert max(heights) <= 60  # one row
