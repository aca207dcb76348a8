"""Read user instructions: one optional text per task or task group, added to the system text last.

Source: PromptConfig and presets on the *Prompt Assembly System* page of biocypher/karenina. The texts are plain: never
rendered, never stripped.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readback.files.paths import show
from readback.files.yaml_file import Parsed, mask_secrets, read_yaml, unknown_keys
from readback.files.yaml_node import Node
from readback.types import Note, PromptConfig

NAME = "instructions"
DIRECT = ("generation", "parsing", "abstention_detection", "sufficiency_detection")
GROUPS = {"rubric_": "rubric_evaluation", "agentic_parsing_": "agentic_parsing", "dj_": "deep_judgment"}
KEYS = (*DIRECT, *GROUPS.values())  # in the order in which they are written
SHORTCUT = "_instructions"  # `parsing_instructions` fills `parsing` where that is null
SHORTCUTS = tuple(f"{key}{SHORTCUT}" for key in KEYS)

# What decides which tasks run; shown, and never part of a text.
CONFIG = (
    "answering_models", "parsing_models", "evaluation_mode", "rubric_evaluation_strategy", "abstention_enabled",
    "sufficiency_enabled", "deep_judgment_mode", "deep_judgment_rubric_mode", "agentic_parsing",
    "agentic_parsing_trigger", "few_shot_config", "replicate_count",
)  # fmt: skip
OBSOLETE = ("rubric_enabled", "deep_judgment_rubric_search_enabled")  # dropped without a word, as upstream does
Instructions = dict[str, "str | None"]


def instruction_for(task: str, instructions: Mapping[str, str | None]) -> str | None:
    """The user instruction of a task: its own, else its group's, else none. An empty one is an answer, not a gap."""
    key = key_for(task, instructions)
    return None if key is None else instructions[key]


def key_for(task: str, instructions: Mapping[str, str | None]) -> str | None:
    """Which of the seven keys speaks for a task; names with a group's prefix belong to it, known or not."""
    group = next((group for prefix, group in GROUPS.items() if task.startswith(prefix)), None)
    candidates = (task if task in KEYS else None, group)
    return next((key for key in candidates if key is not None and instructions.get(key) is not None), None)


def recognise(path: Path, value: Any) -> bool:
    """A preset, a verification configuration, or a mapping of nothing but instructions."""
    return _shape(value) is not None


def _shape(value: Any) -> str | None:
    if not isinstance(value, Mapping) or not value:
        return None
    config = value.get("config")
    named = "name" in value and ("id" in value or "created_at" in value)
    if isinstance(config, Mapping) and (_is_config(config) or (named and not config)):
        return "preset"
    if _is_config(value):
        return "verification config"
    known = sum(_names_a_task(key) for key in value)
    texts = all(isinstance(one, str | None) for key, one in value.items() if _names_a_task(key))
    return "user instructions" if known and 2 * known > len(value) and texts else None


def _is_config(value: Mapping[str, Any]) -> bool:
    models = isinstance(value.get("answering_models"), list) or isinstance(value.get("parsing_models"), list)
    return models or isinstance(value.get("prompt_config"), Mapping)


def _names_a_task(key: Any) -> bool:
    return isinstance(key, str) and (key in KEYS or key in SHORTCUTS or key.startswith(tuple(GROUPS)))


def read(path: Path, root: Path, parsed: Parsed | None = None) -> tuple[PromptConfig, tuple[Note, ...]]:
    """The instructions of a preset, a verification configuration or a bare mapping; `name` says which it was."""
    file = show(root, path)
    parsed = parsed or read_yaml(path, file)
    shape = _shape(parsed.value)
    notes = list(parsed.notes)
    keys: tuple[str | int, ...] = ("config",) if shape == "preset" else ()
    config = parsed.value["config"] if shape == "preset" else parsed.value
    if shape is None or not config:
        notes.append(Note("asm-no-instructions", {"file": file}, parsed.place(*keys), file))
        return PromptConfig(file, NAME, place=parsed.place()), tuple(notes)
    if shape == "user instructions":
        instructions, found = from_value(config, parsed, *keys)
        config = PromptConfig(file, NAME, instructions=instructions, settings={"shape": shape}, place=parsed.place())
        return config, (*notes, *found)
    instructions, found = from_value(config.get("prompt_config") or {}, parsed, *keys, "prompt_config")
    shortcuts = {key: config[key] for key in SHORTCUTS if key in config}
    filled, more = from_value(shortcuts, parsed, *keys)
    for key, text in filled.items():
        instructions[key] = text if instructions.get(key) is None else instructions[key]
    shown = {key: value for key, value in config.items() if key not in (*OBSOLETE, *SHORTCUTS, "prompt_config")}
    settings, masked = mask_secrets({"shape": shape, **shown})
    notes += [*found, *more, *(Note("dat-secret-masked", {"key": key}, parsed.place(*keys), key) for key in masked)]
    return PromptConfig(file, NAME, instructions=instructions, settings=settings, place=parsed.place()), tuple(notes)


def from_value(value: Any, parsed: Parsed, *at: str | int) -> tuple[Instructions, tuple[Note, ...]]:
    """The instructions in a mapping that stands at `at`, nulls included; keys that are none of the seven are notes.

    A shortcut fills its field only where that is null. A text for one task of a group cannot be given: the group has
    one text for all its tasks.
    """
    node = Node(value, parsed, keys=at)
    if not isinstance(value, Mapping):
        node.wrong("a mapping from tasks to texts")
        return {}, tuple(node.notes)
    grouped = {key: group for key in value if (group := _group_of(key))}
    for key, group in grouped.items():
        node.at(key, value[key]).note("asm-grouped-task-key", str(key), key=key, group=group)
    others = {key: one for key, one in value.items() if key not in grouped}
    node.notes.extend(unknown_keys(others, (*KEYS, *SHORTCUTS), parsed, *at))
    found: Instructions = {}
    for key in (*KEYS, *SHORTCUTS):
        if key not in value:
            continue
        field, part = key.removesuffix(SHORTCUT), node.at(key, value[key])
        text = value[key]
        if not isinstance(text, str | None):
            part.wrong("a text, or null")
            continue
        if text is not None and not text.strip():
            part.note("asm-empty-instruction", key, key=key, characters=len(text))
        if found.get(field) is None:
            found[field] = text
    return found, tuple(node.notes)


def _group_of(key: Any) -> str | None:
    """The group of a key that names one task of it."""
    if not isinstance(key, str) or key in KEYS or key in SHORTCUTS:
        return None
    return next((group for prefix, group in GROUPS.items() if key.startswith(prefix)), None)
