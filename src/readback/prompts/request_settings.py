"""The program that sends a mode: its dialect, its chat format and its sampling values, as its configuration says.

The settings that go with a request: temperature, length, stops, and who states each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from readback.serving.named_formats import Bug, Dialect
from readback.sources import albert
from readback.types import NOWHERE, Condition, Location, Model, Prompt, PromptConfig, Selection, Values, Workspace

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


def resolve_program(workspace: Workspace, prompt: Prompt | None) -> Program:
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


def find_program(workspace: Workspace, choice: Selection) -> Program | None:
    """The Albert program that sends a choice; None for a judge, a task, and a mode of another dialect."""
    prompt, _ = _find_prompt_and_model(workspace, choice)
    own = resolve_program(workspace, prompt) if prompt else None
    return own if own and own.albert else None


class Stated(NamedTuple):
    """One sampling value and who states it: the entry of `models`, the mode, or the top of the file (`top`)."""

    value: Any
    level: Literal["models", "mode", "top"]
    place: Location


def get_sampling_values(workspace: Workspace, choice: Selection) -> Mapping[str, Any]:
    """The sampling values that an Albert configuration sends along, by their names; empty where it states none."""
    return {name: one.value for name, one in find_sampling(workspace, choice).items()}


def find_sampling(workspace: Workspace, choice: Selection) -> Mapping[str, Stated]:
    """The sampling values that an Albert configuration sends along, by their names, with the place that states each.

    The mode's go before those at the top of the file. In the later program those of the first entry of `models` whose
    `model_kind` begins the model's name go before both. What a program has of its own is not shown: it is not stated.
    """
    prompt, model = _find_prompt_and_model(workspace, choice)
    own = find_program(workspace, choice)
    if prompt is None or own is None:
        return {}
    top = own.config.settings_places if own.config else {}
    found = {name: _make_mode_setting(prompt, name, top) for name in SAMPLING if name in prompt.settings}
    if own.dialect == "current" and own.config and model:
        kinds = own.config.settings.get("models", ())
        at = next((i for i, one in enumerate(kinds) if _is_of_kind(str(one.get("model_kind")), model)), None)
        of_kind: Mapping[str, Any] = {} if at is None else kinds[at]
        places = {name: top.get(f"models[{at}].{name}", NOWHERE) for name in of_kind}
        found |= {name: Stated(of_kind[name], "models", places[name]) for name in SAMPLING if name in of_kind}
    return found


def _make_mode_setting(prompt: Prompt, name: str, top: Mapping[str, Location]) -> Stated:
    place = prompt.settings_places.get(name, NOWHERE)
    return Stated(prompt.settings[name], "top" if place == top.get(name) else "mode", place)


def _is_of_kind(kind: str, model: Model) -> bool:
    """Whether the later program takes a model for one of that kind: by its name after the last slash."""
    return str(model.settings.get("model") or model.name).rpartition("/")[2].startswith(kind)


def _find_prompt_and_model(workspace: Workspace, choice: Selection) -> tuple[Prompt | None, Model | None]:
    """The prompt of a choice's mode, and the model it goes to."""
    condition = workspace.condition(choice.condition) if choice.condition else None
    mode = None if choice.judge else choice.mode or (condition.mode if condition else None)
    return workspace.prompts.get(mode or ""), workspace.models.get(condition.model or "") if condition else None


Level = Literal["models", "mode", "top", "model", "condition", "judge"]
# What programs call a setting -> what the interface of chat completions calls it; of two spellings the first counts.
BODY_NAMES = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_completion_tokens",
    "max_new_tokens": "max_tokens",
    "num_predict": "max_tokens",
    "stop": "stop",
    "stop_sequences": "stop",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "response_format": "response_format",
    "reasoning_effort": "reasoning_effort",
}
# Settings of other interfaces, which a request of chat completions has no name for.
OTHER_NAMES = frozenset(
    {"top_k", "min_p", "typical_p", "repetition_penalty", "repeat_penalty", "stop_token_ids", "do_sample", "num_beams"}
)
JUDGE_SETTINGS = "judge_settings"  # of a condition: how its run's judge is asked


class Setting(NamedTuple):
    """One setting as it is stated, who states it (`level`), and where."""

    value: Any
    level: Level
    place: Location


class Request(NamedTuple):
    """What a request says beside its messages: `body` by the interface's names; `left_out` are settings without one."""

    body: Mapping[str, Any]
    left_out: tuple[str, ...]


def find_settings(opened: Workspace, choice: Selection) -> Mapping[str, Setting]:
    """The settings that are sent with a choice, by the names that its files use.

    Of an Albert mode they are those of its program (`program.stated`). Else the condition's go before the mode's, and
    these before the model's. A judge has its own; how the run of a condition asks its judge goes before that.
    """
    if find_program(opened, choice) is not None:
        return {name: Setting(*stated) for name, stated in find_sampling(opened, choice).items()}
    settings: dict[str, Setting] = {}
    for level, values, places, place in _list_sources(opened, choice):
        for name, value in values.items():
            if (name in BODY_NAMES or name in OTHER_NAMES) and value is not None:
                settings[name] = Setting(value, level, places.get(name, place))
    return settings


def make_request(settings: Mapping[str, Setting]) -> Request:
    """The settings as the interface of chat completions takes them."""
    body: dict[str, Any] = {}
    for name, body_name in BODY_NAMES.items():
        if name in settings:
            body.setdefault(body_name, settings[name].value)
    return Request(body, tuple(name for name in settings if name not in BODY_NAMES))


def find_run_of_judge(opened: Workspace, judge: str) -> Condition | None:
    """A condition whose run is judged by a judge, where all such runs ask it alike; else None."""
    runs = [condition for condition in opened.conditions if condition.judge == judge]
    asked = [(run.settings.get("judge_model"), run.settings.get(JUDGE_SETTINGS)) for run in runs]
    return runs[0] if runs and all(settings == asked[0] for settings in asked) else None


def _list_sources(
    opened: Workspace, choice: Selection
) -> Iterator[tuple[Level, Values, Mapping[str, Location], Location]]:
    """Who may state settings, those that count least first."""
    condition = opened.condition(choice.condition) if choice.condition else None
    if choice.judge is not None:
        judge = opened.judges.get(choice.judge)
        if judge:
            nested = judge.settings.get("inference")
            own = {**nested, **judge.settings} if isinstance(nested, Mapping) else judge.settings
            yield "judge", own, {}, judge.place
        run = condition or find_run_of_judge(opened, choice.judge)
        of_run = run.settings.get(JUDGE_SETTINGS) if run else None
        if run and isinstance(of_run, Mapping):
            yield "condition", of_run, {}, run.place
        return
    model = opened.models.get(condition.model) if condition and condition.model else None
    if model:
        yield "model", model.settings, {}, model.place
    mode = choice.mode or (condition.mode if condition else None)
    prompt = opened.prompts.get(mode) if mode else None
    if prompt:
        yield "mode", prompt.settings, prompt.settings_places, prompt.place
    if condition:
        yield "condition", condition.settings, {}, condition.place or NOWHERE
