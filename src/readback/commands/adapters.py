"""List the adapters: those that come with Readback, and those of a workspace."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from readback import adapters, as_json
from readback.commands import _workspace
from readback.tasks import TASKS
from readback.types import Adapter


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", nargs="?", help="a folder, or one file of it")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    own = _workspace.opened(args).adapters if args.workspace else {}
    listed = {**adapters.shipped(), **own}
    found = [_described(adapter, listed) for _, adapter in sorted(listed.items())]
    print(as_json.dumps({"adapters": found}, indent=1) if args.format == "json" else "\n".join(_lines(found)))
    return 0


def _described(adapter: Adapter, listed: Mapping[str, Adapter]) -> dict[str, Any]:
    return {
        "name": adapter.name,
        "extends": adapter.extends,
        "wording": adapter.wording,
        "system_prompt": adapters.system_role(adapter, listed),
        "structured_output": adapters.structured_output(adapter, listed),
        "tasks": [task for task in TASKS if adapters.additions(adapter, task, listed)],
        "place": as_json.known(adapter.place),
    }


def _lines(found: list[dict[str, Any]]) -> Iterator[str]:
    for one in found:
        role = "system message" if one["system_prompt"] else "no system message: folded into the user message"
        base = f", extends {one['extends']}" if one["extends"] else ""
        yield f"{one['name']}: {role}{base}, wording {one['wording']}"
        yield f"  adds text to {len(one['tasks'])} tasks" + (f": {', '.join(one['tasks'])}" if one["tasks"] else "")
