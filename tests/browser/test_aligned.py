"""Compare in a browser: both columns hold the exact texts, keys lead through it, links and Back restore it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import nasty
import pytest
from counts import LONG, part
from served import At, open_page, settle, turn_to
from test_security import serious

from readback import workspace
from readback.prompts import assemble
from readback.records import dataset
from readback.types import Selection

pytestmark = pytest.mark.browser
COLUMN = """(side) => JSON.stringify([...document.querySelectorAll('.rb-diff')].map((message) =>
    [...message.querySelectorAll(side)].map((cell) => cell.textContent).join('')))"""
PAIR = (
    "workspace=six-conditions-mistakes&condition=instruction-only%2C+closed+book&b_condition=RAG-trained%2C+open+book"
)


def asked(page: Any) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def column(page: Any, side: str) -> list[str]:
    """The texts of one side as the browser holds them, one for each message."""
    texts: list[str] = json.loads(page.evaluate(COLUMN, side))
    return texts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nasty texts in two modes that differ around them and in the middle of them."""
    made = tmp_path_factory.mktemp("compared")
    texts = [*nasty.EDGES[:12], *nasty.LOST, "".join(f"line {n}\r\n" for n in range(200))]
    rows = [{"id": f"r{n}", "text": text, "twice": f"{text}\n{text}"} for n, text in enumerate(texts)]
    (made / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "ascii")
    modes = [
        {"mode": "plain", "template": "{{ text }}", "system": " \nYou are x.\n\n"},
        {"mode": "other", "template": "new {{ twice }}\n\n", "system": "You are x."},
    ]
    (made / "readback.yml").write_text(json.dumps({"dataset": {"path": "data.jsonl"}, "modes": modes}), "utf-8")
    return made


def test_each_column_is_the_exact_text_folded_or_whole(folder: Path, at: At, page: Any) -> None:
    opened = workspace.open(folder)
    data = dataset.open_dataset(opened.root, opened.dataset)
    url = at(folder, "prompts?view=difference&mode=plain&b_mode=other")
    for number, record in list(enumerate(data.records()))[:: 1 if LONG else 5]:
        turn_to(page, f"{url}&record={record.id}{'&whole=1' if number % 2 else ''}", ".rb-diff")
        for side, mode in ((".rb-a", "plain"), (".rb-b", "other")):
            made = assemble.assemble(opened, record, Selection(mode=mode))
            assert [nasty.shown(message.text) for message in made.messages] == column(page, side)


def test_by_keyboard_from_messages_through_the_differences_and_back(demo: str, page: Any) -> None:
    open_page(
        page,
        f"{demo}prompts?workspace=six-conditions-mistakes&record=ellery-03&condition=instruction-only%2C+open+book",
        ".rb-exact",
    )
    page.keyboard.press("d")
    page.wait_for_url("**/prompts?*record=ellery-03*")
    page.wait_for_selector(".rb-diff")
    settle(page)
    assert asked(page)["condition"] == "instruction-only, open book"
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.dataset.rbChange") == "1"
    assert "Difference 1 of" in page.locator("[data-rb-step-said]").inner_text()
    box = page.locator("[data-rb-change].rb-at").first.bounding_box()
    assert 0 <= box["y"] <= 768
    page.keyboard.press("p")
    last = page.locator("[data-rb-change]").last.get_attribute("data-rb-change")
    assert page.evaluate("document.activeElement.dataset.rbChange") == last
    page.keyboard.press("]")
    page.wait_for_url("**b_condition=*")
    settle(page)
    first = asked(page)["b_condition"]
    page.keyboard.press("i")
    page.wait_for_selector(".rb-inline")
    settle(page)
    page.go_back()
    page.wait_for_selector(".rb-compared:not(.rb-inline)")
    settle(page)
    assert asked(page)["b_condition"] == first
    page.go_back()
    settle(page)
    assert "b_condition" not in asked(page)
    page.keyboard.press("d")
    page.wait_for_url("**/prompts?*record=ellery-03*")


def test_a_link_restores_the_whole_screen(demo: str, tour: Any) -> None:
    url = f"{demo}prompts?view=difference&{PAIR}&record=ellery-05&inline=1&whitespace=1&whole=1"
    open_page(tour, url, ".rb-diff")
    assert tour.locator(".rb-inline .rb-white .rb-sp").count() > 10
    assert asked(tour)["record"] == "ellery-05"
    assert tour.locator(".rb-fold").count() == 0
    heads = tour.locator(".rb-heads").inner_text()
    assert "instruction-only, closed book" in heads
    assert "RAG-trained, open book" in heads


def test_an_equal_stretch_unfolds_with_one_click(demo: str, tour: Any) -> None:
    asked = "workspace=six-conditions-mistakes&condition=instruction-only%2C+open+book&differs=option"
    turn_to(tour, f"{demo}prompts?view=difference&{asked}", ".rb-diff")
    fold = tour.locator("details.rb-fold").first
    hidden = fold.locator(".rb-a")
    assert not hidden.is_visible()
    fold.locator("summary").click()
    assert hidden.is_visible()


def test_a_cell_of_the_table_becomes_b_and_opens_in_one(demo: str, page: Any) -> None:
    url = f"{demo}prompts?view=every&workspace=six-conditions-mistakes&condition=instruction-only%2C+closed+book"
    open_page(page, url, "[data-rb-cell]")
    name = "RAG-trained, open book"
    label = f"compared with base, open book: compare {name} with base, open book"
    page.get_by_role("link", name=label, exact=True).click()
    page.wait_for_url("**b_condition=RAG-trained*")
    page.wait_for_selector(".rb-diff")
    page.go_back()
    page.wait_for_selector("[data-rb-cell]")
    opened = page.get_by_role("link", name=f"Open {name}, No adapter", exact=True)
    page.locator(".rb-every-text", has=opened).locator(".rb-every-message").first.click()
    page.wait_for_url("**/prompts?*condition=RAG-trained%2C+open+book*")
    page.wait_for_selector("[data-rb-cell]", state="detached")
    assert "view" not in asked(page)


def test_the_text_grows_and_nothing_else(demo: str, page: Any) -> None:
    open_page(page, f"{demo}prompts?view=difference&{PAIR}", ".rb-diff")
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    before, around = page.locator(".rb-cell").first.evaluate(size), page.locator("h1").evaluate(size)
    page.locator("[data-rb-menu=prompts] > summary").click()
    page.get_by_role("button", name="A+").click()
    settle(page)
    assert page.locator(".rb-cell").first.evaluate(size) == pytest.approx(before * 1.15, abs=0.1)
    assert page.locator("h1").evaluate(size) == around
    page.keyboard.press("d")
    page.wait_for_url("**/prompts?*")
    page.wait_for_selector(".rb-exact")
    settle(page)
    assert page.locator(".rb-exact").first.evaluate(size) == pytest.approx(before * 1.15, abs=0.1)


VIEWS = [
    "",
    "&view=every",
    "&view=sides",
    "&view=difference&inline=1&whitespace=1",
    "&view=records",
    "&view=difference&whole=1",
]


@pytest.mark.parametrize("view", part(VIEWS, 2))
def test_no_serious_fault_for_a_screen_reader_or_a_keyboard(demo: str, tour: Any, view: str) -> None:
    turn_to(tour, f"{demo}prompts?{PAIR}{view or '&view=difference'}")
    assert serious(tour) == []


@pytest.mark.parametrize("view", ["", "&view=every", "&view=sides"])
def test_it_fits_a_small_window(demo: str, tour: Any, view: str) -> None:
    tour.set_viewport_size({"width": 320, "height": 700})
    turn_to(tour, f"{demo}prompts?{PAIR}{view or '&view=difference'}")
    assert tour.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 320


def test_two_long_prompts_are_drawn_with_every_key(at: At, page: Any, tmp_path: Path) -> None:
    words = [f"word{n % 977} and{',' if n % 5 else '.'}" for n in range(2_000 if LONG else 600)]
    a, b = " ".join(words), " ".join(f"changed {word}" if n % 40 == 0 else word for n, word in enumerate(words))
    assert (20_000 if LONG else 6_000) < len(a) < len(b)
    rows = [{"id": name, "a": f"{name} {a}", "b": f"{name} {b}"} for name in ("r1", "r2")]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    modes = [{"mode": name, "template": f"{{{{ {name} }}}}"} for name in "ab"]
    (tmp_path / "readback.yml").write_text(json.dumps({"dataset": {"path": "d.jsonl"}, "modes": modes}), "utf-8")
    open_page(page, at(tmp_path, "prompts?view=difference&mode=a&b_mode=b&record=r1"), ".rb-diff")
    for key in part("jiwki", 3):
        before = page.locator(".rb-compared").evaluate("e => { e.dataset.old = '1'; return e.outerHTML.length }")
        page.keyboard.press(key)
        page.wait_for_selector(".rb-compared:not([data-old])")
        settle(page)
        assert before < 1_000_000
