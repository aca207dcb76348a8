"""Work over all records in bounded children: in order, on every core, and nothing stops the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from counts import part

from readback import workspace
from readback.prompts import children
from readback.prompts.children import Failure, Frame
from readback.records.dataset import DatasetChanged, open_dataset
from readback.types import Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]
SEARCH = "readback.compare.search:search_chunk"
QUERY = {"query": {"text": "here", "regex": False, "case": False}}
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
M = Selection(mode="m")


def opened(write: Write, template: str, count: int) -> Workspace:
    rows = [{"id": str(n), "q": "here", "evil": n in (3, 4)} for n in range(count)]
    return workspace.open(
        write({"readback.yml": {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": template}]}, "d.jsonl": rows})
    )


def drive(workspace: Workspace, **more: Any) -> Iterator[Frame | Failure]:
    return children.drive(SEARCH, workspace, open_dataset(workspace.root, workspace.dataset), [M], QUERY, **more)


def hits(frames: Iterator[Frame | Failure]) -> list[int]:
    return [hit[1] for one in frames if isinstance(one, Frame) for hit in one.value["hits"]]


def test_frames_come_in_the_order_of_the_records(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MAX_RECORDS", 5)
    assert hits(drive(opened(write, "{{ q }}", 17))) == list(range(17))


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("together", part([True, False], 1))
def test_records_that_kill_their_child_are_named_and_the_rest_is_done(write: Write, together: bool) -> None:
    workspace = opened(write, "{% if evil %}" + LOOP + "{% endif %}{{ q }}", 9)
    frames = list(drive(workspace, together=together))
    assert hits(iter(frames)) == [0, 1, 2, 5, 6, 7, 8]
    assert [one.index for one in frames if isinstance(one, Failure)] == [3, 4]


@pytest.mark.usefixtures("hurried")
def test_a_choice_that_keeps_killing_is_given_up(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "KILLS", 1)
    workspace = opened(write, "{% if evil %}" + LOOP + "{% endif %}{{ q }}", 9)
    lost = [one for one in drive(workspace) if isinstance(one, Failure)]
    assert [one.index for one in lost] == [3, None]


def test_progress_is_told_and_can_stop_it(write: Write) -> None:
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> bool:
        told.append((done, total))
        return len(told) < 2

    workspace = opened(write, "{{ q }}", 20)
    assert len(list(drive(workspace, progress=progress))) <= 1
    assert told[0][1] == 20


def test_a_dataset_that_is_written_to_meanwhile_is_told(write: Write) -> None:
    workspace = opened(write, "{{ q }}", 5)
    data = open_dataset(workspace.root, workspace.dataset)
    (workspace.root / "d.jsonl").write_text('{"id": "0", "q": "here"}\n', "utf-8")
    with pytest.raises(DatasetChanged):
        list(children.drive(SEARCH, workspace, data, [M], QUERY))


def test_a_workspace_that_is_in_no_file_is_what_the_children_see(write: Write) -> None:
    workspace = opened(write, "nothing", 3)
    new = replace(workspace, prompts={"m": replace(workspace.prompts["m"], template="{{ q }}")})
    assert (hits(drive(workspace)), hits(drive(new))) == ([], [0, 1, 2])
