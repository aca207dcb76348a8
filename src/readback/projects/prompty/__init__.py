"""Prompt files of prompty and promptflow: the messages that each of their loaders sends for a row.

A `.prompty` file is settings between lines of `---` and a template with role lines (`system:`, `# user:`); prompty
0.1.50, prompty 2.1.0 and promptflow 1.18.5 differ in bytes. A Jinja file of promptflow has role lines and no settings.

`work` and `render_row` run in the bounded child.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.projects.child_answers import make_row_work
from readback.projects.model import ProjectMode, PromptFile
from readback.projects.promptfoo.files import ProjectFiles, Refusal
from readback.projects.prompty.front_matter import PROMPTFLOW as PROMPTFLOW
from readback.projects.prompty.front_matter import PROMPTY_0 as PROMPTY_0
from readback.projects.prompty.front_matter import PROMPTY_2 as PROMPTY_2
from readback.projects.prompty.front_matter import TOOLS as TOOLS
from readback.projects.prompty.front_matter import PromptFile as PromptyFile
from readback.projects.prompty.front_matter import choose_tool, load, read_text
from readback.projects.prompty.render import PROMPTFLOW_JINJA as PROMPTFLOW_JINJA
from readback.projects.prompty.render import render_messages
from readback.readers.files.paths import format_relative
from readback.types import Location

TOOL = "prompty"
SUFFIX, FLOW_SUFFIX = ".prompty", ".jinja2"
WORK, CHOOSE = "readback.projects.prompty:work", "readback.projects.prompty:choose"
FLOW_START = re.compile(r"\s*#?[^\S\n]*(?:system|user|assistant|function|tool)[^\S\n]*:[^\S\n]*\n", re.IGNORECASE)


def recognise(text: str, name: str) -> str | None:
    """Return the tool whose prompt a file is, by its content: its front matter, or its first role line."""
    tool = choose_tool(text)
    if tool is not None:
        return tool
    if name.endswith(SUFFIX):
        return PROMPTY_0
    if name.endswith((".jinja2", ".md")) and FLOW_START.match(text):
        return PROMPTFLOW_JINJA
    return None


def read_prompt(path: Path, root: Path, tool: str | None = None) -> ProjectMode:
    """Return a prompt file as the named tool loads it, by default the one it is written for.

    Where the tool refuses the file, its settings have the reason under `refused`.
    """
    files = ProjectFiles(root, path.parent)
    template, refused, loader = "", None, tool
    settings: dict[str, Any] = {}
    try:
        template = text = read_text(files, path)
        loader = tool or recognise(text, path.name) or PROMPTY_0
        if loader == PROMPTFLOW and path.suffix != SUFFIX:
            loader = PROMPTFLOW_JINJA
        if loader == PROMPTFLOW_JINJA:
            prompt = PromptyFile(text)
        else:
            prompt = load(loader, text, files, path.name)
        template, settings = prompt.template, prompt.settings
    except Refusal as refusal:
        refused = refusal.reason
    settings = {"tool": TOOL, "loader": loader, "template": template, "refused": refused, **settings}
    return ProjectMode(path.name, template, settings, Location(file=format_relative(root, path), line=1))


def find_tool(head: bytes, name: str) -> str | None:
    """Return the tool whose prompt a file is by its beginning; settings are parsed in the bounded child."""
    text = head.decode("utf-8", "replace").replace("\r\n", "\n")
    if name.endswith(FLOW_SUFFIX):
        if FLOW_START.match(text):
            return PROMPTFLOW_JINJA
        return None
    if not name.endswith(SUFFIX) or not text.lstrip().startswith("---"):
        return None
    try:
        answer = sandbox.call(CHOOSE, {"text": text})
    except sandbox.Stopped:
        return None
    if isinstance(answer, str):
        return answer
    return None


def choose(payload: dict[str, Any]) -> str | None:
    """{"text"} → the tool whose front matter a text has, or None; in the child."""
    return choose_tool(payload["text"])


def open_prompt(path: Path, root: Path, name: str, tool: str | None = None) -> PromptFile:
    """Read a prompt file in a bounded child, as the named tool loads it, by default the one it is written for."""
    place = Location(file=format_relative(root, path), line=1)
    try:
        answer = sandbox.call(WORK, {"path": str(path), "root": str(root), "tool": tool})
    except sandbox.Stopped as stopped:
        reason = f"reading it needs more than its limits allow ({stopped.detail})"
        settings = {"tool": TOOL, "loader": tool or PROMPTY_0, "template": "", "refused": reason}
        return PromptFile(ProjectMode(name, "", settings, place), reason)
    mode = ProjectMode(name, answer["template"], answer["settings"], place)
    return PromptFile(mode, answer["settings"].get("refused") or None)


def work(payload: dict[str, Any]) -> dict[str, Any]:
    """{"path", "root", "tool"} → the mode as JSON; in the child."""
    return asdict(read_prompt(Path(payload["path"]), Path(payload["root"]), payload.get("tool")))


render_row = make_row_work(render_messages)  # in the child
