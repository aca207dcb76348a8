"""The program that sends a mode: its dialect, its chat format and its sampling values, as its configuration says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from readback.serving.named_formats import Bug, Dialect
from readback.sources import albert
from readback.types import NOWHERE, Location, Model, Prompt, PromptConfig, Selection, Workspace

ALBERT = "albert"
SAMPLING = albert.SAMPLED


class Program(NamedTuple):
    """`format` is the `prompt_format` in force, None where there is none; `albert`: an Albert program sends it."""

    config: PromptConfig | None
    albert: bool
    dialect: Dialect
    format: str | None
    chatml_bug: Bug

    def sends_text_alone(self, model: Model | None) -> bool:
        """Whether the rendered text is all that is sent: the classic program without a format, and nothing serves."""
        served = model and (model.modelfile or model.chat_template or model.chat_format)
        return self.albert and self.config is not None and self.dialect == "classic" and not (self.format or served)


def program(workspace: Workspace, prompt: Prompt | None) -> Program:
    """The program of a mode's prompt.

    The later Albert program does not read `prompt_format`, so it has none; the option `albert_dialect` is about Albert
    configurations alone.
    """
    config = next((one for one in workspace.configs if prompt and one.prompts.get(prompt.mode) == prompt), None)
    albert = (config is not None and config.dialect == ALBERT) or (
        prompt is not None and prompt.settings.get("dialect") == ALBERT
    )
    current = albert and workspace.options.get("albert_dialect") == "current"
    named = config.chat_format if config and not current else None
    bug: Bug = "fixed" if workspace.options.get("chatml_bug") == "fixed" else "reproduce"
    return Program(config, albert, "current" if current else "classic", named, bug)


def of_choice(workspace: Workspace, choice: Selection) -> Program | None:
    """The Albert program that sends a choice; None for a judge, a task, and a mode of another dialect."""
    prompt, _ = _sent(workspace, choice)
    own = program(workspace, prompt) if prompt else None
    return own if own and own.albert else None


class Stated(NamedTuple):
    """One sampling value and who states it: the entry of `models`, the mode, or the top of the file (`top`)."""

    value: Any
    level: Literal["models", "mode", "top"]
    place: Location


def sampling(workspace: Workspace, choice: Selection) -> Mapping[str, Any]:
    """The sampling values that an Albert configuration sends along, by their names; empty where it states none."""
    return {name: one.value for name, one in stated(workspace, choice).items()}


def stated(workspace: Workspace, choice: Selection) -> Mapping[str, Stated]:
    """The sampling values that an Albert configuration sends along, by their names, with the place that states each.

    The mode's go before those at the top of the file. In the later program those of the first entry of `models` whose
    `model_kind` begins the model's name go before both. What a program has of its own is not shown: it is not stated.
    """
    prompt, model = _sent(workspace, choice)
    own = of_choice(workspace, choice)
    if prompt is None or own is None:
        return {}
    top = own.config.settings_places if own.config else {}
    found = {name: _of_mode(prompt, name, top) for name in SAMPLING if name in prompt.settings}
    if own.dialect == "current" and own.config and model:
        kinds = own.config.settings.get("models", ())
        at = next((i for i, one in enumerate(kinds) if begins_as(str(one.get("model_kind")), model)), None)
        of_kind: Mapping[str, Any] = {} if at is None else kinds[at]
        places = {name: top.get(f"models[{at}].{name}", NOWHERE) for name in of_kind}
        found |= {name: Stated(of_kind[name], "models", places[name]) for name in SAMPLING if name in of_kind}
    return found


def _of_mode(prompt: Prompt, name: str, top: Mapping[str, Location]) -> Stated:
    place = prompt.settings_places.get(name, NOWHERE)
    return Stated(prompt.settings[name], "top" if place == top.get(name) else "mode", place)


def begins_as(kind: str, model: Model) -> bool:
    """Whether the later program takes a model for one of that kind: by its name after the last slash."""
    return str(model.settings.get("model") or model.name).rpartition("/")[2].startswith(kind)


def _sent(workspace: Workspace, choice: Selection) -> tuple[Prompt | None, Model | None]:
    """The prompt of a choice's mode, and the model it goes to."""
    condition = workspace.condition(choice.condition) if choice.condition else None
    mode = None if choice.judge else choice.mode or (condition.mode if condition else None)
    return workspace.prompts.get(mode or ""), workspace.models.get(condition.model or "") if condition else None
