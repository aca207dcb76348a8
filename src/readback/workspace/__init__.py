"""Open a workspace: a folder with readback.yml, a folder without one, or a single file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from readback.quantity import quantity
from readback.readers import hub_cache
from readback.readers.files import by_address, copies, paths
from readback.readers.yaml.yaml_file import read_yaml
from readback.types import Diagnostic, Location, Workspace
from readback.workspace import discovery, left_out, workspace_file
from readback.workspace.draft import Draft
from readback.workspace.recognise import DATASET, OTHER, WORKSPACE, RecognisedFile, recognise
from readback.workspace.resolve_draft import resolve
from readback.workspace.tables import proposed_scores
from readback.workspace.templates import plain_templates
from readback.workspace.tools import tool_choices, tool_logs, tool_projects
from readback.workspace.workspace_file.reader import read_workspace_file
from readback.workspace.workspace_file.writer import init_text

__all__ = ["NothingRead", "init_text", "open"]

# Keys of readback.yml that say what the workspace is made of; without any of them its files are recognised as they are
# without a readback.yml, under the settings that it has.
SOURCES = frozenset(
    (
        "dataset",
        "prompts",
        "modes",
        "tasks",
        "instructions",
        "models",
        "plan",
        "conditions",
        "judges",
        "scores",
        "training",
    )
)
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
    """Return the workspace at `path`. Every fault in it is a diagnostic.

    Raises NothingRead where there is nothing to show. Where nothing is at `path`, `org/name` or `org/name@revision` is
    a repository in the local Hugging Face cache, and `store://place/folder` an address whose files are copied first
    (`by_address`).

    `fields` adds to the dataset's field mapping (template variable <- record field), as a page's one-click
    mapping does, also where the dataset was found by discovery. `options` replace those of the file. `chosen` names
    the file to take where several could be meant, by kind: `plan`, `prompts`, `dataset`; it replaces what the file
    says of them. `training` in it says where the system texts of models are (see `training.parse_places`), `tool` which
    tool reads a prompt file (see `tool_choices`), `environment` with which variables a
    project is read, and `matched` what the conditions of logs are here (see `tool_logs`).

    `offered`: only files among which the folder leaves a choice may be chosen, since whoever asks may only have
    followed a link.
    """
    place = _locate(str(path))
    if not copies.KINDS.isdisjoint(place.parts):
        copies.mark_used(place)
    chosen = {kind: file for kind, file in (chosen or {}).items() if file}
    draft = Draft(
        place, "", options=dict(options or {}), fixed_options=frozenset(options or {}), chosen=chosen, offered=offered
    )
    if tool_projects.ENVIRONMENT_KEY in chosen and not offered:  # nobody states by a link how a project is read
        draft.environment = tool_projects.parse_environment(chosen[tool_projects.ENVIRONMENT_KEY])
    if tool_logs.KEY in chosen:
        draft.log_names = tool_logs.parse_log_names(chosen[tool_logs.KEY])
    try:
        is_folder = place.is_dir()
        if is_folder:
            os.scandir(place).close()  # a folder that may not be read is not an empty one
            _read_folder(hub_cache.snapshot(place), draft)
        else:
            _read_file(place, draft)
    except OSError as error:
        raise NothingRead(f"{place.name}: {(error.strerror or 'it cannot be read').lower()}") from error
    resolve(draft)
    if draft.log_names:
        tool_logs.report_unknown_names(draft)
    _report_missing_prompts(draft)
    if is_folder:
        left_out.list_left_out(draft)
        _refuse_empty(draft)
    else:
        left_out.list_opened_file(draft, place)
    if draft.dataset and fields:
        draft.dataset = replace(draft.dataset, fields={**draft.dataset.fields, **fields})
    return draft.build_workspace()


def _refuse_empty(draft: Draft) -> None:
    """Raise NothingRead where a folder holds nothing that looks like a part of a review, and no fault says why."""
    nothing: Diagnostic | None = None
    for diagnostic in draft.diagnostics:
        if diagnostic.code == left_out.NOTHING:
            nothing = nothing or diagnostic
        elif diagnostic.severity != "info" and diagnostic.code != "dat-limit":
            return
    if nothing is None or draft.file or left_out.count_unread(draft.recognised):
        return
    odd = next((diagnostic.values for diagnostic in draft.diagnostics if diagnostic.code == NO_FORMAT), None)
    if odd:
        example = f" ({odd['path']}: {odd['reason']})"
    else:
        example = ""
    count, names = nothing.values["count"], ", ".join(nothing.values["files"])
    if count:
        files = f"; it holds {quantity(count, 'file')} ({names}), looked for {draft.depth} folders deep"
    else:
        files = ""
    step = "put a template and rows (.jsonl, .csv, .parquet) into it, or open the folder that holds them"
    raise NothingRead(
        f"{draft.root.name}: nothing in this folder is a file that Readback knows{example}{files}; {step}"
    )


def _locate(path: str) -> Path:
    """Return the path, or where it leads nowhere the copy of what is at an address, or the snapshot of a repository
    that was downloaded before.
    """
    if not os.path.lexists(path) and by_address.is_address(path):
        try:
            return by_address.fetch(path)
        except by_address.Refused as refused:
            raise NothingRead(str(refused)) from None
    if os.path.lexists(path) or not hub_cache.is_repository(path):
        return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would lose a Hugging Face snapshot's own folder
    try:
        return hub_cache.find(path).folder.absolute()
    except hub_cache.NotCached as missing:
        raise NothingRead(f"there is no such file or folder, and {missing}") from None


def _report_missing_prompts(draft: Draft) -> None:
    """Report where there are rows and no prompt, so that nobody takes silence for all being well."""
    if draft.prompts or draft.tasks or draft.judges or draft.conditions or draft.scores:
        return
    kinds = {file.path: file.what for file in draft.recognised}
    has_rows = draft.dataset is not None and not draft.dataset.absent and kinds.get(draft.dataset.path) == DATASET
    tables = proposed_scores.list_proposed(draft.alternatives)
    if tables:
        table = tables[0]
        file = table.file
        columns = ", ".join(table.columns)
        values = {"file": file, "kind": table.key, "columns": columns, "option": f"--{table.key} {table.line}"}
    elif has_rows:
        file = draft.dataset.path if draft.dataset else ""
        values = {"file": file, "kind": "", "columns": "", "option": ""}
    else:
        return
    draft.report(plain_templates.NOTHING_TO_SEND, Location(file=file), file, **values)


def _read_folder(root: Path, draft: Draft) -> None:
    draft.root, draft.name = root, hub_cache.name(root) or root.name or "workspace"
    if os.path.lexists(root / workspace_file.NAME):
        draft.file = workspace_file.NAME
        path = paths.resolve(root, workspace_file.NAME)
        if isinstance(path, Path):
            parsed = read_yaml(path, workspace_file.NAME)
            read_workspace_file(draft, parsed)
            if isinstance(parsed.value, Mapping) and not SOURCES.isdisjoint(parsed.value):
                tool_logs.take_unnamed_logs(draft)
                return
        else:
            draft.diagnostics.append(path)
    discovery.discover(draft)


def _read_file(path: Path, draft: Draft) -> None:
    if not os.path.lexists(path):
        raise NothingRead(f"{path.name}: there is no such file or folder")
    if isinstance(paths.resolve(path.parent, path.name), Diagnostic):
        path = Path(os.path.realpath(path))  # whoever opens a link by name means what it leads to
    if not path.is_file():
        raise NothingRead(f"{path.name}: it is not a regular file")
    draft.root, draft.name, draft.file = path.parent, path.name, path.name
    file = recognise(path, draft.root, named=True)
    if path.name == workspace_file.NAME or file.what == WORKSPACE:
        read_workspace_file(draft, file.parsed or read_yaml(path, paths.format_relative(draft.root, path)))
        return
    if tool_choices.KEY in draft.chosen:
        file = tool_choices.apply_tool(draft, file, opened=True)
    if file.what != OTHER:
        discovery.open_file(file, draft)
    else:
        _refuse_unknown(path, file)
        draft.diagnostics.extend(file.diagnostics)


def _refuse_unknown(path: Path, file: RecognisedFile) -> None:
    """Raise NothingRead for a file of no known kind, unless it is a text with faults of encoding alone."""
    is_unseen = not file.diagnostics
    reasons: list[str] = []
    for diagnostic in file.diagnostics:
        looks = diagnostic.values.get("looks", "")
        is_unseen = is_unseen or diagnostic.code in UNREADABLE or looks not in TEXTS
        reasons.append(f"{diagnostic.code} {diagnostic.values.get('reason') or looks}".strip())
    if is_unseen:
        raise NothingRead(f"{path.name}: {'; '.join(reasons) or _explain_unknown(path, file.reason)}")


def _explain_unknown(path: Path, reason: str) -> str:
    """Return why a file is of no kind that can be read, and what makes it readable, as far as that is known."""
    looks = left_out.explain_file(path.name, path)
    why = reason or (looks.why if looks else "")
    if looks and looks.step:
        step = f"; {looks.step}"
    else:
        step = ""
    return f"not a file that Readback knows{f' ({why})' if why else ''}{step}"
