"""In the sandbox: YAML as js-yaml 5 reads it with the core schema of YAML 1.2, merge keys and dates.

`yes`, `on`, `no` and `1_000` are texts, `007` is 7, `0x1F` is 31, `1e3` is 1000; only true, false, null and ~ (in three
spellings) are special. A date is an object: it has no text of its own, and JSON writes it as a time of day in UTC.
Source: yaml.org/spec/1.2.2, section 10.3.2, and js-yaml's tags.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import yaml

from readback.readers.yaml.yaml_decode import PLACED, Composer, Loader, Refused, Results

NODES = 600_000  # after aliases are followed: rows of a project may stand in its configuration
CHARACTERS = 32 << 20  # likewise
TEXT, MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"
PLAIN = "tag:yaml.org,2002:"
NULLS = frozenset(("", "~", "null", "Null", "NULL"))
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
WHOLE = re.compile(r"[-+]?[0-9]+")
OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
REAL = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
UNREAL = frozenset((".nan", ".NaN", ".NAN"))
DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
TIME = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?"
    r"(?:[ \t]*(?:Z|([-+])([0-9]{1,2})(?::([0-9]{2}))?))?"
)
DATE_CODE = "dat-date-object"
LONGEST_NUMBER = 400  # digits: more are infinite, and then a text

Dates = Literal["object", "text"]


@dataclass(frozen=True, slots=True)
class CoreYaml:
    """A decoded text: its value, (line, column) by path of keys, and diagnostics as mappings."""

    value: Any
    lines: dict[tuple[str | int, ...], tuple[int, int]]
    notes: list[dict[str, Any]]

    @property
    def refusal(self) -> str | None:
        """Why js-yaml refuses the whole text, if it does."""
        for note in self.notes:
            if note["code"] == "dat-duplicate-key":
                return f"duplicated mapping key {note['values']['key']!r} in line {note['line']}"
            if note["code"] != DATE_CODE:
                return str(note["values"].get("reason", "it is too large"))
        return None


def read_core_yaml(text: str, dates: Dates = "object") -> CoreYaml:
    """Decode a text; `value` is None where nothing of it can be used. `dates`: empty objects, or as JSON has them."""
    results = Results()
    text = text.removeprefix("\ufeff")
    loader = Loader(text)
    value = None
    try:
        value = CoreComposer(loader, results, text, dates).document()
    except Refused as refused:
        results.diagnostics.append(refused.diagnostic)
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        results.report("dat-bad-line", mark, reason=f"not YAML ({reason})")
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        results.diagnostics.append(Refused("dat-bad-line", line, None, reason=f"not YAML ({error.reason})").diagnostic)
    finally:
        loader.dispose()
    lines = {tuple(path): (line, column) for path, line, column in results.lines}
    return CoreYaml(value, lines, results.diagnostics)


@dataclass(frozen=True, slots=True)
class _Mark:
    """The beginning of a line."""

    line: int
    column: int = 0


class CoreComposer(Composer):
    """Builds values by the core schema."""

    def __init__(self, loader: Any, results: Results, text: str, dates: Dates) -> None:
        super().__init__(loader, results)
        self.nodes, self.characters, self.dates = NODES, CHARACTERS, dates
        self.lines = text.split("\n")
        self.columns = [-1]  # of the block collections that are open
        self.end: Any = None

    def node(self, event: Any, path: tuple[str | int, ...]) -> Any:
        """Build a value, and refuse lines of it that stand no deeper than what it is in, as js-yaml does."""
        is_collection = isinstance(event, yaml.CollectionStartEvent)
        if is_collection and not event.flow_style:
            self.columns.append(event.start_mark.column)
            value = super().node(event, path)
            self.columns.pop()
            return value
        value = super().node(event, path)
        if is_collection or getattr(event, "style", None) in (None, "", "'", '"'):
            self.check_depth(event, self.end if is_collection else event.end_mark, is_collection)
        return value

    def until(self, end: type) -> Iterator[Any]:
        """Yield the events up to the end of a collection, and remember where that is."""
        while not self.loader.check_event(end):
            yield self.loader.get_event()
        self.end = self.loader.get_event().end_mark

    def mapping(self, path: tuple[str | int, ...]) -> dict[str, Any]:
        """Build a mapping: merged keys stand where `<<` stands, an own key of the same name takes the value over."""
        built: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for event in self.until(yaml.MappingEndEvent):
            key = self.key(event, path)
            if key is None:
                self.node(self.loader.get_event(), (*path, "?"))
                continue
            value = self.node(self.loader.get_event(), (*path, key))
            if key == "<<" and self.resolved(event) == MERGE:
                for mapping in self.merge(event, value):
                    built = built | {name: each for name, each in mapping.items() if name not in built}
                continue
            if key in lines:
                values = {"key": key[:80], "first": lines[key]}
                self.results.report("dat-duplicate-key", event.start_mark, key[:80], **values)
            lines.setdefault(key, event.start_mark.line + 1)
            if len(path) < PLACED:
                self.placed((*path, key), event.start_mark)
            built[key] = value
        return built

    def check_depth(self, event: Any, end: Any, may_have_comments: bool) -> None:
        """Report the first line of a value, after the one it begins in, that is indented too little."""
        if end is None or end.line <= event.start_mark.line or self.columns[-1] < 0:
            return
        for number in range(event.start_mark.line + 1, min(end.line, len(self.lines) - 1) + 1):
            line = self.lines[number]
            content = line.lstrip(" ")
            is_skipped = not content.strip() or (may_have_comments and content.startswith("#"))
            if is_skipped or (number == end.line and end.column <= len(line) - len(content)):
                continue
            if len(line) - len(content) <= self.columns[-1]:
                self.results.report("dat-bad-line", _Mark(number), reason="not YAML (deficient indentation)")
                return

    def resolved(self, event: Any) -> str:
        """Return `<<` as the merge key, and the tag that is written; everything else is resolved by its text."""
        if event.tag is None and event.value == "<<" and event.style in (None, ""):
            return MERGE
        return str(event.tag or TEXT)

    def scalar(self, event: Any, path: tuple[str | int, ...]) -> Any:
        """Return the value of a scalar."""
        text = str(event.value)
        is_plain = event.style in (None, "")
        if event.tag in (None, ""):
            if is_plain:
                return self.resolve_plain(text, event, path)
            return text
        tag = str(event.tag).removeprefix(PLAIN)
        if tag in ("!", "str"):
            return text
        if tag == "binary":
            return self.read_binary(text, event)
        if tag not in ("int", "float", "bool", "null", "timestamp"):
            self.results.report("dat-bad-line", event.start_mark, text[:80], reason=f"the tag {tag[:80]} is not known")
            return text
        return self.resolve_plain(text, event, path)

    def key(self, event: Any, path: tuple[str | int, ...]) -> str | None:
        """Return a key as JavaScript writes it: `1.0` is the key 1, `~` is null."""
        key = super().key(event, path)
        if key is None or not isinstance(event, yaml.ScalarEvent) or event.tag or event.style not in (None, ""):
            return key
        value = read_core_scalar(key)
        if value is None:
            return "null"
        if isinstance(value, bool):
            if value:
                return "true"
            return "false"
        is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < 1e15)
        if is_whole and abs(value) < 1e15:
            return str(int(value))
        return key

    def resolve_plain(self, text: str, event: Any, path: tuple[str | int, ...]) -> Any:
        """Return what a plain scalar is."""
        moment = read_date(text)
        if moment is None:
            return read_core_scalar(text)
        if self.dates == "text":
            return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
        name = ".".join(map(str, path))
        self.results.report(DATE_CODE, event.start_mark, text[:40], text=text[:40], field=name)
        return {}

    def read_binary(self, text: str, event: Any) -> Any:
        """Return bytes as js-yaml has them: an object of numbers."""
        try:
            data = base64.b64decode(text.encode("ascii", "replace"), validate=False)
        except (binascii.Error, ValueError):
            self.results.report("dat-bad-line", event.start_mark, text[:40], reason="not base64")
            return text
        self.pay(event, len(data), 0)
        return {str(index): byte for index, byte in enumerate(data)}


def read_core_scalar(text: str) -> Any:
    """Return a plain scalar of the core schema; one that is no date."""
    if text in NULLS:
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    if text in UNREAL:
        return float("nan")
    if infinite := INFINITE.fullmatch(text):
        return float(f"{infinite.group(1)}inf")
    if not text or text[0] not in "+-.0123456789" or len(text) > LONGEST_NUMBER:
        return text
    if WHOLE.fullmatch(text):
        number = int(text)
        is_finite = abs(number) < 1 << 1024
        if is_finite:
            return number
        return text
    if OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if REAL.fullmatch(text):
        real = float(text)
        if abs(real) != float("inf"):
            return real
        return text
    return text


def read_date(text: str) -> datetime | None:
    """Return the moment that a plain scalar stands for, None where it is no date."""
    if len(text) < 8 or text[4:5] != "-" or not text[0].isdigit():
        return None
    if match := DATE.fullmatch(text):
        return _make_moment([int(part) for part in match.groups()], timedelta())
    match = TIME.fullmatch(text)
    if match is None:
        return None
    parts = [int(part) for part in match.groups()[:6]]
    fraction = int(((match.group(7) or "")[:3]).ljust(3, "0"))
    offset = timedelta(hours=int(match.group(9) or 0), minutes=int(match.group(10) or 0))
    if offset >= timedelta(days=1):
        return None
    return _make_moment([*parts, fraction * 1000], -offset if match.group(8) == "+" else offset)


def _make_moment(parts: list[int], offset: timedelta) -> datetime | None:
    try:
        return datetime(*parts, tzinfo=UTC) + offset  # type: ignore[arg-type,misc]
    except (ValueError, OverflowError):
        return None
