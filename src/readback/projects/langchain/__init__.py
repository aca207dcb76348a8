"""Prompts in files of LangChain: what `load_prompt` or `load` makes of them, and the messages for a row.

Known by their content (`sources.other_tools`). The rules are those of langchain_core 1.7.2; no code is run and nothing
is imported. `read` and `render_row` run in the bounded child; `read_prompt` is for everybody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.projects.child_answers import make_row_work
from readback.projects.langchain.dumps import read_dump
from readback.projects.langchain.faults import Unloadable
from readback.projects.langchain.plan import describe
from readback.projects.langchain.prompt_files import Reading, read_prompt_file
from readback.projects.langchain.render import render_prompt
from readback.projects.model import ProjectMode, PromptFile
from readback.quantity import quantity
from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import read_yaml

TOOL = "langchain"
READ, RENDER = "readback.projects.langchain:read", "readback.projects.langchain:render_row"


def read(payload: Mapping[str, Any]) -> dict[str, Any]:
    """{"value", "folder", "root"} → the prompt, its text and what is to be said about it; in the child."""
    value = payload["value"]
    reading = Reading(Path(payload["root"]), Path(payload["folder"]))
    try:
        is_dump = isinstance(value.get("manifest", value), dict) and value.get("manifest", value).get("lc") == 1
        if is_dump:
            prompt = read_dump(value, reading.refused)
        else:
            prompt = read_prompt_file(value, reading)
        text = describe(prompt)
    except Unloadable as fault:
        reading.refused.append(str(fault))
        prompt, text = {"unloadable": str(fault)}, ""
    except RecursionError:
        reading.refused.append("it has too many levels")
        prompt, text = {"unloadable": "it has too many levels"}, ""
    refused = "; ".join(dict.fromkeys(reading.refused))
    return {"prompt": prompt, "text": text, "refused": refused, "files": reading.files, "unsent": reading.unsent}


def read_prompt(path: Path, root: Path, name: str) -> PromptFile:
    """Return the prompt in a file as a mode; it is there even where LangChain cannot load it."""
    parsed = read_yaml(path, format_relative(root, path))
    place = parsed.place("template")
    if not isinstance(parsed.value, Mapping):
        reason = "it holds no mapping, so it is no prompt"
        return PromptFile(ProjectMode(name, "", _unload(reason), place), reason, diagnostics=parsed.diagnostics)
    payload = {"value": parsed.value, "folder": str(path.parent), "root": str(root)}
    try:
        answer = sandbox.call(READ, payload)
    except sandbox.Stopped as stopped:
        reason = f"reading it needs more than its limits allow ({stopped.detail})"
        return PromptFile(ProjectMode(name, "", _unload(reason), place), reason, diagnostics=parsed.diagnostics)
    mode = ProjectMode(name, answer["text"], {"tool": TOOL, **answer["prompt"]}, place)
    notes: tuple[str, ...] = ()
    if answer["unsent"]:
        notes = (f"LangChain reads its first message alone: {quantity(answer['unsent'], 'message')} not sent",)
    return PromptFile(mode, answer["refused"] or None, tuple(answer["files"]), notes, parsed.diagnostics)


def _unload(reason: str) -> dict[str, Any]:
    return {"tool": TOOL, "unloadable": reason}


render_row = make_row_work(render_prompt)  # in the child
