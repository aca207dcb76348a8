"""Read an Albert prompt configuration: `prompt_config.yml` and the Jinja templates beside it.

Source: the *Prompt template* page of etalab-ia/franceservices-backend (MIT), called the classic dialect here; keys of
the program's later rewrite (`models`, sampling values) are read too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import Node, Parsed, find_nearest, read_yaml, report_unknown_keys
from readback.serving.named_formats import FORMATS
from readback.sources.albert_templates import BARE, Refused, Templates, Text
from readback.types import NOWHERE, Diagnostic, Location, Prompt, PromptConfig

NAME = "albert"
FILES = ("prompt_config.yml", "prompt_config.yaml")  # the first one found counts
SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "length_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "stop_token_ids",
)
SAMPLED = (*SAMPLING, "max_tokens")
# The values that vLLM takes (`SamplingParams`), to which both programs send them: the numbers that hold, and in words.
NUMBERS: dict[str, tuple[Callable[[float], bool], str]] = {
    "temperature": (lambda value: value >= 0, "a number, 0 or more"),
    "top_p": (lambda value: 0 < value <= 1, "a number above 0, at most 1"),
    "min_p": (lambda value: 0 <= value <= 1, "a number from 0 to 1"),
    "presence_penalty": (lambda value: -2 <= value <= 2, "a number from -2 to 2"),
    "frequency_penalty": (lambda value: -2 <= value <= 2, "a number from -2 to 2"),
    "repetition_penalty": (lambda value: value > 0, "a number above 0"),
    "length_penalty": (lambda value: True, "a number"),
}
OWN = "prompt_format"  # a key at the top that other programs do not have
TOP = (OWN, "max_tokens", "system_prompt", "prompts", "models", *SAMPLING)
PER_PROMPT = (
    "mode",
    "template",
    "template_string",
    "system_prompt",
    "default",
    "prompt_format",
    "max_tokens",
    *SAMPLING,
)
Sampled = tuple[dict[str, Any], dict[str, Location]]  # values by name, and where each is
LATER = ("collection_name", "sampling_params")  # keys that only the later program reads
PER_MODEL = ("model_kind", "prompt_format", "max_tokens", *SAMPLING)


def recognise(path: Path, value: Any) -> bool:
    """By its name, or a mapping with a list of prompts of which at least half have a mode or a template.

    Other programs list prompts, too, and a few of theirs may well say a mode of their own.
    """
    return path.name in FILES or _lists_modes(value.get("prompts") if isinstance(value, Mapping) else None)


def _lists_modes(listed: Any) -> bool:
    if isinstance(listed, list):
        keys = [set(entry) if isinstance(entry, Mapping) else set() for entry in listed]
    else:
        keys = []
    ours = sum(bool({"mode", "template", "template_string"} & own) for own in keys)
    return ours > 0 and 2 * ours >= len(keys)


def _describe_other_prompts(value: Mapping[str, Any]) -> str | None:
    """Describe what stands in place of the list of modes; return None where that is a list of modes, or empty."""
    prompts = value.get("prompts")
    if not isinstance(prompts, list):
        return _describe_kind(prompts)
    if prompts and not _lists_modes(prompts):
        return "a list without a mode or a template"
    return None


def read(
    path: Path, root: Path, parsed: Parsed | None = None, named: bool = True
) -> tuple[PromptConfig, tuple[Diagnostic, ...]]:
    """Return the configuration with a Prompt for each mode whose template could be read; all else is a diagnostic.

    Other programs call their files so, too. Unless somebody `named` this one, or it says what only an Albert
    configuration says, one without modes is told for information.
    """
    name = format_relative(root, path)
    parsed = parsed or read_yaml(path, name)
    top = Node(parsed.value, parsed)
    empty = PromptConfig(name, NAME, place=top.place)
    if not isinstance(top.value, Mapping):
        if not {"dat-file-missing", "dat-bad-line", "dat-limit", "dat-too-large"} & {
            n.code for n in parsed.diagnostics
        }:
            top.report("alb-not-a-mapping", found=_describe_kind(top.value))
        return empty, (*parsed.diagnostics, *top.diagnostics)
    ours = named or OWN in top.value or any(map(_lists_modes, top.value.values()))
    description = _describe_other_prompts(top.value)
    if description and not (ours and isinstance(top.value.get("prompts"), list)):
        if ours:
            guess = ""
        else:
            guess = "it is probably another program's file"
        top.report("alb-not-albert", found=description, guess=guess)
        if not ours:
            top.diagnostics[-1] = replace(top.diagnostics[-1], severity="info")
        return empty, (*parsed.diagnostics, *top.diagnostics)
    _report_keys(top, TOP)
    if top.value.get("system_prompt") is not None:
        top.at("system_prompt", top.value["system_prompt"]).text()
    templates = Templates(path, root)
    values, places = _read_sampling(top)
    if "models" in top.value:
        models, of_models = _read_models(top)
    else:
        models, of_models = (None, {})
    config = replace(
        empty,
        prompts=_build_prompts(top, templates, (values, places)),
        chat_format=_read_chat_format(top),
        max_tokens=values.get("max_tokens"),
        settings=values if models is None else {**values, "models": models},
        settings_places={**places, **of_models},
    )
    return config, (*parsed.diagnostics, *top.diagnostics, *templates.diagnostics)


def _report_keys(node: Node, allowed: Sequence[str]) -> None:
    """Report the keys of a mapping that nothing reads, and apart from them those of the later program."""
    all_keys = (*allowed, *LATER)
    node.diagnostics.extend(report_unknown_keys(node.value, all_keys, node.parsed, *node.keys, code="alb-unknown-key"))
    for key in LATER:
        if key in node.value:
            node.at(key, node.value[key]).report("alb-later-key", key, key=key)


def _build_prompts(top: Node, templates: Templates, sampled: Sampled) -> dict[str, Prompt]:
    """Return the prompts by mode. Of a mode named twice the last wins, as upstream, even if it cannot be built."""
    listed = top.at("prompts", top.value["prompts"])
    prompts: dict[str, Prompt] = {}
    first: dict[str, Node] = {}
    for entry in listed.items():
        if (mode := _read_mode(entry)) is None:
            continue
        before = len(top.diagnostics)
        if mode in first:
            at = first[mode].place
            entry.report("alb-duplicate-mode", mode, name=mode, file=at.file, line=at.line)
        first.setdefault(mode, entry)
        prompts.pop(mode, None)
        if prompt := _build_prompt(entry, mode, top, templates, sampled):
            prompts[mode] = prompt
        top.diagnostics[before:] = [replace(n, place=replace(n.place, mode=mode)) for n in top.diagnostics[before:]]
    return prompts


def _read_mode(entry: Node) -> str | None:
    """Return the name of one entry of `prompts`; None, with a diagnostic, when it has none."""
    if not isinstance(entry.value, Mapping):
        entry.wrong("a mapping with mode and template")
        return None
    mode = entry.value.get("mode")
    if isinstance(mode, int | float) and not isinstance(mode, bool):
        return str(mode)
    if isinstance(mode, str) and mode:
        return mode
    entry.report("alb-missing-mode", str(entry.value.get("template", ""))[:60], number=int(entry.keys[-1]) + 1)
    return None


def _build_prompt(entry: Node, mode: str, top: Node, templates: Templates, sampled: Sampled) -> Prompt | None:
    """One entry of `prompts`; None, with a diagnostic, when its template cannot be read.

    Its sampling values go before those at the top of the file (`sampled`), and never reach another mode.
    """
    value = entry.value
    _report_keys(entry, PER_PROMPT)
    if "prompt_format" in value:
        format_node = entry.at("prompt_format", value["prompt_format"])
        format_node.report("alb-mode-format-ignored", mode, mode=mode, format=str(format_node.value))
    template = _read_template(entry, mode, templates)
    if template is None:
        return None
    system, system_place = _choose_system(entry, mode, top)
    default = value.get("default")
    if not isinstance(default, Mapping | None):
        entry.at("default", default).wrong("a mapping from variables to values")
    values, places = _read_sampling(entry)
    return Prompt(
        mode=mode,
        template=template.text,
        system=system,
        defaults=dict(default) if isinstance(default, Mapping) else {},
        settings={"dialect": NAME, **sampled[0], **values, **template.settings},
        place=template.place,
        system_place=system_place,
        settings_places={**sampled[1], **places},
    )


def _read_template(entry: Node, mode: str, templates: Templates) -> Text | None:
    """Return the template's text, from the file beside the configuration or inline; None, with a diagnostic, without.

    A mode that names none has none in the document; the later program sends the bare query: noted, and shown so.
    """
    named, inline = entry.value.get("template"), entry.value.get("template_string")
    if named is None and isinstance(inline, str):
        return Text(inline, entry.at("template_string", inline).place)
    if named is None or named == "":
        entry.report("alb-template-missing", mode, mode=mode, template="", reason="it names no template")
        return Text(BARE, entry.place, {"bare_query": True})
    part = entry.at("template", named)
    if isinstance(named, str):
        template = templates.read(named)
    else:
        template = Refused("alb-template-path", "it is not a text")
    if isinstance(template, Refused):
        name = str(named)[:80]
        part.report(template.code, name, mode=mode, template=name, reason=template.reason)
        return None
    return template


def _choose_system(entry: Node, mode: str, top: Node) -> tuple[str | None, Location]:
    """Return the mode's system prompt, else the top one: a null or empty one cannot switch the top one off."""
    own, general = entry.value.get("system_prompt"), top.value.get("system_prompt")
    part, above = entry.at("system_prompt", own), top.at("system_prompt", general)
    if isinstance(own, str) and own:
        return own, part.place
    if own:
        part.wrong("a text")
    if general and not isinstance(general, str):
        above.wrong("a text")
    if not general or not isinstance(general, str):
        return None, NOWHERE
    if "system_prompt" in entry.value and not own:
        part.report("alb-system-not-disabled", mode, mode=mode)
    return general, above.place


def _read_chat_format(top: Node) -> str | None:
    chat_format: str | None = top.value.get("prompt_format")
    if chat_format is not None and chat_format not in FORMATS:
        part = top.at("prompt_format", chat_format)
        if not isinstance(chat_format, str):  # whatever the file says
            part.wrong("a text, or null")
            return None
        choices = ", ".join(FORMATS)
        part.report(
            "alb-format-unknown",
            chat_format,
            format=chat_format,
            nearest=find_nearest(chat_format, FORMATS) or "",
            known=choices,
        )
    return chat_format


def _read_sampling(node: Node) -> Sampled:
    """Return the sampling values that can be sent, and their places; report those of another type or size."""
    stated = {key: node.at(key, node.value[key]) for key in SAMPLED if node.value.get(key) is not None}
    right = {key: part for key, part in stated.items() if _is_sampling(key, part)}
    return {key: part.value for key, part in right.items()}, {key: part.place for key, part in right.items()}


def _is_sampling(key: str, part: Node) -> bool:
    if key == "stop_token_ids":
        token_ids = [item.whole(0) for item in part.listed()]
        return isinstance(part.value, list) and None not in token_ids
    if key in ("top_k", "max_tokens"):
        return part.whole(-1 if key == "top_k" else 1) is not None  # -1: every token, as the server has it
    number = part.number()
    if number is None:
        return False
    holds, expected = NUMBERS[key]
    if isfinite(number) and holds(number):
        return True
    part.wrong(expected)
    return False


def _read_models(top: Node) -> tuple[list[dict[str, Any]], dict[str, Location]]:
    """Return the entries of `models`, whose `prompt_format` the program ignores by design, and their values' places."""
    models: list[dict[str, Any]] = []
    places: dict[str, Location] = {}
    for entry in top.at("models", top.value["models"]).listed():
        if not isinstance(entry.value, Mapping):
            entry.wrong("a mapping with model_kind")
            continue
        _report_keys(entry, PER_MODEL)
        if entry.value.get("model_kind") is not None:
            entry.at("model_kind", entry.value["model_kind"]).text()
        other_values = {key: value for key, value in entry.value.items() if key not in SAMPLED}
        values, own = _read_sampling(entry)
        places |= {f"models[{len(models)}].{key}": place for key, place in own.items()}
        models.append({**other_values, **values})
    return models, places


def _describe_kind(value: Any) -> str:
    kinds = {type(None): "nothing", list: "a list", str: "a text", dict: "a mapping", bool: "true or false"}
    return kinds.get(type(value), "a number")
