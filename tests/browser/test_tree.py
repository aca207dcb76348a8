"""Each page as a screen reader has it (headings in order, a name for every control), and how it looks: few sizes of
text, nothing wider than a small window, a focus that is seen."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from counts import LONG, part
from PIL import Image
from served import LAPTOP, PAGES, turn_to
from test_security import serious

from readback.project_files import demos

pytestmark = pytest.mark.browser
CONTROLS = {"button", "checkbox", "combobox", "link", "radio", "searchbox", "slider", "spinbutton", "switch", "tab",
            "textbox"}  # fmt: skip
HEADINGS = """[...document.querySelectorAll('[data-testid=stMainBlockContainer] :is(h1, h2, h3, h4, h5, h6)')]
    .filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]))"""


SIZES = """() => [...new Set([...document.querySelectorAll('[data-testid="stApp"] *')].filter(e => !e.closest('svg')
    && [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) && e.checkVisibility()
    && !e.closest('[data-testid="stIconMaterial"]')).map(e => getComputedStyle(e).fontSize))].sort()"""
LOOKS = ("prompts",)  # what is looked at in every theme in every run
NARROW = {"width": 320, "height": 700}  # what is left of a laptop's screen at 400 %


def controls(page: Any) -> list[tuple[str, str]]:
    """The role and the name of every control in the tree."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    seen = [one for one in nodes if not one["ignored"]]
    found = [(one["role"]["value"], str(one.get("name", {}).get("value", "")).strip()) for one in seen]
    return [one for one in found if one[0] in CONTROLS]


def width(page: Any) -> int:
    """How wide the page is in a narrow window; a chart is drawn wide at first and takes a moment to fit."""
    page.set_viewport_size(NARROW)
    for _ in range(50):
        found: int = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
        if found <= NARROW["width"]:
            break
        page.wait_for_timeout(100)
    return found


@pytest.mark.parametrize("workspace", part(sorted(demos(), key=lambda name: name != "six-conditions-mistakes"), 1))
@pytest.mark.parametrize("name", PAGES)
def test_no_serious_fault_headings_in_order_a_name_for_every_control_few_sizes_of_text_no_scrolling_sideways(
    demo: str, tour: Any, name: str, workspace: str
) -> None:
    turn_to(tour, f"{demo}{name}?workspace={workspace}")
    assert urlsplit(tour.url).path == f"/{name}"
    assert serious(tour, looks=LONG or name in LOOKS) == []
    levels = tour.evaluate(HEADINGS)
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    found = controls(tour)
    assert len(found) > 5
    assert [role for role, said in found if not said] == []
    for _ in range(20):  # what says how far a check is goes when it is done
        if len(sizes := tour.evaluate(SIZES)) <= 6:
            break
        tour.wait_for_timeout(500)
    assert 0 < len(sizes) <= 6, sizes
    assert width(tour) <= NARROW["width"]


def test_what_a_step_reaches_is_said_aloud(demo: str, tour: Any) -> None:
    """The buttons from difference to difference, and from place to place, say in a live region where one is."""
    pair = "condition=base%2C+open+book&b_condition=instruction-only%2C+open+book"
    for asked in (f"prompts?view=difference&workspace=six-conditions&{pair}",
                  "findings?workspace=six-conditions-mistakes&code=fmt-context-not-sent"):  # fmt: skip
        turn_to(tour, f"{demo}{asked}")
        said = tour.locator('[role="status"][data-rb-step-said]')
        before = said.inner_text()
        tour.keyboard.press("n")
        assert said.inner_text() != before
        assert "1" in said.inner_text()


MISTAKES = "workspace=six-conditions-mistakes"
OPTION = f"prompts?view=difference&{MISTAKES}&condition=instruction-only%2C+open+book&differs=option"
# Of each page the answer to its question, and the first of what proves it.
ANSWERS = (
    (f"prompts?view=difference&{MISTAKES}", ".rb-lead", ".rb-diff"),
    (OPTION, ".rb-lead", ".rb-diff"),
    (f"review?{MISTAKES}", ".rb-item", ".st-key-review_item .rb-verdict"),
    (f"findings?{MISTAKES}", ".rb-lead", ".rb-places"),
)
UPPER = 512  # two thirds of a laptop's screen
CENTRES = """row => [...row.querySelectorAll('button, .rb-bar-word, [data-testid=stNumberInputContainer], a.rb-link')]
    .filter(e => e.checkVisibility() && !e.closest('[data-testid=stNumberInputContainer] *'))
    .map(e => e.getBoundingClientRect()).map(box => (box.top + box.bottom) / 2)"""


@pytest.mark.parametrize("scheme", part(["light", "dark"], 1))
def test_the_answer_is_in_the_upper_two_thirds_and_controls_are_on_one_line(demo: str, tour: Any, scheme: str) -> None:
    tour.emulate_media(color_scheme=scheme)
    for asked, *shown in ANSWERS:
        tour.set_viewport_size(LAPTOP)
        turn_to(tour, f"{demo}{asked}", shown[-1])
        for size in (LAPTOP, {"width": 1920, "height": 1080}):
            tour.set_viewport_size(size)
            for selector in shown:
                assert tour.locator(selector).first.bounding_box()["y"] < UPPER, (asked, selector)
            for row in tour.locator(":is(.st-key-bar, .st-key-sides, .st-key-filters):visible").all():
                if found := row.evaluate(CENTRES):
                    assert max(found) - min(found) <= 1, (asked, size, found)


AROUND = 14  # pixels around a control in which its focus may be drawn
FOCUSED = (
    ("prompts", ".rb-rooms a"),
    ("prompts", ".st-key-next button"),
    ("prompts", ".st-key-menu summary"),
    ("prompts", ".rb-exact .rb-s"),
    ("prompts", ".stSelectbox input"),
    ("findings", ".rb-rule a"),
    ("findings", ".st-key-search input"),
    ("findings", "summary"),
)


def luminance(picture: Any) -> Any:
    """Relative luminance of each pixel, as WCAG 2 defines it."""
    shares = np.asarray(picture.convert("RGB"), float) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


@pytest.mark.parametrize("scheme", part(["dark", "light"], 1))
def test_focus_is_seen_at_three_to_one_in_the_pixels_that_change(demo: str, tour: Any, scheme: str) -> None:
    """WCAG 2.2, 2.4.13: as many pixels as a line around half of the control change by 3 : 1 or more."""
    tour.emulate_media(color_scheme=scheme)
    for name in dict.fromkeys(page for page, _ in FOCUSED):
        turn_to(tour, f"{demo}{name}?workspace=six-conditions")
        for selector in [selector for page, selector in FOCUSED if page == name]:
            control = tour.locator(selector).locator("visible=true").first  # not in a sidebar that is folded away
            changed, enough = seen(tour, control)
            assert changed >= enough, (name, selector, changed)
    tour.emulate_media(color_scheme="light")


def seen(page: Any, control: Any) -> tuple[int, float]:
    """How many pixels change by 3 : 1 or more when the control gets the focus, and how many are a line around half."""
    control.scroll_into_view_if_needed()
    page.evaluate("document.activeElement.blur()")
    box = control.bounding_box()
    clip = {"x": max(0, box["x"] - AROUND), "y": max(0, box["y"] - AROUND),
            "width": box["width"] + 2 * AROUND, "height": box["height"] + 2 * AROUND}  # fmt: skip
    shots = []
    for focused in (False, True):
        if focused:
            page.keyboard.press("Shift")  # whoever goes by keyboard is shown the focus
            control.focus()
        page.wait_for_timeout(150)
        shot = page.screenshot(clip=clip, caret="hide", animations="disabled")
        shots.append(luminance(Image.open(io.BytesIO(shot))))
    high, low = np.maximum(*shots), np.minimum(*shots)
    changed = int(((high + 0.05) / (low + 0.05) >= 3).sum())
    return changed, min(box["width"], 200) + min(box["height"], 200)
