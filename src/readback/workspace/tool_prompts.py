"""Prompt files of other tools as modes: a mode for each file, which is called as the file is without its ending."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from readback.projects import langchain, prompty
from readback.quantity import quantity
from readback.readers.paths import format_relative
from readback.readers.yaml_file import Parsed, read_yaml
from readback.types import Location, Prompt
from readback.workspace.draft import Draft
from readback.workspace.recognise import TOOL_PROMPT, RecognisedFile

REFUSED = "dat-project-refused"
MOST = 500  # modes that prompt files make


def read_prompts(draft: Draft, files: Sequence[RecognisedFile]) -> list[tuple[RecognisedFile, langchain.PromptFile]]:
    """Read the prompt files of a folder."""
    for file in files[MOST:]:
        draft.say(file.path, TOOL_PROMPT, used=False, detail=f"only {MOST} prompt files are taken")
    files = files[:MOST]
    stems = Counter(file.path.stem for file in files)
    return [(file, _read(draft, file, stems[file.path.stem] > 1)) for file in files]


def list_parts(prompts: Iterable[tuple[RecognisedFile, langchain.PromptFile]]) -> frozenset[str]:
    """Return the files that prompts name, as their template or their examples."""
    return frozenset(name for _, prompt in prompts for name in prompt.files)


def add_modes(draft: Draft, prompts: Sequence[tuple[RecognisedFile, langchain.PromptFile]]) -> None:
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


def _read(draft: Draft, file: RecognisedFile, by_path: bool) -> langchain.PromptFile:
    name = format_relative(draft.root, file.path)
    mode = PurePosixPath(name).with_suffix("").as_posix() if by_path else file.path.stem
    if by_path and mode in draft.prompts:
        mode = name
    if file.path.suffix.lower() in (prompty.SUFFIX, prompty.FLOW_SUFFIX):
        prompt = prompty.open_prompt(file.path, draft.root, mode)
        return langchain.PromptFile(prompt, prompt.settings.get("refused"))
    parsed: Parsed = file.parsed or read_yaml(file.path, name)
    draft.diagnostics.extend(parsed.diagnostics)
    return langchain.read_prompt(parsed.value, file.path, draft.root, mode, parsed.place("template"))


def _add_mode(draft: Draft, file: RecognisedFile, prompt: langchain.PromptFile) -> None:
    mode, name = prompt.mode, format_relative(draft.root, file.path)
    settings = {"tool": langchain.TOOL, **mode.settings}
    draft.add_mode(mode.name, Prompt(mode.name, mode.template, syntax="text", place=mode.place, project=settings))
    if prompt.refused is not None:
        draft.report(REFUSED, Location(file=name, line=mode.place.line), name, reason=prompt.refused)
    detail = [file.detail, *(f"with {other}, read beside it" for other in prompt.files)]
    if prompt.unsent:
        detail.append(f"LangChain reads its first message alone: {quantity(prompt.unsent, 'message')} not sent")
    draft.named.update(prompt.files)
    draft.say(file.path, TOOL_PROMPT, detail="; ".join(detail))
