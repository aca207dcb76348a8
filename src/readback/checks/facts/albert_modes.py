"""Find the Albert mode of a case: its configuration, the program in force, its model and its budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from readback.checks.facts.conditions import find_condition, find_mode, is_for_judge
from readback.sources.albert_names import (
    COLLECTION,
    META,
    MISSPELT,
    VARIABLES,
    is_documented,
    list_chunk_fields,
    suggest_field,
    suggest_variable,
)
from readback.types import Location, Model, Prompt, PromptConfig, RuleContext, Workspace

# Names of the Albert document that rules use.
__all__ = [
    "COLLECTION",
    "META",
    "MISSPELT",
    "VARIABLES",
    "is_documented",
    "list_chunk_fields",
    "suggest_field",
    "suggest_variable",
]

NAME = "albert"
CHUNKS = ("sheet_chunks", "experience_chunks")  # lists that the document's program fills
PER_WORD = 1.25  # tokens: the program's own estimate
SHARE = 0.8  # of max_tokens that a prompt may take


class Mode(NamedTuple):
    """The Albert mode that an assembly was made from; `is_current` of the later program."""

    prompt: Prompt
    config: PromptConfig | None
    model: Model | None
    is_current: bool

    @property
    def wrapper(self) -> str | None:
        """What puts chat tokens around the messages: the configuration's format, else the model's."""
        if self.config and self.config.chat_format:
            return self.config.chat_format
        if self.model is None:
            return None
        if self.model.chat_format:
            return self.model.chat_format
        if self.model.modelfile:
            return "Modelfile"
        if self.model.chat_template:
            return "chat_template"
        return None

    @property
    def max_tokens(self) -> int | None:
        """The value of the model's kind (later program only), else the mode's, else the configuration's."""
        value = self.prompt.settings.get("max_tokens", self.config.max_tokens if self.config else None)
        if self.is_current and self.model and self.config:
            name = str(self.model.settings.get("model") or self.model.name).rpartition("/")[2]
            for kind in self.config.settings.get("models", ()):
                if "max_tokens" in kind and name.startswith(str(kind.get("model_kind"))):
                    value = kind["max_tokens"]
                    break
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        return None


def is_current(workspace: Workspace) -> bool:
    """Return whether the later program's behaviour is chosen."""
    return workspace.options.get("albert_dialect") == "current"


def has_server(workspace: Workspace) -> bool:
    """Return whether a model states what serves it, so that the configuration's format does not decide alone."""
    return any(model.modelfile or model.chat_template or model.chat_format for model in workspace.models.values())


def list_configs(workspace: Workspace) -> Iterator[PromptConfig]:
    """Yield the Albert configurations of a workspace."""
    return (config for config in workspace.configs if config.dialect == NAME)


def find_albert_mode(case: RuleContext) -> Mode | None:
    """Return the mode of the case's assembly; None for a judge, a task, or a mode of another dialect."""
    if is_for_judge(case):
        return None
    prompt = case.workspace.prompts.get(find_mode(case) or "")
    if prompt is None or prompt.settings.get("dialect") != NAME:
        return None
    configs = list_configs(case.workspace)
    config = next((config for config in configs if config.prompts.get(prompt.mode) == prompt), None)
    condition = find_condition(case)
    if condition and condition.model:
        model = case.workspace.models.get(condition.model)
    else:
        model = None
    return Mode(prompt, config, model, is_current(case.workspace))


def list_variables(case: RuleContext) -> Iterator[tuple[str, Location]]:
    """Yield the variables that the assembly's templates read, each once, with the line where it first appears."""
    names: set[str] = set()
    for path, place in case.assembly.names if case.assembly else ():
        name = path.partition(".")[0].partition("[")[0]
        if name not in names:
            names.add(name)
            yield name, Location(file=place.file, line=place.line, role="user")
