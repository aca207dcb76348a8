"""A small configuration of each dialect, and every key of it with values of other types."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

ALBERT = {
    "prompt_format": "chatml",
    "max_tokens": 900,
    "system_prompt": "Be brief.",
    "temperature": 0.3,
    "top_p": 0.9,
    "stop_token_ids": [1, 2],
    "models": [{"model_kind": "gemma", "temperature": 0.1, "max_tokens": 9}],
    "prompts": [{"mode": "a", "template": "t.jinja", "system_prompt": "S", "default": {"limit": 3}, "top_k": 5}],
}
VERIFICATION = {
    "answering_models": [{"interface": "langchain", "model_name": "m", "system_prompt": "Answer."}],
    "parsing_models": [{"interface": "langchain", "model_name": "p"}],
    "evaluation_mode": "template_only",
    "rubric_evaluation_strategy": "batch",
    "abstention_enabled": True,
    "few_shot_config": {
        "source": "both",
        "pool_mode": "k-shot",
        "pool_k": 2,
        "question_configs": {"1": {"mode": "custom", "k": 1, "selected_examples": [0], "excluded_examples": [1]}},
        "global_examples": [{"question": "a", "answer": "b"}],
    },
    "replicate_count": 1,
    "prompt_config": {"parsing": "Short.", "generation": "Kind."},
}
PRESET = {"id": "1", "name": "n", "config": VERIFICATION}
INSTRUCTIONS = {"generation": "Be kind.", "parsing": "Short.", "deep_judgment": "Long."}
PLAN = {
    "defaults": {"dataset": "d.jsonl", "prompt_mode": "rag", "limit": 3},
    "runs": [
        {"label": "r", "model_config": "m.yml", "prompt_mode": "rag", "limit": 2},
        {"label": "s", "model_config": "m.yml", "prompt_mode": "rag", "limit": 2},
    ],
}
MODEL = {"provider": "x", "model": "m", "model_type": "base", "timeout": 3.0, "max_new_tokens": 5, "temperature": 0.1}
RUBRIC = {
    "name": "r",
    "prompt": "{{QUESTION}} {{ASSISTANT_RESPONSE}}",
    "criteria": [{"id": "c", "label": "C", "weight": 1.0, "description": "d"}],
}
ADAPTER = {
    "name": "house",
    "extends": "langchain",
    "wording": "own",
    "system_prompt": True,
    "structured_output": False,
    "tasks": {"parsing": {"system": "S", "user": "U"}, "generation": [{"user": "V"}]},
}
WORKSPACE = {
    "name": "w",
    "today": "2026-01-31",
    "language": "en",
    "dataset": {"path": "d.jsonl", "id": "id", "fields": {"query": "q"}, "private": ["spare"]},
    "modes": [{"mode": "m", "template": "{{ q }}", "system": "S", "default": {"a": 1}, "settings": {"x": 1}}],
    "tasks": {"parsing": {"system": "S", "user": "U", "default": {"a": 1}}},
    "options": {"spacing": "program"},
    "context": {"parsing": {"json_schema": {"type": "object"}}},
    "adapters": ["langchain"],
    "instructions": {"parsing": "Short."},
    "models": {
        "x": {
            "type": "base",
            "training": {"system": "S"},
            "serving": {"format": "chatml"},
            "context": 100,
            "reserve": 1,
            "settings": {"a": 1},
        }
    },
    "conditions": [{"name": "c", "mode": "m", "model": "x", "aliases": ["k"], "settings": {"a": 1}}],
    "judges": {"anna": {"kind": "person"}},
    "criteria": {"pass": {"scale": "binary", "direction": "up", "unit": "points", "meanings": {"1": "good"}}},
    "acronyms": {"CNI": "carte"},
    "comparisons": [{"a": "c", "b": "k", "criterion": "pass", "margin": 0.1}],
    "leaks": {"threshold": 0.8, "phrases": ["you are"]},
    "ignore": [{"code": "fmt-markers", "why": "w", "where": {"mode": "m"}}],
}
AROUND: dict[str, Any] = {"t.jinja": "{{ query }}\n", "d.jsonl": [{"id": "1", "q": "Q"}], "m.yml": MODEL}

# name of the file, its content, how a workspace names it
FILES: dict[str, tuple[dict[str, Any], str]] = {
    "prompt_config.yml": (ALBERT, "prompts: [prompt_config.yml]"),
    "verification.json": (VERIFICATION, "prompts: [verification.json]"),
    "preset.json": (PRESET, "prompts: [preset.json]"),
    "instructions.json": (INSTRUCTIONS, "prompts: [instructions.json]"),
    "plan.yml": (PLAN, "plan: plan.yml"),
    "model.yml": (MODEL, "models: {m: {config: model.yml}}"),
    "rubric.yml": (RUBRIC, "judges: {j: rubric.yml}"),
    "house.yml": (ADAPTER, "adapters: [house.yml]"),
    "readback.yml": (WORKSPACE, ""),
}

# Free values: whatever is there is taken as it is and shown; it is part of no text.
FREE = {
    ("modes", 0, "default", "a"),
    ("modes", 0, "settings", "x"),
    ("tasks", "parsing", "default", "a"),
    ("context", "parsing", "json_schema"),
    ("context", "parsing", "json_schema", "type"),
    ("models", "x", "settings", "a"),
    ("conditions", 0, "settings", "a"),
    ("prompts", 0, "default", "limit"),
    ("few_shot_config", "question_configs", "1", "selected_examples", 0),  # an index, or a hash
    ("few_shot_config", "question_configs", "1", "excluded_examples", 0),
    ("id",),
    ("name",),
}
# What one of these takes besides its own type.
ALSO: dict[type, tuple[type, ...]] = {str: (int, float), float: (int,), list: (str, int, float), int: ()}
OTHERS: tuple[Any, ...] = ([["x"]], {"zz": {"y": 1}}, "zz", 5, True)


class WrongType(NamedTuple):
    """A key of a configuration with a value of another type."""

    file: str
    keys: tuple[str | int, ...]
    value: Any

    @property
    def content(self) -> dict[str, Any]:
        made = copy.deepcopy(FILES[self.file][0])
        at: Any = made
        for key in self.keys[:-1]:
            at = at[key]
        at[self.keys[-1]] = self.value
        return made


def cases() -> Iterator[WrongType]:
    """Each key with each wrong type."""
    for file, (content, _) in FILES.items():
        for keys, value in _leaves(content):
            if keys in FREE or keys[1:] in FREE:
                continue
            for other in OTHERS:
                if type(other) is not type(value) and type(other) not in ALSO.get(type(value), ()):
                    yield WrongType(file, keys, other)


def _leaves(value: Any, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if keys:
        yield keys, value
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from _leaves(inner, (*keys, key))
