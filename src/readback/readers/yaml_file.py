"""Read a YAML or JSON configuration: its values, the place of each key, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.readers.text_file import read_text
from readback.types import Diagnostic, Location

LIMITS = sandbox.Limits(seconds=2.0, total=4.0, closed=True)  # a megabyte of ordinary configuration takes half a second
SECRET = re.compile(r"(?:api_?key|password|secret|token)$")
MASKED = "[masked]"
URL_LOGIN = re.compile(r"(?<=://)[^/\s?#@]+@")
URL_SECRET = re.compile(r"([?&][^=&\s]*(?:api_?key|password|secret|token)=)[^&#\s]+", re.IGNORECASE)
LONGEST = 80  # characters of a key that are compared and shown


@dataclass(frozen=True, slots=True)
class Parsed:
    """A decoded file. `value` is None when nothing of it can be used; `lines` gives (line, column) by path of keys."""

    value: Any
    lines: Mapping[tuple[str | int, ...], tuple[int, int]] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    file: str = ""

    def place(self, *keys: str | int) -> Location:
        """Where the value under `keys` is: its key, its list item, or else the nearest known ancestor."""
        for length in range(len(keys), -1, -1):
            if position := self.lines.get(keys[:length]):
                return Location(file=self.file, line=position[0], column=position[1])
        return Location(file=self.file)


def read_yaml(path: Path, file: str) -> Parsed:
    """Read the configuration in `path`, called `file` in places; a name in `.json` is read by JSON's rules.

    YAML 1.1 as PyYAML's safe loader reads it (so `no` is false), except that keys are text, timestamps stay
    text, and no tag builds an object.
    """
    text, diagnostics = read_text(path, file)
    if text is None:
        return Parsed(None, {}, diagnostics, file)
    parsed = parse_yaml(text, file, json=path.suffix.lower() == ".json")
    return Parsed(parsed.value, parsed.lines, (*diagnostics, *parsed.diagnostics), file)


def parse_yaml(text: str, file: str, *, json: bool = False) -> Parsed:
    """Parse a text in memory (of at most a mebibyte or so) as `read_yaml` does."""
    try:
        decoded = sandbox.call("readback.readers.yaml_decode:decode", {"text": text, "json": json}, LIMITS)
    except sandbox.Stopped as stopped:
        diagnostic = Diagnostic(
            "dat-limit", {"what": f"{stopped.kind} for decoding", "limit": stopped.detail}, Location(file=file)
        )
        return Parsed(None, {}, (diagnostic,), file)
    lines = {tuple(keys): (line, column) for keys, line, column in decoded["lines"]}
    return Parsed(decoded["value"], lines, tuple(_diagnostic(raw, file) for raw in decoded["notes"]), file)


def _diagnostic(raw: Mapping[str, Any], file: str) -> Diagnostic:
    place = Location(file=file, line=raw["line"], column=raw["column"])
    return Diagnostic(raw["code"], raw["values"], place, raw["flagged"])


def report_unknown_keys(
    mapping: Mapping[str, Any],
    allowed: Collection[str],
    parsed: Parsed,
    *at: str | int,
    code: str = "dat-unknown-key",
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each key of `mapping` (which is at `at` in the file) that is not among `allowed`."""
    for key in mapping:
        if key not in allowed:
            text = str(key)[:LONGEST]
            values = {"key": text, "nearest": find_nearest(text, allowed) or "", "known": ", ".join(allowed)}
            yield Diagnostic(code, values, parsed.place(*at, key), text)


def find_nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that `name` was probably meant to be; None where none is close."""
    folded = {each.casefold(): each for each in names}
    close = get_close_matches(name[:LONGEST].casefold(), folded, n=1)
    return folded[close[0]] if close else None


def mask_secrets(value: Any) -> tuple[Any, tuple[str, ...]]:
    """`value` with secrets replaced, and the dotted path of each: by the key's name, or inside an address."""
    masked: list[str] = []
    return _mask(value, (), masked), tuple(masked)


def _mask(value: Any, path: tuple[str, ...], masked: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _mask_entry(str(key), each, (*path, str(key)), masked) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_mask(each, (*path, str(i)), masked) for i, each in enumerate(value)]
    if not isinstance(value, str) or "://" not in value:
        return value
    clean = URL_SECRET.sub(rf"\g<1>{MASKED}", URL_LOGIN.sub(f"{MASKED}@", value))
    if clean != value:
        masked.append(".".join(path))
    return clean


def _mask_entry(key: str, value: Any, path: tuple[str, ...], masked: list[str]) -> Any:
    if not SECRET.search(key.lower().replace("-", "_")):
        return _mask(value, path, masked)
    if value in (None, "", True, False, [], {}, MASKED):
        return value  # nothing is hidden there
    masked.append(".".join(path))
    return MASKED
