"""The editing loop on Messages: changed files, what the change does, and a copy of a template that is tried."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from in_time import spent
from looking import drawn, page, said
from streamlit.testing.v1 import AppTest

from readback.ui.common.state.stamp import stamp

Write = Callable[[Mapping[str, Any]], Path]
CONFIG = {"dataset": "d.jsonl", "modes": [{"mode": "m", "system": "Be kind.", "template_file": "t.jinja"}]}
ROWS = [{"id": f"r{n}", "q": "yes" if n else "no"} for n in range(4)]
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
HUNGRY = "{% set x = 'a' * 10**9 %}{{ x }}"


@pytest.fixture
def folder(write: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = write({"readback.yml": CONFIG, "t.jinja": "Q: {{ q }}\n", "d.jsonl": ROWS})
    monkeypatch.setenv("READBACK_WORKSPACE", str(made))
    return made


def beside(test: AppTest) -> str:
    return " ".join(html.proto.body for html in test.get("html"))


def change(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    later = time.time_ns() + 5_000_000_000  # a file system may keep whole seconds
    os.utime(path, ns=(later, later))


def test_the_text_stays_until_the_new_one_is_asked_for(folder: Path) -> None:
    test = page("prompts")
    assert "Q: " in said(test)
    change(folder / "t.jinja", "Question: {{ q }}\n")
    test.run()
    assert "t.jinja changed at" in beside(test)
    test.button(key="next").click().run()
    assert "Question: " not in said(test)
    test.button(key="show_new").click().run()
    assert "Question: " in said(test)
    assert "The pages show it as it was before" not in beside(test)


def test_sessions_accept_for_themselves(folder: Path) -> None:
    one, other = page("prompts"), page("prompts")
    change(folder / "t.jinja", "Question: {{ q }}\n")
    one.run()
    one.button(key="show_new").click().run()
    other.run()
    assert "Question: " in said(one)
    assert "Question: " not in said(other)
    assert "Question: " in said(page("prompts"))


@pytest.mark.parametrize("accepted", [False, True])
def test_what_the_change_does_is_shown_before_and_after_it_is_accepted(folder: Path, accepted: bool) -> None:
    test = page("prompts", change="1")
    assert "No file has changed" in said(test)
    change(folder / "t.jinja", "Q: {{ q }}{% if q == 'no' %}!{% endif %}\n")
    test.run()
    if accepted:
        test.button(key="show_new").click().run()
    assert "rb-ins" in said(test)
    test.button(key="change_count").click().run()
    assert "1 of 4 records change." in said(drawn(test))
    test.button(key="next").click().run()
    assert "stay the same, byte for byte" in said(test)
    test.button(key="change_close").click().run()
    assert "Effect of the change" not in said(test)


def test_a_new_version_that_cannot_be_read_says_so(folder: Path) -> None:
    test = page("prompts", change="1")
    change(folder / "t.jinja", "{{ q }")
    test.run()
    assert "No messages could be built (after the change)" in said(test)
    (folder / "t.jinja").unlink()
    (folder / "readback.yml").unlink()
    test.run()
    assert "t.jinja no longer exists" in beside(test)
    assert not test.exception


def test_the_record_in_view_stays_when_the_dataset_is_written_to(folder: Path) -> None:
    test = page("prompts", record="r2")
    change(folder / "d.jsonl", "".join(json.dumps({**row, "q": "zebra"}) + "\n" for row in ROWS))
    test.run()
    assert "d.jsonl changed at" in beside(test)
    assert "zebra" not in said(test)
    test.button(key="next").click().run()
    assert "its earlier content is no longer available" in said(test)
    assert "zebra" in said(test)


def test_a_dataset_that_was_replaced_is_still_read_as_it_was(folder: Path) -> None:
    test = page("prompts")
    (folder / "new").write_text("".join(json.dumps({**row, "q": "zebra"}) + "\n" for row in ROWS), "utf-8")
    (folder / "new").replace(folder / "d.jsonl")
    test.button(key="next").click().run()
    assert "yes" in said(test)
    assert "zebra" not in said(test)


def test_a_check_that_was_not_made_yet_is_made_of_the_new_files(folder: Path) -> None:
    test = page("about")
    change(folder / "d.jsonl", "".join(json.dumps({**row, "q": "zebra"}) + "\n" for row in ROWS[:2]))
    test.switch_page("pages/overview_page.py").run()
    assert not drawn(test).exception


def test_looking_at_two_thousand_files_costs_little(tmp_path: Path) -> None:
    for n in range(2_000):
        (tmp_path / f"f{n}.txt").touch()
    stamp(tmp_path)
    began = spent()
    for _ in range(5):
        stamp(tmp_path)
    assert (spent() - began) / 5 < 0.2  # some 15 ms


def template(test: AppTest) -> Any:
    """The field that holds the template, among the others of the page."""
    fields = [one for one in test.main.text_area if one.key != "note_text_here"]
    return next((one for one in fields if one.label.startswith("Template")), fields[0])


def copy(test: AppTest, text: str, button: str = "Try it") -> AppTest:
    template(test).set_value(text)
    next(one for one in test.button if one.key == f"FormSubmitter:edit_form-{button}").click().run()
    return drawn(test)


def test_a_copy_shows_its_difference_and_is_in_no_address_and_no_file(folder: Path) -> None:
    test = copy(page("prompts", record="r1"), "Q: {{ q }}, {{ unknown }}please\n")
    assert "your copy" in said(test)
    assert "rb-ins" in said(test)
    assert "please" not in str(dict(test.query_params))
    assert (folder / "t.jinja").read_text("utf-8") == "Q: {{ q }}\n"
    test.button(key="edit_count").click().run()
    assert "4 of 4 records change." in said(drawn(test))
    assert len([one for one in test.get("download_button") if "edit_patch" in one.proto.id]) == 1
    test.button(key="next").click().run()
    assert "please" in said(test)
    copy(test, "ignored", "Back to the original")
    assert "please" not in said(test)


@pytest.mark.parametrize("hostile", [LOOP, HUNGRY], ids=["time", "memory"])
def test_a_hostile_copy_is_a_finding_within_two_seconds_and_the_page_lives(folder: Path, hostile: str) -> None:
    test = page("prompts")
    began = spent()
    copy(test, hostile)
    assert spent() - began < 8  # two for the copy
    assert "dat-limit" in said(test)
    assert "No messages could be built (your copy)" in said(test)
    test.button(key="next").click().run()
    assert "Q: " in said(test)


def test_an_inline_template_is_offered_as_a_text(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    made = write({"readback.yml": {"modes": [{"mode": "m", "template": "Q"}]}})
    monkeypatch.setenv("READBACK_WORKSPACE", str(made))
    test = copy(page("prompts"), "R")
    assert "is inside readback.yml" in said(test)
    assert [one for one in test.get("download_button") if "edit_patch" in one.proto.id] == []


def test_a_built_in_format_is_edited_as_a_template_written_out(write: Write) -> None:
    test = page("prompts", workspace="six-conditions-mistakes", condition="base, open book")
    assert "This format is built into Readback" in said(test)
    assert template(test).value == "{{ rag.prompt }}"
    copy(test, "{{ rag.prompt }}!")
    assert "{{ rag.prompt }}" in template(test).value
    assert "has no file to patch" in said(test)
