"""Find the settings that go with a request and who states each: temperature, length, stops, a program's format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from readback.serving.named_formats import Bug, Dialect
from readback.sources import albert
from readback.types import NOWHERE, Condition, Location, Model, Prompt, PromptConfig, Selection, Values, Workspace

ALBERT = "albert"
SAMPLING = albert.SAMPLED


class Program(NamedTuple):
    """Describe the program that sends a mode.

    `format` is the `prompt_format` in force, None where there is none; `albert`: an Albert program sends the mode.
    """

    config: PromptConfig | None
    albert: bool
    dialect: Dialect
    format: str | None
    chatml_bug: Bug

    def sends_text_alone(self, model: Model | None) -> bool:
        """Tell whether the rendered text is all that is sent: by the classic program without a format, unserved."""
        served = model and (model.modelfile or model.chat_template or model.chat_format)
        return self.albert and self.config is not None and self.dialect == "classic" and not (self.format or served)


def resolve_program(workspace: Workspace, prompt: Prompt | None) -> Program:
    """Find the program of a mode's prompt.

    The later Albert program does not read `prompt_format`, so it has none; the option `albert_dialect` is about Albert
    configurations alone.
    """
    config = next(
        (
            config_of_file
            for config_of_file in workspace.configs
            if prompt and config_of_file.prompts.get(prompt.mode) == prompt
        ),
        None,
    )
    is_albert = (config is not None and config.dialect == ALBERT) or (
        prompt is not None and prompt.settings.get("dialect") == ALBERT
    )
    is_current = is_albert and workspace.options.get("albert_dialect") == "current"
    if config and not is_current:
        format_name = config.chat_format
    else:
        format_name = None
    bug: Bug = "fixed" if workspace.options.get("chatml_bug") == "fixed" else "reproduce"
    return Program(config, is_albert, "current" if is_current else "classic", format_name, bug)


def find_program(workspace: Workspace, choice: Selection) -> Program | None:
    """Return the Albert program that sends a selection; None for a judge, a task, and a mode of another dialect."""
    prompt, _ = _find_prompt_and_model(workspace, choice)
    if prompt:
        program = resolve_program(workspace, prompt)
    else:
        program = None
    if program and program.albert:
        return program
    return None


def get_sampling_values(workspace: Workspace, choice: Selection) -> Mapping[str, Any]:
    """Return the sampling values that an Albert configuration sends, by name; empty where it states none."""
    return {name: setting.value for name, setting in find_sampling(workspace, choice).items()}


def find_sampling(workspace: Workspace, choice: Selection) -> Mapping[str, Setting]:
    """Find the sampling values that an Albert configuration sends, by name, with who states each and where.

    The mode's go before those at the top of the file. In the later program those of the first entry of `models` whose
    `model_kind` begins the model's name go before both. Defaults of the program itself are not listed: nobody states
    them.
    """
    prompt, model = _find_prompt_and_model(workspace, choice)
    program = find_program(workspace, choice)
    if prompt is None or program is None:
        return {}
    if program.config:
        places_at_top = program.config.settings_places
    else:
        places_at_top = {}
    settings = {name: _make_mode_setting(prompt, name, places_at_top) for name in SAMPLING if name in prompt.settings}
    if program.dialect == "current" and program.config and model:
        kinds = program.config.settings.get("models", ())
        entry_index = next(
            (index for index, entry in enumerate(kinds) if _is_of_kind(str(entry.get("model_kind")), model)), None
        )
        of_kind: Mapping[str, Any] = {} if entry_index is None else kinds[entry_index]
        places = {name: places_at_top.get(f"models[{entry_index}].{name}", NOWHERE) for name in of_kind}
        settings |= {name: Setting(of_kind[name], "models", places[name]) for name in SAMPLING if name in of_kind}
    return settings


def _make_mode_setting(prompt: Prompt, name: str, top: Mapping[str, Location]) -> Setting:
    place = prompt.settings_places.get(name, NOWHERE)
    return Setting(prompt.settings[name], "top" if place == top.get(name) else "mode", place)


def _is_of_kind(kind: str, model: Model) -> bool:
    """Tell whether the later program takes a model for one of that kind: by its name after the last slash."""
    return str(model.settings.get("model") or model.name).rpartition("/")[2].startswith(kind)


def _find_prompt_and_model(workspace: Workspace, choice: Selection) -> tuple[Prompt | None, Model | None]:
    """Return the prompt of a selection's mode, and the model it goes to."""
    if choice.condition:
        condition = workspace.condition(choice.condition)
    else:
        condition = None
    if choice.judge:
        mode = None
    else:
        mode = choice.mode or (condition.mode if condition else None)
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
    """Hold one setting as it is stated, who states it (`level`), and where."""

    value: Any
    level: Level
    place: Location


class Request(NamedTuple):
    """Hold what a request says besides messages: `body` by the interface's names, `left_out` are settings without
    one.
    """

    body: Mapping[str, Any]
    left_out: tuple[str, ...]


def find_settings(workspace: Workspace, choice: Selection) -> Mapping[str, Setting]:
    """Find the settings that are sent with a selection, by the names that its files use.

    An Albert mode has the sampling values of its program. Otherwise a value of the condition wins over one of the mode,
    and one of the mode over one of the model. A judge has settings of its own; what a condition states for asking the
    judge wins over them.
    """
    if find_program(workspace, choice) is not None:
        return find_sampling(workspace, choice)
    settings: dict[str, Setting] = {}
    for level, values, places, place in _list_sources(workspace, choice):
        for name, value in values.items():
            if (name in BODY_NAMES or name in OTHER_NAMES) and value is not None:
                settings[name] = Setting(value, level, places.get(name, place))
    return settings


def make_request(settings: Mapping[str, Setting]) -> Request:
    """Translate settings to the interface of chat completions."""
    body: dict[str, Any] = {}
    for name, body_name in BODY_NAMES.items():
        if name in settings:
            body.setdefault(body_name, settings[name].value)
    return Request(body, tuple(name for name in settings if name not in BODY_NAMES))


def find_run_of_judge(workspace: Workspace, judge: str) -> Condition | None:
    """Return a condition whose run a judge judges, where all such runs ask it alike; else None."""
    runs = [condition for condition in workspace.conditions if condition.judge == judge]
    runs_settings = [(run.settings.get("judge_model"), run.settings.get(JUDGE_SETTINGS)) for run in runs]
    if runs and all(settings == runs_settings[0] for settings in runs_settings):
        return runs[0]
    return None


def _list_sources(
    workspace: Workspace, choice: Selection
) -> Iterator[tuple[Level, Values, Mapping[str, Location], Location]]:
    """Yield who may state settings; what comes later goes before what came earlier."""
    if choice.condition:
        condition = workspace.condition(choice.condition)
    else:
        condition = None
    if choice.judge is not None:
        judge = workspace.judges.get(choice.judge)
        if judge:
            nested = judge.settings.get("inference")
            values = {**nested, **judge.settings} if isinstance(nested, Mapping) else judge.settings
            yield "judge", values, {}, judge.place
        run = condition or find_run_of_judge(workspace, choice.judge)
        if run:
            of_run = run.settings.get(JUDGE_SETTINGS)
        else:
            of_run = None
        if run and isinstance(of_run, Mapping):
            yield "condition", of_run, {}, run.place
        return
    if condition and condition.model:
        model = workspace.models.get(condition.model)
    else:
        model = None
    if model:
        yield "model", model.settings, {}, model.place
    mode = choice.mode or (condition.mode if condition else None)
    if mode:
        prompt = workspace.prompts.get(mode)
    else:
        prompt = None
    if prompt:
        yield "mode", prompt.settings, prompt.settings_places, prompt.place
    if condition:
        yield "condition", condition.settings, {}, condition.place or NOWHERE
