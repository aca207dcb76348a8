"""Which tool reads a prompt file: what whoever opens a workspace chooses, where the content alone cannot decide.

A choice is a line FILE=TOOL, or TOOL alone: that is the opened file, or each file of a folder that may be a prompt of
that tool by its ending. The names are those of `READERS`; a version may stand behind one (`prompty 2.1.0`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from readback.projects import prompty
from readback.readers.files.paths import format_relative
from readback.sources.templates.plain_prompts import is_document
from readback.types import Prompt, Workspace
from readback.workspace.draft import Draft
from readback.workspace.kinds import TEMPLATE, TOOL_PROMPT
from readback.workspace.recognise import RecognisedFile
from readback.workspace.survey import Survey
from readback.workspace.tools.tool_prompts import READERS

KEY = "tool"
# Tools whose files say by their content whose they are; to name one is allowed and changes nothing.
BY_CONTENT = ("anthropic-gemini", "eval-tables", "inspect_ai", "lm-eval", "openai", "promptfoo", "spans")
VERSION = re.compile(r"(?P<name>.+?)-v?(?P<major>\d+)(?P<rest>[.\w]*)")
# Loaders of one tool that differ in bytes, by the first number of their version.
LOADERS = {"prompty": {"0": "prompty-0.1", "1": "prompty-0.1", "2": "prompty-2"}}
NAMES_OF_LOADERS = {
    prompty.PROMPTY_0: "prompty-0.1",
    prompty.PROMPTY_2: "prompty-2",
    prompty.PROMPTFLOW: "promptflow",
    prompty.PROMPTFLOW_JINJA: "promptflow",
}
# By the ending of a file: the tools among which its content does not decide for sure.
CANDIDATES: Mapping[str, tuple[str, ...]] = {
    ".prompty": ("prompty-0.1", "prompty-2", "promptflow"),
    ".prompt": ("dotprompt",),
    ".jinja2": ("promptflow", "banks", "llamaindex"),
    ".jinja": ("banks", "llamaindex", "promptflow"),
    ".j2": ("banks", "llamaindex", "promptflow"),
    ".md": ("promptflow", "llamaindex", "mlflow-prompts", "langfuse"),
    ".txt": ("llamaindex", "mlflow-prompts", "langfuse"),
}


def list_names() -> tuple[str, ...]:
    """Return the names that a choice may have."""
    return (*sorted(READERS), *BY_CONTENT)


def find_name(tool: str, loader: str = "") -> str | None:
    """Return the name of a tool as somebody wrote it, with the version of its loader; None where none is called so."""
    names = {_spell(name): name for name in list_names()}
    for written in (f"{tool} {loader}", loader):
        text = _spell(written)
        match = VERSION.fullmatch(text)
        if text in names:
            return names[text]
        if match and match["name"] in LOADERS:
            return LOADERS[match["name"]].get(match["major"])
        if match and match["name"] in names:
            return names[match["name"]]
    return None


def _spell(name: str) -> str:
    """Return a name as it is compared: in small letters, with a hyphen between its words."""
    return "-".join(name.lower().replace("_", " ").split())


def list_candidates(file: str) -> tuple[str, ...]:
    """Return the tools that may read a prompt file, as far as its ending says and its content does not."""
    return tuple(tool for tool in CANDIDATES.get(PurePosixPath(file).suffix.lower(), ()) if tool in READERS)


def apply_tools(draft: Draft, files: Survey) -> Survey:
    """Return the files of a folder, of which those are prompts of a tool for which one was chosen."""
    if not draft.chosen.get(KEY):
        return files
    by_path = {file.path: file for file in files.recognised}
    changed: dict[Path, RecognisedFile] = {}
    for path in files.files or by_path:
        file = by_path.get(path)
        result = apply_tool(draft, file or RecognisedFile(path, ""), opened=False)
        if file is not None or result.what:
            changed[path] = result
    return replace(files, recognised=tuple(changed.values()))


def apply_tool(draft: Draft, file: RecognisedFile, *, opened: bool) -> RecognisedFile:
    """Return a file as a prompt of the tool that was chosen for it, else as it is; `opened`: it alone is opened."""
    name = format_relative(draft.root, file.path)
    by_file, for_all = parse_choices(draft.chosen.get(KEY))
    tool = by_file.get(name)
    if tool is None and for_all is not None and (opened or _may_be_prompt(file, for_all)):
        tool = for_all
    if tool is None or tool not in READERS or (draft.offered and not _is_offered(file)):
        return file
    return take_as(file, tool)


def take_as(file: RecognisedFile, tool: str) -> RecognisedFile:
    """Return a file as a prompt of a tool."""
    return RecognisedFile(file.path, TOOL_PROMPT, file.parsed, detail=f"a prompt of {tool}, as chosen", tool=tool)


def parse_choices(text: str | None) -> tuple[dict[str, str], str | None]:
    """Return the tools by file, and the one that is named without a file; names of no tool are left out."""
    by_file: dict[str, str] = {}
    for_all: str | None = None
    for line in (text or "").split("\n"):
        file, _, written = line.rpartition("=")
        tool = find_name(written)
        if tool and file:
            by_file[file] = tool
        elif tool:
            for_all = tool
    return by_file, for_all


def format_choices(by_file: Mapping[str, str]) -> str | None:
    """Return the tools of files as the lines that `parse_choices` reads; None where there are none."""
    return "\n".join(f"{file}={tool}" for file, tool in by_file.items() if tool) or None


def list_choices(workspace: Workspace) -> dict[str, str]:
    """Return the prompt files for which a tool can be chosen, each with the tool that reads it; "" for none."""
    files: dict[str, str] = {}
    for prompt in workspace.prompts.values():
        file = prompt.place.file
        if workspace.file in (None, file) and file and list_candidates(file):
            files[file] = find_reader(prompt)
    return files


def find_reader(prompt: Prompt) -> str:
    """Return the name of the tool that reads a mode; "" where it is no prompt file of another tool."""
    settings = prompt.project or {}
    loader = NAMES_OF_LOADERS.get(str(settings.get("loader")))
    tool = loader or str(settings.get("tool", ""))
    if tool in READERS:
        return tool
    return ""


def _may_be_prompt(file: RecognisedFile, tool: str) -> bool:
    """Return whether a file that lies in a folder may be a prompt of a tool that was named for all of them."""
    candidates = list_candidates(file.path.name)
    is_candidate = tool in candidates or any(name in candidates for name in LOADERS.get(tool, {}).values())
    return is_candidate and _is_offered(file)


def _is_offered(file: RecognisedFile) -> bool:
    """Return whether a file is a prompt of some tool, or a text that nothing else is known of."""
    is_text = file.what in ("", TEMPLATE) and not is_document(PurePosixPath(file.path.name))
    return bool(list_candidates(file.path.name)) and (file.what == TOOL_PROMPT or is_text)
