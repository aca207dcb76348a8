"""Prompt files of other tools as modes: a mode for each file, which is called as the file is without its ending."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from readback.projects import (
    banks,
    dotprompt,
    dspy,
    haystack,
    langchain,
    langfuse,
    llamaindex,
    mlflow_prompts,
    prompty,
    semantic_kernel,
)
from readback.projects.model import PromptFile
from readback.readers.files.paths import format_relative
from readback.types import Location, Prompt
from readback.workspace.draft import Draft
from readback.workspace.recognise import TOOL_PROMPT, RecognisedFile

REFUSED = "dat-project-refused"
MOST = 500  # modes that prompt files make
# What reads a prompt file of each tool as a mode, from its path, the workspace's folder and the mode's name. The names
# are those that `prompts: [{path, tool}]` and `--as-tool` choose among, and `RecognisedFile.tool`.
READERS: Mapping[str, Callable[[Path, Path, str], PromptFile]] = {
    "langchain": langchain.read_prompt,
    "prompty": prompty.open_prompt,  # by the loader that its settings are written for
    "prompty-0.1": partial(prompty.open_prompt, tool=prompty.PROMPTY_0),
    "prompty-2": partial(prompty.open_prompt, tool=prompty.PROMPTY_2),
    "promptflow": partial(prompty.open_prompt, tool=prompty.PROMPTFLOW),
    "banks": banks.read_prompt,
    "haystack": haystack.read_prompt,
    "llamaindex": llamaindex.read_prompt,
    "langfuse": langfuse.read_prompt,
    "mlflow-prompts": mlflow_prompts.read_prompt,
    "dspy": dspy.read_prompt,
    "dotprompt": dotprompt.read_prompt,
    "semantic-kernel": semantic_kernel.read_prompt,
}


def read_prompts(draft: Draft, files: Sequence[RecognisedFile]) -> list[tuple[RecognisedFile, PromptFile]]:
    """Read the prompt files of a folder."""
    for file in files[MOST:]:
        draft.say(file.path, TOOL_PROMPT, used=False, detail=f"only {MOST} prompt files are taken")
    files = files[:MOST]
    stems = Counter(file.path.stem for file in files)
    return [(file, _read(draft, file, stems[file.path.stem] > 1)) for file in files]


def list_parts(prompts: Iterable[tuple[RecognisedFile, PromptFile]]) -> frozenset[str]:
    """Return the files that prompts name, as their template or their examples."""
    return frozenset(name for _, prompt in prompts for name in prompt.files)


def add_modes(draft: Draft, prompts: Sequence[tuple[RecognisedFile, PromptFile]]) -> None:
    """Add each prompt as a mode, but for one that another names for its examples."""
    parts = list_parts(prompts)
    for file, prompt in prompts:
        if format_relative(draft.root, file.path) in parts:
            draft.say(file.path, TOOL_PROMPT, detail="another prompt names it")
        else:
            _add_mode(draft, file, prompt)


def take_prompt(file: RecognisedFile, draft: Draft) -> None:
    """Take in one prompt file."""
    _add_mode(draft, file, _read(draft, file, file.path.stem in draft.prompts))


def _read(draft: Draft, file: RecognisedFile, by_path: bool) -> PromptFile:
    name = format_relative(draft.root, file.path)
    if by_path:
        mode = PurePosixPath(name).with_suffix("").as_posix()
    else:
        mode = file.path.stem
    if by_path and mode in draft.prompts:
        mode = name
    return READERS[file.tool](file.path, draft.root, mode)


def _add_mode(draft: Draft, file: RecognisedFile, prompt: PromptFile) -> None:
    mode, name = prompt.mode, format_relative(draft.root, file.path)
    draft.diagnostics.extend(prompt.diagnostics)
    for each in (mode, *prompt.others):
        draft.add_mode(
            each.name, Prompt(each.name, each.template, syntax="text", place=each.place, project=each.settings)
        )
    if prompt.refused is not None:
        draft.report(REFUSED, Location(file=name, line=mode.place.line), name, reason=prompt.refused)
    detail = [file.detail, *(f"with {other}, read beside it" for other in prompt.files), *prompt.notes]
    draft.named.update(prompt.files)
    draft.say(file.path, TOOL_PROMPT, detail="; ".join(detail))
