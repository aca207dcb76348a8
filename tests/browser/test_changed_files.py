"""Files that change while a page is open: told in time, without a click, and without touching the text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from served import At, open_page, settle

pytestmark = pytest.mark.browser
CONFIG = "dataset: d.jsonl\nmodes: [{mode: m, template_file: t.jinja}]\n"


def folder(at: Path) -> Path:
    (at / "readback.yml").write_text(CONFIG, "utf-8")
    (at / "t.jinja").write_text("Q: {{ q }}\n", "utf-8")
    (at / "d.jsonl").write_text('{"id": "r1", "q": "why"}\n{"id": "r2", "q": "how"}\n', "utf-8")
    return at


def texts(page: Any) -> list[str]:
    return list(page.locator(".rb-exact").all_inner_texts())


def test_a_changed_file_is_told_within_three_seconds_and_the_text_stays(at: At, tmp_path: Path, page: Any) -> None:
    open_page(page, at(folder(tmp_path), "prompts"), ".rb-exact")
    before, asked = texts(page), page.url
    (tmp_path / "t.jinja").write_text("Question: {{ q }}\n", "utf-8")
    page.wait_for_selector("text=t.jinja changed at", timeout=60_000)  # three seconds where nobody else works
    page.wait_for_timeout(2_500)  # another look, which must not touch the text either
    assert (texts(page), page.url) == (before, asked)
    page.get_by_role("button", name="Show new").click()
    page.wait_for_selector(".rb-exact:has-text('Question:')", timeout=60_000)
    settle(page)
    assert page.url == asked


def test_compare_opens_what_the_change_does_to_the_record(at: At, tmp_path: Path, page: Any) -> None:
    open_page(page, at(folder(tmp_path), "?record=r2"))
    (tmp_path / "t.jinja").write_text("Q: {{ q }} Thanks.\n", "utf-8")
    page.wait_for_selector(".rb-changed", timeout=60_000)
    page.locator(".rb-changed a").click()
    page.wait_for_selector(".st-key-change_here .rb-ins", timeout=60_000)
    assert "Thanks." in page.locator(".st-key-change_here .rb-b").last.inner_text()


def test_a_patch_of_the_copy_is_downloaded(at: At, tmp_path: Path, page: Any) -> None:
    open_page(page, at(folder(tmp_path), "prompts"), ".rb-exact")
    page.locator(".st-key-edit_open summary").click()
    settle(page)
    drawer = page.locator(".st-key-edit_open")
    drawer.get_by_role("textbox", name="Template of m").fill("Q: {{ q }}!\n")
    settle(page)
    drawer.get_by_role("button", name="Try it").click()
    page.wait_for_selector(".st-key-edit_open .rb-ins", timeout=60_000)
    settle(page)
    with page.expect_download() as got:
        page.get_by_role("button", name="Download as patch").click()
    assert Path(got.value.path()).read_text("utf-8") == (
        "--- a/t.jinja\n+++ b/t.jinja\n@@ -1 +1 @@\n-Q: {{ q }}\n+Q: {{ q }}!\n"
    )
    assert (tmp_path / "t.jinja").read_text("utf-8") == "Q: {{ q }}\n"
