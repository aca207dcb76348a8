"""The workspaces behind the name in the bar: by keyboard, for a screen reader, in both themes and in forced colours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from counts import part
from served import LAPTOP, settle, turn_to
from test_security import faults
from test_tree import seen

pytestmark = pytest.mark.browser
HERE = "six-conditions-mistakes"  # a long name
LOOKS = [
    {"color_scheme": "light", "forced_colors": "none"},
    {"color_scheme": "dark", "forced_colors": "active"},
    {"color_scheme": "dark", "forced_colors": "none"},
    {"color_scheme": "light", "forced_colors": "active"},
]
# Every kind of control: the current workspace, another one, its records, *Open other files* and *About*.
INSIDE = ("li a[aria-current]", "li:nth-child(2) a", ".rb-side > p a[href*=records]",
          ".rb-side > p:last-child a[href*=open]", ".rb-side > p:last-child a[href*=about]")  # fmt: skip
OPEN = "document.querySelector('.rb-menu').open"
INDOORS = "document.querySelector('.rb-menu .rb-side').contains(document.activeElement)"
AT_NAME = "document.activeElement.matches('.rb-menu summary')"
EDGE = "(e, side) => { const s = getComputedStyle(e); return [s[`border${side}Style`], s[`border${side}Color`]]; }"


@pytest.fixture
def menu(demo: str, tour: Any) -> Iterator[Any]:
    """The menu, closed."""
    turn_to(tour, f"{demo}findings?workspace={HERE}")
    tour.keyboard.press("Escape")
    menu = tour.locator(".rb-menu")
    menu.evaluate("e => { e.open = false; }")
    tour.evaluate("document.activeElement.blur()")
    yield menu
    menu.evaluate("e => { e.open = false; }")
    tour.emulate_media(color_scheme="light", forced_colors="none")


@pytest.mark.parametrize("look", part(LOOKS, 1), ids=lambda look: "-".join(look.values()))
def test_focus_is_seen_in_every_look(tour: Any, menu: Any, look: dict[str, Any]) -> None:
    tour.emulate_media(**look)
    settle(tour)
    found = {"the name": seen(tour, menu.locator("summary"))}
    tour.keyboard.press("Enter")
    for selector in INSIDE:
        found[selector] = seen(tour, menu.locator(selector))
    assert {name: pair for name, pair in found.items() if pair[0] < pair[1]} == {}


def test_the_navigation_leaves_it_room_at_every_width(tour: Any, menu: Any) -> None:
    links = tour.locator(".rb-header a")
    for width in (1366, 1024, 980, 960, 940, 900, 800, 768):
        tour.set_viewport_size({"width": width, "height": 768})
        tour.wait_for_timeout(300)
        boxes = [box for one in links.all() if (box := one.bounding_box())]
        end, under = (max(box[at] + box[far] for box in boxes) for at, far in (("x", "width"), ("y", "height")))
        name = menu.bounding_box()
        assert end <= name["x"] or under <= name["y"] + 1, width  # beside it, or where there is no room below it
    tour.set_viewport_size(LAPTOP)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_opens_it_and_esc_gives_the_focus_back(tour: Any, menu: Any, key: str) -> None:
    menu.locator("summary").focus()
    tour.keyboard.press(key)
    assert tour.evaluate(OPEN)
    tour.keyboard.press("Tab")
    assert tour.evaluate(INDOORS)
    tour.keyboard.press("Escape")
    assert (tour.evaluate(OPEN), tour.evaluate(AT_NAME)) == (False, True)
    tour.keyboard.press(key)
    assert tour.evaluate(OPEN)
    tour.keyboard.press(key)
    assert not tour.evaluate(OPEN)


def test_tab_goes_through_it_and_leaves_it_closed(tour: Any, menu: Any) -> None:
    menu.locator("summary").focus()
    tour.keyboard.press("Enter")
    met, links = 0, menu.locator("a").count()
    tour.keyboard.press("Tab")
    while tour.evaluate(INDOORS):
        met += 1
        assert met <= links
        tour.keyboard.press("Tab")
    assert met == links
    assert (tour.evaluate(OPEN), tour.evaluate("document.activeElement === document.body")) == (False, False)
    menu.locator("summary").focus()
    tour.keyboard.press("Enter")
    tour.keyboard.press("Shift+Tab")
    assert not tour.evaluate(OPEN)


def test_a_screen_reader_has_its_name_its_state_and_which_is_in_view(tour: Any, menu: Any) -> None:
    def told() -> list[tuple[str, bool]]:
        session = tour.context.new_cdp_session(tour)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        named = [one for one in nodes if one.get("name", {}).get("value") == f"Workspace {HERE}"]
        states = [{each["name"]: each["value"].get("value") for each in one["properties"]} for one in named]
        return [(one["role"]["value"], state["expanded"]) for one, state in zip(named, states, strict=True)]

    assert told() == [("DisclosureTriangle", False)]
    menu.locator("summary").click()
    assert told() == [("DisclosureTriangle", True)]
    assert menu.locator("[aria-current=true]").all_inner_texts() == [HERE]
    assert menu.get_by_role("list", name="Workspace").get_by_role("link").count() > 1


@pytest.mark.parametrize("look", part(LOOKS, 1), ids=lambda look: "-".join(look.values()))
def test_nothing_is_wrong_with_it_open(tour: Any, menu: Any, look: dict[str, Any]) -> None:
    tour.emulate_media(**look)
    menu.locator("summary").click()
    tour.wait_for_timeout(300)
    settle(tour)
    assert tour.evaluate(OPEN)
    assert faults(tour) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_forced_colours_it_has_borders_and_says_which_is_in_view(tour: Any, menu: Any, scheme: Any) -> None:
    tour.emulate_media(color_scheme=scheme, forced_colors="active")
    menu.locator("summary").click()
    paper = menu.locator(".rb-side").evaluate("e => getComputedStyle(e).backgroundColor")
    for one in ("summary", ".rb-side"):
        style, colour = menu.locator(one).evaluate(EDGE, "Left")
        assert (style, colour != paper) == ("solid", True), one
    edges = menu.locator("li").evaluate_all("all => all.map((e) => getComputedStyle(e).borderLeftStyle)")
    here = menu.locator("li").evaluate_all("all => all.map((e) => Boolean(e.querySelector('[aria-current]')))")
    assert edges == ["solid" if one else "none" for one in here]
