"""Read tokenizer_config.json: its chat template or templates, and the special tokens it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as with_
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.text_file import read_text
from readback.readers.json_text import Decoder, NotJson
from readback.types import Diagnostic, Location

LIMIT = 32 << 20  # bytes; with a long list of added tokens such a file has some megabytes
OLDER_MAP = "special_tokens_map.json"  # read where tokenizer_config.json has no added_tokens_decoder
ADDED = "added_tokens_decoder"
TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
ESCAPED = 12  # characters of the file that one character of a text may take: \uXXXX twice
SHOWN = 60  # characters of a wrong value that are worth showing


@dataclass(frozen=True, slots=True)
class Config:
    """Hold what the file says.

    `template` is one text, or several by name; `source` is the file's own text.
    """

    template: str | Mapping[str, str] | None = None
    bos_token: str | None = None
    eos_token: str | None = None
    tokens: Mapping[str, str] = field(default_factory=dict)  # the other named ones, a model's own among them
    special: tuple[str, ...] = ()
    adds_bos: bool | None = None  # `add_bos_token`; None: the file does not say
    diagnostics: tuple[Diagnostic, ...] = ()
    source: str = ""


def read(path: Path, root: Path) -> Config:
    """Return the contents of the file at `path`; of an unreadable one only a diagnostic with the reason and place."""
    file = format_relative(root, path)
    text, diagnostics = read_text(path, file, LIMIT)
    if text is None:
        return Config(diagnostics=diagnostics)
    decoder = Decoder()
    try:
        value = decoder.whole(text)
    except NotJson as fault:
        place = _locate_offset(text, fault.at, Location(file=file))
        return Config(diagnostics=(*diagnostics, _report_unreadable(file, f"not JSON ({fault.reason})", place)))
    if not isinstance(value, dict):
        return Config(
            diagnostics=(*diagnostics, _report_unreadable(file, "not a JSON object", Location(file=file, line=1)))
        )
    found_diagnostics: list[Diagnostic] = [*diagnostics, *decoder.diagnostics(value, Location(file=file))]
    if ADDED not in value:
        older = _read_older_map(path, root, found_diagnostics)
    else:
        older = {}
    merged = {**value, **older}
    named_tokens = {name: _read_token(merged.get(name), name, file, found_diagnostics) for name in TOKENS}
    named_tokens |= _list_model_tokens(merged)
    tokens = {name: token for name, token in named_tokens.items() if token is not None}
    special = [token for token in named_tokens.values() if token]
    special.extend(_list_other_tokens(merged))
    adds_bos = value.get("add_bos_token")
    return Config(
        template=_read_templates(value.get("chat_template"), file, found_diagnostics),
        bos_token=tokens.pop("bos_token", None),
        eos_token=tokens.pop("eos_token", None),
        tokens=tokens,
        special=tuple(dict.fromkeys(special)),
        adds_bos=adds_bos if isinstance(adds_bos, bool) else None,
        diagnostics=tuple(found_diagnostics),
        source=text,
    )


def _read_older_map(path: Path, root: Path, found_diagnostics: list[Diagnostic]) -> Mapping[str, Any]:
    """Return the contents of a special_tokens_map.json next to a tokenizer_config.json, whose values it precedes.

    Source: `_from_pretrained` of huggingface/transformers 5. Empty if there is no such file; an unreadable one adds a
    diagnostic.
    """
    map_path = resolve(root, format_relative(root, path.with_name(OLDER_MAP)))
    if isinstance(map_path, Diagnostic):
        return {}
    file = format_relative(root, map_path)
    text, read_diagnostics = read_text(map_path, file, LIMIT)
    found_diagnostics.extend(read_diagnostics)
    if text is None:
        return {}
    try:
        value = Decoder().whole(text)
    except NotJson as fault:
        found_diagnostics.append(
            _report_unreadable(file, f"not JSON ({fault.reason})", _locate_offset(text, fault.at, Location(file=file)))
        )
        return {}
    if isinstance(value, dict):
        return value
    return {}


def _list_model_tokens(value: Mapping[str, Any]) -> dict[str, str]:
    """Return the model's own tokens that a template gets by name, such as `image_token`.

    They are the keys that end in `_token`, and the entries of an `extra_special_tokens` that is a mapping.
    """
    own = {key: token for key, token in value.items() if key.endswith("_token") and key not in TOKENS}
    extra = value.get("extra_special_tokens")
    if isinstance(extra, dict):
        own |= extra
    texts = {key: _get_token_text(token) for key, token in own.items()}
    return {key: text for key, text in texts.items() if text is not None}


def locate_template(source: str, template: str, place: Location) -> Location:
    """Return where in the JSON text `source` the template begins; only the file if it is not found."""
    for literal in STRING.finditer(source):
        length = literal.end() - literal.start() - 2
        if len(template) <= length <= ESCAPED * len(template) and json.loads(literal[0], strict=False) == template:
            return _locate_offset(source, literal.start() + 1, place)
    return place


def _locate_offset(text: str, offset: int, place: Location) -> Location:
    line = text.count("\n", 0, offset) + 1
    return with_(place, line=line, column=offset - (text.rfind("\n", 0, offset) + 1) + 1)


def _report_unreadable(file: str, reason: str, place: Location) -> Diagnostic:
    values = {"name": file, "reason": reason, "line": None, "when": "read", "raised": False}
    return Diagnostic("srv-template-error", values, place, reason)


def _report_wrong_value(where: str, value: Any, expected: str, file: str) -> Diagnostic:
    if isinstance(value, str):
        text = value
    else:
        text = json.dumps(value, ensure_ascii=False)
    if len(text) > SHOWN:
        text = text[:SHOWN] + "…"
    values = {"where": where, "value": text, "expected": expected}
    return Diagnostic("dat-wrong-value", values, Location(file=file), text)


def _get_token_text(value: Any) -> str | None:
    """Return the text of a token: itself, or the content of an object that describes it."""
    if isinstance(value, dict):
        text = value.get("content")
    else:
        text = value
    if isinstance(text, str):
        return text
    return None


def _read_token(value: Any, name: str, file: str, found_diagnostics: list[Diagnostic]) -> str | None:
    text = _get_token_text(value)
    if text is None and value is not None:
        found_diagnostics.append(_report_wrong_value(name, value, "a text, or an object with content", file))
    return text


def _read_templates(value: Any, file: str, found_diagnostics: list[Diagnostic]) -> str | Mapping[str, str] | None:
    """Return one template, or several: a list of {name, template}, or a mapping from names."""
    if value is None or isinstance(value, str):
        return value
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, list):
        pairs = [(entry.get("name"), entry.get("template")) for entry in value if isinstance(entry, dict)]
    elif isinstance(value, dict):
        pairs = list(value.items())
    templates = {name: text for name, text in pairs if isinstance(name, str) and isinstance(text, str)}
    if templates and len(templates) == len(value):
        return templates
    expected = "a text, or a list of templates with name and template"
    found_diagnostics.append(_report_wrong_value("chat_template", value, expected, file))
    return templates or None


def _list_other_tokens(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the special tokens that have no role."""
    for key in ("additional_special_tokens", "extra_special_tokens"):
        tokens = value.get(key)
        if isinstance(tokens, dict):
            tokens = list(tokens.values())
        if isinstance(tokens, list):
            yield from filter(None, map(_get_token_text, tokens))
    added = value.get(ADDED)
    if not isinstance(added, dict):
        return
    for token in added.values():
        text = _get_token_text(token)
        if isinstance(token, dict) and token.get("special") is True and text:
            yield text
