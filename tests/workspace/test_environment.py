"""The environment that a project is read with: stated by whoever opens it or in readback.yml, never the real one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import cli, workspace
from readback.prompts.assemble import assemble
from readback.records.dataset import open_dataset
from readback.types import Selection, Workspace
from readback.workspace.tools.tool_projects import format_environment

Write = Callable[[Mapping[str, Any]], Path]
PROJECT = "prompts: ['{{q}} {{env.HOUSE}}']\nproviders: [echo]\ntests: file://rows.csv\n"
ROWS = "q;note\nWhy?;a, b\n"
STATED = {"PROMPTFOO_CSV_DELIMITER": ";", "HOUSE": "quay=4"}


def list_texts(opened: Workspace) -> list[str]:
    """Return the text of the first message of every record under the only mode."""
    mode = next(iter(opened.prompts))
    data = open_dataset(opened.root, opened.dataset)
    return [assemble(opened, record, Selection(mode=mode)).messages[0].text for record in data.records()]


def test_what_is_stated_reaches_rows_and_messages(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE", "of the server")
    folder = write({"promptfooconfig.yaml": PROJECT, "rows.csv": ROWS})
    assert list_texts(workspace.open(folder, chosen={"environment": format_environment(STATED)})) == ["Why? quay=4"]
    plain = write({"promptfooconfig.yaml": PROJECT.replace("file://rows.csv", "[{vars: {q: a}}]")})
    assert list_texts(workspace.open(plain)) == ["a "]


def test_a_link_states_nothing(write: Write) -> None:
    folder = write({"promptfooconfig.yaml": PROJECT, "rows.csv": "q\nWhy?\n"})
    opened = workspace.open(folder, chosen={"environment": format_environment(STATED)}, offered=True)
    assert list_texts(opened) == ["Why? "]


@pytest.mark.parametrize("named", ["", "prompts: [promptfooconfig.yaml]\n"])
def test_readback_yml_states_it_and_whoever_opens_it_states_more(write: Write, named: str) -> None:
    yml = f'env: {{PROMPTFOO_CSV_DELIMITER: ";", HOUSE: here}}\n{named}'
    folder = write({"promptfooconfig.yaml": PROJECT, "rows.csv": ROWS, "readback.yml": yml})
    assert list_texts(workspace.open(folder)) == ["Why? here"]
    assert list_texts(workspace.open(folder, chosen={"environment": format_environment({"HOUSE": "x"})})) == ["Why? x"]


def test_the_saved_workspace_file_opens_the_same(write: Write) -> None:
    folder = write({"promptfooconfig.yaml": PROJECT, "rows.csv": ROWS})
    opened = workspace.open(folder, chosen={"environment": format_environment(STATED)})
    (folder / "readback.yml").write_text(workspace.init_text(opened), encoding="utf-8")
    again = workspace.open(folder)
    assert list_texts(again) == ["Why? quay=4"]
    assert [condition.name for condition in again.conditions] == [condition.name for condition in opened.conditions]


def test_rows_are_those_of_the_file_beside_the_project_as_it_is_now(write: Write) -> None:
    folder = write({"promptfooconfig.yaml": PROJECT, "rows.csv": "q\nWhy?\n"})
    assert list_texts(workspace.open(folder)) == ["Why? "]
    (folder / "rows.csv").write_text("q\nHow?\nWhen?\n", encoding="utf-8")
    assert list_texts(workspace.open(folder)) == ["How? ", "When? "]


def test_the_command_line_takes_name_and_value(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write({"promptfooconfig.yaml": PROJECT, "rows.csv": ROWS})
    command = ["export", str(folder), "--as", "messages-jsonl", "--env"]
    assert cli.main([*command, "PROMPTFOO_CSV_DELIMITER=;", "--env", "HOUSE=quay=4"]) == 0
    assert '"Why? quay=4"' in capsys.readouterr().out
    assert cli.main([*command, "HOUSE"]) == 2
    assert "--env HOUSE: write NAME=VALUE" in capsys.readouterr().err
