"""What `material` says an answer does not depend on may be anything else, and children tell the same."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from counts import many, part
from test_short_ways import files as drawn_files
from told import told_of_each
from unforked import unforked

from readback import project_files, workspace
from readback.checks import chunk, material, rules
from readback.checks.material import Material
from readback.prompts import assemble
from readback.prompts.self_tests import said
from readback.records.dataset import open_dataset
from readback.types import Addition, Prompt, Selection, Workspace

EXAMPLES = [files for rule in rules.RULES().values() for files in (*rule.passes, *rule.fails)]
RECORDS = 4
reading: set[str] = set()  # files that were opened
OTHER = "You are a helpful assistant. {{ another }} {% if query %}{{ chunks[0] }}{% endif %} [1] Answer:\n"


@pytest.fixture(autouse=True, scope="module")
def _opened_files_are_told() -> None:
    """From the first test here on: what is told of all that Python does slows all of it, and cannot be taken back."""

    def told(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[0], str | bytes | os.PathLike):
            reading.add(os.fsdecode(args[0]))

    sys.addaudithook(told)


def write(folder: Path, made: Mapping[str, str | bytes]) -> Path:
    for name, content in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return folder


def otherwise(seen: Workspace, opened: Workspace) -> Workspace:
    """A workspace that has the same material as `seen`, which is of `opened`, and differs in all that is left out."""

    def texts(left: Mapping[str, Prompt], whole: Mapping[str, Prompt]) -> dict[str, Prompt]:
        return {name: one if one is whole[name] else replace(one, template=OTHER, system=OTHER, defaults={"another": 1})
                for name, one in left.items()}  # fmt: skip

    added = {task: (Addition(OTHER, OTHER),) for task in ("generation", "parsing", "A", "rubric")}
    modes = (*opened.prompts, None)
    return replace(
        opened,
        **material.UNREAD,
        configs=tuple(
            replace(one, prompts=texts(left.prompts, one.prompts), tasks=texts(left.tasks, one.tasks))
            for left, one in zip(seen.configs, opened.configs, strict=True)
        ),
        prompts=texts(seen.prompts, opened.prompts),
        tasks=texts(seen.tasks, opened.tasks),
        adapters={
            name: one if one is opened.adapters[name] else replace(one, additions=added, system_prompt=False)
            for name, one in seen.adapters.items()
        },
        conditions=tuple(
            one if one is whole else replace(one, mode=modes[at % len(modes)], adapter="zork", task="parsing")
            for at, (one, whole) in enumerate(zip(seen.conditions, opened.conditions, strict=True))
        ),
    )


def told(opened: Workspace, choices: tuple[Selection, ...], records: bool, servers: Any) -> list[Any]:
    """What a child tells of the first records; `servers` as its caller would have told it."""
    count = min(RECORDS, len(open_dataset(opened.root, opened.dataset)))
    work = chunk.payload(opened, choices, 0, count, records=records) | {"servers": servers}
    return list(told_of_each(work))


def apart(one: Mapping[str, Any], number: int, choices: int) -> dict[str, Any]:
    """What is told of a record for the choice of a number; 0 for the record alone."""
    counts = one["counts"] or [0] * (choices + 1)
    begin = sum(counts[:number])
    found = {"findings": one["findings"][begin : begin + counts[number]], "faults": one["faults"]}
    if not number:
        return found | {"marks": one["marks"]}
    return found | {name: one[name][number - 1] for name in ("longest", "uses", "observed")}


def differing(folder: Path) -> Iterator[Any]:
    opened = workspace.open(folder)
    choices = assemble.choices(opened)[:12]
    servers, made = said(opened), Material(opened)
    reading.clear()
    whole = told(opened, choices, True, servers)
    assert not reading & {str(opened.root / name) for name in material.told_in_full(opened)}
    for number, choice in enumerate((None, *choices)):
        other = otherwise(made.seen(choice), opened)
        assert Material(other).of(choice) == made.of(choice)
        alone = told(other, (choice,) if choice else (), choice is None, servers)
        for one, again in zip(whole, alone, strict=True):
            pair = apart(one, number, len(choices)), apart(again, min(number, 1), int(choice is not None))
            if pair[0] != pair[1]:
                yield folder, choice, pair


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    unforked(monkeypatch)


def test_the_examples_of_all_rules_are_told_the_same_whatever_is_left_out(tmp_path: Path) -> None:
    chance = random.Random(5)
    for number, files in enumerate(part(chance.sample(EXAMPLES, len(EXAMPLES)), 6)):
        assert list(differing(write(tmp_path / str(number), files))) == []


def test_random_workspaces_are_told_the_same_whatever_is_left_out(tmp_path: Path) -> None:
    for seed in range(many(500)):
        assert list(differing(write(tmp_path / str(seed), drawn_files(random.Random(seed))))) == []


@pytest.mark.parametrize("name", part(sorted(project_files.demos(), reverse=True), 1))
def test_the_demos_are_told_the_same_whatever_is_left_out(name: str) -> None:
    assert list(differing(project_files.demos()[name])) == []
