"""Present: large text for a projector, in the address, on every page; and what a link asks for that is not there."""

from __future__ import annotations

import re

import pytest
from looking import links, page, said, words
from markupsafe import escape
from starlette.testclient import TestClient

from readback.project_files import PROJECT
from readback.ui.accessibility import criteria
from readback.ui.common import own_files, server

PAGES = sorted(path.stem.removesuffix("_page") for path in PROJECT.joinpath("pages").glob("*_page.py"))


@pytest.mark.parametrize("name", PAGES)
def test_every_page_can_be_presented_and_says_so_in_its_address(name: str) -> None:
    test = page(name, workspace="tri-section")
    assert "rb-present" not in said(test)
    test.button(key="present").click().run()
    assert test.query_params["present"] == "1"
    assert "rb-present" in said(test)
    test.button(key="present").click().run()
    assert "present" not in test.query_params


@pytest.mark.parametrize(("kind", "there"), [("condition", "base, closed book"), ("judge", ""), ("mode", "rag")])
def test_what_a_link_asks_for_and_is_not_there_is_said(kind: str, there: str) -> None:
    shown = said(page("prompts", workspace="six-conditions-mistakes", **{kind: "nowhere"}))
    assert f"asks for the {kind} “nowhere”" in shown
    if there:
        assert "asks for" not in said(page("prompts", workspace="six-conditions-mistakes", **{kind: there}))


def test_the_first_page_answers_to_its_name_and_keeps_what_is_asked() -> None:
    with TestClient(server.application("/tools"), follow_redirects=False) as client:
        answer = client.get("/tools/overview?workspace=a%20b")
    assert (answer.status_code, answer.headers["location"]) == (307, "/tools/?workspace=a%20b")


def test_the_accessibility_statement_is_reached_from_about_and_names_whom_to_write_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("READBACK_CONTACT", "READBACK_ACCESSIBILITY_CHECKED", "READBACK_ACCESSIBILITY_GAPS")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    assert links(page("about"), "accessibility")
    assert "the person who runs this server" in said(page("accessibility"))
    for name, value in zip(names, ("Ada <b>", "1 May 2026", "The proxy times out."), strict=True):
        monkeypatch.setenv(name, value)
    told = said(page("accessibility"))
    assert all(part in told for part in ("Ada &lt;b&gt;", "1 May 2026", "The proxy times out."))


def test_no_style_hangs_on_what_the_whole_page_holds() -> None:
    """`body:has(…)`, and worse `body:not(:has(…))`, has the style of everything worked out anew at each of a chart's
    elements: seconds on Scores. So has a rule for what is in the page's main part, if that holds something. Rules for
    narrow windows are indented below their media query, and are not meant.
    """
    within = r"(?m)^\[data-testid=\"stMainBlockContainer\"\]:has\([^{]*\) [^{]"
    assert re.search(within, '[data-testid="stMainBlockContainer"]:has(.st-key-bar) h1 {')
    for file in own_files.STYLES:
        rules = re.findall(
            r"(?m)^( *)((?:html|body|\[data-testid=\"st(?:App|AppViewContainer|Main)\"\]):(?:not\(:)?has\(.*)",
            file.read_text("utf-8"),
        )
        assert not [rule for indent, rule in rules if not indent or ":not(:has" in rule]
        assert not re.search(within, file.read_text("utf-8"))


def test_a_style_sheet_that_a_page_links_is_not_drawn_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held against each element twice, it cost a page a quarter of all that is spent on styles."""
    for linked in (False, True):
        monkeypatch.setattr(own_files, "LINKED", linked)
        drawn = "".join(html.proto.body for html in page("about").get("html"))
        assert (".rb-exact" in drawn, "@font-face" in drawn) == (not linked, not linked)
    with TestClient(server.application("/tools")) as client:
        sheet = client.get("/tools/readback/style.css").text
    assert ".rb-exact" in sheet
    assert "@font-face" in sheet


def test_a_criterion_that_neither_passes_nor_was_left_out_is_said_to_fail() -> None:
    rows = [("1", "", "pass"), ("2", "", "passes there"), ("3", "", "not tested"), ("4", "", "the picture is cut")]
    assert criteria.results(rows).endswith("0 do not apply, 1 was not tested and 1 fails.")


def test_the_accessibility_statement_holds_the_table_of_criteria_as_the_document_has_it() -> None:
    rows = [line.split("|") for line in criteria.FILE.read_text("utf-8").splitlines() if line.startswith("| ")][1:]
    test = page("accessibility")
    shown = re.findall(r'<th scope="row"[^>]*>(.*?)</th>', said(test))
    assert shown == [escape(row[1].strip()) for row in rows]
    results = [row[3].strip() for row in rows]
    part, passed = (sum(bool(re.match(word, one)) for one in results) for word in ("passes", r"pass\b"))
    assert f"{len(rows)} criteria, or groups of them" in words(test)
    assert f"{passed} pass and {part} pass where they were tested; {results.count('not applicable')} do" in words(test)
    assert "docs/accessibility.md" not in words(test)
    assert "| " not in words(test)
