"""Files of tools that are not read yet: called by their name, and never used as something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace

Write = Callable[[Mapping[str, Any]], Path]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("agents.yaml", "writer:\n  role: Writer\n  goal: Write\n  backstory: Old\n", "agents or tasks of CrewAI"),
    ],
)  # fmt: skip
def test_it_is_called_by_its_name_and_not_used(write: Write, name: str, content: Any, said: str) -> None:
    opened = workspace.open(write({name: content}))
    (one,) = opened.recognised
    assert (one.path, one.used, one.what) == (name, False, "file of another tool")
    assert one.detail == f"{said}, which Readback does not read yet"
    assert (opened.dataset, opened.prompts, opened.scores) == (None, {}, ())


def test_other_peoples_files_stay_what_they_were(write: Write) -> None:
    files = {
        "a.yaml": "components: [x]\n",
        "b.yaml": "type: x\nprompts: none\n",
        "d.jsonl": '{"id": "1", "question": "Why?"}\n',
    }
    opened = workspace.open(write(files))
    assert [one.path for one in opened.recognised if one.what == "file of another tool"] == []
