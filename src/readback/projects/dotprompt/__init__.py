"""Prompt files of dotprompt: settings between lines of `---` and a Handlebars template with role marks.

The rules are those of the npm package dotprompt 1.1.2 with Handlebars 4.7. Defaults of `input` are not applied by its
`render`. A partial is the file `_name.prompt` beside the prompt. `render_row` runs in the bounded child, as does
`read`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.projects.child_answers import make_row_work
from readback.projects.dotprompt.front_matter import read_document
from readback.projects.dotprompt.messages import render_messages
from readback.projects.handlebars.nodes import HandlebarsFault
from readback.projects.handlebars.partials import list_partials
from readback.projects.model import ProjectMode, PromptFile
from readback.projects.prompt_text import read_exact_text
from readback.readers.files.paths import format_relative, resolve
from readback.types import Diagnostic, Location

TOOL = "dotprompt"
READ = "readback.projects.dotprompt:read"
SUFFIX = ".prompt"
MATTER = re.compile(r"---\s*[\r\n]")
ROLE = re.compile(r"\{\{\{?~?\s*role\s+[\"'][a-z]+[\"']\s*~?\}?\}\}")
HELPERS = re.compile(r"\{\{~?\s*(?:history|media\s+(?:url|contentType)\s*=|section\s+[\"'])|\{\{~?[#/>^]")
JINJA = re.compile(r"\{%.*?%\}")
MOST = 50  # partials of one prompt
BAD_MATTER = "dat-bad-line"


def recognise(head: bytes, suffix: str) -> bool:
    """Tell whether the beginning of a file is a prompt of dotprompt: by its role marks, else by its ending as well."""
    text = head.decode("utf-8", "replace")
    if ROLE.search(text):
        return True
    if suffix != SUFFIX:
        return False
    return bool(MATTER.match(text) or (HELPERS.search(text) and not JINJA.search(text)))


def read_prompt(path: Path, root: Path, name: str) -> PromptFile:
    """Return a prompt file as a mode; its settings are parsed in a bounded child."""
    place = Location(file=format_relative(root, path), line=1)
    text, refused = read_exact_text(path)
    settings: dict[str, Any] = {"tool": TOOL, "template": text, "refused": refused}
    if refused is not None:
        return PromptFile(ProjectMode(name, text, settings, place), refused)
    try:
        answer = sandbox.call(READ, {"text": text, "folder": str(path.parent), "root": str(root)})
    except sandbox.Stopped as stopped:
        reason = f"reading it needs more than its limits allow ({stopped.detail})"
        return PromptFile(ProjectMode(name, text, {**settings, "refused": reason}, place), reason)
    settings = {"tool": TOOL, **answer["settings"]}
    diagnostics: tuple[Diagnostic, ...] = ()
    if answer["bad"]:
        reason = f"{answer['bad']}; dotprompt sends the settings as part of the text"
        diagnostics = (Diagnostic(BAD_MATTER, {"reason": reason}, place),)
    mode = ProjectMode(name, settings["template"], settings, place)
    return PromptFile(mode, settings["refused"], tuple(answer["files"]), diagnostics=diagnostics)


def read(payload: dict[str, Any]) -> dict[str, Any]:
    """{"text", "folder", "root"} → the settings for rendering, the partials beside it, what is wrong; in the child."""
    document = read_document(payload["text"])
    root, folder = Path(payload["root"]), Path(payload["folder"])
    partials: dict[str, str] = {}
    files: list[str] = []
    waiting = [document.template]
    while waiting and len(partials) < MOST:
        try:
            names = list_partials(waiting.pop())
        except HandlebarsFault:
            continue  # the rendering of each row says so
        for name in names:
            path = resolve(root, f"_{name}{SUFFIX}", base=folder)
            if name in partials or isinstance(path, Diagnostic):
                continue
            text, refused = read_exact_text(path)
            if refused is None:
                partials[name] = read_document(text).template
                files.append(format_relative(root, path))
                waiting.append(partials[name])
    settings = {
        "template": document.template,
        "metadata": document.metadata,
        "partials": partials,
        "refused": document.refused,
    }
    return {"settings": settings, "files": files, "bad": document.bad}


render_row = make_row_work(render_messages)  # in the child
