"""The list of Findings in a browser, and the first page of a report on paper."""

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


def test_the_rules_are_in_the_first_view_and_none_of_their_words_is_cut_or_slanted(demo: str, tour: Any) -> None:
    for size in (LAPTOP, {"width": 1920, "height": 1080}, {"width": 390, "height": 844}):
        tour.set_viewport_size(size)
        turn_to(tour, f"{demo}{MISTAKES}", ".rb-rule")
        settle(tour)
        cut = tour.locator(".rb-rules :is(p, a, bdi, b, h2)").evaluate_all(
            "all => all.filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth).map((e) => e.innerText)"
        )
        assert cut == []
        turned = "all => all.filter((e) => getComputedStyle(e).transform !== 'none').length"
        assert tour.locator(".rb-rules *").evaluate_all(turned) == 0
        assert tour.evaluate("document.documentElement.scrollWidth") <= size["width"]
    tour.set_viewport_size(LAPTOP)
    settle(tour)
    in_view = "all => all.filter((e) => e.getBoundingClientRect().bottom < innerHeight).length"
    assert tour.locator(".rb-rule").evaluate_all(in_view) >= 5
    line = "e => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)"
    assert tour.locator(".rb-lead").first.evaluate(line) < 2.5
    panel = ".st-key-rule_panel "
    fix, title = (tour.locator(panel + selector).first.bounding_box() for selector in (".rb-fix-card", "h2"))
    assert fix["x"] > title["x"] + title["width"] - 1  # beside it
    assert abs(fix["y"] - title["y"]) < 60


def test_a_long_name_ends_in_dots_before_its_count_and_is_whole_for_who_points_at_it(demo: str, tour: Any) -> None:
    tour.set_viewport_size(LAPTOP)
    turn_to(tour, f"{demo}{MISTAKES}", ".rb-rule-arms bdi + span")
    link = tour.locator(".rb-rule-arms a:has(bdi + span)").first
    link.evaluate("e => { e.firstElementChild.textContent = 'a long name '.repeat(25); }")
    name, count, row = (part.bounding_box() for part in (link.locator("bdi"), link.locator("span"),
                                                         tour.locator(".rb-rule").first))  # fmt: skip
    assert link.locator("bdi").evaluate("e => e.scrollWidth > e.clientWidth && getComputedStyle(e).textOverflow") == (
        "ellipsis"
    )
    assert name["x"] + name["width"] <= count["x"] + 1
    assert count["x"] + count["width"] <= row["x"] + row["width"]
    assert link.get_attribute("title") == "base, open book"


@pytest.mark.parametrize("address", ["review?workspace=six-conditions", "review?workspace=six-conditions&present=1"])
def test_no_word_beside_a_difference_is_broken(address: str, demo: str, tour: Any) -> None:
    tour.set_viewport_size(LAPTOP)
    turn_to(tour, f"{demo}{address}", ".rb-forest-n")
    words = tour.locator(".rb-forest-n").first
    assert words.inner_text().split() == ["23", "shared", "questions"]
    assert words.evaluate("e => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight)") < 1.5


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
    turn_to(tour, f"{demo}{address}&present=1", ".rb-rule, .rb-verdict")
    words = tour.evaluate(WORDS)
    assert 20 < len(words) <= 80, (len(words), " ".join(words))


def test_a_condition_is_opened_by_the_keyboard_and_all_of_them_again(demo: str, tour: Any) -> None:
    tour.set_viewport_size(LAPTOP)
    turn_to(tour, f"{demo}{MISTAKES}", ".rb-rule")
    rules = tour.locator(".rb-rule").count()
    tour.locator('.rb-rule[data-code="fmt-system-text-in-user"] .rb-rule-arms a').nth(1).focus()
    tour.keyboard.press("Enter")
    tour.locator(".rb-rule-arms a[aria-current]").wait_for()
    settle(tour)
    assert tour.locator(".rb-rule").count() < rules
    assert tour.locator(".rb-chosen .rb-rule-count").inner_text() == "24 of 48 places"
    assert "mistake 2" in tour.locator(".rb-arms [aria-current]").inner_text()
    tour.locator(".rb-rules-foot a").click()
    tour.wait_for_function(f"() => document.querySelectorAll('.rb-rule').length === {rules}")
    assert tour.locator(".rb-chosen").get_attribute("data-code") == "fmt-system-text-in-user"


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
