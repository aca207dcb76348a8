"""A verification configuration: its keys, the models it names, and which tasks run under it.

Source: presets and VerificationConfig on the pages of biocypher/karenina (facts only). Nothing of it is part of a
text but the user instructions; it decides which calls are made, and through which interface. Values only, so that
rules may ask it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from readback.tasks import DOCUMENT, GENERATION, tasks_of
from readback.types import PromptConfig

SHAPES = ("preset", "verification config")  # of the settings of a PromptConfig that holds such a configuration
CHOICES = {  # the first is the default
    "evaluation_mode": ("template_only", "template_and_rubric", "rubric_only"),
    "rubric_evaluation_strategy": ("batch", "sequential"),
    "deep_judgment_mode": ("disabled", "reasoning_only", "full"),
    "deep_judgment_rubric_mode": ("disabled", "enable_all", "use_checkpoint", "custom"),
    "agentic_parsing_trigger": ("always", "dynamic"),
}
FLAGS = (
    "abstention_enabled",
    "sufficiency_enabled",
    "agentic_parsing",
    "parsing_only",
    "deep_judgment_search_enabled",
    "deep_judgment_rubric_global_excerpts",
)
MODELS = ("answering_models", "parsing_models")
OTHERS = (
    "replicate_count", "few_shot_config", "prompt_config", "rubric_trait_names", "use_full_trace_for_template",
    "use_full_trace_for_rubric", "allow_partial_trace_scoring", "include_extraction_hints", "embedding_check_enabled",
    "embedding_check_model", "embedding_check_threshold", "async_enabled", "async_max_workers",
    "max_concurrent_requests", "batch_timeout_seconds", "task_ordering", "answerer_concurrency_limits",
    "deep_judgment_max_excerpts_per_attribute", "deep_judgment_fuzzy_match_threshold",
    "deep_judgment_excerpt_retry_attempts", "deep_judgment_search_tool", "deep_judgment_rubric_config",
    "deep_judgment_rubric_max_excerpts_default", "deep_judgment_rubric_fuzzy_match_threshold_default",
    "deep_judgment_rubric_excerpt_retry_attempts_default", "deep_judgment_rubric_search_tool",
    "agentic_judge_context", "agentic_parsing_max_turns", "agentic_parsing_timeout",
    "agentic_parsing_materialize_trace", "agentic_parsing_persist_trace", "agentic_rubric_strategy",
    "agentic_rubric_parallel", "workspace_copy", "workspace_cleanup", "workspace_output_mode", "workspace_output_dir",
    "workspace_output_exclude_patterns", "db_config", "scenario_turn_limit", "request_timeout", "retry_policy",
    "custom_error_patterns", "max_requeue_count",
)  # fmt: skip
FEW_SHOT = ("few_shot_enabled", "few_shot_mode", "few_shot_k")  # the oldest spelling, without a few_shot_config
KEYS = (*MODELS, *CHOICES, *FLAGS, *OTHERS, *FEW_SHOT)
OBSOLETE = ("rubric_enabled", "deep_judgment_rubric_search_enabled")  # the program drops them silently
INTERFACE = "langchain"  # of a model that names none


class Running(NamedTuple):
    """A task, whether it can run under a configuration, and which setting decides that."""

    task: str
    runs: bool
    why: str


class UsedModel(NamedTuple):
    """A model that a configuration names. `system_prompt` is sent by answering models only."""

    kind: str  # answering or parsing
    name: str
    interface: str
    system_prompt: str | None
    settings: Mapping[str, Any]
    position: int


def list_configurations(configs: Iterable[PromptConfig]) -> tuple[PromptConfig, ...]:
    """Those of a workspace's configurations that say which tasks run."""
    return tuple(config for config in configs if config.settings.get("shape") in SHAPES)


def list_models(config: Mapping[str, Any]) -> tuple[UsedModel, ...]:
    """Return the models, answering ones first; a model without an id is called by its model name."""
    return tuple(_find_models(config))


def _find_models(config: Mapping[str, Any]) -> Iterator[UsedModel]:
    for key in MODELS:
        listed = config.get(key)
        for position, model in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(model, Mapping):
                interface = str(model.get("interface") or INTERFACE)
                name = str(model.get("id") or model.get("model_name") or interface)
                text = model.get("system_prompt")
                if isinstance(text, str) and text:
                    prompt = text
                else:
                    prompt = None
                yield UsedModel(key.removesuffix("_models"), name, interface, prompt, model, position)


def list_workspace_runs(configs: Iterable[PromptConfig], profile: str = DOCUMENT) -> tuple[Running, ...]:
    """List the tasks of a workspace, each running if any configuration runs it; empty without configurations."""
    tables = [list_runs(config.settings, profile) for config in list_configurations(configs)]
    decisions: list[Running] = []
    for candidates in zip(*tables, strict=True):
        active = [candidate for candidate in candidates if candidate.runs]
        decisions.append(active[0] if active else candidates[-1])
    return tuple(decisions)


def list_runs(config: Mapping[str, Any], profile: str = DOCUMENT) -> tuple[Running, ...]:
    """For each task of the profile whether it can run under the configuration, and the setting that decides it.

    "Can": a rubric task also needs a trait of its kind, which only the benchmark knows. Where the document is silent:
    checks for abstention run in each evaluation mode; checks for sufficiency are about a template's fields, so they
    do not run under rubric_only; agentic parsing takes the place of parsing; template deep judgment does not depend
    on which of the two it is. In the document's profile, which has no task for it, reasoning_only makes the call
    dj_template_reasoning. The hallucination checks can run unless search is switched off in so many words. A value
    that is none of the known ones counts as the default.
    """
    return tuple(Running(task, *_decide(task, config, profile)) for task in tasks_of(profile))


def _decide(task: str, config: Mapping[str, Any], profile: str) -> tuple[bool, str]:
    """Tell whether a task runs and why: the first setting that rules it out is the reason, else the last one."""
    why = "part of every run"
    for runs, why in _list_decisions(task, config, profile):
        if not runs:
            return False, why
    return True, why


def _list_decisions(task: str, config: Mapping[str, Any], profile: str) -> Iterator[tuple[bool, str]]:
    if task == GENERATION:
        if _is_true(config, "parsing_only"):
            yield False, "parsing_only is true: answers are given"
        return
    if task == "abstention_detection":
        yield _check_flag(config, "abstention_enabled")
        return
    modes = CHOICES["evaluation_mode"]
    yield _check_choice(
        config, "evaluation_mode", modes[1:] if task.startswith(("rubric_", "dj_rubric_")) else modes[:2]
    )
    if task == "sufficiency_detection":
        yield _check_flag(config, "sufficiency_enabled")
    elif task == "parsing":
        if _is_true(config, "agentic_parsing"):
            yield False, "agentic_parsing is true: an agent parses"
    elif task.startswith("agentic_parsing_"):
        yield _check_flag(config, "agentic_parsing")
        if task == "agentic_parsing_decision":
            yield _check_choice(config, "agentic_parsing_trigger", ("dynamic",))
    elif task.startswith("dj_template_"):
        yield from _decide_template_judgment(task, config, profile)
    elif task.startswith("dj_rubric_"):
        yield from _decide_rubric_judgment(task, config)
    elif task.endswith(("_batch", "_single")):
        yield _check_choice(
            config, "rubric_evaluation_strategy", ("batch" if task.endswith("_batch") else "sequential",)
        )


def _decide_template_judgment(task: str, config: Mapping[str, Any], profile: str) -> Iterator[tuple[bool, str]]:
    wanted: tuple[str, ...] = ("full",)
    if task == "dj_template_reasoning_only":
        wanted = ("reasoning_only",)
    elif task == "dj_template_reasoning" and profile == DOCUMENT:
        wanted = ("reasoning_only", "full")
    yield _check_choice(config, "deep_judgment_mode", wanted)
    if task == "dj_template_hallucination" and config.get("deep_judgment_search_enabled") is False:
        yield False, "deep_judgment_search_enabled is false"


def _decide_rubric_judgment(task: str, config: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
    yield _check_choice(config, "deep_judgment_rubric_mode", CHOICES["deep_judgment_rubric_mode"][1:])
    quoted = task in ("dj_rubric_excerpt_extraction", "dj_rubric_hallucination")
    everywhere = _read_value(config, "deep_judgment_rubric_mode") == "enable_all"
    if quoted and everywhere and config.get("deep_judgment_rubric_global_excerpts") is False:
        yield False, "deep_judgment_rubric_global_excerpts is false"


def _read_value(config: Mapping[str, Any], key: str) -> str:
    value = config.get(key)
    return value if value in CHOICES[key] else CHOICES[key][0]


def _check_choice(config: Mapping[str, Any], key: str, wanted: tuple[str, ...]) -> tuple[bool, str]:
    value = _read_value(config, key)
    return value in wanted, f"{key} is {value}" + ("" if config.get(key) == value else ", the default")


def _is_true(config: Mapping[str, Any], key: str) -> bool:
    return config.get(key) is True


def _check_flag(config: Mapping[str, Any], key: str) -> tuple[bool, str]:
    return _is_true(config, key), f"{key} is {'true' if _is_true(config, key) else 'not true'}"
