"""What is wrong with the settings of a verification configuration that decide which tasks run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.readers.yaml.yaml_file import Node
from readback.sources.verification import CHOICES, FLAGS, MODELS

TEXTS = ("id", "model_name", "interface", "system_prompt")  # of a model
SWITCHES = (
    "use_full_trace_for_template",
    "use_full_trace_for_rubric",
    "allow_partial_trace_scoring",
    "include_extraction_hints",
    "embedding_check_enabled",
    "async_enabled",
    "agentic_parsing_materialize_trace",
    "agentic_parsing_persist_trace",
    "agentic_rubric_parallel",
    "workspace_copy",
    "workspace_cleanup",
)
WHOLE = (
    "replicate_count",
    "async_max_workers",
    "max_concurrent_requests",
    "deep_judgment_max_excerpts_per_attribute",
    "deep_judgment_excerpt_retry_attempts",
    "deep_judgment_rubric_max_excerpts_default",
    "deep_judgment_rubric_excerpt_retry_attempts_default",
    "agentic_parsing_max_turns",
    "scenario_turn_limit",
    "max_requeue_count",
)
NUMBERS = (
    "embedding_check_threshold",
    "deep_judgment_fuzzy_match_threshold",
    "request_timeout",
    "batch_timeout_seconds",
    "deep_judgment_rubric_fuzzy_match_threshold_default",
    "agentic_parsing_timeout",
)
NAMES = ("rubric_trait_names",)


def check_settings(node: Node) -> None:
    """Note each value that is none of the known ones, and models that are no list of mappings."""
    values: Mapping[str, Any] = node.value
    for key, choices in CHOICES.items():
        if values.get(key) is not None:
            node.at(key, values[key]).one_of(choices)
    for key in FLAGS:
        if values.get(key) is not None:
            node.at(key, values[key]).flag()
    for key in MODELS:
        models = values.get(key)
        if models is None:
            continue
        if not isinstance(models, list):
            node.at(key, models).wrong("a list of models")
            continue
        for i, model in enumerate(models):
            model_node = node.at(key, models).at(i, model)
            if not isinstance(model, Mapping):
                model_node.wrong("a mapping with interface and model_name")
                continue
            for name in TEXTS:
                if model.get(name) is not None:
                    model_node.at(name, model[name]).text()
    _check_shown_settings(node)


def _check_shown_settings(node: Node) -> None:
    """Note wrong values of settings that are only shown."""
    values: Mapping[str, Any] = node.value
    for keys, look in ((SWITCHES, Node.flag), (WHOLE, _read_count), (NUMBERS, Node.number), (NAMES, Node.texts)):
        for key in keys:
            if values.get(key) is not None:
                look(node.at(key, values[key]))


def _read_count(node: Node) -> int | None:
    return node.whole(0)
