"""Somebody with ordinary files and no manual: exact messages, rows or scores in at most three clicks."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from counts import part
from served import At, open_page, settle

pytestmark = pytest.mark.browser
FRENCH = "\ufeffnuméro;énoncé;texte\n1;Pourquoi ?;Parce que.\n2;Comment ?;Ainsi.\n".encode()


def parquet() -> bytes:
    made = io.BytesIO()
    pd.DataFrame({"id": ["1", "2"], "question": ["Why?", "How?"]}).to_parquet(made)
    return made.getvalue()


FILES: dict[str, dict[str, bytes]] = {
    "CSV and Jinja": {"d.csv": b"id,question\n1,Why?\n", "p.jinja": b"Q: {{ question }}"},
    "system, user, Parquet": {"system.txt": b"Be brief.", "user.md": b"Q: {question}", "d.parquet": parquet()},
    "JSONL and f-string": {"d.jsonl": b'{"id": "1", "question": "Why?"}\n', "p.txt": b"Q: {question}"},
}


@pytest.mark.parametrize("name", part(list(FILES), 1))
def test_two_ordinary_files_are_messages_after_two_clicks(demo: str, page: Any, tmp_path: Path, name: str) -> None:
    for file, content in FILES[name].items():
        (tmp_path / file).write_bytes(content)
    open_page(page, f"{demo}open")
    given = [str(tmp_path / file) for file in FILES[name]]
    page.locator("[class*=st-key-upload_] input[type=file]").first.set_input_files(given)
    settle(page)
    page.get_by_role("button", name="Open these files").click()
    settle(page)
    page.get_by_role("button", name="Download the folder as zip").wait_for(timeout=60_000)
    page.get_by_role("link", name="See the messages").first.click()
    page.wait_for_selector(".rb-exact", timeout=60_000)
    assert page.locator(".rb-exact").last.inner_text().startswith("Q: Why?")


def test_names_that_differ_are_mapped_by_two_clicks(at: At, page: Any, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_bytes(FRENCH)
    (tmp_path / "p.j2").write_text("{{ question }} {{ contexte }}", "utf-8")
    open_page(page, at(tmp_path, "open"))
    for button in ("Use texte for contexte", "Use énoncé for question"):
        page.get_by_role("button", name=button).click()
        settle(page)
    page.get_by_role("link", name="See the messages with these fields").click()
    page.wait_for_selector(".rb-exact:has-text('Pourquoi')", timeout=60_000)
    assert page.locator(".rb-exact").inner_text() == "Pourquoi ? Parce que."


def test_rows_alone_become_messages_with_a_pasted_template(at: At, page: Any, tmp_path: Path) -> None:
    (tmp_path / "d.parquet").write_bytes(parquet())
    open_page(page, at(tmp_path))
    page.get_by_role("link", name="Choose or paste a template").click()
    page.wait_for_selector(".st-key-step_user", timeout=60_000)
    settle(page)
    page.get_by_role("textbox", name="Template of the user message").fill("Tell me: {question}")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".rb-text:has-text('Tell me: Why?')", timeout=60_000)
    settle(page)
    page.get_by_role("button", name="Use this template").click()
    page.wait_for_selector(".rb-exact", timeout=60_000)
    assert page.locator(".rb-exact").inner_text() == "Tell me: Why?"


def test_five_judges_are_scores_after_a_click(at: At, page: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("item,j1,j2,j3,j4,j5\na,1,2,3,4,5\nb,2,3,3,4,5\nc,5,5,4,4,1\n", "utf-8")
    open_page(page, at(tmp_path, "open"))
    page.get_by_role("button", name="Read t.csv as scores").click()
    settle(page)
    page.get_by_role("link", name="Results", exact=True).first.click()
    page.wait_for_selector("text=3 answers scored", timeout=60_000)
