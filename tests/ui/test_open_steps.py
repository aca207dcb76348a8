"""From files without a configuration to messages or scores, by clicks on Open."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import drawn, page, turned, words

from readback import workspace
from readback.ui.open.folder_zip import folder_zip

Write = Callable[[Mapping[str, Any]], Path]
ROWS = '{"id": "r1", "question": "Why is it so?"}\n{"id": "r2", "question": "How?"}\n'


def test_rows_alone_can_be_looked_at_and_lead_to_a_message(serving: Any) -> None:
    serving({"d.jsonl": ROWS})
    assert "2 records , no prompt. Only the rows were checked" in words(page())
    test = page("open")
    said = words(test)
    assert "d.jsonl holds 2 records." in said
    assert "Fields of the rows: id , question" in said
    assert "See the records" in said
    test.text_area(key="step_user").set_value("Answer: {question}").run()
    assert "It is read as Python format: it holds {question}." in words(test)
    assert "Answer: Why is it so?" in words(test)
    test.button(key="step_use").click().run()
    shown = drawn(test)
    assert "Answer: Why is it so?" in words(shown)
    assert "Mode: typed" in str([one.options for one in shown.selectbox])
    again = turned(shown, "open")
    assert "The mode typed was typed here" in words(again)
    again.button(key="untype_typed").click().run()
    assert "1. The rows" in [one.value for one in again.subheader]


def test_files_of_the_server_are_not_given_away(serving: Any) -> None:
    serving({"d.jsonl": ROWS, "p.j2": "{{ question }}"})
    assert [one.label for one in page("open").get("download_button")] == ["Save as readback.yml"]


def test_a_text_file_is_used_by_a_click(serving: Any) -> None:
    serving({"d.jsonl": ROWS, "a.txt": "Be kind.", "b.txt": "Be brief."})
    test = page("open")
    test.button(key="use_b.txt").click().run()
    assert "b.txt prompt template yes" in words(test)
    assert test.query_params["template"] == "b.txt"


def test_the_language_is_changed_on_the_page(serving: Any) -> None:
    serving({"d.jsonl": ROWS, "p.txt": "{{question}} & {question}"})
    test = page("open")
    assert test.selectbox(key="language_p").value == "jinja"
    test.selectbox(key="language_p").set_value("mustache").run()
    assert test.query_params["syntax"] == "p=mustache"
    assert "Why is it so? & {question}" in words(turned(test, "prompts", syntax="p=mustache"))


@pytest.mark.parametrize("name", ["open", "scores", "overview"])
def test_a_table_of_judges_becomes_scores_by_a_click_that_can_be_taken_back(serving: Any, name: str) -> None:
    serving({"t.csv": "item,j1,j2,j3\na,1,2,3\nb,2,3,3\nc,1,1,1\n", "p.txt": "{question}"})
    sentence = "Not read as scores yet: 3 columns of t.csv look like judges' scores: j1, j2, j3."
    test = page(name)
    assert sentence in words(test)
    drawn(test.button(key="judges_t.csv").click().run())
    assert test.query_params["judges"] == "t.csv=j1,j2,j3"
    assert {"open": "t.csv scores yes", "scores": "3 answers scored", "overview": "Scored conditions"}[name] in words(
        test
    )
    assert sentence not in words(test)
    if name == "overview":
        test = turned(test, "open", judges="t.csv=j1,j2,j3")
    drawn(test.button(key="not_judges_t.csv").click().run())
    assert sentence in words(test)


def test_a_prompt_alone_is_shown_without_rows(serving: Any) -> None:
    serving({f"t{n}.jinja": "Say {{ q }}" for n in range(5)})
    assert "Say" in words(page("prompts"))


def test_the_zip_opens_to_the_same_workspace(write: Write, tmp_path: Path) -> None:
    folder = write({"w/d.jsonl": ROWS, "w/prompts/qa.j2": "{{ question }}", "w/unused.bin": b"\0"}) / "w"
    opened = workspace.open(folder)
    made = folder_zip(opened, workspace.init_text(opened))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert sorted(archive.namelist()) == ["d.jsonl", "prompts/qa.j2", "readback.yml"]
        archive.extractall(tmp_path / "again")
    again = workspace.open(tmp_path / "again")
    assert (again.prompts.keys(), again.diagnostics) == (opened.prompts.keys(), ())
