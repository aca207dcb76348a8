"""Read tokenizer_config.json: its chat template or templates, and the special tokens it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as with_
from pathlib import Path
from typing import Any

from readback.readers.json_text import Decoder, NotJson
from readback.readers.paths import resolve, show
from readback.readers.text_file import read_text
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
    """What the file says. `template` is one text, or several by name; `source` the file's own text."""

    template: str | Mapping[str, str] | None = None
    bos_token: str | None = None
    eos_token: str | None = None
    tokens: Mapping[str, str] = field(default_factory=dict)  # the other named ones, a model's own among them
    special: tuple[str, ...] = ()
    adds_bos: bool | None = None  # `add_bos_token`; None: the file does not say
    diagnostics: tuple[Diagnostic, ...] = ()
    source: str = ""


def read(path: Path, root: Path) -> Config:
    """The file at `path`; one that cannot be read says nothing but a diagnostic with the reason and the place."""
    file = show(root, path)
    text, diagnostics = read_text(path, file, LIMIT)
    if text is None:
        return Config(diagnostics=diagnostics)
    decoder = Decoder()
    try:
        value = decoder.whole(text)
    except NotJson as fault:
        place = _at(text, fault.at, Location(file=file))
        return Config(diagnostics=(*diagnostics, _unread(file, f"not JSON ({fault.reason})", place)))
    if not isinstance(value, dict):
        return Config(diagnostics=(*diagnostics, _unread(file, "not a JSON object", Location(file=file, line=1))))
    found: list[Diagnostic] = [*diagnostics, *decoder.diagnostics(value, Location(file=file))]
    older = _older_map(path, root, found) if ADDED not in value else {}
    merged = {**value, **older}
    named = {name: _token(merged.get(name), name, file, found) for name in TOKENS}
    named |= _model_tokens(merged)
    tokens = {name: token for name, token in named.items() if token is not None}
    said = value.get("add_bos_token")
    return Config(
        template=_templates(value.get("chat_template"), file, found),
        bos_token=tokens.pop("bos_token", None),
        eos_token=tokens.pop("eos_token", None),
        tokens=tokens,
        special=tuple(dict.fromkeys((*(t for t in named.values() if t), *_further(merged)))),
        adds_bos=said if isinstance(said, bool) else None,
        diagnostics=tuple(found),
        source=text,
    )


def _older_map(path: Path, root: Path, found: list[Diagnostic]) -> Mapping[str, Any]:
    """What a special_tokens_map.json beside a tokenizer_config.json names; it goes before that file's own values.

    Source: `_from_pretrained` of huggingface/transformers 5. Nothing where there is no such file; one that cannot be
    read is a diagnostic.
    """
    beside = resolve(root, show(root, path.with_name(OLDER_MAP)))
    if isinstance(beside, Diagnostic):
        return {}
    file = show(root, beside)
    text, diagnostics = read_text(beside, file, LIMIT)
    found.extend(diagnostics)
    if text is None:
        return {}
    try:
        value = Decoder().whole(text)
    except NotJson as fault:
        found.append(_unread(file, f"not JSON ({fault.reason})", _at(text, fault.at, Location(file=file))))
        return {}
    return value if isinstance(value, dict) else {}


def _model_tokens(value: Mapping[str, Any]) -> dict[str, str]:
    """The tokens of a model's own that a template is given by name, such as `image_token`.

    They are the keys that end in `_token`, and the entries of an `extra_special_tokens` that is a mapping.
    """
    own = {key: one for key, one in value.items() if key.endswith("_token") and key not in TOKENS}
    extra = value.get("extra_special_tokens")
    if isinstance(extra, dict):
        own |= extra
    return {key: text for key, one in own.items() if (text := _content(one)) is not None}


def start_of(source: str, template: str, place: Location) -> Location:
    """Where in the JSON text `source` the template's first character is; the file alone where it is not found."""
    for found in STRING.finditer(source):
        length = found.end() - found.start() - 2
        if len(template) <= length <= ESCAPED * len(template) and json.loads(found[0], strict=False) == template:
            return _at(source, found.start() + 1, place)
    return place


def _at(text: str, offset: int, place: Location) -> Location:
    line = text.count("\n", 0, offset) + 1
    return with_(place, line=line, column=offset - (text.rfind("\n", 0, offset) + 1) + 1)


def _unread(file: str, reason: str, place: Location) -> Diagnostic:
    values = {"name": file, "reason": reason, "line": None, "when": "read", "raised": False}
    return Diagnostic("srv-template-error", values, place, reason)


def _wrong(where: str, value: Any, expected: str, file: str) -> Diagnostic:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    cut = shown if len(shown) <= SHOWN else shown[:SHOWN] + "…"
    return Diagnostic("dat-wrong-value", {"where": where, "value": cut, "expected": expected}, Location(file=file), cut)


def _content(value: Any) -> str | None:
    """The text of a token: itself, or the content of an object that describes it."""
    text = value.get("content") if isinstance(value, dict) else value
    return text if isinstance(text, str) else None


def _token(value: Any, name: str, file: str, diagnostics: list[Diagnostic]) -> str | None:
    text = _content(value)
    if text is None and value is not None:
        diagnostics.append(_wrong(name, value, "a text, or an object with content", file))
    return text


def _templates(value: Any, file: str, diagnostics: list[Diagnostic]) -> str | Mapping[str, str] | None:
    """One template, or several: a list of {name, template}, or a mapping from names."""
    if value is None or isinstance(value, str):
        return value
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, list):
        pairs = [(one.get("name"), one.get("template")) for one in value if isinstance(one, dict)]
    elif isinstance(value, dict):
        pairs = list(value.items())
    several = {name: text for name, text in pairs if isinstance(name, str) and isinstance(text, str)}
    if not several or len(several) != len(value):
        diagnostics.append(
            _wrong("chat_template", value, "a text, or a list of templates with name and template", file)
        )
        return several or None
    return several


def _further(value: Mapping[str, Any]) -> Iterator[str]:
    """The special tokens without a role of their own."""
    for key in ("additional_special_tokens", "extra_special_tokens"):
        listed = value.get(key)
        every = listed.values() if isinstance(listed, dict) else listed if isinstance(listed, list) else ()
        yield from (text for one in every if (text := _content(one)))
    added = value.get("added_tokens_decoder")
    for one in added.values() if isinstance(added, dict) else ():
        if isinstance(one, dict) and one.get("special") is True and (text := _content(one)):
            yield text
