"""Everyday files on the page Open: the other sheets and the encoding are a click away."""

from __future__ import annotations

from pathlib import Path

import pytest
from everyday_files import EMOJI, ROWS, TEMPLATE, list_cells, write_csv, write_xlsx
from looking import page, words


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an opened folder with a prompt."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "prompt.txt").write_text(TEMPLATE, "utf-8")
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    return folder


def test_another_sheet_is_a_click_away(root: Path) -> None:
    other = [{**row, "question": f"Other {row['id']}"} for row in EMOJI]
    write_xlsx(root / "rows.xlsx", {"First": list_cells(EMOJI), "Second é": list_cells(other)})
    test = page("open")
    assert "rows.xlsx holds several tables. First is read." in words(test)
    test.button(key="table_Second é").click().run()
    assert test.query_params["table"] in ("Second é", ["Second é"])
    assert "Second é is read." in words(test)
    test.switch_page("pages/prompts_page.py").run()
    assert "Other q0" in words(test)


def test_the_record_is_on_prompts(root: Path) -> None:
    (root / "rows.csv").write_text(write_csv(ROWS), "cp1252")
    text = words(page("prompts", record="007"))
    assert "1.50|007|" in text
    assert 'Où est l\'"été"…' in text


def test_a_guessed_encoding_may_be_kept_or_refused(root: Path) -> None:
    (root / "rows.csv").write_text(write_csv(ROWS), "cp1252")
    test = page("open")
    assert "rows.csv is not UTF-8 and is read as Windows-1252" in words(test)
    test.button(key="utf8").click().run()
    assert test.query_params["encoding"] in ("utf-8", ["utf-8"])
    assert "looks like Windows-1252" in words(test) or "You chose to read rows.csv as" in words(test)
