"""Read user instructions: one optional text per task or task group, added to the system text last.

Source: PromptConfig and presets on the *Prompt Assembly System* page of biocypher/karenina. The texts are plain: never
rendered, never stripped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import Node, Parsed, mask_secrets, read_yaml, report_unknown_keys
from readback.sources import few_shot, verification
from readback.sources.instruction_keys import GROUPS, KEYS, SHORTCUT, SHORTCUTS
from readback.sources.verification_check import check_settings
from readback.types import Diagnostic, Location, PromptConfig

NAME = "instructions"
CLOSE = 0.85  # how much alike a misspelt key is: "parsng", "generatoin"; "operation" is another word than "generation"
COMMENT = "_comment"  # what a key begins with that people write remarks under

Instructions = dict[str, "str | None"]


def recognise(path: Path, value: Any) -> bool:
    """Tell whether a value is a preset, a verification configuration, or a mapping of nothing but instructions."""
    return _find_shape(value) is not None


def _find_shape(value: Any) -> str | None:
    if not isinstance(value, Mapping) or not (value := _drop_comments(value)):
        return None
    config = value.get("config")
    named = "name" in value and ("id" in value or "created_at" in value)
    if isinstance(config, Mapping) and (_is_config(config) or (named and (not config or _names_settings(config)))):
        return "preset"
    if _is_config(value):
        return "verification config"
    task_keys = [key for key in value if _names_a_task(key)]
    probable_count = len(task_keys) + sum(_is_misspelt(key) for key in value if key not in task_keys)
    plain = [key for key in value if not isinstance(value[key], Mapping)]
    if 2 * probable_count >= len(value) and (not task_keys or set(task_keys) & set(plain)):
        return "user instructions"
    return None


def _drop_comments(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries without people's comments."""
    return {key: entry for key, entry in value.items() if not str(key).startswith(COMMENT)}


def _is_config(value: Mapping[str, Any]) -> bool:
    models = isinstance(value.get("answering_models"), list) or isinstance(value.get("parsing_models"), list)
    return models or isinstance(value.get("prompt_config"), Mapping)


def _names_settings(config: Mapping[str, Any]) -> bool:
    count = sum(key in (*verification.KEYS, *verification.OBSOLETE, *SHORTCUTS) for key in config)
    return 2 * count > len(config)


def _names_a_task(key: Any) -> bool:
    return isinstance(key, str) and (key in KEYS or key in SHORTCUTS or key.startswith(tuple(GROUPS)))


def is_instruction_key(key: str) -> bool:
    """Return whether a key is one of user instructions, or one with a slip of the pen."""
    return _names_a_task(key) or _is_misspelt(key)


def _is_misspelt(key: Any) -> bool:
    """Tell whether a key is one of the seven with a slip of the pen."""
    return isinstance(key, str) and bool(get_close_matches(key.casefold(), (*KEYS, *SHORTCUTS), n=1, cutoff=CLOSE))


def read(path: Path, root: Path, parsed: Parsed | None = None) -> tuple[PromptConfig, tuple[Diagnostic, ...]]:
    """Read the instructions of a preset, a verification configuration or a bare mapping.

    `settings` say which it was (shape), what else the configuration holds, secrets masked, and which obsolete keys
    were dropped. Keys that begin with _comment mean nothing anywhere.
    """
    file = format_relative(root, path)
    parsed = parsed or read_yaml(path, file)
    shape = _find_shape(parsed.value)
    diagnostics = list(parsed.diagnostics)
    keys: tuple[str | int, ...] = ("config",) if shape == "preset" else ()
    if shape == "preset":
        config = parsed.value["config"]
    else:
        config = parsed.value
    if isinstance(parsed.value, list):
        top = Node(parsed.value, parsed)
        top.wrong("a mapping from tasks to texts")
        return PromptConfig(file, NAME, place=parsed.place()), (*diagnostics, *top.diagnostics)
    if shape is None or not config:
        diagnostics.append(Diagnostic("asm-no-instructions", {"file": file}, parsed.place(*keys), file))
        return PromptConfig(file, NAME, place=parsed.place()), tuple(diagnostics)
    config = _drop_comments(config)
    if shape == "user instructions":
        instructions, problems = read_mapping(config, parsed)
        diagnostics += problems
        settings: dict[str, Any] = {"shape": shape}
    else:
        instructions, settings, problems = _read_verification(config, parsed, keys)
        diagnostics += problems
        settings = {"shape": shape, **settings}
    places = list_places(instructions, parsed, keys if shape == "user instructions" else (*keys, "prompt_config"), keys)
    prompt_config = PromptConfig(file, NAME, instructions=instructions, settings=settings, place=parsed.place())
    return replace(prompt_config, instruction_places=places), tuple(diagnostics)


def _read_verification(
    config: Mapping[str, Any], parsed: Parsed, keys: tuple[str | int, ...]
) -> tuple[Instructions, dict[str, Any], tuple[Diagnostic, ...]]:
    """Return the instructions of a verification configuration, its other settings, and what is wrong with it."""
    top = Node(config, parsed, keys=keys)
    top.diagnostics.extend(
        report_unknown_keys(config, (*verification.KEYS, *SHORTCUTS, *verification.OBSOLETE), parsed, *keys)
    )
    check_settings(top)
    examples = few_shot.read(top)
    stated = config.get("prompt_config")
    inner = _drop_comments(stated) if isinstance(stated, Mapping) else stated
    instructions, problems = read_mapping({} if inner is None else inner, parsed, *keys, "prompt_config")
    filled, more = read_mapping({key: config[key] for key in SHORTCUTS if key in config}, parsed, *keys)
    for key, text in filled.items():
        instructions[key] = text if instructions.get(key) is None else instructions[key]
    dropped = [key for key in verification.OBSOLETE if key in config]
    rest = {key: value for key, value in config.items() if key not in (*dropped, *SHORTCUTS, "prompt_config")}
    settings, masked = mask_secrets(rest)
    secrets = (
        Diagnostic("dat-secret-masked", {"key": key}, parsed.place(*keys, *_split_keys(key)), key) for key in masked
    )
    diagnostics = (*top.diagnostics, *problems, *more, *secrets, *_report_unused_prompts(config, parsed, keys))
    settings |= {few_shot.SETTING: examples} if examples else {}
    return instructions, settings | ({"dropped": dropped} if dropped else {}), diagnostics


def _report_unused_prompts(
    config: Mapping[str, Any], parsed: Parsed, keys: tuple[str | int, ...]
) -> Iterator[Diagnostic]:
    """Report a parsing model's own system prompt, which is recorded and never sent to the judge."""
    for model in verification.list_models(config):
        if model.kind == "parsing" and model.system_prompt:
            place = parsed.place(*keys, "parsing_models", model.position, "system_prompt")
            values = {"model": model.name, "characters": len(model.system_prompt)}
            yield Diagnostic("asm-parsing-system-prompt-unused", values, place, model.system_prompt)


def _split_keys(dotted: str) -> tuple[str | int, ...]:
    return tuple(int(part) if part.isdigit() else part for part in dotted.split("."))


def list_places(
    instructions: Mapping[str, str | None], parsed: Parsed, *ways: tuple[str | int, ...]
) -> dict[str, Location]:
    """Where each text is: under its own name or its shortcut, below the first of `ways` that gives that text."""
    return {key: next(_find_text_places(key, text, parsed, ways), parsed.place()) for key, text in instructions.items()}


def _find_text_places(
    key: str, text: str | None, parsed: Parsed, ways: tuple[tuple[str | int, ...], ...]
) -> Iterator[Location]:
    for at in ((*way, name) for way in ways for name in (key, f"{key}{SHORTCUT}")):
        value = parsed.value
        for step in at:
            if isinstance(value, Mapping):
                value = value.get(step)
            else:
                value = None
        if value == text and at in parsed.lines:
            yield parsed.place(*at)


def read_mapping(value: Any, parsed: Parsed, *at: str | int) -> tuple[Instructions, tuple[Diagnostic, ...]]:
    """Return the instructions in the mapping at the keys `at`, nulls included; note keys that are none of the seven.

    A shortcut fills its field only where that is null. A text for one task of a group cannot be given: the group has
    one text for all its tasks.
    """
    node = Node(value, parsed, keys=at)
    if not isinstance(value, Mapping):
        node.wrong("a mapping from tasks to texts")
        return {}, tuple(node.diagnostics)
    grouped = {key: group for key in value if (group := _find_group(key))}
    for key, group in grouped.items():
        node.at(key, value[key]).report("asm-grouped-task-key", str(key), key=key, group=group)
    others = {key: entry for key, entry in value.items() if key not in grouped}
    node.diagnostics.extend(report_unknown_keys(others, (*KEYS, *SHORTCUTS), parsed, *at))
    instructions: Instructions = {}
    for key in (*KEYS, *SHORTCUTS):
        if key not in value:
            continue
        field, part = key.removesuffix(SHORTCUT), node.at(key, value[key])
        text = value[key]
        if not isinstance(text, str | None):
            part.wrong("a text, or null")
            continue
        if text is not None and not text.strip():
            part.report("asm-empty-instruction", key, key=key, characters=len(text))
        if instructions.get(field) is None:
            instructions[field] = text
    return instructions, tuple(node.diagnostics)


def _find_group(key: Any) -> str | None:
    """Return the group of a key that names one task of it."""
    if not isinstance(key, str) or key in KEYS or key in SHORTCUTS:
        return None
    return next((group for prefix, group in GROUPS.items() if key.startswith(prefix)), None)
