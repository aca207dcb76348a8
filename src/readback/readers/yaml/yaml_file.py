"""Read a YAML or JSON configuration with the place of each key, walk through it, and write values as YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.readers.files.text_file import read_text
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
        decoded = sandbox.call("readback.readers.yaml.yaml_decode:decode", {"text": text, "json": json}, LIMITS)
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
    if close:
        return folded[close[0]]
    return None


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


SHOWN = 60  # characters of a wrong value that are worth showing


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a configuration, with the keys that lead to it. `diagnostics` is shared by all nodes of a file."""

    value: Any
    parsed: Parsed
    diagnostics: list[Diagnostic] = field(default_factory=list)
    keys: tuple[str | int, ...] = ()

    @property
    def place(self) -> Location:
        """Return the place of the node in its file."""
        return self.parsed.place(*self.keys)

    @property
    def where(self) -> str:
        """The way to this value, as a person would write it: `conditions[0].mode`."""
        steps = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.keys)
        return "".join(steps).removeprefix(".") or "the file"

    def at(self, key: str | int, value: Any) -> Node:
        """Return the node of a key's or an item's value."""
        return replace(self, value=value, keys=(*self.keys, key))

    def report(self, code: str, flagged: str = "", **values: Any) -> None:
        """Add a diagnostic at this node."""
        self.diagnostics.append(Diagnostic(code, values, self.place, flagged))

    def wrong(self, expected: str) -> None:
        """Note that this value is not what it should be."""
        if isinstance(self.value, str):
            text = self.value
        else:
            text = json.dumps(self.value, ensure_ascii=False, default=str)
        if len(text) <= SHOWN:
            cut = text
        else:
            cut = text[:SHOWN] + "…"
        self.report("dat-wrong-value", cut, where=self.where, value=cut, expected=expected)

    def mapping(self, *allowed: str) -> dict[str, Node]:
        """Return the entries that are not null, by name; report other names than `allowed` and leave them out."""
        if not isinstance(self.value, Mapping):
            self.wrong("a mapping with " + ", ".join(allowed))
            return {}
        self.diagnostics.extend(report_unknown_keys(self.value, allowed, self.parsed, *self.keys))
        return {k: self.at(k, v) for k, v in self.value.items() if k in allowed and v is not None}

    def entries(self) -> Iterator[tuple[str, Node]]:
        """Yield the entries of a mapping whose names are free."""
        if not isinstance(self.value, Mapping):
            self.wrong("a mapping from names")
            return
        for key, value in self.value.items():
            yield str(key), self.at(key, value)

    def values(self) -> dict[str, Any]:
        """Return the values of a mapping whose names are free; mask secrets and report that."""
        clean, masked = mask_secrets({key: part.value for key, part in self.entries()})
        for key in masked:
            self.report("dat-secret-masked", key, key=key)
        return dict(clean)

    def items(self) -> Iterator[Node]:
        """Yield the items of a list; a single value counts as a list of one."""
        if not isinstance(self.value, list):
            yield self
            return
        for i, value in enumerate(self.value):
            yield self.at(i, value)

    def listed(self) -> Iterator[Node]:
        """Yield the items of a value that must be a list."""
        if not isinstance(self.value, list):
            self.wrong("a list")
            return
        yield from self.items()

    def text(self) -> str | None:
        """Return the value as text. Numbers count (`name: 7`); YAML's yes and no do not: a word was meant."""
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return str(self.value)
        self.wrong("a text (put it in quotes)" if isinstance(self.value, bool) else "a text")
        return None

    def texts(self) -> tuple[str, ...]:
        """Return the items as texts; report and leave out any other."""
        return tuple(text for item in self.items() if (text := item.text()) is not None)

    def whole(self, least: int = 1) -> int | None:
        """Return the value as a whole number of at least `least`; report any other and return None."""
        if isinstance(self.value, int) and not isinstance(self.value, bool) and self.value >= least:
            return self.value
        self.wrong(f"a whole number, {least} or more")
        return None

    def number(self) -> float | None:
        """Return the value as a float; report any other and return None."""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            try:
                return float(self.value)
            except OverflowError:  # a whole number of more than 308 digits
                pass
        self.wrong("a number")
        return None

    def flag(self) -> bool | None:
        """Return the value as a bool; report any other and return None."""
        if isinstance(self.value, bool):
            return self.value
        self.wrong("true or false")
        return None

    def one_of(self, choices: Collection[str], what: str = "one of") -> str | None:
        """Return the value if it is among `choices`; else report it with the nearest of them and return None."""
        if isinstance(self.value, str) and self.value in choices:
            return self.value
        if isinstance(self.value, str):
            close = find_nearest(self.value, choices)
        else:
            close = None
        self.wrong(f"{what} {', '.join(choices)}" + (f"; did you mean {close!r}?" if close else ""))
        return None


PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*")
WORDS = frozenset(("y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan", "inf"))  # YAML reads a value
# What YAML does not allow in a text, or takes for a line end: written as an escape.
ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def format_flow(value: Any) -> str:
    """Format a JSON value in one line of YAML; read back it is the same value."""
    if isinstance(value, str):
        return _format_text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_format_text(str(key))}: {format_flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(format_flow(each) for each in value) + "]"
    if isinstance(value, float) and not isinstance(value, bool):
        return _format_number(value)
    return json.dumps(value)


def _format_text(text: str) -> str:
    if PLAIN.fullmatch(text) and text.lower() not in WORDS:
        return text
    return ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def _format_number(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return {"nan": ".nan", "inf": ".inf", "-inf": "-.inf"}[str(value)]
    text = repr(value)
    # YAML 1.1 takes an exponent for a number only after a point and with a sign: 1.0e+16, not 1e+16.
    return re.sub(r"^(-?\d+)e", r"\1.0e", text)


def format_comment(text: str) -> str:
    """`text` as a comment: one line, whatever it holds."""
    return "# " + " ".join(ESCAPED.sub("?", text).split())
