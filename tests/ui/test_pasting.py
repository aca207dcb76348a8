"""What is pasted on Open: which files it stands for, and a workspace that shows the messages."""

from __future__ import annotations

import os

import pytest
from looking import page, words

from readback.ui.open.pasting import name_files


@pytest.mark.parametrize(
    ("prompt", "rows", "files"),
    [
        ("", "", []),
        (" \n", "\t", []),
        ("Q: {question}", "", [("prompt.txt", "Q: {question}")]),
        ("", "a,b\n1,2\n", [("rows.csv", "a,b\n1,2\n")]),
        ("", "a\tb\n1\t2", [("rows.tsv", "a\tb\n1\t2")]),
        ("", '{"a": 1}\n{"a": 2}\n', [("rows.jsonl", '{"a": 1}\n{"a": 2}\n')]),
        ("", '{\n"a": 1}', [("rows.json", '{\n"a": 1}')]),
        ("", ' [{"a": 1}]', [("rows.json", ' [{"a": 1}]')]),
        ("", "[" * 100_000, [("rows.json", "[" * 100_000)]),
        ("", "{" * 100_000, [("rows.json", "{" * 100_000)]),
        (" x ", "a\r\n1\r\n", [("prompt.txt", " x "), ("rows.csv", "a\r\n1\r\n")]),
    ],
)
def test_what_is_pasted_is_named_by_its_form_and_not_changed(
    prompt: str, rows: str, files: list[tuple[str, str]]
) -> None:
    assert name_files(prompt, rows) == files


def test_a_pasted_prompt_and_its_rows_are_a_workspace(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setitem(os.environ, "READBACK_UPLOADS", str(tmp_path))
    test = page("open", workspace="tri-section")
    test.text_area(key="paste_prompt").set_value("Say it in one word: {question}")
    test.text_area(key="paste_rows").set_value("question\nWhy?\n")
    test.button(key="paste_go").click().run()
    assert test.query_params["workspace"][0].startswith("upload-") or test.query_params["workspace"].startswith(
        "upload-"
    )
    assert "rows.csv" in words(test)
    test.switch_page("pages/prompts_page.py").run()
    assert "Say it in one word: Why?" in words(test)


def test_nothing_pasted_is_said() -> None:
    test = page("open", workspace="tri-section")
    test.button(key="paste_go").click().run()
    assert "There is nothing in the two boxes yet." in words(test)
