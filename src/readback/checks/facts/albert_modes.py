"""What rules ask about an Albert mode: its configuration, the dialect in force, its model and its budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from readback.types import Location, Model, Prompt, PromptConfig, RuleContext, Workspace

NAME = "albert"
CHUNKS = ("sheet_chunks", "experience_chunks")  # what the document's program fills
COLLECTION = "_collection"  # how the names end that the later program fills
PER_WORD = 1.25  # tokens: the program's own estimate
SHARE = 0.8  # of max_tokens that a prompt may take


class Mode(NamedTuple):
    """The Albert mode an assembly was made from."""

    prompt: Prompt
    config: PromptConfig | None
    model: Model | None
    current: bool

    @property
    def wrapped_by(self) -> str | None:
        """What puts chat tokens around the messages: the configuration's format, else the model's."""
        if self.config and self.config.chat_format:
            return self.config.chat_format
        if self.model is None:
            return None
        if self.model.chat_format:
            return self.model.chat_format
        return "Modelfile" if self.model.modelfile else "chat_template" if self.model.chat_template else None

    @property
    def max_tokens(self) -> int | None:
        """The models' value (later program only), else the mode's, else the one at the top of the file."""
        said = self.prompt.settings.get("max_tokens", self.config.max_tokens if self.config else None)
        if self.current and self.model and self.config:
            name = str(self.model.settings.get("model") or self.model.name).rpartition("/")[2]
            kinds = (kind for kind in self.config.settings.get("models", ()) if "max_tokens" in kind)
            said = next((k["max_tokens"] for k in kinds if name.startswith(str(k.get("model_kind")))), said)
        return said if isinstance(said, int) and not isinstance(said, bool) and said > 0 else None


def current(workspace: Workspace) -> bool:
    """Whether the later program's behaviour is asked for."""
    return workspace.options.get("albert_dialect") == "current"


def served(workspace: Workspace) -> bool:
    """Whether a model says what serves it, so that the configuration's format is not all there is."""
    return any(model.modelfile or model.chat_template or model.chat_format for model in workspace.models.values())


def configs(workspace: Workspace) -> Iterator[PromptConfig]:
    return (config for config in workspace.configs if config.dialect == NAME)


def mode(case: RuleContext) -> Mode | None:
    """The mode of the case's assembly; None for a judge, a task, or a mode of another dialect."""
    choice = case.assembly.choice if case.assembly else None
    if choice is None or choice.judge:
        return None
    condition = case.workspace.condition(choice.condition) if choice.condition else None
    prompt = case.workspace.prompts.get(choice.mode or (condition.mode if condition and condition.mode else ""))
    if prompt is None or prompt.settings.get("dialect") != NAME:
        return None
    config = next((one for one in configs(case.workspace) if one.prompts.get(prompt.mode) == prompt), None)
    model = case.workspace.models.get(condition.model) if condition and condition.model else None
    return Mode(prompt, config, model, current(case.workspace))


def read_names(case: RuleContext) -> Iterator[tuple[str, Location]]:
    """The variables that the assembly's templates read, each once, with the line where it first appears."""
    seen: set[str] = set()
    for path, place in case.assembly.names if case.assembly else ():
        name = path.partition(".")[0].partition("[")[0]
        if name not in seen:
            seen.add(name)
            yield name, Location(file=place.file, line=place.line, role="user")
