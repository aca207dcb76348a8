"""Adapters: YAML files that say what an interface adds to a task's messages, and what it supports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from readback import house
from readback.files import paths
from readback.files.text_file import read_text
from readback.files.yaml_file import nearest, read_yaml, unknown_keys
from readback.files.yaml_node import Node
from readback.tasks import GROUPS, TASKS, keys_for
from readback.types import Adapter, Addition, Note, Place

KEYS = ("name", "extends", "wording", "system_prompt", "structured_output", "tasks")
WORDINGS = ("readback", "upstream", "own")  # whose sentences: ours, those of the program, the reader's own
CODE = "asm-adapter-key"
BLOCK = re.compile(r":\s*[|>][-+0-9]*\s*(?:#.*)?$")


def read_adapter(path: Path, root: Path) -> tuple[Adapter, tuple[Note, ...]]:
    """The adapter that the YAML file at `path` defines, named after the file where it does not say.

    What cannot be used is noted and left out: unknown keys, unknown tasks, wrong values. An entry for an unknown
    task is kept, in case the workspace has a task of that name.
    """
    parsed = read_yaml(path, paths.show(root, path))
    notes = list(parsed.notes)
    top = Node(parsed.value, parsed, notes)
    known = {key: Node(value, parsed, notes, (key,)) for key, value in _entries(top, KEYS) if value is not None}
    name = known["name"].text() if "name" in known else None
    wording = known["wording"].one_of(WORDINGS) if "wording" in known else None
    flags = {key: known[key].flag() for key in ("system_prompt", "structured_output") if key in known}
    lines = (read_text(path, parsed.file)[0] or "").split("\n")
    additions = dict(_tasks(known["tasks"], lines)) if "tasks" in known else {}
    adapter = Adapter(
        name=name or path.stem,
        extends=known["extends"].text() if "extends" in known else None,
        wording=wording or "own",
        system_prompt=flags.get("system_prompt") is not False,
        structured_output=flags.get("structured_output") is True,
        additions=additions,
        place=parsed.place(),
        stated=tuple(key for key, value in flags.items() if value is not None),
    )
    return adapter, tuple(replace(note, place=replace(note.place, adapter=adapter.name)) for note in notes)


@cache
def shipped() -> Mapping[str, Adapter]:
    """The adapters that come with Readback, by name; a fault in one of them is our mistake."""
    files = sorted(house.ADAPTERS.glob("*.yml"))
    read = [read_adapter(file, house.HOUSE) for file in files]
    if faults := [note for _, notes in read for note in notes]:
        raise ValueError(f"a shipped adapter has faults: {faults}")
    return {adapter.name: adapter for adapter, _ in read}


def find(name: str, listed: Mapping[str, Adapter]) -> Adapter | None:
    """The adapter of that name: the workspace's own before a shipped one."""
    return listed.get(name) or shipped().get(name)


def additions(adapter: Adapter, task: str, listed: Mapping[str, Adapter]) -> tuple[Addition, ...]:
    """What the adapter adds for `task`, in order.

    The adapter's own entry (by task name, else by letter, else by prefix group) replaces its parent's whole; an
    entry without anything removes it.
    """
    for own in lineage(adapter, listed):
        for key in keys_for(task):
            if key in own.additions:
                return own.additions[key]
    return ()


def system_role(adapter: Adapter, listed: Mapping[str, Adapter]) -> bool:
    """Whether the interface takes a system message; not said means as the parent."""
    return _said("system_prompt", adapter, listed, True)


def structured_output(adapter: Adapter, listed: Mapping[str, Adapter]) -> bool:
    """Whether the interface has structured output of its own; not said means as the parent."""
    return _said("structured_output", adapter, listed, False)


def lineage(adapter: Adapter, listed: Mapping[str, Adapter]) -> Iterator[Adapter]:
    """The adapter, its parent, its parent's parent; it ends at an unknown name and before a second round."""
    seen = {adapter.name}
    own: Adapter | None = adapter
    while own is not None:
        yield own
        parent = own.extends
        own = None if parent is None or parent in seen else find(parent, listed)
        seen.add(parent or "")


def parent_fault(adapter: Adapter, listed: Mapping[str, Adapter]) -> Note | None:
    """asm-adapter-parent where the chain of parents ends at an unknown name, or comes back to one of its own."""
    chain = list(lineage(adapter, listed))
    child, parent = chain[-1], chain[-1].extends
    if parent is None:
        return None
    names = [own.name for own in chain]
    cycle = [*names[names.index(parent) :], parent] if parent in names else []
    close = "" if cycle else nearest(parent, {**shipped(), **listed}) or ""
    values = {"adapter": child.name, "parent": parent, "nearest": close, "cycle": " → ".join(cycle)}
    return Note("asm-adapter-parent", values, replace(child.place, adapter=adapter.name), parent)


def _said(key: str, adapter: Adapter, listed: Mapping[str, Adapter], default: bool) -> bool:
    for own in lineage(adapter, listed):
        value: bool = getattr(own, key)
        if key in own.stated or value != default:
            return value
    return default


def _tasks(node: Node, lines: Sequence[str]) -> Iterator[tuple[str, tuple[Addition, ...]]]:
    known = (*TASKS, *GROUPS)
    for task, entry in node.entries():
        if task not in known:
            close = nearest(task, known) or ""
            entry.note("asm-adapter-task", task, task=task, nearest=close, known=list(TASKS))
        yield task, tuple(_additions(entry, lines))


def _additions(entry: Node, lines: Sequence[str]) -> Iterator[Addition]:
    if entry.value is None:
        return
    for node in entry.items():
        texts = {key: node.at(key, value) for key, value in _entries(node, ("system", "user")) if value is not None}
        said = {key: (text.text(), _begin(text.place, lines)) for key, text in texts.items()}
        system, system_place = said.get("system", (None, node.place))
        user, user_place = said.get("user", (None, node.place))
        if system is not None or user is not None:
            yield Addition(system, user, system_place, user_place)


def _begin(place: Place, lines: Sequence[str]) -> Place:
    """Where the text of a key begins: a block scalar (`user: |`) begins on the line after its key's."""
    line = place.line or 0
    block = 0 < line <= len(lines) and BLOCK.search(lines[line - 1])
    return replace(place, line=line + 1, column=None) if block else place


def _entries(node: Node, known: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if not isinstance(node.value, Mapping):
        if node.value is not None or (not node.keys and not node.notes):
            node.wrong("a mapping with " + ", ".join(known))
        return
    node.notes.extend(unknown_keys(node.value, known, node.parsed, *node.keys, code=CODE))
    yield from ((key, value) for key, value in node.value.items() if key in known)
