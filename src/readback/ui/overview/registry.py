"""Which interface adds what to which task, and which tasks run here: a section of the overview, closed at first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.adapters import WORDINGS, load_shipped
from readback.prompts.adapter_texts import Entry, Part
from readback.prompts.adapter_texts import list_entries as entries_of
from readback.sources.verification import Running, list_configurations, list_models, list_workspace_runs
from readback.tasks import Task, profile_of, tasks_of
from readback.types import Adapter, Workspace
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.ui.common.state import caches, choice
from readback.words import t

Cells = Mapping[str, Any]


def section(workspace: Workspace) -> None:
    """Draw the table, with what it leaves out in a sentence; nothing where the workspace has no such pipeline."""
    if not wanted(workspace):
        return
    profile = profile_of(workspace.options)
    entries = _entries(choice.key(), profile, workspace.adapters, tuple(workspace.tasks))
    running = {entry.task: entry for entry in list_workspace_runs(workspace.configs, profile)}
    with st.expander(t("registry.title"), key="registry_open"):
        show.draw(show.h("<p>{} {}</p>", t(f"registry.{profile}"), t("registry.lead")))
        columns = _columns(workspace, entries, running)
        rows = [
            _row(name, tasks_of(profile).get(name), workspace, running.get(name)) for name in _names(workspace, profile)
        ]
        table.draw(columns, rows, t("registry.title"))
        show.draw(show.h('<p class="rb-small">{}</p>', " ".join(_remarks(workspace, profile, entries))))


def wanted(workspace: Workspace) -> bool:
    """Whether the workspace has anything of a pipeline of tasks, adapters and user instructions."""
    return bool(
        workspace.adapters or workspace.tasks or workspace.instructions or list_configurations(workspace.configs)
    )


def missing(workspace: Workspace) -> str:
    """Why a configuration alone shows no message: the tasks that run, whose texts are not here. Else nothing."""
    runs = [entry.task for entry in list_workspace_runs(workspace.configs, profile_of(workspace.options)) if entry.runs]
    if not runs or any(task in workspace.tasks for task in runs):
        return ""
    return t("registry.missing", n=len(runs), tasks=", ".join(runs))


@st.cache_resource(max_entries=caches.KEEP, show_spinner=False)
def _entries(key: caches.Key, profile: str, _listed: Mapping[str, Adapter], _own: Sequence[str]) -> tuple[Entry, ...]:
    """Every interface's entries; templates are tried out for it, so they are kept as long as the files stay."""
    return entries_of(_listed, profile, _own)


def _names(workspace: Workspace, profile: str) -> Iterable[str]:
    return dict.fromkeys((*tasks_of(profile), *workspace.tasks))


def _columns(workspace: Workspace, entries: Sequence[Entry], running: Mapping[str, Running]) -> tuple[Column, ...]:
    """Return the task, what is here of it, and an interface each; interfaces that add the very same share a column."""
    first = (
        Column("task", t("registry.task"), show=_task),
        Column("here", t("registry.here"), show=_here if running else _has_text),
    )
    return (*first, *(_interface(workspace, names, entries) for names in _similar(workspace, entries)))


def _similar(workspace: Workspace, entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """Interfaces in groups that add the same, those that the workspace speaks of first; without those that add none."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    adapter_names = dict.fromkeys(entry.adapter for entry in entries)
    for name in dict.fromkeys([name for name in _spoken_of(workspace) if name in adapter_names] + list(adapter_names)):
        adds = tuple((entry.task, entry.system, entry.user) for entry in entries if entry.adapter == name)
        groups.setdefault(adds, []).append(name)
    return [tuple(names) for names in groups.values()]


def _spoken_of(workspace: Workspace) -> list[str]:
    models = [
        model.interface for config in list_configurations(workspace.configs) for model in list_models(config.settings)
    ]
    return [*workspace.adapters, *(c.adapter for c in workspace.conditions if c.adapter), *models]


def _interface(workspace: Workspace, names: tuple[str, ...], entries: Sequence[Entry]) -> Column:
    by_task = {entry.task: entry for entry in entries if entry.adapter == names[0]}

    def cell(row: Cells) -> Markup:
        entry = by_task.get(row["name"])
        if entry is None:
            return Markup("–")
        parts = [_part(word, part) for word, part in (("system", entry.system), ("user", entry.user)) if part]
        cell_text = show.join(parts, "<br>")
        if row["name"] in workspace.tasks:
            return _linked(names[0], row["name"], cell_text)
        return cell_text

    return Column(names[0], ", ".join(names), show=cell)


def _linked(adapter: str, task: str, markup: Markup) -> Markup:
    return show.link("prompts", markup, task=task, adapter=adapter, condition=None, mode=None, judge=None)


def _part(word: str, part: Part) -> Markup:
    """`system`, or `user, with json_schema`; below it what else changes the text, on hover where it is."""
    when = t("registry.or").join(part.when)
    if not part.ok:
        words = t("registry.part_broken", part=t(f"registry.{word}"))
    elif part.always:
        words = t(f"registry.{word}")
    else:
        words = t("registry.part_with", part=t(f"registry.{word}"), when=when or t("registry.the_record"))
    more = [key for key in part.reads if key not in part.when]
    if more:
        reads = t("registry.reads", keys=", ".join(more))
    else:
        reads = ""
    where = show.where(replace(part.place, column=None))
    return show.h('<span title="{}">{}</span> <span class="rb-small">{}</span>', where, words, reads)


def _row(name: str, task: Task | None, workspace: Workspace, running: Running | None) -> Cells:
    return {"name": name, "known": task, "text": name in workspace.tasks, "running": running}


def _task(row: Cells) -> Markup:
    task = row["known"]
    if task:
        about = t("registry.about", stage=task.stage, description=task.description)
    else:
        about = t("registry.own_task")
    return show.h('{}<br><span class="rb-small">{}</span>', row["name"], about)


def _has_text(row: Cells) -> str:
    if row["text"]:
        return t("registry.text")
    return "–"


def _here(row: Cells) -> Markup:
    """Whether it runs, by which setting, and whether its text is here."""
    running = row["running"]
    if running is None:
        return show.h("{}", _has_text(row))
    words = t("registry.runs" if running.runs else "registry.idle")
    if row["text"] or not running.runs:
        why = running.why
    else:
        why = t("registry.no_text", why=running.why)
    return show.h('{}<br><span class="rb-small">{}</span>', words, why)


def _remarks(workspace: Workspace, profile: str, entries: Sequence[Entry]) -> Iterable[str]:
    """Whose words they are, and which interfaces add nothing."""
    silent = sorted({*load_shipped(profile), *workspace.adapters} - {entry.adapter for entry in entries})
    if silent:
        yield t("registry.silent", names=", ".join(silent))
    for word in WORDINGS:
        if names := sorted({entry.adapter for entry in entries if entry.wording == word}):
            yield t(f"registry.wording_{word}", names=", ".join(names))
