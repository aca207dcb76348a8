"""Prompts in files of LangChain: what `load_prompt` or `load` makes of them, and the messages for a row.

Known by their content (`sources.other_tools`). The rules are those of langchain_core 1.7.2; no code is run and nothing
is imported. `read` and `render_row` run in the bounded child; `read_prompt` is for everybody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.projects.langchain.dumps import read_dump
from readback.projects.langchain.faults import Unloadable
from readback.projects.langchain.plan import describe
from readback.projects.langchain.prompt_files import Reading, read_prompt_file
from readback.projects.langchain.render import render_prompt
from readback.projects.model import ProjectMode
from readback.types import Location

TOOL = "langchain"
READ, RENDER = "readback.projects.langchain:read", "readback.projects.langchain:render_row"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt as a mode, and why LangChain would not load it; the files read beside it, the messages not sent."""

    mode: ProjectMode
    refused: str | None = None
    files: tuple[str, ...] = ()
    unsent: int = 0


def read(payload: Mapping[str, Any]) -> dict[str, Any]:
    """{"value", "folder", "root"} → the prompt, its text and what is to be said about it; in the child."""
    value = payload["value"]
    reading = Reading(Path(payload["root"]), Path(payload["folder"]))
    try:
        is_dump = isinstance(value.get("manifest", value), dict) and value.get("manifest", value).get("lc") == 1
        prompt = read_dump(value, reading.refused) if is_dump else read_prompt_file(value, reading)
        text = describe(prompt)
    except Unloadable as fault:
        reading.refused.append(str(fault))
        prompt, text = {"unloadable": str(fault)}, ""
    except RecursionError:
        reading.refused.append("it has too many levels")
        prompt, text = {"unloadable": "it has too many levels"}, ""
    refused = "; ".join(dict.fromkeys(reading.refused))
    return {"prompt": prompt, "text": text, "refused": refused, "files": reading.files, "unsent": reading.unsent}


def render_row(payload: list[Any]) -> dict[str, Any]:
    """[prompt, settings of the row, fields] → what `render_prompt` returns; in the child."""
    prompt, _, fields = payload
    return asdict(render_prompt(prompt, fields))


def read_prompt(value: Any, path: Path, root: Path, name: str, place: Location) -> PromptFile:
    """Return the prompt in the parsed file at `path` as a mode; it is there even where it cannot be loaded."""
    payload = {"value": value, "folder": str(path.parent), "root": str(root)}
    try:
        answer = sandbox.call(READ, payload)
    except sandbox.Stopped as stopped:
        reason = f"reading it needs more than its limits allow ({stopped.detail})"
        return PromptFile(ProjectMode(name, "", {"unloadable": reason}, place), reason)
    mode = ProjectMode(name, answer["text"], answer["prompt"], place)
    return PromptFile(mode, answer["refused"] or None, tuple(answer["files"]), answer["unsent"])
