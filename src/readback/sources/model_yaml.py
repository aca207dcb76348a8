"""Read a model's YAML: which model, of which type, with which sampling settings.

Source: the model YAML of ignaciolinari/beyond-the-cutoff (MIT). A judge's inference file has the same shape; older
ones nest it under `inference:`.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import Node, Parsed, mask_secrets, read_yaml
from readback.sources import prompt_formats
from readback.types import Diagnostic, Model

NAME = "model"
KEYS = (
    "provider",
    "model",
    "model_type",
    "host",
    "port",
    "timeout",
    "device",
    "torch_dtype",
    "max_new_tokens",
    "temperature",
    "top_p",
    "repetition_penalty",
    "stop_sequences",
)
NESTED = ("base_url", "max_tokens")  # spellings of the older, nested form
CLOSE = 0.85  # how much alike a misspelt key is: temprature, max_new_token
OWN = frozenset(KEYS) - {"model", "timeout", "temperature", "top_p"}  # keys that mark a file as one of these


def recognise(path: Path, value: Any) -> bool:
    """Tell whether a value is a mapping with a model and one of the format's own keys, and not a rubric.

    Programs of all kinds name a model, a host or a port: without a provider or a type of the format, each key has to be
    one of the format's.
    """
    if not isinstance(value, Mapping) or "prompt" in value or "prompts" in value or "runs" in value:
        return False
    part = value.get("inference", value)
    if not isinstance(part, Mapping) or not isinstance(part.get("model"), str):
        return False
    if not (OWN & part.keys() | list_nested_keys(part)):
        return False
    if "provider" in part or "inference" in value or _is_type(part.get("model_type")):
        return True
    strange = sum(not _is_key(key) for key in part)
    if 2 * strange >= len(part):
        return True  # the table of kinds refuses it, and says which keys are of another kind
    return "model_type" not in part and not strange


def _is_type(value: Any) -> bool:
    """Return whether a value is one of the format's types, with a slip of the pen perhaps."""
    return isinstance(value, str) and bool(get_close_matches(value.strip().lower(), prompt_formats.TYPES, n=1))


def _is_key(key: Any) -> bool:
    """Return whether a key is one of the format's, with a slip of the pen perhaps."""
    return isinstance(key, str) and bool(get_close_matches(key, KEYS, n=1, cutoff=CLOSE))


def list_nested_keys(part: Mapping[str, Any]) -> set[str]:
    """Return the keys that only the older, nested form has."""
    return set(NESTED) & part.keys()


def is_inference(path: Path, value: Any) -> bool:
    """Tell whether such a file says how a judge is run rather than which model is tested: its content, its name or its
    folder tells, also from a folder below that of the judges (`judges/archive`).
    """
    near = any("judge" in name.lower() for name in (path.stem, path.parent.name))
    below = path.parent.parent.name.lower() in ("judge", "judges")
    return isinstance(value, Mapping) and ("inference" in value or near or below)


def read(path: Path, root: Path, parsed: Parsed | None = None) -> tuple[Model, tuple[Diagnostic, ...]]:
    """Return the model in `path`, named by the file's stem; its type is inferred where the file does not state one."""
    parsed = parsed or read_yaml(path, format_relative(root, path))
    top = Node(parsed.value, parsed)
    diagnostics = [*parsed.diagnostics]
    if isinstance(parsed.value, Mapping) and isinstance(parsed.value.get("inference"), Mapping):
        top = top.at("inference", parsed.value["inference"])
    parts = top.mapping(*KEYS, *(NESTED if top.keys else ()))
    if "model" in parts:
        named = parts["model"].text()
    else:
        named = None
    kind = prompt_formats.infer_type(named or path.stem, path.name, _read_type(parts.get("model_type")), top.place)
    settings, masked = mask_secrets({key: node.value for key, node in parts.items() if key != "model_type"})
    _check_values(parts)
    if isinstance(stop := settings.get("stop_sequences"), str):
        settings = {**settings, "stop_sequences": [stop]}
    diagnostics += [*top.diagnostics, *kind.diagnostics]
    diagnostics += [Diagnostic("dat-secret-masked", {"key": key}, top.place, key) for key in masked]
    model = Model(
        name=path.stem,
        type=kind.type,
        type_reason=kind.reason,
        settings=settings,
        place=parts["model"].place if "model" in parts else top.place,
    )
    return model, tuple(diagnostics)


def read_model_name(path: Path, root: Path) -> str | None:
    """Return the model that such a file names, or None; what is wrong with the file is reported by `read`."""
    value = read_yaml(path, format_relative(root, path)).value
    if isinstance(value, Mapping):
        part = value.get("inference", value)
    else:
        part = None
    if isinstance(part, Mapping):
        model = part.get("model")
    else:
        model = None
    if isinstance(model, str) and model:
        return model
    return None


def _read_type(node: Node | None) -> str | None:
    """Return the type a file states, trimmed and lower-cased; one that is not among the three is a diagnostic."""
    text = node.text() if node else None
    if node is None or text is None:
        return None
    trimmed = text.strip().lower()
    if trimmed in prompt_formats.TYPES:
        return trimmed
    return node.one_of(prompt_formats.TYPES)


def _check_values(parts: Mapping[str, Node]) -> None:
    """Note values upstream would refuse; they are shown, never used in a text."""
    limits = {"timeout": (0, None), "repetition_penalty": (0, None), "top_p": (0, 1)}
    for key, (above, most) in limits.items():
        if key in parts:
            number = parts[key].number()
        else:
            number = None
        if number is not None and not (number > above and (most is None or number <= most)):
            parts[key].wrong(f"a number above {above}" + ("" if most is None else f", at most {most}"))
    for key in ("provider", "host", "device", "torch_dtype", "base_url"):
        if key in parts:
            parts[key].text()
    if "port" in parts:
        parts["port"].whole()
    if "stop_sequences" in parts:
        parts["stop_sequences"].texts()
    if "max_new_tokens" in parts:
        parts["max_new_tokens"].whole()
    if "temperature" in parts:
        temperature = parts["temperature"].number()
    else:
        temperature = None
    if temperature is not None and temperature < 0:
        parts["temperature"].wrong("a number, 0 or more")
