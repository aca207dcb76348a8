"""From the first look to the exact text and back: what a link promises is what the next page shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from counts import LONG, part
from served import At, open_page, settle, turn_to
from test_security import serious

from readback import workspace
from readback.project_files import EXAMPLES
from readback.prompts import assemble
from readback.records.dataset import open_dataset
from readback.records.replies.answers import open_answers
from readback.types import Selection

pytestmark = pytest.mark.browser
SIX = EXAMPLES / "six-conditions-mistakes"
TO_MESSAGE = ".rb-places a.rb-link"
TEXTS = '[id^="text-"]:not([id^="text-reference"], [id^="text-answer"]) .rb-exact'
STATES = (
    "findings?code=fmt-system-text-in-user&severity=error&arm=mistake+1%3A+system+text+in+the+question",
    "findings?code=fmt-reference-cites-missing",
    "findings?arm=%E2%80%93",
    "?arms_sort=errors&arms_down=1",
)


MOST_WORDS = 180
WORDS = """() => {
    const hidden = ".rb-aloud, .rb-skip, .rb-hint, [data-testid=stIconMaterial], details:not([open]) > :not(summary)";
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const words = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!parent.checkVisibility({visibilityProperty: true}) || parent.closest(hidden + ", script, style")) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect();
        const isSeen = box.width > 2 && box.height > 2 && box.right > 0 && box.top > 0 && box.bottom <= innerHeight;
        if (isSeen && !parent.closest("a[href^='#']"))
            words.push(...node.textContent.split(/\\s+/).filter((word) => /\\p{L}/u.test(word)));
    }
    return words;
}"""


def shown(page: Any) -> list[str]:
    texts: list[str] = page.locator(TEXTS).evaluate_all("all => all.map((e) => e.textContent)")
    return texts


def follow(page: Any, selector: str, to: str) -> str:
    """Follow the first such link; answers its words."""
    link = page.locator(selector).first
    words: str = link.inner_text()
    link.click()
    page.wait_for_url(f"**{to}**")
    settle(page)
    return words


def walk(page: Any, url: str) -> None:
    """Overview, the first thing to look at, its first place, the marked text; back again; then the scores."""
    open_page(page, url, ".rb-first")
    page.evaluate("window.kept = true")
    title = follow(page, ".rb-first a", "/findings?")
    page.wait_for_selector(TO_MESSAGE)
    assert page.locator("h2", has_text=title).count() == 1
    follow(page, TO_MESSAGE, "/prompts?")
    page.wait_for_selector(".rb-exact")
    assert "finding=" in page.url
    page.go_back()
    page.wait_for_selector(TO_MESSAGE)
    settle(page)
    assert "/findings?" in page.url
    assert page.locator("h2", has_text=title).count() == 1
    page.get_by_role("link", name="Results", exact=True).click()
    page.wait_for_url("**/results**")
    settle(page)
    assert page.locator("h1").inner_text()
    assert "finding=" not in page.url
    assert page.evaluate("window.kept")  # no step was a new load


def texts_are_as_assembled(page: Any, url: str, folder: Path, step: int) -> None:
    """For every condition (every third in a short run) another record: the page's texts are the assembled ones."""
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    open_page(page, url, TEXTS)
    for number, condition in list(enumerate(opened.conditions))[:: 1 if LONG else 3]:
        index = (number + 1) * step % len(data)
        made = assemble.assemble(opened, data.record(index), Selection(condition=condition.name))
        address = f"{url}&index={index}&condition={quote(condition.name)}"
        turn_to(page, address, f"text={made.fingerprint}", "attached")  # it is below a fold
        assert shown(page) == [message.text for message in made.messages], condition.name


@pytest.mark.realdata
def test_from_overview_to_the_message_and_to_the_scores_on_a_real_study(at: At, page: Any, shared: Path) -> None:
    walk(page, at(shared / "data" / "prompt-formats"))


def test_every_condition_of_the_demo_shows_what_is_assembled(demo: str, page: Any) -> None:
    texts_are_as_assembled(page, f"{demo}prompts?workspace=six-conditions-mistakes", SIX, 7)


@pytest.mark.realdata
def test_every_condition_of_a_real_study_shows_what_is_assembled(at: At, page: Any, shared: Path) -> None:
    folder = shared / "data" / "prompt-formats"
    texts_are_as_assembled(page, at(folder, "prompts"), folder, 3)


def test_a_judges_prompt_shows_what_is_assembled(demo: str, tour: Any) -> None:
    opened = workspace.open(SIX)
    data = open_dataset(opened.root, opened.dataset)
    condition = opened.conditions[1]
    answer = open_answers(opened, condition).get(data.record(4).id or "")
    sent = Selection(condition=condition.name, judge=condition.judge)
    made = assemble.assemble(opened, data.record(4), sent, answer)
    url = f"{demo}prompts?workspace=six-conditions-mistakes&index=4&condition={condition.name}&judge={condition.judge}"
    turn_to(tour, url, f"text={made.fingerprint}", "attached")
    assert shown(tour) == [message.text for message in made.messages]


@pytest.mark.parametrize("severity", part(["errors", "warnings"], 1))
def test_a_count_of_the_table_is_what_its_link_lists(demo: str, page: Any, severity: str) -> None:
    for row, link in enumerate(links_of(page, demo, severity)[::3]):
        turn_to(page, f"{demo}?workspace=six-conditions-mistakes", ".rb-first")
        count = int(page.locator(f'.rb-table a[href="{link}"]').first.inner_text())
        follow(page, f'.rb-table a[href="{link}"]', "/findings?")
        places = page.locator(".rb-rule").evaluate_all("all => all.map((row) => Number(row.dataset.n))")
        assert sum(places) == count, row


def links_of(page: Any, demo: str, severity: str) -> list[str]:
    open_page(page, f"{demo}?workspace=six-conditions-mistakes", ".rb-first")
    every = page.locator(".rb-table a").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
    return [link for link in every if f"severity={severity.removesuffix('s')}" in link]


def test_a_place_leads_to_its_marked_text(demo: str, page: Any) -> None:
    open_page(page, f"{demo}findings?workspace=six-conditions-mistakes&code=fmt-system-text-in-user", TO_MESSAGE)
    span = page.locator(".rb-excerpt mark").first.evaluate("e => e.textContent")
    follow(page, TO_MESSAGE, "/prompts?")
    page.wait_for_selector("mark.rb-here")
    assert page.locator("mark.rb-here").evaluate_all("all => all.map((e) => e.textContent).join('')") == span
    box = page.locator("mark.rb-here").first.bounding_box()
    assert 0 <= box["y"] <= 768


def test_a_system_message_opens_on_focus(demo: str, tour: Any) -> None:
    turn_to(tour, f"{demo}?workspace=six-conditions-mistakes", ".rb-hinted")
    hinted = tour.locator(".rb-hinted", has=tour.locator(".rb-hint", has_text="sha256")).first
    hint = hinted.locator(".rb-hint")
    assert not hint.is_visible()
    hinted.focus()
    assert hint.is_visible()


@pytest.mark.parametrize("asked", part(STATES, 1))
def test_no_serious_fault_in_these_states(demo: str, tour: Any, asked: str) -> None:
    join = "&" if asked.partition("?")[2] else ""
    turn_to(tour, f"{demo}{asked}{join}&workspace=six-conditions-mistakes")
    assert serious(tour) == []


def test_the_first_screen_has_few_words_and_a_picture(demo: str, chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    try:
        open_page(page, f"{demo}?workspace=six-conditions", ".rb-status")
        words = page.evaluate(WORDS)
        assert "better" in words
        assert len(words) <= MOST_WORDS, " ".join(words)
        assert page.locator(".rb-pair").count() == 2
        first_screen = page.locator("[data-testid='stMain']").inner_text()
        assert first_screen.count("✓ fair") == 1  # a planned pair is in the first sentence and in one row, nowhere else
        assert page.locator(".rb-ranks tbody tr").count() == 6
        assert page.locator(".js-plotly-plot").count() == 0
    finally:
        context.close()


def test_four_things_are_one_click_away_in_a_folder_that_was_never_opened(at: At, page: Any, write: Any) -> None:
    """Every message, what is wrong, the chart of scores, and what was loaded."""
    rows = "id,question,context,reference\n" + "".join(f"q{n},Who has key {n}?,The guard.,Guard\n" for n in range(12))
    scores = "item,condition,judge,criterion,score\n" + "".join(
        f"q{n},{name},judge,helpful,{(n + at_least) % 3 + at_least}\n" for n in range(12)
        for name, at_least in (("closed", 1), ("open", 2))
    )  # fmt: skip
    house = 'name: house\nsystem_prompt: true\ntasks:\n  generation: {system: "No lists.", user: "Keep it short."}\n'
    texts = {"closed.jinja": "Q: {{ question }}", "open.jinja": "{{ context }} {{ gone }}\nQ: {{ question }}"}
    folder = write({"rows.csv": rows, "scores.csv": scores, "adapters/house.yml": house, **texts})
    overview = at(folder)

    open_page(page, overview, ".rb-status")
    page.get_by_role("link", name="2 modes").click()
    page.wait_for_url("**/prompts?**")
    page.wait_for_selector(".rb-cell .rb-exact, .rb-exact >> nth=3")
    settle(page)
    every = [text.removesuffix("■").strip() for text in page.locator(".rb-exact").all_inner_texts()]
    assert sum("No lists." in text for text in every) == 2  # the system message of each mode with the adapter
    assert sum("Who has key 0?" in text for text in every) == 4

    turn_to(page, overview, ".rb-status")
    page.locator(".rb-status a[href*=findings]").first.click()
    page.wait_for_url("**/findings?**")
    page.wait_for_selector(".rb-rule")
    assert "gone" in page.locator("[data-testid=stMain]").inner_text()

    turn_to(page, overview, ".rb-status")
    assert page.locator(".rb-ranks tbody tr").count() == 2
    page.get_by_role("link", name="Results", exact=True).click()
    page.wait_for_url("**/results?**")
    page.wait_for_selector(".rb-forest, .js-plotly-plot, svg.rb-axis")

    turn_to(page, overview, ".rb-status")
    page.get_by_role("link", name="12 records").click()
    page.wait_for_url("**loaded=1**")
    files = page.get_by_role("table", name="What was loaded")
    files.wait_for()
    settle(page)
    page.wait_for_timeout(600)
    assert {"rows.csv", "scores.csv", "adapters/house.yml", *texts} <= {
        line.split("\t")[0] for line in files.inner_text().split("\n")
    }
    assert 0 <= page.locator("[data-rb-arrive=loaded]").bounding_box()["y"] < 500
