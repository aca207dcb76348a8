"""Open a workspace: a folder with readback.yml, a folder without one, or a single file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from readback.quantity import quantity
from readback.readers import by_address, hub_cache, paths
from readback.readers.yaml_file import read_yaml
from readback.types import Diagnostic, Location, Workspace
from readback.workspace import (
    discovery,
    left_out,
    plain_templates,
    proposed_scores,
    unread,
    workspace_file,
)
from readback.workspace.draft import Draft
from readback.workspace.recognise import DATASET, OTHER, WORKSPACE, recognise
from readback.workspace.resolve_draft import resolve
from readback.workspace.workspace_file.reader import read_workspace_file
from readback.workspace.workspace_file.writer import init_text

__all__ = ["NothingRead", "init_text", "open"]

# Keys of readback.yml that say what the workspace is made of; without any of them its files are recognised as they are
# without a readback.yml, under the settings that it has.
SOURCES = frozenset({
    "dataset", "prompts", "modes", "tasks", "instructions", "models", "plan", "conditions", "judges", "scores",
    "training",
})  # fmt: skip
NO_FORMAT = "dat-not-recognised"
TEXTS = ("", "Windows-1252")  # what a file looks like of which something was seen
UNREADABLE = ("dat-file-missing", "dat-too-large")  # nothing of such a file was seen


class NothingRead(Exception):  # noqa: N818 - it is no mistake of ours, and the name says what happened
    """Nothing at all could be read; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def name_path(self, path: str) -> str:
        """Return the reason behind the path as it was typed, which is named once."""
        own_name = f"{Path(os.path.abspath(path)).name}: "  # noqa: PTH100 - resolve() would lose a link's own name
        return f"{path}: {self.reason.removeprefix(own_name)}"


def open(  # noqa: A001 - the verb that fits
    path: Path | str,
    *,
    fields: Mapping[str, str] | None = None,
    options: Mapping[str, str] | None = None,
    chosen: Mapping[str, str] | None = None,
    offered: bool = False,
) -> Workspace:
    """The workspace at `path`. Every fault in it is a diagnostic; NothingRead only when there is nothing to show.

    Where nothing is at `path`, `org/name` or `org/name@revision` is a repository in the local Hugging Face cache, and
    `store://place/folder` an address whose files are copied first (`by_address`).

    `fields` adds to the dataset's field mapping (template variable <- record field), as a page's one-click
    mapping does, also where the dataset was found by discovery. `options` replace those the file says. `chosen` names
    the file to take where several could be meant, by kind: `plan`, `prompts`, `dataset`; it replaces what the file
    says of them. `training` in it says where the system texts of models stand (see `training_texts.said`). `offered`:
    only files among which the folder leaves a choice may be chosen, since whoever asks may only have followed a link.
    """
    place = _place(str(path))
    by_address.used(place)
    try:
        if place.is_dir():
            os.scandir(place).close()  # a folder that may not be read is not an empty one
        begun = _Begun(options or {}, {kind: file for kind, file in (chosen or {}).items() if file}, offered)
        draft = _folder(hub_cache.snapshot(place), begun) if place.is_dir() else _file(place, begun)
    except OSError as error:
        raise NothingRead(f"{place.name}: {(error.strerror or 'it cannot be read').lower()}") from error
    resolve(draft)
    _nothing_to_send(draft)
    if place.is_dir():
        left_out.list_left_out(draft)
        _refuse_empty(draft)
    else:
        left_out.list_file(draft, place)
    if draft.dataset and fields:
        draft.dataset = replace(draft.dataset, fields={**draft.dataset.fields, **fields})
    return draft.workspace()


def _refuse_empty(draft: Draft) -> None:
    """Raise NothingRead where a folder holds nothing that looks like a part of a review, and no fault says why."""
    nothing = next((one for one in draft.diagnostics if one.code == unread.NOTHING), None)
    faults = (
        one for one in draft.diagnostics if one.severity != "info" and one.code not in (unread.NOTHING, "dat-limit")
    )
    if nothing is None or draft.file or left_out.left_unread(draft.recognised) or any(faults):
        return
    unlike = (one for one in draft.diagnostics if one.code == NO_FORMAT)
    odd = next((f" ({one.values['path']}: {one.values['reason']})" for one in unlike), "")
    count, names = nothing.values["count"], ", ".join(nothing.values["files"])
    files = f"; it holds {quantity(count, 'file')} ({names}), looked for {draft.depth} folders deep" if count else ""
    step = "put a template and rows (.jsonl, .csv, .parquet) into it, or open the folder that holds them"
    raise NothingRead(f"{draft.root.name}: nothing in this folder is a file that Readback knows{odd}{files}; {step}")


def _place(said: str) -> Path:
    """Where to look: the path, or where that leads nowhere the copy of what is at an address, or the snapshot of a
    repository that was downloaded before.
    """
    if by_address.is_address(said):
        try:
            return by_address.fetch(said)
        except by_address.Refused as refused:
            raise NothingRead(str(refused)) from None
    if os.path.lexists(said) or not hub_cache.is_repository(said):
        return Path(os.path.abspath(said))  # noqa: PTH100 - resolve() would lose a Hugging Face snapshot's own folder
    try:
        return hub_cache.find(said).folder.absolute()
    except hub_cache.NotCached as missing:
        raise NothingRead(f"there is no such file or folder, and {missing}") from None


def _nothing_to_send(draft: Draft) -> None:
    """Say so where there are rows and no prompt, so that nobody takes silence for all being well."""
    what = {one.path: one.what for one in draft.recognised}
    rows = draft.dataset is not None and not draft.dataset.absent and what.get(draft.dataset.path) == DATASET
    sent = draft.prompts or draft.tasks or draft.judges or draft.conditions or draft.scores
    tables = proposed_scores.proposed(draft.alternatives)
    if sent or not (rows or tables):
        return
    if tables:
        one = tables[0]
        file, option = one.file, f"--{one.key} {one.line}"
        values = {"file": file, "kind": one.key, "columns": ", ".join(one.columns), "option": option}
    else:
        file = draft.dataset.path if draft.dataset else ""
        values = {"file": file, "kind": "", "columns": "", "option": ""}
    draft.report(plain_templates.NOTHING, Location(file=file), file, **values)


@dataclass(frozen=True, slots=True)
class _Begun:
    """What whoever opens a workspace settles, whatever its file says."""

    options: Mapping[str, str]
    chosen: Mapping[str, str]
    offered: bool

    def draft(self, root: Path, name: str, file: str | None = None) -> Draft:
        options = dict(self.options)
        return Draft(
            root, name, file=file, options=options, given=frozenset(options), chosen=self.chosen, offered=self.offered
        )


def _folder(root: Path, begun: _Begun) -> Draft:
    draft = begun.draft(root, hub_cache.name(root) or root.name or "workspace")
    file = root / workspace_file.NAME
    if os.path.lexists(file):
        draft.file = workspace_file.NAME
        path = paths.resolve(root, workspace_file.NAME)
        if isinstance(path, Path):
            parsed = read_yaml(path, workspace_file.NAME)
            read_workspace_file(draft, parsed)
            if isinstance(parsed.value, Mapping) and not SOURCES.isdisjoint(parsed.value):
                return draft
        else:
            draft.diagnostics.append(path)
    discovery.discover(draft)
    return draft


def _file(path: Path, begun: _Begun) -> Draft:
    if not os.path.lexists(path):
        raise NothingRead(f"{path.name}: there is no such file or folder")
    if isinstance(paths.resolve(path.parent, path.name), Diagnostic):
        path = Path(os.path.realpath(path))  # whoever opens a link by name means what it leads to
    if not path.is_file():
        raise NothingRead(f"{path.name}: it is not a regular file")
    draft = begun.draft(path.parent, path.name, path.name)
    found = recognise(path, draft.root, named=True)
    if path.name == workspace_file.NAME or found.what == WORKSPACE:
        read_workspace_file(draft, found.parsed or read_yaml(path, paths.show(draft.root, path)))
        return draft
    if found.what != OTHER:
        discovery.open_file(found, draft)
    elif not found.diagnostics or any(
        diagnostic.code in UNREADABLE or diagnostic.values.get("looks", "") not in TEXTS
        for diagnostic in found.diagnostics
    ):
        raise NothingRead(f"{path.name}: {'; '.join(map(_why, found.diagnostics)) or _unlike(path, found.reason)}")
    draft.diagnostics.extend(found.diagnostics if found.what == OTHER else ())
    return draft


def _unlike(path: Path, reason: str) -> str:
    """Say why a file is of no kind that can be read, and what makes it readable, as far as that is known."""
    seen = unread.look(path.name, path)
    why = reason or (seen.why if seen else "")
    step = f"; {seen.step}" if seen and seen.step else ""
    return f"not a file that Readback knows{f' ({why})' if why else ''}{step}"


def _why(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.code} {diagnostic.values.get('reason') or diagnostic.values.get('looks', '')}".strip()
