"""WCAG 2.2 on each page, as far as a program can tell: zoom, spacing, keyboard, targets, hints, what is said."""

from __future__ import annotations

import io
from itertools import product
from typing import Any

import pytest
from counts import part
from PIL import Image
from served import PAGES, open_page, settle, turn_to
from test_security import faults

pytestmark = pytest.mark.browser
FIRST = ("prompts", "findings", "results")  # rows of controls; two columns; a grid and charts
NAMES = (*FIRST, *(name for name in PAGES if name not in FIRST))
PHONE = (390, 844)
LAPTOP, HALF, QUARTER = (1366, 768), (683, 384), (320, 256)  # a laptop, at 200 %; 1280 x 1024 at 400 %
ALWAYS = (("prompts", LAPTOP), ("findings", QUARTER))  # where Tab goes through a page in every run
OTHERS = tuple(pair for pair in product(NAMES, (LAPTOP, QUARTER)) if pair not in ALWAYS)  # the rest of them
SPACING = """*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}
    p{margin-bottom:2em!important}"""  # 1.4.12

# Everything below leaves out charts: they are pictures with a table beside them, and scroll in a frame of their own.
SEEN = """const seen = (e) => e.checkVisibility({visibilityProperty: true, opacityProperty: true})
    && !e.closest('svg, .rb-skip, .rb-aloud, [data-testid=stIconMaterial], [data-testid=stSkipToContent]');
    const scrolls = (e, axis) => /auto|scroll/.test(getComputedStyle(e)['overflow' + axis])
        && (axis === 'X' ? e.scrollWidth > e.clientWidth : e.scrollHeight > e.clientHeight);"""
# How far the page is wider than the window, and what stands out of it and cannot be scrolled to.
OUTSIDE = f"""() => {{ {SEEN}
    const main = document.querySelector('[data-testid=stMain]');
    const out = [...document.querySelectorAll('[data-testid=stApp] *')].filter((e) => {{
        const box = e.getBoundingClientRect();
        if (!seen(e) || box.width < 2 || box.height < 2) return false;
        if (box.right <= innerWidth + 1 && box.left >= -1) return false;
        for (let p = e.parentElement; p && p !== main; p = p.parentElement)
            if (scrolls(p, 'X') || getComputedStyle(p).overflowX === 'hidden') return false;
        return true; }});
    return [document.scrollingElement.scrollWidth - innerWidth, main.scrollWidth - main.clientWidth,
            out.map((e) => `${{e.tagName}} ${{e.className}} ${{e.textContent.slice(0, 40)}}`)]; }}"""
# The texts of which a frame that does not scroll hides a part.
CUT = f"""() => {{ {SEEN}
    const range = document.createRange(), cut = [];
    const hides = (e, axis) => /hidden|clip/.test(getComputedStyle(e)['overflow' + axis]);
    for (const e of document.querySelectorAll('body *')) {{
        if (!seen(e)) continue;
        for (const text of e.childNodes) {{
            if (text.nodeType !== 3 || !text.data.trim()) continue;
            range.selectNodeContents(text);
            let [x, y] = [false, false];
            for (let p = e; p !== document.documentElement; p = p.parentElement) {{
                if (getComputedStyle(p).clipPath !== 'none') break;
                x ||= scrolls(p, 'X'); y ||= scrolls(p, 'Y');
                const frame = p.getBoundingClientRect();
                const lost = [...range.getClientRects()].some((line) =>
                    (!x && hides(p, 'X') && (line.right > frame.right + 1.5 || line.left < frame.left - 1.5)) ||
                    (!y && hides(p, 'Y') && (line.bottom > frame.bottom + 3 || line.top < frame.top - 3)));
                if (lost) {{ cut.push(text.data.trim().slice(0, 50)); break; }}
            }}
        }}
    }}
    return cut; }}"""
# Targets under 24 x 24 that are not in a line of text, and so near to another that their circles meet (2.5.8).
SMALL = f"""() => {{ {SEEN}
    const KINDS = 'a[href], button, summary, input, textarea, [role=tab], [role=slider], .modebar-btn';
    const FIELDS = '[role=group], [data-testid=stNumberInputContainer], [data-testid=stTextInputRootElement]';
    const whole = (e) => (e.matches('input') && (e.closest('label') ?? e.closest(FIELDS))) || e;
    const framed = (e, box) => {{ for (let p = e.parentElement; p; p = p.parentElement) {{
        const frame = p.getBoundingClientRect();
        if (scrolls(p, 'X') && (box.left >= frame.right || box.right <= frame.left)) return false; }} return true; }};
    const every = [...document.querySelectorAll('[data-testid=stApp] :is(' + KINDS + ')')]
        .filter((e) => e.checkVisibility({{visibilityProperty: true, opacityProperty: true}}) && !e.closest('.rb-skip'))
        .map((e) => [e, whole(e).getBoundingClientRect()])
        .filter(([e, box]) => box.width > 1 && box.height > 1 && framed(e, box));
    const inText = (e) => getComputedStyle(e).display === 'inline'
        && [...e.parentElement.childNodes].some((one) => one !== e && one.textContent.trim());
    return every.filter(([e, box]) => (box.width < 23.5 || box.height < 23.5) && !inText(e)).flatMap(([e, box]) => {{
        const x = box.left + box.width / 2, y = box.top + box.height / 2;
        const near = every.find(([other, b]) => other !== e && !e.contains(other) && !other.contains(e)
            && Math.hypot(Math.max(b.left - x, 0, x - b.right), Math.max(b.top - y, 0, y - b.bottom)) < 12);
        const names = near ? [e, near[0]].map((one) => one.ariaLabel ?? one.textContent) : [];
        return near ? [names.join(` ${{box.width}} x ${{box.height}} `)] : [];
    }}); }}"""
MOVING = """document.getAnimations().filter((one) => one.playState === 'running'
    && one.effect.getComputedTiming().endTime > 200).map((one) => one.animationName ?? one.transitionProperty)"""
# Where the focus is: its number, its name, in how many of its points it is on top, whether something outlines it.
FOCUS = """() => { const e = document.activeElement;
    if (!e || e === document.body) return null;
    window.rbMet ??= new Map();
    if (!rbMet.has(e)) rbMet.set(e, rbMet.size);
    const FIELDS = '[role=group], [data-testid=stNumberInputContainer], [data-testid=stTextInputRootElement]';
    const box = (e.matches('input') && (e.closest('label') ?? e.closest(FIELDS))) || e;
    const cut = (r) => [Math.max(r.left, 0), Math.max(r.top, 0),
                        Math.min(r.right, innerWidth), Math.min(r.bottom, innerHeight)];
    const points = [...box.getClientRects()].map(cut).filter(([l, t, r, b]) => r > l && b > t).flatMap(([l, t, r, b]) =>
        [.05, .5, .95].flatMap((x) => [.1, .5, .9].map((y) => [l + (r - l) * x, t + (b - t) * y])));
    const PAGE = '[data-testid=stSidebarContent], [data-testid=stMainBlockContainer]';
    const on = points.filter(([x, y]) => { const top = document.elementFromPoint(x, y);
        return top && (box.contains(top) || e.contains(top) || (top.contains(e) && top.closest(PAGE))); });
    let outlined = false;
    for (let p = e, n = 0; p && n < 5; p = p.parentElement, n++)
        outlined ||= getComputedStyle(p).outlineStyle !== 'none';
    return [rbMet.get(e), (e.ariaLabel || e.textContent || e.tagName).trim().slice(0, 40), on.length, outlined]; }"""
# What could have the focus and has not had it; of a group of radios one is enough, arrows reach the others.
MISSED = """() => { const met = [...rbMet.keys()];
    const KINDS = 'a[href], button, summary, input, textarea, [tabindex="0"]';
    return [...document.querySelectorAll('[data-testid=stApp] :is(' + KINDS + ')')]
    .filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0 && !rbMet.has(e)
        && !met.some((one) => e.closest('[role=radiogroup]')?.contains(one)))
    .map((e) => `${e.tagName} ${(e.ariaLabel || e.textContent).trim().slice(0, 40)}`); }"""
STAYED = "[...rbMet.keys()].every((one) => one.isConnected)"
PUT = """css => { const e = document.createElement('style');
    e.id = 'spacing'; e.textContent = css; document.head.append(e); }"""


def resize(page: Any, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(400)  # charts and the sidebar follow a moment later
    settle(page)


@pytest.mark.parametrize("name", part(("prompts", "overview", "results", "findings", "review"), 1))
def test_on_a_phone_the_head_is_two_lines_with_every_room_and_control(demo: str, tour: Any, name: str) -> None:
    tour.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    turn_to(tour, f"{demo}{name}?workspace=six-conditions-mistakes")
    tour.wait_for_selector("[data-testid=stProgress]", state="detached")
    resize(tour, PHONE)
    rooms = tour.locator(".rb-rooms a")
    assert rooms.all_inner_texts() == ["Overview", "Prompts", "Results", "Findings", "Review"]
    named = [tour.get_by_role("button", name=sign, exact=True).first for sign in ("Note", "Share", "Present")]
    boxes = [each.bounding_box() for each in (*rooms.all(), *named, tour.locator(".st-key-workspace_bar summary"))]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0] for box in boxes), boxes
    assert max(box["y"] + box["height"] for box in boxes) <= 110
    assert len({round(box["y"]) for box in boxes[: rooms.count()]}) == 1
    assert min(min(box["width"], box["height"]) for box in boxes) >= 24
    assert {"six-conditions-mistakes", "Overview"} & {*tour.evaluate(CUT)} == set()
    assert faults(tour) == []
    tour.locator(".st-key-workspace_bar summary").click()
    side = tour.locator(".st-key-workspace_bar .rb-side").bounding_box()
    assert side["x"] >= 0
    assert side["x"] + side["width"] <= PHONE[0]
    tour.keyboard.press("Escape")


@pytest.mark.parametrize("name", part(NAMES, 1))
def test_zoomed_or_spaced_wider_a_page_is_whole(demo: str, tour: Any, name: str) -> None:
    """1.4.4, 1.4.10, 1.4.12, 2.5.8; and nothing moves for whoever asked for less motion."""
    turn_to(tour, f"{demo}{name}?workspace=six-conditions")
    tour.wait_for_selector("[data-testid=stProgress]", state="detached")
    assert tour.title().endswith("Readback")
    assert tour.evaluate("document.documentElement.lang") == "en"
    assert tour.evaluate(MOVING) == []
    for size in (LAPTOP, HALF, QUARTER):
        resize(tour, size)
        assert (size, tour.evaluate(OUTSIDE)) == (size, [0, 0, []])
        assert (size, tour.evaluate(CUT)) == (size, [])
        assert (size, tour.evaluate(SMALL)) == (size, [])
        tour.evaluate(PUT, SPACING)
        tour.wait_for_timeout(200)
        assert (size, "spaced", tour.evaluate(OUTSIDE)) == (size, "spaced", [0, 0, []])
        assert (size, "spaced", tour.evaluate(CUT)) == (size, "spaced", [])
        tour.evaluate("document.getElementById('spacing').remove()")


@pytest.mark.parametrize(("name", "size"), part((*ALWAYS, *OTHERS), len(ALWAYS)))
def test_tab_reaches_every_control_and_each_is_seen(demo: str, tour: Any, name: str, size: tuple[int, int]) -> None:
    """2.1.1, 2.1.2, 2.4.1, 2.4.3, 2.4.7, 2.4.11: from a way past the navigation through everything and out again."""
    for _ in range(3):
        open_page(tour, f"{demo}{name}?workspace=six-conditions")
        resize(tour, size)
        stops, missed = tabbed(tour)
        if tour.evaluate(STAYED) and not missed:
            break  # else it was drawn anew below the focus, or more behind it: what is there now was not met
    hidden, bare = ([name for _, name, *found in stops if not found[at]] for at in (0, 1))
    assert stops[0][1].startswith("Skip to")
    assert (hidden, bare, missed) == ([], [], [])


def tabbed(page: Any) -> tuple[list[Any], list[str]]:
    """Press Tab from the start of a page until it is left or meets the same again: each stop as FOCUS tells it, and
    what was not met.
    """
    page.evaluate("window.rbMet = new Map()")
    left = 0
    stops: list[Any] = []
    for _ in range(400):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUS)
        for _ in range(20):
            if at is None or at[2]:
                break
            page.wait_for_timeout(100)  # a page that scrolls to it may not be there yet
            at = page.evaluate(FOCUS)
        if at is None:  # out of the document, into the browser; the next Tab comes back to its start
            left += 1
            if left == 2:
                break
            continue
        if at[0] < len(stops):
            break
        stops.append(at)
    return stops, page.evaluate(MISSED)


def test_what_a_button_opened_is_the_next_stop_and_esc_goes_back(demo: str, tour: Any) -> None:
    """2.4.3: a popover hangs at the end of the document, as far from its button as can be."""
    open_page(tour, f"{demo}prompts?workspace=six-conditions")
    button = tour.locator(".st-key-menu_0-system [data-testid=stPopoverButton]")
    button.focus()
    tour.keyboard.press("Enter")
    tour.wait_for_selector("[data-testid=stPopoverBody] [data-testid=stDownloadButton]")
    settle(tour)
    inside = "Boolean(document.activeElement.closest('[data-testid=stPopoverBody]'))"
    tour.keyboard.press("Tab")
    assert tour.evaluate(inside)
    tour.keyboard.press("Shift+Tab")
    assert button.evaluate("e => e === document.activeElement")
    for _ in range(30):
        tour.keyboard.press("Tab")
        if not tour.evaluate(inside):
            break
    assert tour.evaluate("document.activeElement.ariaLabel") == "User message"  # what is after the button
    button.focus()
    tour.keyboard.press("Tab")
    tour.keyboard.press("Escape")
    tour.wait_for_selector("[data-testid=stPopoverBody]", state="detached")
    assert button.evaluate("e => e === document.activeElement")


def test_the_workspaces_stay_open_when_a_run_draws_them_anew_and_esc_goes_back(demo: str, tour: Any) -> None:
    turn_to(tour, f"{demo}prompts?workspace=six-conditions")
    menu = tour.locator(".rb-menu:has(.rb-name)")  # that of the workspaces: a prompt has one, too
    menu.locator("summary").click()
    menu.evaluate("e => { e.outerHTML = e.outerHTML.replace(' open=\"\"', ''); }")  # as a run does whose counts differ
    tour.wait_for_selector(".rb-menu[open]:has(.rb-name) a")
    tour.keyboard.press("Tab")
    assert menu.evaluate("e => e.open && e.contains(document.activeElement.closest('a'))")
    tour.keyboard.press("Escape")
    assert menu.evaluate("e => !e.open && document.activeElement === e.querySelector('summary')")
    tour.keyboard.press("Enter")
    menu.get_by_role("link", name="town-hall-albert").click()
    tour.wait_for_selector("[data-rb-menu=town-hall-albert]:not([open])")
    assert tour.url.endswith("/prompts?workspace=town-hall-albert")


HINTS = (("prompts", ".rb-exact .rb-s", "content"), ("overview", ".rb-hinted", "display"))


@pytest.mark.parametrize(("name", "word", "rule"), HINTS, ids=["stretch", "word"])
def test_a_hint_stays_under_the_pointer_and_goes_by_esc(demo: str, tour: Any, name: str, word: str, rule: str) -> None:
    """1.4.13: content on hover or focus can be dismissed and pointed at, and stays."""
    turn_to(tour, f"{demo}{'' if name == 'overview' else name}?workspace=six-conditions")
    one = tour.locator(word).first
    shown = {
        "content": lambda: one.evaluate("e => getComputedStyle(e, '::after').content") not in ("none", "normal"),
        "display": lambda: one.locator(".rb-hint").is_visible(),
    }[rule]
    one.hover()
    assert shown()
    left, top, bottom, above = one.evaluate("""e => { const b = e.getClientRects()[0];
        return [b.left, b.top, b.bottom, e.style.getPropertyValue('--rb-top') === 'auto']; }""")
    for away in range(-1, 14, 2):  # slowly over the gap, into the hint
        tour.mouse.move(left + 12, top - away if above else bottom + away)
        assert shown(), away
    tour.keyboard.press("Escape")
    assert not shown()
    tour.mouse.move(5, 5)
    one.focus()
    tour.keyboard.press("Shift")
    assert shown()
    tour.keyboard.press("Escape")
    assert not shown()


def test_text_is_selected_under_a_hint(demo: str, tour: Any) -> None:
    """A hint that can be pointed at must not be in the way of the text below it."""
    turn_to(tour, f"{demo}prompts?workspace=six-conditions&condition=base%2C+open+book")
    stretch = tour.locator(".rb-exact .rb-s").first
    stretch.scroll_into_view_if_needed()
    stretch.hover()
    left, top = stretch.evaluate("e => { const b = e.getClientRects()[0]; return [b.left, b.top + b.height / 2]; }")
    tour.mouse.move(left + 8, top)
    tour.mouse.down()
    tour.mouse.move(left + 200, top + 70, steps=8)
    tour.mouse.up()
    assert tour.evaluate("getSelection().toString()").count("\n") >= 1


def test_what_changes_without_the_focus_is_read_out(demo: str, tour: Any) -> None:
    """4.1.3: the region is there before it says something, and says what a filter has left."""
    turn_to(tour, f"{demo}findings?workspace=six-conditions-mistakes")
    said = tour.locator(".rb-aloud[role=status]")
    before = said.inner_text()
    field = tour.locator(".st-key-search input")
    field.fill("context")
    field.press("Enter")
    tour.wait_for_timeout(300)
    settle(tour)
    assert said.inner_text() not in ("", before)
    kinds = tour.locator(".rb-rule").count()
    assert said.inner_text() == ("1 kind of finding" if kinds == 1 else f"{kinds} kinds of findings")
    field.fill("")
    field.press("Enter")
    settle(tour)


def test_the_field_for_a_name_is_known_to_the_browser_as_one(demo: str, tour: Any) -> None:
    """1.3.5: it can be filled in by the browser."""
    turn_to(tour, f"{demo}review?workspace=six-conditions")
    field = tour.locator('input[autocomplete="name"]').first
    field.wait_for(state="attached")
    assert "Your name" in (field.get_attribute("aria-label") or "")


def test_a_button_that_waits_for_files_says_what_it_does(demo: str, tour: Any) -> None:
    """It was white on white until files were there."""
    for scheme in ("light", "dark"):
        tour.emulate_media(color_scheme=scheme)
        turn_to(tour, f"{demo}open?workspace=six-conditions")
        settle(tour)
        picture = tour.locator("button[kind=primary]:disabled").first.screenshot()
        grey = Image.open(io.BytesIO(picture)).convert("L").crop((8, 8, 90, 28))
        low, high = grey.getextrema()
        assert high - low > 60, scheme
    tour.emulate_media(color_scheme="light")


def test_in_forced_colours_what_is_chosen_differs(demo: str, tour: Any) -> None:
    """1.4.1: a tint is gone there, and a line without a colour would have one."""
    tour.emulate_media(forced_colors="active")
    turn_to(tour, f"{demo}findings?workspace=six-conditions")
    tour.locator(".rb-rule").first.wait_for()
    colours = tour.locator(".rb-rule").evaluate_all("all => all.map((e) => getComputedStyle(e).borderLeftColor)")
    assert colours.count(colours[0]) == 1  # the first is chosen
    turn_to(tour, f"{demo}prompts?workspace=six-conditions")
    line = "e => getComputedStyle(e).borderBottomStyle"
    assert tour.locator(".rb-switch [aria-current]").evaluate(line) == "solid"
    tour.emulate_media(forced_colors="none")
