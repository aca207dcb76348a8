"""Links in a real browser: one click arrives at the top or at what is marked, with the focus there, and at the count
that the link promised.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from counts import LONG, part
from served import settle, turn_to

from readback.project_files import demos

pytestmark = pytest.mark.browser
FROM = ("", "findings", "results")
MOST = 100  # links of one workspace
FILTER = ("findings", "/findings", frozenset({"workspace", "severity"}))  # stays on its page: tried in every run
LINKS = """() => [...document.querySelectorAll('[data-testid=stMain] a[href]')].filter((one) => one.origin === origin
    && one.checkVisibility({contentVisibilityAuto: true}))
    .map((one) => ({href: one.getAttribute('href'), said: one.innerText.trim()}))"""
CLICK = """(href) => [...document.querySelectorAll('[data-testid=stMain] a[href]')]
    .find((one) => one.getAttribute('href') === href && one.checkVisibility()).click()"""
# Where the page stands after a click: how far down, whether what it marks is in view, and what has the focus.
ARRIVED = """() => {
    const main = document.querySelector('[data-testid=stMain]');
    const spot = document.querySelector('.rb-here, [data-rb-arrive], mark.rb-here');
    const box = spot && spot.getBoundingClientRect();
    const focus = document.activeElement;
    return {
        top: main.scrollTop,
        marked: Boolean(spot),
        seen: Boolean(box) && box.top < innerHeight && box.bottom > 0,
        held: ['H1', 'H2'].includes(focus.tagName) || Boolean(spot && (spot.contains(focus) || focus.contains(spot))),
        focus: `${focus.tagName}.${focus.className}`,
    };
}"""


def kinds(page: Any, name: str) -> dict[Any, dict[str, str]]:
    """One link of each kind on the page: where it leads, and what it asks for."""
    found: dict[Any, dict[str, str]] = {}
    for link in page.evaluate(LINKS):
        address = urlsplit(link["href"])
        asked = frozenset(key for key, _ in parse_qsl(address.query))
        found.setdefault((name, address.path, asked), link)
    return found


def arrived(there: dict[str, Any]) -> bool:
    """Whether the focus is where the link leads, and that is at the top or, where something is marked, in view."""
    return bool(there["held"] and (there["seen"] if there["marked"] else there["top"] == 0))


def stays(name: str, link: dict[str, str]) -> bool:
    """Whether the link changes what its own page shows: a filter, an order, a criterion. The reader stays there."""
    address = urlsplit(link["href"])
    return address.path == f"/{name}" and {key for key, _ in parse_qsl(address.query)} != {"workspace"}


def number(text: str) -> int:
    return int(text.replace(",", ""))


def promised(link: dict[str, str], page: Any) -> str:
    """What is wrong with the count on arrival; "" where none is promised, or it is right."""
    if "/findings" not in page.url:
        return ""
    if (both := re.search(r"([\d,]+) kinds? of .* in ([\d,]+) places?", link["said"])) is None:
        return ""
    every = page.locator(".rb-rule").evaluate_all("all => all.map((row) => Number(row.dataset.n))")
    counts = [places for places in every if places]
    there = len(counts), sum(counts)
    return "" if there == (number(both[1]), number(both[2])) else f"promised {both[0]}, found {there}"


@pytest.mark.parametrize("workspace", part(sorted(demos(), key=lambda name: name != "six-conditions-mistakes"), 1))
def test_each_kind_of_link_arrives_at_what_it_promises(demo: str, page: Any, workspace: str) -> None:
    every: dict[Any, dict[str, str]] = {}
    for name in FROM:
        turn_to(page, f"{demo}{name}?workspace={workspace}")
        every |= kinds(page, name)
    assert every
    off = []
    tried = list(every.items())[:MOST]
    if not LONG:
        tried = [*tried[::60], *(one for one in tried if one[0] == FILTER)]
    for (name, *_), link in tried:
        turn_to(page, f"{demo}{name}?workspace={workspace}")
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 400")
        before = page.url
        page.evaluate(CLICK, link["href"])
        for _ in range(50):
            if page.url != before:
                break
            page.wait_for_timeout(50)
        settle(page)
        there = page.evaluate(ARRIVED)
        for _ in range(50):  # where a page is drawn as it was, it arrives half a second after the click
            if arrived(there) or stays(name, link):
                break
            page.wait_for_timeout(100)
            there = page.evaluate(ARRIVED)
        if not arrived(there) and not (stays(name, link) and not there["marked"]):
            off.append((name, link["href"], link["said"], there))
        if why := promised(link, page):
            off.append((name, link["href"], link["said"], why))
    assert off == []
