"""Read adapters: YAML files that say what an interface adds to a task's messages, and what it supports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from readback import project_files
from readback.readers.files import paths
from readback.readers.files.text_file import read_text
from readback.readers.yaml.yaml_file import Node, find_nearest, read_yaml, report_unknown_keys
from readback.tasks import CURRENT, DOCUMENT, groups_of, keys_for, tasks_of
from readback.types import Adapter, Addition, Diagnostic, Location, Message

CAPABILITIES = {"system_prompt": True, "structured_output": False}  # with the value where no file states it
FURTHER = ("streaming", "file_tools", "code_execution", "sandboxed_execution")  # of the profile `current`; else false
# Whose sentences: ours, those of the program, the same as `readback import-adapter` read them, the reader's own.
WORDINGS = ("readback", "upstream", "imported", "own")
ORIGIN = "origin"  # where an import read the sentences: for people, ignored here
OURS = "readback"
KEYS = ("system", "user", ORIGIN)
CODE = "asm-adapter-key"
BLOCK = re.compile(r":\s*[|>][-+0-9]*\s*(?:#.*)?$")


def read_adapter(path: Path, root: Path, profile: str = DOCUMENT) -> tuple[Adapter, tuple[Diagnostic, ...]]:
    """Return the adapter that the YAML file at `path` defines; without `name` it is named after the file.

    What cannot be used is reported and left out: unknown keys, unknown tasks, wrong values. An entry for an unknown
    task stays, in case the workspace has a task of that name. `profile` decides which tasks and capabilities exist.
    """
    parsed = read_yaml(path, paths.format_relative(root, path))
    diagnostics = list(parsed.diagnostics)
    top = Node(parsed.value, parsed, diagnostics)
    further = FURTHER if profile == CURRENT else ()
    keys = ("name", "extends", "wording", ORIGIN, *CAPABILITIES, *further, "tasks")
    nodes = {key: Node(value, parsed, diagnostics, (key,)) for key, value in _entries(top, keys) if value is not None}
    if "name" in nodes:
        name = nodes["name"].text()
    else:
        name = None
    if "wording" in nodes:
        wording = nodes["wording"].one_of(WORDINGS)
    else:
        wording = None
    flags = {key: nodes[key].flag() for key in (*CAPABILITIES, *further) if key in nodes}
    lines = (read_text(path, parsed.file)[0] or "").split("\n")
    if "tasks" in nodes:
        additions = dict(_read_tasks(nodes["tasks"], lines, profile))
    else:
        additions = {}
    adapter = Adapter(
        name=name or path.stem,
        extends=nodes["extends"].text() if "extends" in nodes else None,
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
def load_shipped(profile: str = DOCUMENT) -> Mapping[str, Adapter]:
    """Return the adapters that come with Readback, by name. Raises ValueError where one of these files has a fault.

    A profile other than the document's has its own folder: an entry there replaces the document's for that task or
    group whole, and other entries stay.
    """
    adapters = _read_folder(project_files.ADAPTERS, DOCUMENT)
    if profile == DOCUMENT:
        return adapters
    newer = _read_folder(project_files.ADAPTERS / profile, profile)
    unknown = set(newer) - set(adapters)
    if unknown:
        raise ValueError(f"no adapter to go with configs/adapters/{profile}: {sorted(unknown)}")
    merged = dict(adapters)
    for name, adapter in newer.items():
        additions = {**adapters[name].additions, **adapter.additions}
        merged[name] = replace(adapters[name], additions=additions)
    return merged


def _read_folder(folder: Path, profile: str) -> dict[str, Adapter]:
    adapters: dict[str, Adapter] = {}
    for file in sorted(folder.glob("*.yml")):
        adapter, diagnostics = read_adapter(file, project_files.PROJECT, profile)
        if diagnostics:
            raise ValueError(f"a shipped adapter has faults: {diagnostics}")
        adapters[adapter.name] = adapter
    return adapters


def find_adapter(name: str, listed: Mapping[str, Adapter], profile: str = DOCUMENT) -> Adapter | None:
    """Return the adapter of that name: that of the workspace (`listed`) before a shipped one."""
    return listed.get(name) or load_shipped(profile).get(name)


def list_own_wordings(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return the adapters whose text in these messages is in Readback's wording, not in that of the program."""
    segments = (segment for message in messages for segment in message.segments)
    return tuple(dict.fromkeys(segment.name or "" for segment in segments if segment.wording == OURS))


def list_additions(
    adapter: Adapter, task: str, listed: Mapping[str, Adapter], profile: str = DOCUMENT
) -> tuple[Addition, ...]:
    """Return what the adapter adds for `task`, in order."""
    entry = find_entry(adapter, task, listed, profile)
    if entry:
        return entry[1]
    return ()


def find_entry(
    adapter: Adapter, task: str, listed: Mapping[str, Adapter], profile: str = DOCUMENT
) -> tuple[Adapter, tuple[Addition, ...]] | None:
    """Return the additions for `task`, and the adapter of the chain whose file has them.

    The adapter's own entry (by task name, else by letter, else by prefix group) replaces its parent's whole; an
    entry without anything removes it.
    """
    for ancestor in list_lineage(adapter, listed, profile):
        for key in keys_for(task, profile):
            if key in ancestor.additions:
                return ancestor, ancestor.additions[key]
    return None


def takes_system_role(adapter: Adapter, listed: Mapping[str, Adapter]) -> bool:
    """Return whether the interface takes a system message; an adapter that does not state it is like its parent."""
    return _read_capability("system_prompt", adapter, listed)


def has_structured_output(adapter: Adapter, listed: Mapping[str, Adapter]) -> bool:
    """Return whether the interface has structured output; an adapter that does not state it is like its parent."""
    return _read_capability("structured_output", adapter, listed)


def list_capabilities(adapter: Adapter, listed: Mapping[str, Adapter], profile: str = DOCUMENT) -> dict[str, bool]:
    """Return what the interface supports: two capabilities in the document's profile, six in the current one.

    Only `system_prompt` changes what is assembled; the others are shown.
    """
    supported = {key: _read_capability(key, adapter, listed) for key in CAPABILITIES}
    if profile != CURRENT:
        return supported
    chain = tuple(list_lineage(adapter, listed, profile))
    for key in FURTHER:
        supported[key] = next((ancestor.further[key] for ancestor in chain if key in ancestor.further), False)
    return supported


def list_lineage(adapter: Adapter, listed: Mapping[str, Adapter], profile: str = DOCUMENT) -> Iterator[Adapter]:
    """Yield the adapter, its parent and so on; end at an unknown name, and before a name comes again."""
    names = {adapter.name}
    ancestor: Adapter | None = adapter
    while ancestor is not None:
        yield ancestor
        parent = ancestor.extends
        if parent is None or parent in names:
            return
        names.add(parent)
        ancestor = find_adapter(parent, listed, profile)


def find_parent_fault(adapter: Adapter, listed: Mapping[str, Adapter]) -> Diagnostic | None:
    """Return asm-adapter-parent where the chain of parents ends at an unknown name, or comes back to itself."""
    chain = list(list_lineage(adapter, listed))
    child, parent = chain[-1], chain[-1].extends
    if parent is None:
        return None
    names = [ancestor.name for ancestor in chain]
    if parent in names:
        cycle = [*names[names.index(parent) :], parent]
    else:
        cycle = []
    if cycle:
        close = ""
    else:
        close = find_nearest(parent, {**load_shipped(), **listed}) or ""
    values = {"adapter": child.name, "parent": parent, "nearest": close, "cycle": " → ".join(cycle)}
    return Diagnostic("asm-adapter-parent", values, replace(child.place, adapter=adapter.name), parent)


def _read_capability(key: str, adapter: Adapter, listed: Mapping[str, Adapter]) -> bool:
    """Return the first value that the adapter or an ancestor states, whatever the profile."""
    default = CAPABILITIES[key]
    for ancestor in list_lineage(adapter, listed):
        value: bool = getattr(ancestor, key)
        if key in ancestor.stated or value != default:
            return value
    return default


def _read_tasks(node: Node, lines: Sequence[str], profile: str) -> Iterator[tuple[str, tuple[Addition, ...]]]:
    tasks = tasks_of(profile)
    names = (*tasks, *groups_of(profile))
    for task, entry in node.entries():
        if task not in names:
            close = find_nearest(task, names) or ""
            entry.report("asm-adapter-task", task, task=task, nearest=close, known=list(tasks))
        yield task, tuple(_read_additions(entry, lines))


def _read_additions(entry: Node, lines: Sequence[str]) -> Iterator[Addition]:
    if entry.value is None:
        return
    for node in entry.items():
        texts: dict[str, str | None] = {}
        places: dict[str, Location] = {}
        for key, value in _entries(node, KEYS):
            if value is None or key == ORIGIN:
                continue
            part = node.at(key, value)
            texts[key] = part.text()
            places[key] = _locate_text(part.place, lines)
        system, user = texts.get("system"), texts.get("user")
        if system is not None or user is not None:
            yield Addition(system, user, places.get("system", node.place), places.get("user", node.place))


def _locate_text(place: Location, lines: Sequence[str]) -> Location:
    """Return where the text of a key begins: a block scalar (`user: |`) begins on the line after its key's."""
    line = place.line or 0
    block = 0 < line <= len(lines) and BLOCK.search(lines[line - 1])
    if block:
        return replace(place, line=line + 1, column=None)
    return place


def _entries(node: Node, known_keys: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if not isinstance(node.value, Mapping):
        if node.value is not None or (not node.keys and not node.diagnostics):
            node.wrong("a mapping with " + ", ".join(known_keys))
        return
    for diagnostic in report_unknown_keys(node.value, known_keys, node.parsed, *node.keys, code=CODE):
        # A misspelt key loses its text: an error. Another unknown key may be a remark.
        misspelt = bool(diagnostic.values["nearest"])
        node.diagnostics.append(diagnostic if misspelt else replace(diagnostic, severity="warning"))
    yield from ((key, value) for key, value in node.value.items() if key in known_keys)
