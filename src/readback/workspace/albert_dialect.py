"""Find which Albert program a workspace's configurations are for: by the option, else by signs in the files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readback.sources import albert
from readback.sources.albert_names import COLLECTION
from readback.types import Diagnostic, PromptConfig
from readback.workspace.draft import Draft

OPTION = "albert_dialect"
CURRENT = "current"
LATER_KEY = "alb-later-key"
CLASSIC_CHUNKS = ("sheet_chunks", "experience_chunks")
CODE = re.compile(r"\{[{%](.*?)[%}]\}", re.DOTALL)  # what a template reads is in its expressions and statements
TEXT = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
NAME = re.compile(r"(?<![\w.])[a-z_]\w*", re.IGNORECASE)


def resolve_dialect(draft: Draft) -> None:
    """Take the later program where the files can only be meant for it, and say so.

    In the later program a mode needs no template: it then sends the bare query, and nothing is missing. Nor does it
    spell out acronyms.
    """
    if OPTION not in draft.options:
        _infer_dialect(draft)
    if draft.options.get(OPTION) == CURRENT:
        draft.diagnostics[:] = [diagnostic for diagnostic in draft.diagnostics if not _is_optional(diagnostic)]
        place = next(iter(draft.acronym_places.values()), None)
        if place:
            values = {
                "what": "every acronym of the table",
                "reason": "the program in force, the later one, has no such step",
            }
            draft.report("alb-acronym-unused", place, **values)


def _is_optional(diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic is about something that the later program reads, or does without."""
    if diagnostic.code == "alb-template-missing":
        return not diagnostic.values["template"]
    return diagnostic.code == LATER_KEY


def _infer_dialect(draft: Draft) -> None:
    """Choose the later program where there is a sign of it and none of the document's.

    With signs of both the document's program stays.
    """
    configs = [config for config in draft.configs if config.dialect == albert.NAME]
    later = {config.name: (*_list_later_keys(draft, config), *_list_later_signs(config)) for config in configs}
    classic = {config.name: tuple(_list_classic_signs(config)) for config in configs}
    if not any(later.values()):
        return
    is_mixed = any(classic.values())
    if not is_mixed:
        draft.options[OPTION] = CURRENT
    for config in configs:
        if later[config.name]:
            against = [sign for name in classic for sign in classic[name]]
            if is_mixed:
                code = "alb-dialect-mixed"
            else:
                code = "alb-dialect-inferred"
            values = {"file": config.name, "signs": later[config.name], "against": against}
            draft.report(code, config.place, config.name, **values)


def _list_later_keys(draft: Draft, config: PromptConfig) -> tuple[str, ...]:
    """Return the keys of a configuration that only the later program reads, each once."""
    keys: dict[str, None] = {}
    for diagnostic in draft.diagnostics:
        if diagnostic.code == LATER_KEY and diagnostic.place.file == config.name:
            keys[str(diagnostic.values["key"])] = None
    return tuple(keys)


def _list_later_signs(config: PromptConfig) -> Iterator[str]:
    """Yield what only the later program reads: `models`, and names that end in `_collection`."""
    if config.settings.get("models"):
        yield "models"
    yield from dict.fromkeys(name for name in _list_names(config) if name.endswith(COLLECTION))


def _list_classic_signs(config: PromptConfig) -> Iterator[str]:
    """Yield what only the program of the document reads: `prompt_format`, and its two lists of chunks."""
    if config.chat_format:
        yield f"prompt_format {config.chat_format}"
    yield from dict.fromkeys(name for name in _list_names(config) if name in CLASSIC_CHUNKS)


def _list_names(config: PromptConfig) -> Iterator[str]:
    """Yield the names in the code of the configuration's templates, without their quoted texts."""
    for prompt in config.prompts.values():
        for code in CODE.findall(prompt.template or ""):
            yield from NAME.findall(TEXT.sub("", code))
