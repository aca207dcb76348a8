"""The three ways in which the loaders of `.prompty` files take their settings and their template from a file.

prompty 0.1.50, prompty 2.1.0 and promptflow 1.18.5 cut the file differently, know different keys, and refuse each
other's. Which one a file is written for is told by its keys.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readback.projects.javascript_text import parse_json
from readback.projects.promptfoo.files import ProjectFiles, Refusal
from readback.projects.prompty.role_lines import IMAGE
from readback.readers.yaml.yaml_core import read_core_yaml
from readback.readers.yaml.yaml_decode import decode

PROMPTY_0, PROMPTY_2, PROMPTFLOW = "prompty 0.1", "prompty 2.1", "promptflow"
TOOLS = (PROMPTY_0, PROMPTY_2, PROMPTFLOW)
LARGEST = 4 << 20  # bytes of a prompt file or of what it takes in
IMAGES = 20  # images of one prompt that are taken in
BASES = 5  # prompts that a prompt is based on
MATTER = re.compile(r"^\s*(?:---|\+\+\+)(.*?)(?:---|\+\+\+)\s*(.+)$", re.S | re.M)
FLOW_MATTER = re.compile(r"-{3,}\n(.*)-{3,}\n(.*)", re.S)
IS_MATTER = re.compile(r"\s*---")
REFERENCE = re.compile(r"\$\{(\w+):(.*)\}", re.S)
KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
KEYS_0 = (
    "name",
    "description",
    "authors",
    "tags",
    "version",
    "base",
    "model",
    "sample",
    "inputs",
    "outputs",
    "template",
)
MODEL_0 = ("api", "configuration", "parameters", "response")
RICH_KINDS = ("thread", "image", "file", "audio")


@dataclass(slots=True)
class PromptFile:
    """What a loader takes from a file: the template, and the settings that rendering needs."""

    template: str
    settings: dict[str, Any] = field(default_factory=dict)


def read_text(files: ProjectFiles, path: Path) -> str:
    """Return the text of a file as Python opens one: UTF-8, all line ends one newline."""
    try:
        text = read_bytes(path).decode()
    except UnicodeDecodeError:
        raise Refusal(f"{files.get_name(path)} is not UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file that is not too large. Raises Refusal."""
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise Refusal(f"{path.name} cannot be read: {(error.strerror or 'not readable').lower()}") from None
    if len(data) > LARGEST:
        raise Refusal(f"{path.name} has more than {LARGEST:,} bytes")
    return data


def choose_tool(text: str) -> str | None:
    """Return the tool whose keys the front matter of a text has; None where it has none of a prompty file."""
    if IS_MATTER.match(text):
        match = MATTER.search(text)
    else:
        match = None
    if match:
        settings = decode({"text": match[1], "json": False})["value"]
    else:
        settings = None
    if not isinstance(settings, Mapping):
        return None
    model, template, inputs = settings.get("model"), settings.get("template"), settings.get("inputs")
    if isinstance(model, str):
        return PROMPTY_2
    listed = inputs if isinstance(inputs, list) else ()
    kinds = inputs.values() if isinstance(inputs, Mapping) else listed
    is_new = (
        (isinstance(model, Mapping) and any(key in model for key in ("id", "provider", "apiType", "options")))
        or (isinstance(template, Mapping) and ("format" in template or isinstance(template.get("parser"), Mapping)))
        or any(isinstance(each, Mapping) and "kind" in each for each in kinds)
    )
    if is_new:
        return PROMPTY_2
    sample = settings.get("sample")
    if isinstance(sample, str) and sample.endswith(".json") and not sample.startswith("${"):
        return PROMPTFLOW  # prompty 0.1 writes such a reference as ${file:…}
    is_old = isinstance(model, Mapping) and any(key in model for key in MODEL_0)
    if is_old or "sample" in settings or "model" in settings:
        return PROMPTY_0
    return None


def load(tool: str, text: str, files: ProjectFiles, name: str) -> PromptFile:
    """Return what a tool takes from the text of a prompty file. Raises Refusal where it would not load it."""
    if tool == PROMPTY_0:
        return load_prompty_0(text, files, name)
    if tool == PROMPTY_2:
        return load_prompty_2(text, files)
    return load_promptflow(text, files)


def load_prompty_0(text: str, files: ProjectFiles, name: str, depth: int = 0) -> PromptFile:
    """Return what prompty 0.1.50 takes from a file. Raises Refusal."""
    match = MATTER.search(text)
    if match is None:
        raise Refusal("prompty 0.1 finds no front matter between two lines of ---")
    attributes = _resolve(_decode(match[1]), files)
    if not isinstance(attributes, dict):
        raise Refusal("the front matter is no mapping")
    _check_keys("model settings", attributes.get("model", {}), MODEL_0)
    for key in attributes:
        if key not in KEYS_0:
            raise Refusal(f"prompty 0.1 does not know '{key}' in the front matter")
    for part in ("inputs", "outputs"):
        for each in _require_mapping(attributes.get(part, {}), part).values():
            _check_keys(part, each, ("type", "default", "description"), ("type",))
    template = attributes.get("template", {"type": "jinja2", "parser": "prompty"})
    if isinstance(template, dict):
        _check_keys("template", template, ("type", "parser"))
    else:
        template = {"type": template, "parser": "prompty"}
    settings = {
        "format": template.get("type", "mustache"),
        "parser": template.get("parser", ""),
        "api": attributes.get("model", {}).get("api", ""),
        "sample": attributes.get("sample", {}),
        "templates": {name: match[2]},
        "images": _read_images(match[2], files),
    }
    if "base" in attributes:
        _take_base(settings, str(attributes["base"]), files, depth)
    if not isinstance(settings["sample"], dict):
        raise Refusal("`sample` is no mapping")
    return PromptFile(match[2], settings)


def _take_base(settings: dict[str, Any], reference: str, files: ProjectFiles, depth: int) -> None:
    if depth >= BASES:
        raise Refusal(f"it is based on more than {BASES} prompts")
    path = files.find(reference)
    base = load_prompty_0(read_text(files, path), files, path.name, depth + 1).settings
    settings["api"] = settings["api"] or base["api"]
    settings["sample"] = {**base["sample"], **settings["sample"]}
    settings["templates"] = {**base["templates"], **settings["templates"]}


def _read_images(template: str, files: ProjectFiles) -> dict[str, str]:
    """Return the images that a template names as data; where a value names them, those beside the file."""
    names = [match[2].split(" ")[0].strip() for match in IMAGE.finditer(template)]
    if any("{{" in name for name in names) or ("![" in template.replace("![](", "") and "{{" in template and names):
        names += [path.name for path in sorted(files.folder.iterdir()) if path.suffix in KINDS][:IMAGES]
    images: dict[str, str] = {}
    for name in names:
        if "{" in name or name.startswith(("http", "data")) or len(images) >= IMAGES:
            continue
        try:
            path = files.find(name)
            data = read_bytes(path)
        except Refusal as refusal:
            images[name] = f"!{refusal.reason}"
            continue
        if path.suffix not in KINDS:
            images[name] = f"!Invalid image format {path.suffix}: only .png and .jpg / .jpeg are supported"
            continue
        images[name] = f"data:{KINDS[path.suffix]};base64,{base64.b64encode(data).decode()}"
    return images


def load_prompty_2(text: str, files: ProjectFiles) -> PromptFile:
    """Return what prompty 2.1.0 takes from a file. Raises Refusal."""
    if IS_MATTER.match(text):
        match = MATTER.search(text)
        if match is None:
            raise Refusal("Invalid Markdown format: the front matter is missing or not closed")
        loaded = _decode(match[1])
        attributes = {} if loaded is None else loaded
        body: Any = match[2]
    else:
        loaded = _decode(text)
        if isinstance(loaded, dict):
            attributes = loaded
        else:
            attributes = {}
        if isinstance(loaded, str):
            body = loaded
        else:
            body = attributes.get("instructions", "")
    if not isinstance(attributes, dict):
        raise Refusal("the front matter is no mapping")
    attributes = _resolve(attributes, files, needs_whole=True)
    template = attributes.get("template", {"format": {"kind": "jinja2"}, "parser": {"kind": "prompty"}})
    if not isinstance(template, dict):
        raise Refusal(f"Invalid template format: {template!r} (prompty 2 expects format and parser)")
    for key in ("format", "parser"):
        if template.get(key) is None:
            raise Refusal(f"template.{key}: missing required field")
        if not isinstance(template[key], str | dict):
            raise Refusal(f"template.{key} is no mapping")
    if not isinstance(attributes.get("model", {}), str | dict):
        raise Refusal("`model` is neither a name nor a mapping")
    if isinstance(template["format"], dict):
        form = template["format"]
    else:
        form = {"kind": template["format"]}
    if isinstance(template["parser"], dict):
        parser = template["parser"]
    else:
        parser = {"kind": template["parser"]}
    strict = form.get("strict")
    settings = {
        "format": _get_kind(form, "jinja2"),
        "parser": _get_kind(parser, "prompty"),
        "strict": True if strict is None else bool(strict),
        "inputs": _read_inputs_2(attributes.get("inputs", {})),
    }
    return PromptFile(body if isinstance(body, str) else "", settings)


def _get_kind(settings: Mapping[str, Any], default: str) -> str:
    kind = settings.get("kind", "*")
    if kind in ("", "*", None):
        return default
    return str(kind)


def _read_inputs_2(inputs: Any) -> list[dict[str, Any]]:
    if isinstance(inputs, dict):
        inputs = [{"name": name, **each} if isinstance(each, dict) else {"name": name} for name, each in inputs.items()]
    if not isinstance(inputs, list):
        raise Refusal("`inputs` is neither a mapping nor a list")
    for each in inputs:
        if not isinstance(each, dict) or not isinstance(each.get("kind"), str) or not each["kind"]:
            raise Refusal("Invalid Property discriminator field 'kind': an input of prompty 2 needs its kind")
        if each["kind"] == "array" and each.get("items") is None:
            raise Refusal(f"inputs.{each.get('name', '')}.items: missing required field")
    return [{key: each.get(key) for key in ("name", "kind", "default", "required")} for each in inputs]


def load_promptflow(text: str, files: ProjectFiles) -> PromptFile:
    """Return what promptflow 1.18.5 takes from a `.prompty` file: settings end at its last line of ---."""
    match = FLOW_MATTER.search(text)
    if match is None:
        raise Refusal("Illegal formatting of prompty: promptflow finds no front matter between two lines of ---")
    configuration = _resolve(_decode_core(match[1]), files, keeps_unknown=True)
    if not isinstance(configuration, dict):
        raise Refusal("the front matter is no mapping")
    model = _require_mapping(configuration.get("model", {}), "model")
    _check_keys("model", model, MODEL_0, ("configuration", "parameters"))
    inputs, sample = configuration.get("inputs", {}), configuration.get("sample")
    if isinstance(sample, str) and sample.endswith(".json"):
        path = files.find(sample.removeprefix("file:"))
        sample = _parse_json(read_text(files, path), path)
    if sample and not isinstance(sample, dict):
        raise Refusal("Only dict and json file are supported as sample in prompty")
    if inputs:
        for name, each in _require_mapping(inputs, "inputs").items():
            if not isinstance(each, dict):
                raise Refusal(f"the input '{name}' is no mapping")
    settings = {"api": model.get("api", "chat"), "inputs": inputs or {}, "sample": sample or {}}
    return PromptFile(match[2], settings)


def _resolve(value: Any, files: ProjectFiles, keeps_unknown: bool = False, needs_whole: bool = False) -> Any:
    """Return a value with `${file:…}` read, and environment variables left as they are written or at their default.

    prompty 0.1 strips every text.
    """
    if isinstance(value, list):
        return [_resolve(each, files, keeps_unknown, needs_whole) for each in value]
    if isinstance(value, dict):
        return {key: _resolve(each, files, keeps_unknown, needs_whole) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    if keeps_unknown or needs_whole:
        written = value
    else:
        written = value.strip()
    match = REFERENCE.fullmatch(written)
    if match is None:
        return written
    if match[1].lower() == "file":
        path = files.find(match[2])
        text = read_text(files, path)
        if path.suffix.lower() == ".json" or not (keeps_unknown or needs_whole):
            return _parse_json(text, path)
        if path.suffix.lower() in (".yml", ".yaml"):
            return _decode(text)
        return text
    if match[1].lower() == "env":
        _, _, default = match[2].partition(":")
        if default and not keeps_unknown:
            return default
        return written
    if not keeps_unknown and not needs_whole:
        raise Refusal(f"Invalid attribute format ({written})")
    return written


def _parse_json(text: str, path: Path) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise Refusal(f"{path.name} is not JSON: {error}") from None


def _decode(text: str) -> Any:
    """Return a YAML text as PyYAML reads it. Raises Refusal."""
    decoded = decode({"text": text, "json": False})
    for note in decoded["notes"]:
        if note["code"] in ("dat-bad-line", "dat-limit"):
            raise Refusal(f"the front matter cannot be read: {note['values'].get('reason', 'it is too large')}")
    return decoded["value"]


def _decode_core(text: str) -> Any:
    decoded = read_core_yaml(text, "text")
    if decoded.refusal:
        raise Refusal(f"the front matter cannot be read: {decoded.refusal}")
    return decoded.value


def _require_mapping(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Refusal(f"`{name}` is no mapping")
    return value


def _check_keys(name: str, value: Any, allowed: tuple[str, ...], needed: tuple[str, ...] = ()) -> None:
    for key in _require_mapping(value, name):
        if key not in allowed:
            raise Refusal(f"Error in {name}: got an unexpected key '{key}'")
    for key in needed:
        if key not in value:
            raise Refusal(f"Error in {name}: '{key}' is missing")
