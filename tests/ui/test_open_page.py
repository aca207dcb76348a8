"""The page Open: what can be opened, what was recognised, and fields for variables that find none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from looking import page, words
from streamlit.testing.v1 import AppTest

from readback import project_files
from readback.ui.common.uploads import store as upload

Write = Callable[[Mapping[str, Any]], Path]
ALBERT = {
    "prompt_config.yml": "prompts:\n  - {mode: simple, template: s.jinja}\n  - {mode: lost, template: no.jinja}\n",
    "s.jinja": "{{ query }}",
    "q.csv": "id,question,note\n1,Why?,x\n",
}


def opened(**params: str) -> AppTest:
    return page("open", **params)


def test_the_demos_are_links_and_the_one_in_view_says_so() -> None:
    test = opened(workspace="tri-section")
    demos = sorted(project_files.demos())
    assert all(name in words(test) for name in demos)
    assert "tri-section in view" in words(test)


def test_configured_folders_come_before_the_demos(serving: Any) -> None:
    folder = serving(ALBERT)
    test = opened()
    titles = [one.value for one in test.main.header]
    assert titles.index("Folders of this server") < titles.index("Built-in demos")
    assert f"{folder.name} in view" in words(test)


def test_files_and_problems_stand_by_name_and_line(serving: Any) -> None:
    serving(ALBERT)
    said = words(opened())
    assert "q.csv dataset yes" in said
    assert "q.csv: 1 record read." in said
    assert "prompt_config.yml line 3" in said


def test_one_click_maps_the_nearest_field_and_another_takes_it_back(serving: Any) -> None:
    serving(ALBERT)
    test = opened()
    test.button(key="offer_query").click().run()
    assert "query is read from question in this session." in words(test)
    assert "See the messages with these fields" in words(test)
    assert not [button for button in test.button if button.key == "offer_query"]
    test.button(key="unmap_query").click().run()
    assert test.button(key="offer_query").label == "Use question for query"


def test_any_other_field_can_be_chosen(serving: Any) -> None:
    serving(ALBERT)
    test = opened()
    assert test.selectbox(key="field_query").options == ["leave it empty", "id", "question", "note"]
    test.selectbox(key="field_query").set_value("note").run()
    assert "query is read from note in this session." in words(test)


def test_what_was_mapped_reaches_the_messages(serving: Any) -> None:
    serving(ALBERT)
    test = opened()
    test.button(key="offer_query").click().run()
    test.switch_page("pages/prompts_page.py").run()
    assert not test.exception
    assert "Why?" in words(test)


def test_where_every_variable_has_a_field_there_is_nothing_to_map() -> None:
    assert "Every variable of the templates has a field or a default." in words(
        opened(workspace="six-conditions-mistakes")
    )


def test_nothing_readable_leaves_the_way_to_other_workspaces(serving: Any) -> None:
    serving({"photo.png": b"\x89PNG\r\n\x1a\n" + bytes(50)})
    said = words(opened())
    assert "This folder cannot be opened." in said
    assert "six-conditions-mistakes" in said


def test_a_folder_wrapped_in_folders_is_taken_out(tmp_path: Path) -> None:
    inner = tmp_path / "upload" / "study" / "study-main"
    inner.mkdir(parents=True)
    (inner / "readback.yml").write_text("name: x\n", "utf-8")
    (inner / "data").mkdir()
    upload.lift(tmp_path / "upload")
    assert sorted(path.name for path in (tmp_path / "upload").iterdir()) == ["data", "readback.yml"]


def test_the_tool_that_reads_a_prompt_file_can_be_chosen(serving: Any) -> None:
    text = "---\nmodel: {api: chat}\n---\nuser:\n{{question}}\n"
    serving({"p.prompty": text, "rows.jsonl": '{"id": "1", "question": "Why?"}\n'})
    test = opened()
    choice = test.selectbox(key="tool_p.prompty")
    assert (choice.value, choice.options) == ("prompty-0.1", ["prompty-0.1", "prompty-2", "promptflow"])
    choice.set_value("promptflow").run()
    assert not test.exception
    assert test.query_params["tool"] == "p.prompty=promptflow"
    assert "a prompt of promptflow, as chosen" in words(test)
