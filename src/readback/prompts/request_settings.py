"""The settings that go with a request: temperature, length, stops, and who states each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from readback.prompts import program
from readback.types import NOWHERE, Condition, Location, Selection, Values, Workspace

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
    if program.of_choice(opened, choice) is not None:
        return {name: Setting(*stated) for name, stated in program.stated(opened, choice).items()}
    settings: dict[str, Setting] = {}
    for level, values, places, place in _sources(opened, choice):
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


def _sources(opened: Workspace, choice: Selection) -> Iterator[tuple[Level, Values, Mapping[str, Location], Location]]:
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
