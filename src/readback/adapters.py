"""Adapters: YAML files that say what an interface adds to a task's messages, and what it supports."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from readback import plugins, project_files
from readback.readers import paths
from readback.readers.text_file import read_text
from readback.readers.yaml_file import nearest, read_yaml, unknown_keys
from readback.readers.yaml_node import Node
from readback.tasks import CURRENT, DOCUMENT, groups_of, keys_for, tasks_of
from readback.types import Adapter, Addition, Diagnostic, Location, Message

CAPABILITIES = {"system_prompt": True, "structured_output": False}  # with what holds where nothing is said
FURTHER = ("streaming", "file_tools", "code_execution", "sandboxed_execution")  # of the profile `current`; false unsaid
# Whose sentences: ours, those of the program, the same as `readback import-adapter` read them, the reader's own.
WORDINGS = ("readback", "upstream", "imported", "own")
ORIGIN = "origin"  # where an import read the sentences: for people, and not read
OURS = "readback"
KEYS = ("system", "user", ORIGIN)
CODE = "asm-adapter-key"
BLOCK = re.compile(r":\s*[|>][-+0-9]*\s*(?:#.*)?$")


def read_adapter(path: Path, root: Path, profile: str = DOCUMENT) -> tuple[Adapter, tuple[Diagnostic, ...]]:
    """The adapter that the YAML file at `path` defines, named after the file where it does not say.

    What cannot be used is noted and left out: unknown keys, unknown tasks, wrong values. An entry for an unknown
    task is kept, in case the workspace has a task of that name. Which tasks and capabilities there are is the
    profile's business.
    """
    parsed = read_yaml(path, paths.show(root, path))
    diagnostics = list(parsed.diagnostics)
    top = Node(parsed.value, parsed, diagnostics)
    further = FURTHER if profile == CURRENT else ()
    keys = ("name", "extends", "wording", ORIGIN, *CAPABILITIES, *further, "tasks")
    known = {key: Node(value, parsed, diagnostics, (key,)) for key, value in _entries(top, keys) if value is not None}
    name = known["name"].text() if "name" in known else None
    wording = known["wording"].one_of(WORDINGS) if "wording" in known else None
    flags = {key: known[key].flag() for key in (*CAPABILITIES, *further) if key in known}
    lines = (read_text(path, parsed.file)[0] or "").split("\n")
    additions = dict(_tasks(known["tasks"], lines, profile)) if "tasks" in known else {}
    adapter = Adapter(
        name=name or path.stem,
        extends=known["extends"].text() if "extends" in known else None,
        wording=wording or "own",
        system_prompt=flags.get("system_prompt") is not False,
        structured_output=flags.get("structured_output") is True,
        additions=additions,
        place=parsed.place(),
        stated=tuple(key for key, value in flags.items() if value is not None),
        further={key: flags[key] is True for key in further if flags.get(key) is not None},
    )
    return adapter, tuple(
        replace(diagnostic, place=replace(diagnostic.place, adapter=adapter.name)) for diagnostic in diagnostics
    )


@cache
def shipped(profile: str = DOCUMENT) -> Mapping[str, Adapter]:
    """The adapters that come with Readback, by name, and those of plugins; a fault in one of ours is our mistake.

    A profile other than the document's has a folder of its own: an entry there replaces the document's for that
    task or group whole, and what it does not speak of stays.
    """
    found = _folder(project_files.ADAPTERS, DOCUMENT)
    if profile == DOCUMENT:
        return {**found, **_of_plugins(found, profile)}
    newer = _folder(project_files.ADAPTERS / profile, profile)
    if unknown := set(newer) - set(found):
        raise ValueError(f"no adapter to go with configs/adapters/{profile}: {sorted(unknown)}")
    merged = {
        name: replace(one, additions={**one.additions, **newer[name].additions}) if name in newer else one
        for name, one in found.items()
    }
    return {**merged, **_of_plugins(found, profile)}


def _of_plugins(ours: Collection[str], profile: str) -> dict[str, Adapter]:
    """The adapters of plugins; one with a fault or a name that is taken is left out and said."""
    found: dict[str, Adapter] = {}
    for plugin in plugins.found("adapters").values():
        path = Path(plugin.value)
        adapter, diagnostics = read_adapter(path, path.parent, profile)
        faults = dict.fromkeys(f"{one.code} in line {one.place.line or 1}" for one in diagnostics)
        if faults:
            plugins.left_out(plugin.entry, f"its file {path.name} has faults: {', '.join(faults)}")
        elif adapter.name in ours or adapter.name in found:
            whose = "Readback" if adapter.name in ours else "another plugin"
            plugins.left_out(plugin.entry, f"the name '{adapter.name}' is taken by {whose}")
        else:
            found[adapter.name] = adapter
    return found


def _folder(folder: Path, profile: str) -> dict[str, Adapter]:
    read = [read_adapter(file, project_files.PROJECT, profile) for file in sorted(folder.glob("*.yml"))]
    if faults := [diagnostic for _, diagnostics in read for diagnostic in diagnostics]:
        raise ValueError(f"a shipped adapter has faults: {faults}")
    return {adapter.name: adapter for adapter, _ in read}


def find(name: str, listed: Mapping[str, Adapter], profile: str = DOCUMENT) -> Adapter | None:
    """The adapter of that name: the workspace's own before a shipped one."""
    return listed.get(name) or shipped(profile).get(name)


def worded(messages: Iterable[Message]) -> tuple[str, ...]:
    """The adapters whose text in these messages is in Readback's own words, not in those of the program."""
    segments = (one for message in messages for one in message.segments)
    return tuple(dict.fromkeys(one.name or "" for one in segments if one.wording == OURS))


def additions(
    adapter: Adapter, task: str, listed: Mapping[str, Adapter], profile: str = DOCUMENT
) -> tuple[Addition, ...]:
    """What the adapter adds for `task`, in order."""
    found = entry(adapter, task, listed, profile)
    return found[1] if found else ()


def entry(
    adapter: Adapter, task: str, listed: Mapping[str, Adapter], profile: str = DOCUMENT
) -> tuple[Adapter, tuple[Addition, ...]] | None:
    """The additions for `task`, and the adapter of the chain whose file has them.

    The adapter's own entry (by task name, else by letter, else by prefix group) replaces its parent's whole; an
    entry without anything removes it.
    """
    for own in lineage(adapter, listed, profile):
        for key in keys_for(task, profile):
            if key in own.additions:
                return own, own.additions[key]
    return None


def system_role(adapter: Adapter, listed: Mapping[str, Adapter]) -> bool:
    """Whether the interface takes a system message; not said means as the parent."""
    return _said("system_prompt", adapter, listed)


def structured_output(adapter: Adapter, listed: Mapping[str, Adapter]) -> bool:
    """Whether the interface has structured output of its own; not said means as the parent."""
    return _said("structured_output", adapter, listed)


def capabilities(adapter: Adapter, listed: Mapping[str, Adapter], profile: str = DOCUMENT) -> dict[str, bool]:
    """What the interface supports: two things in the document's profile, six in the current one.

    Only `system_prompt` changes what is assembled; the others are shown.
    """
    found = {key: _said(key, adapter, listed) for key in CAPABILITIES}
    if profile != CURRENT:
        return found
    chain = tuple(lineage(adapter, listed, profile))
    return found | {key: next((one.further[key] for one in chain if key in one.further), False) for key in FURTHER}


def lineage(adapter: Adapter, listed: Mapping[str, Adapter], profile: str = DOCUMENT) -> Iterator[Adapter]:
    """The adapter, its parent, its parent's parent; it ends at an unknown name and before a second round."""
    seen = {adapter.name}
    own: Adapter | None = adapter
    while own is not None:
        yield own
        parent = own.extends
        own = None if parent is None or parent in seen else find(parent, listed, profile)
        seen.add(parent or "")


def parent_fault(adapter: Adapter, listed: Mapping[str, Adapter]) -> Diagnostic | None:
    """asm-adapter-parent where the chain of parents ends at an unknown name, or comes back to one of its own."""
    chain = list(lineage(adapter, listed))
    child, parent = chain[-1], chain[-1].extends
    if parent is None:
        return None
    names = [own.name for own in chain]
    cycle = [*names[names.index(parent) :], parent] if parent in names else []
    close = "" if cycle else nearest(parent, {**shipped(), **listed}) or ""
    values = {"adapter": child.name, "parent": parent, "nearest": close, "cycle": " → ".join(cycle)}
    return Diagnostic("asm-adapter-parent", values, replace(child.place, adapter=adapter.name), parent)


def _said(key: str, adapter: Adapter, listed: Mapping[str, Adapter]) -> bool:
    """What the adapter says of itself, else its parent; the profile changes no shipped adapter's word on that."""
    default = CAPABILITIES[key]
    for own in lineage(adapter, listed):
        value: bool = getattr(own, key)
        if key in own.stated or value != default:
            return value
    return default


def _tasks(node: Node, lines: Sequence[str], profile: str) -> Iterator[tuple[str, tuple[Addition, ...]]]:
    tasks = tasks_of(profile)
    known = (*tasks, *groups_of(profile))
    for task, entry in node.entries():
        if task not in known:
            close = nearest(task, known) or ""
            entry.report("asm-adapter-task", task, task=task, nearest=close, known=list(tasks))
        yield task, tuple(_additions(entry, lines))


def _additions(entry: Node, lines: Sequence[str]) -> Iterator[Addition]:
    if entry.value is None:
        return
    for node in entry.items():
        texts = {key: node.at(key, value) for key, value in _entries(node, KEYS) if value is not None and key != ORIGIN}
        said = {key: (text.text(), _begin(text.place, lines)) for key, text in texts.items()}
        system, system_place = said.get("system", (None, node.place))
        user, user_place = said.get("user", (None, node.place))
        if system is not None or user is not None:
            yield Addition(system, user, system_place, user_place)


def _begin(place: Location, lines: Sequence[str]) -> Location:
    """Where the text of a key begins: a block scalar (`user: |`) begins on the line after its key's."""
    line = place.line or 0
    block = 0 < line <= len(lines) and BLOCK.search(lines[line - 1])
    return replace(place, line=line + 1, column=None) if block else place


def _entries(node: Node, known: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if not isinstance(node.value, Mapping):
        if node.value is not None or (not node.keys and not node.diagnostics):
            node.wrong("a mapping with " + ", ".join(known))
        return
    for diagnostic in unknown_keys(node.value, known, node.parsed, *node.keys, code=CODE):
        lost = bool(diagnostic.values["nearest"])  # a misspelt key loses its text; another one may be a remark
        node.diagnostics.append(diagnostic if lost else replace(diagnostic, severity="warning"))
    yield from ((key, value) for key, value in node.value.items() if key in known)
