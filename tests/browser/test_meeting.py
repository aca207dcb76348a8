"""A meeting in four browsers (two in a short run), and its report read by one who has the file and no network."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from counts import LONG, part
from find_browser import firefox
from served import At, Others, open_page, settle, turn_to
from test_security import faults

from readback.cli import main
from readback.review import state
from readback.review.store import Store

pytestmark = pytest.mark.browser
Write = Callable[[Mapping[str, Any]], Path]
CONDITIONS = {
    "short": ("Answer in one sentence.\n\n{{ q }}", 0.2),
    "long": ("Answer at length.\n\n{{ q }}", 0.5),
    "cited": ("Answer with citations.\n\n{{ q }}\n{{ note[9].x }}", 0.7),
}
NAME_ASKED = "Your name, with which it is saved"
NAMES = part(("Ana", "Ben", "Cleo", "Dan"), 2)
PUT_OFF = part(("As above.", "Prices come from the price list."), 1)
CUT = "[...document.querySelectorAll('table')].filter((t) => t.getBoundingClientRect().right > innerWidth + 1).length"
SAID = (
    "Not until changed: “cited” versus “short”", "The citations need a list of notes.", "The whole study: signed off",
    "Nothing that was signed has changed.", f"{len(NAMES)} notes are open.", "Decide later", "not fair",
    *(f"{who} asks about the prices." for who in NAMES),
)  # fmt: skip


@pytest.fixture
def root(write: Write) -> Path:
    """A study of a harbour office: three prompts, one of which fails, and scores."""
    rows = [{"id": f"h{n}", "q": f"What does berth {n} cost?"} for n in range(12)]
    conditions = "".join(f"  - {{name: {name}, mode: {name}}}\n" for name in CONDITIONS)
    modes = "".join(f"  - {{mode: {name}, template: {json.dumps(text)}}}\n" for name, (text, _) in CONDITIONS.items())
    scores = "item,condition,criterion,score\n" + "".join(
        f"h{n},{name},useful,{int((n * 7 + 3) % 10 < share * 10)}\n" for name, (_, share) in CONDITIONS.items()
        for n in range(12)
    )  # fmt: skip
    file = ("name: Prompts of the harbour office\ndataset: d.jsonl\ntoday: '2026-01-02'\nscores: [s.csv]\n"
            "comparisons: [{a: short, b: long}, {a: short, b: cited}]\n"
            f"conditions:\n{conditions}modes:\n{modes}")  # fmt: skip
    return write({"readback.yml": file, "d.jsonl": rows, "s.csv": scores})


def has_note(root: Path, text: str) -> bool:
    return any(note.text == text for note in state.build_review(Store(root).events()).notes)


def save_note(page: Any, root: Path, who: str, text: str) -> None:
    """Write a note and save it; the name is asked in place where it is not known. Whether it is saved is asked of the
    review itself: the sentence that tells it is on the page until the next run, which a colleague's note begins.
    """
    from playwright.sync_api import TimeoutError as Late

    page.get_by_role("button", name="Write a note").click()
    field, name = (page.get_by_role("textbox", name=label, exact=True) for label in ("Your note", NAME_ASKED))
    for _ in range(4):  # a click meets nobody while Streamlit draws the button anew
        field.fill(text)
        field.blur()
        settle(page)
        page.get_by_role("button", name="Save note").click()
        for _ in range(40):
            if has_note(root, text):
                return settle(page)
            if name.evaluate_all("all => all.map((e) => e.value)") == [""]:  # asked without waiting for it
                with suppress(Late):  # saved meanwhile, it is asked no more
                    name.fill(who, timeout=2_000)
                    name.press("Enter", timeout=2_000)
            page.wait_for_timeout(250)
    raise AssertionError(page.locator("[data-testid=stMain]").inner_text())


def decide(page: Any, verdict: str, reason: str) -> None:
    """Decide on the item in view with the keyboard alone; the next one comes by itself."""
    item = page.locator("h2.rb-item").inner_text()
    page.keyboard.press({"accept": "a", "change": "c", "defer": "d"}[verdict])
    page.locator(".st-key-decide_item textarea:focus").wait_for()
    page.keyboard.type(reason)
    page.keyboard.press("Control+Enter")
    page.locator("p[role=status]", has_text="Saved.").wait_for()
    for _ in range(300):
        if page.locator("h2.rb-item").count() == 0 or page.locator("h2.rb-item").inner_text() != item:
            return settle(page)
        page.wait_for_timeout(100)
    raise AssertionError(page.locator("[data-testid=stMain]").inner_text())


def test_people_meet_decide_and_sign_and_the_report_says_it(
    at: At, root: Path, page: Any, others: Others, chromium: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = [page, *others(len(NAMES) - 1)]
    for one, who in zip(people, NAMES, strict=True):  # a note from each
        open_page(one, at(root, "review"))
        save_note(one, root, who, f"{who} asks about the prices.")
    first = people[0]
    turn_to(first, at(root, "review"), ".rb-agenda")
    assert "Which is better, “long” or “short”?" in first.locator("h2.rb-item").inner_text()
    answers = first.locator(".st-key-item_verdict").get_by_role("radio").all_inner_texts()
    assert answers == ["Rely on it", "Not until changed", "Decide later"]
    decide(first, "accept", "It is what the office asked for.")
    assert "May “cited” be compared with “short”?" in first.locator(".rb-agenda a").first.inner_text()
    assert "Not fair" not in first.locator(".rb-agenda a").first.inner_text()  # it stands once, with its reason
    assert "Not fair" in first.locator(".rb-verdict").first.inner_text()
    assert "May “cited” be compared with “short”?" in first.locator("h2.rb-item").inner_text()
    answers = first.locator(".st-key-item_verdict").get_by_role("radio").all_inner_texts()
    assert answers == ["Compare anyway", "Not until changed", "Decide later"]
    decide(first, "change", "The citations need a list of notes.")
    for reason in PUT_OFF:
        decide(first, "defer", reason)
    last, second = people[-1], people[1]
    turn_to(last, at(root, "review"), ".rb-agenda")
    tabs = last.locator(".st-key-review_top nav").inner_text()
    assert "Decided 2" in tabs
    assert f"{len(PUT_OFF)} to decide later" in last.locator("[data-testid=stMain]").inner_text().replace("One", "1")
    turn_to(second, at(root, "review?view=signed"))
    assert "Before you sign" in second.locator(".st-key-sign").inner_text()
    second.get_by_role("button", name="Sign off").click()
    second.get_by_text("still holds: unchanged").wait_for(timeout=60_000)
    assert len(state.build_review(Store(root).events()).notes) == len(NAMES)
    out = tmp_path / "report.html"
    assert main(["report", str(root), "-o", str(out)]) == 0
    assert main(["report", "--verify", str(out), str(root)]) == 0
    assert "all that the report says was built again from the workspace" in capsys.readouterr().out
    _read(chromium, out, tmp_path)


def _read(chromium: Any, out: Path, tmp_path: Path) -> None:
    """The file on a machine without a network and without scripts; on paper; in a long run also in Firefox."""
    asked: list[str] = []
    for width, scheme in part(((1366, "light"), (1920, "dark"), (320, "light")), 1):
        context = chromium.new_context(viewport={"width": width, "height": 768}, color_scheme=scheme, offline=True,
                                       java_script_enabled=False)  # fmt: skip
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(out.as_uri())
        text = page.locator("body").inner_text()
        for said in SAID:
            assert said.lower() in text.lower(), said
        context.close()
    assert set(asked) <= {out.as_uri(), "data:,"}
    context = chromium.new_context(viewport={"width": 688, "height": 900}, offline=True)  # A4 between its margins
    page = context.new_page()
    page.goto(out.as_uri())
    for scheme in part(("light", "dark"), 1):
        page.emulate_media(color_scheme=scheme)
        assert faults(page) == []
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == 0
    page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    assert (tmp_path / "report.pdf").stat().st_size > 10_000
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    context.close()
    if not LONG:
        return
    if (found := firefox()) is None:
        pytest.skip("no Firefox is installed, so the report is not opened in it")
    picture = tmp_path / "report.png"
    subprocess.run([found, "--headless", "--no-remote", "--profile", str(tmp_path), "--window-size=1366,1600",
                    f"--screenshot={picture}", out.as_uri()], check=True, capture_output=True, timeout=120)  # fmt: skip
    assert picture.stat().st_size > 20_000
