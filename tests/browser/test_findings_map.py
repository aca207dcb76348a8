"""The map of Findings in a browser, and the first page of a report on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from served import LAPTOP, settle, turn_to

from readback import workspace
from readback.project_files import demos
from readback.reporting import contents
from readback.reporting.forms import FORMS
from readback.review.store import Store

pytestmark = pytest.mark.browser
MISTAKES = "findings?workspace=six-conditions-mistakes"
PAPER = {"width": 688, "height": 1017}  # A4 without its margins of 14 mm, in CSS pixels


def test_the_map_is_in_the_first_view_and_its_head_stays(demo: str, tour: Any) -> None:
    tour.set_viewport_size(LAPTOP)
    turn_to(tour, f"{demo}{MISTAKES}", ".rb-map")
    first = tour.locator(".rb-map a.rb-spot").first.bounding_box()
    assert first["y"] < 380
    fix, place = (tour.locator(selector).first.bounding_box() for selector in (".rb-fix-card", ".rb-places"))
    assert fix["x"] > place["x"] + place["width"] - 1  # beside it
    assert abs(fix["y"] - place["y"]) < 60
    head = tour.locator(".rb-map thead th").nth(1)
    before = head.bounding_box()["y"]
    tour.locator(".rb-map tfoot").scroll_into_view_if_needed()
    settle(tour)
    assert 0 < head.bounding_box()["y"] <= before
    cut = tour.locator(".rb-map a.rb-spot").evaluate_all(
        "all => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.title)"
    )
    assert cut == []


def test_names_lean_over_their_columns_whole_and_the_focus_shows_a_longer_one(demo: str, tour: Any) -> None:
    tour.set_viewport_size(LAPTOP)
    turn_to(tour, f"{demo}{MISTAKES}", ".rb-map")
    heads = tour.locator(".rb-map thead a.rb-map-name")
    cut = heads.evaluate_all("all => all.filter((e) => e.scrollHeight > e.clientHeight + 2).map((e) => e.innerText)")
    assert cut == []
    heads.last.focus()
    shown = heads.last.evaluate("e => getComputedStyle(e.closest('th'), '::after').content")
    assert shown == f'"{heads.last.get_attribute("aria-label")}"'
    frame = tour.locator(".rb-map-frame").bounding_box()
    ends = heads.evaluate_all("all => all.map((e) => e.getBoundingClientRect().right)")
    assert max(ends) <= frame["x"] + frame["width"] + 40  # leaning over the gap, not over what is beside it


def test_the_key_of_the_map_has_its_samples_beside_their_words(demo: str, tour: Any) -> None:
    tour.set_viewport_size(LAPTOP)
    turn_to(tour, f"{demo}{MISTAKES}", ".rb-map-key")
    entries = tour.locator(".rb-map-key li")
    lines = entries.evaluate_all("all => all.map((e) => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight))")
    assert len(lines) == 4
    assert max(lines) < 2  # a line each, with room for the sample
    gaps = entries.evaluate_all("all => all.map((e) => e.querySelector('.rb-map').clientWidth)")
    assert max(gaps) < 50


@pytest.mark.parametrize("address", ["review?workspace=six-conditions", "review?workspace=six-conditions&present=1"])
def test_no_word_beside_a_difference_is_broken(address: str, demo: str, tour: Any) -> None:
    tour.set_viewport_size(LAPTOP)
    turn_to(tour, f"{demo}{address}", ".rb-forest-n .rb-small")
    words = tour.locator(".rb-forest-n .rb-small").first
    assert words.inner_text().split() == ["shared", "questions"]
    assert words.evaluate("e => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)") < 2.5


WORDS = """() => {
  const words = [], walker = document.createTreeWalker(document.querySelector('[data-testid=stMain]'), 4);
  while (walker.nextNode()) {
    const part = walker.currentNode.parentElement, range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const shown = part.checkVisibility({visibilityProperty: true}) && range.getClientRects().length;
    if (shown && !part.closest('h1, header, .rb-menu, .rb-aloud, .rb-exact, .rb-excerpt, [class*="st-key-head_"]'))
      words.push(...walker.currentNode.data.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)));
  }
  return words;
}"""


@pytest.mark.parametrize("address", [MISTAKES, "findings?workspace=copied-prompts", "review?workspace=six-conditions"])
def test_what_is_presented_has_eighty_words_of_ours_at_most(address: str, demo: str, tour: Any) -> None:
    tour.set_viewport_size(LAPTOP)
    turn_to(tour, f"{demo}{address}&present=1", ".rb-map, .rb-verdict")
    words = tour.evaluate(WORDS)
    assert 20 < len(words) <= 80, (len(words), " ".join(words))


def test_a_cell_is_clicked_and_the_map_stays(demo: str, tour: Any) -> None:
    tour.set_viewport_size(LAPTOP)
    turn_to(tour, f"{demo}{MISTAKES}", ".rb-map")
    cells = tour.locator(".rb-map a.rb-spot").count()
    tour.locator('.rb-rule[data-code="fmt-system-text-in-user"] a.rb-spot').nth(1).click()
    tour.locator(".rb-map a.rb-spot[aria-current]").wait_for()
    settle(tour)
    assert tour.locator(".rb-map a.rb-spot").count() == cells
    assert "mistake 2" in tour.locator(".rb-arms [aria-current]").inner_text()


def test_on_a_phone_no_cell_is_cut(demo: str, tour: Any) -> None:
    tour.set_viewport_size({"width": 390, "height": 844})
    turn_to(tour, f"{demo}{MISTAKES}", ".rb-map")
    wide = tour.locator(".rb-map a.rb-spot").evaluate_all("all => all.filter((e) => e.scrollWidth > e.clientWidth + 1)")
    assert wide == []
    assert tour.evaluate("document.documentElement.scrollWidth") <= 390
    tour.set_viewport_size(LAPTOP)


@pytest.mark.parametrize("many", [0, 40])
def test_the_first_page_of_a_report_is_one_sheet(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """However much was asked, decided, noted and changed."""
    monkeypatch.setenv("READBACK_STATE", str(tmp_path / "state"))
    root = demos()["six-conditions-mistakes"]
    opened, store = workspace.open(root), Store(root)
    values = contents.build_contents(opened, store, contents.select_events(store.events(), None), jobs=1)
    long = "A long reason with many words " * 20
    first = values["summary"]
    first["questions"] *= many or 1
    first["decisions"] = many * [
        {
            "about": long,
            "verdict": "accept",
            "kind": "finding",
            "owner": "Somebody",
            "time": "",
            "reason": long,
            "bytes": "changed",
        }
    ]
    first["open_notes"] = many * [{"text": long, "owner": "Somebody", "due": "2026-01-01", "overdue": True}]
    if many:
        changes = many * [{"what": long, "where": many * [long], "layer": ""}]
        signed = {"who": "Ana", "time": "2026-01-01", "about": "The study", "why": "", "signoffs": 3}
        first["standing"] = {"state": "stale", "changes": changes, **signed}
    out = tmp_path / "report.html"
    out.write_bytes(FORMS["html"](values))
    page = chromium.new_page(viewport=PAPER)
    page.emulate_media(media="print")
    page.goto(out.as_uri())
    assert page.locator("#first").evaluate("e => e.getBoundingClientRect().bottom") < PAPER["height"]
    assert page.locator("#first svg").count() > 0
    assert page.evaluate("[...document.fonts].map((font) => font.status)") == ["loaded"]
    page.close()
