"""The command `readback adapters`: every adapter, what it adds to which task, and which tasks run in a workspace."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from readback import adapters, as_json
from readback.cli import _workspace
from readback.cli._sentence import fill
from readback.prompts.adapter_texts import Entry, Part, list_entries
from readback.sources.verification import running_here
from readback.tasks import DOCUMENT, PROFILES, profile_of, tasks_of
from readback.types import Adapter, Workspace

TITLE = "List the adapters and what each adds to which task: those that Readback ships, and those of a workspace."
ABOUT = (
    "For a workspace with a preset or a verification configuration the list also says which tasks run"
    " there, and why a\n"
    "task does not run.\n"
    "\n"
    "exit codes: 0 listed; 2 wrong use, or nothing at all could be read"
)

SENTENCES_ADAPTERS = {
    "row": "{name}: system message, wording {wording}",
    "row_extends": "{name}: system message, extends {base}, wording {wording}",
    "row_folded": ("{name}: no system message, its text is put into the user message; wording {wording}"),
    "row_folded_extends": (
        "{name}: no system message, its text is put into the user message; extends {base}, wording {wording}"
    ),
    "runs": "{task}: runs ({why})",
    "runs_without_text": "{task}: runs ({why}), but this workspace has no text for it",
    "runs_not": "{task}: does not run ({why})",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", nargs="?", help="a folder, or one file in it")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output for people (text), or for programs"
    )
    parser.add_argument("--profile", choices=PROFILES, help="the profile to use in place of that of the workspace")


def run(args: argparse.Namespace) -> int:
    options = {"assembly_profile": args.profile} if args.profile else None
    opened = _workspace.opened(args, options) if args.workspace else None
    profile = profile_of(opened.options) if opened else args.profile or DOCUMENT
    listed = {**adapters.load_shipped(profile), **(opened.adapters if opened else {})}
    found = [_described(adapter, listed, profile) for _, adapter in sorted(listed.items())]
    tasks = _tasks(opened, profile)
    if args.format == "json":
        entries = [_entry(one) for one in list_entries(listed, profile, (task["name"] for task in tasks))]
        print(as_json.dumps({"profile": profile, "adapters": found, "tasks": tasks, "entries": entries}, indent=1))
    else:
        print("\n".join((*_lines(found), *_running(tasks))))
    return 0


def _described(adapter: Adapter, listed: Mapping[str, Adapter], profile: str) -> dict[str, Any]:
    return {
        "name": adapter.name,
        "extends": adapter.extends,
        "wording": adapter.wording,
        **adapters.list_capabilities(adapter, listed, profile),
        "tasks": [task for task in tasks_of(profile) if adapters.list_additions(adapter, task, listed, profile)],
        "place": as_json.known_place_to_json(adapter.place),
    }


def _tasks(opened: Workspace | None, profile: str) -> list[dict[str, Any]]:
    """The profile's tasks and the workspace's own; `runs` is null where no configuration says so."""
    texts = opened.tasks if opened else {}
    said = {one.task: one for one in (running_here(opened.configs, profile) if opened else ())}
    known = tasks_of(profile)
    return [
        {
            "name": name,
            "stage": known[name].stage if name in known else None,
            "description": known[name].description if name in known else None,
            "text_here": name in texts,
            "runs": said[name].runs if name in said else None,
            "why": said[name].why if name in said else None,
        }
        for name in dict.fromkeys((*known, *texts))
    ]


def _entry(one: Entry) -> dict[str, Any]:
    parts = {"system": _part(one.system), "user": _part(one.user)}
    return {"interface": one.adapter, "task": one.task, "wording": one.wording, **parts}


def _part(part: Part | None) -> dict[str, Any] | None:
    """`when`: the context keys of which one is enough; empty and not always: it depends on the record."""
    if part is None:
        return None
    return {
        "always": part.always,
        "when": part.when,
        "reads": part.reads,
        "place": as_json.known_place_to_json(part.place),
    }


def _lines(found: list[dict[str, Any]]) -> Iterator[str]:
    for one in found:
        kinds = ("row", "row_extends") if one["system_prompt"] else ("row_folded", "row_folded_extends")
        kind = kinds[bool(one["extends"])]
        yield fill(SENTENCES_ADAPTERS[kind], name=one["name"], base=one["extends"], wording=one["wording"])
        if tasks := one["tasks"]:
            yield fill("  adds text to {n:,} {n:task|tasks}: {tasks}", n=len(tasks), tasks=", ".join(tasks))
        else:
            yield "  adds text to no task"


def _running(tasks: list[dict[str, Any]]) -> Iterator[str]:
    for one in tasks:
        if one["runs"] is not None:
            runs = "runs" if one["text_here"] else "runs_without_text"
            yield fill(SENTENCES_ADAPTERS[runs if one["runs"] else "runs_not"], task=one["name"], why=one["why"])
