"""Which Albert program a workspace's configurations are for: as the option says, else as their own signs say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readback.sources import albert
from readback.sources.albert_names import COLLECTION
from readback.types import PromptConfig
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
        _infer(draft)
    if draft.options.get(OPTION) == CURRENT:
        optional = [
            diagnostic
            for diagnostic in draft.diagnostics
            if diagnostic.code == LATER_KEY
            or (diagnostic.code == "alb-template-missing" and not diagnostic.values["template"])
        ]
        draft.diagnostics[:] = [diagnostic for diagnostic in draft.diagnostics if diagnostic not in optional]
        if place := next(iter(draft.acronym_places.values()), None):
            values = {
                "what": "every acronym of the table",
                "reason": "the program in force, the later one, has no such step",
            }
            draft.report("alb-acronym-unused", place, **values)


def _infer(draft: Draft) -> None:
    """One sign of the later program and none of the document's is enough; with signs of both the document's stays."""
    configs = [config for config in draft.configs if config.dialect == albert.NAME]
    later = {config.name: (*_later_keys(draft, config), *_later(config)) for config in configs}
    classic = {config.name: tuple(_classic(config)) for config in configs}
    if not any(later.values()):
        return
    mixed = any(classic.values())
    if not mixed:
        draft.options[OPTION] = CURRENT
    for config in configs:
        if later[config.name]:
            against = [sign for name in classic for sign in classic[name]]
            code = "alb-dialect-mixed" if mixed else "alb-dialect-inferred"
            values = {"file": config.name, "signs": later[config.name], "against": against}
            draft.report(code, config.place, config.name, **values)


def _later_keys(draft: Draft, config: PromptConfig) -> tuple[str, ...]:
    """Return the keys of a configuration that only the later program reads, each once."""
    every = (one for one in draft.diagnostics if one.code == LATER_KEY and one.place.file == config.name)
    return tuple(dict.fromkeys(str(one.values["key"]) for one in every))


def _later(config: PromptConfig) -> Iterator[str]:
    """What only the later program reads: `models`, and names that end in `_collection`."""
    if config.settings.get("models"):
        yield "models"
    yield from dict.fromkeys(name for name in _read(config) if name.endswith(COLLECTION))


def _classic(config: PromptConfig) -> Iterator[str]:
    """What only the program of the document reads: `prompt_format`, and its two lists of chunks."""
    if config.chat_format:
        yield f"prompt_format {config.chat_format}"
    yield from dict.fromkeys(name for name in _read(config) if name in CLASSIC_CHUNKS)


def _read(config: PromptConfig) -> Iterator[str]:
    """The names in the code of the configuration's templates, without their quoted texts."""
    for prompt in config.prompts.values():
        for code in CODE.findall(prompt.template or ""):
            yield from NAME.findall(TEXT.sub("", code))
