"""In the sandbox: a YAML or JSON text as JSON values, with the place of every key and what is wrong with it.

PyYAML's safe loader alone is not safe enough: aliases and merge keys multiply without bound, the last of
two equal keys wins in silence, and keys need not be text. So the events are counted here before anything
is built from them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

DEPTH = 64
NODES = 100_000  # after aliases are followed; a megabyte of ordinary configuration has fewer
CHARACTERS = 8 << 20  # likewise
PLACED = 12  # levels whose places are kept: deeper ones point to their ancestor
FAULTS = 100  # listed for one file
DIGITS = 4000  # Python writes no longer integer as decimal text

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TEXT, MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"
SCALARS = {f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null")}
AS_WRITTEN = {f"tag:yaml.org,2002:{name}" for name in ("str", "timestamp", "value", "merge", "binary")}
COLLECTIONS = {f"tag:yaml.org,2002:{name}" for name in ("map", "seq", "set", "omap", "pairs")}

SHOWN = 40  # characters of a value that a finding quotes
# Plain scalars of YAML 1.2: the core schema of yaml.org/spec/1.2.2, section 10.3.2.
WHOLE = re.compile(r"[-+]?[0-9]{1,4000}")
OTHER_BASE = re.compile(r"0o[0-7]{1,4000}|0x[0-9a-fA-F]{1,4000}")
REAL = re.compile(r"[-+]?(?:\.[0-9]{1,400}|[0-9]{1,400}(?:\.[0-9]{0,400})?)(?:[eE][-+]?[0-9]{1,9})?")
UNREAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

Path = tuple[str | int, ...]


class Refused(Exception):  # noqa: N818 - carries a diagnostic, as every fault of the input does
    """Nothing can be made of the text; `note` says why."""

    def __init__(self, code: str, line: int | None, column: int | None, **values: Any) -> None:
        super().__init__(code)
        self.diagnostic = {"code": code, "line": line, "column": column, "values": values, "flagged": ""}


@dataclass(slots=True)
class Results:
    """What has been decoded so far."""

    lines: list[list[Any]] = field(default_factory=list)  # path, line, column
    diagnostics: list[dict[str, Any]] = field(default_factory=list)

    def report(self, code: str, mark: Any, flagged: str = "", **values: Any) -> None:
        """Add a diagnostic; after FAULTS of them say once that more are not listed."""
        if len(self.diagnostics) < FAULTS:
            if mark:
                at = {"line": mark.line + 1, "column": mark.column + 1}
            else:
                at = {"line": None, "column": None}
            self.diagnostics.append({"code": code, **at, "values": values, "flagged": flagged})
        elif len(self.diagnostics) == FAULTS:
            values = {"what": "faults listed for one file", "limit": FAULTS}
            self.diagnostics.append(
                {"code": "dat-limit", "line": None, "column": None, "values": values, "flagged": ""}
            )


def decode(payload: dict[str, Any]) -> dict[str, Any]:
    """{"text", "json": bool} → {"value", "lines": [[path, line, column]], "notes": [note]}; value None if unusable."""
    results = Results()
    try:
        if payload["json"]:
            value = _decode_json(payload["text"], results)
        else:
            value = decode_yaml(payload["text"], results)
    except Refused as refused:
        return {"value": None, "lines": results.lines, "notes": [*results.diagnostics, refused.diagnostic]}
    return {"value": value, "lines": results.lines, "notes": results.diagnostics}


def warm() -> None:
    """Once, in the zygote: pass through both parsers and their error paths."""
    for text in ("a: [1, 2.0, no, 2026-01-01, {<<: {b: c}}]", "a: [", '{"a": 1}', "{"):
        decode({"text": text, "json": text[0] == "{"})


def decode_yaml(text: str, results: Results, composer: type[Composer] | None = None) -> Any:
    """Return the value of a YAML text, built by `composer` where a tool gives tags a meaning; raises Refused."""
    loader = Loader(text)
    try:
        return (composer or Composer)(loader, results).document()
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        raise Refused("dat-bad-line", mark.line + 1, mark.column + 1, reason=f"not YAML ({reason})") from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise Refused("dat-bad-line", line, None, reason=f"not YAML ({error.reason})") from None
    finally:
        loader.dispose()


def _decode_json(text: str, results: Results) -> Any:
    """JSON by Python's parser; the places by the YAML one, which reads nearly all JSON."""
    doubled: list[str] = []
    unreal: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(items)
        if len(mapping) < len(items):
            keys: set[str] = set()
            doubled.extend(key for key, _ in items if key in keys or keys.add(key))  # type: ignore[func-returns-value]
        return mapping

    def unreal_number(name: str) -> float:
        unreal.append(name)
        return float(name)

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=unreal_number)
    except json.JSONDecodeError as error:
        reason = f"not JSON ({error.msg} at column {error.colno})"
        raise Refused("dat-bad-line", error.lineno, error.colno, reason=reason) from None
    except RecursionError:
        raise Refused("dat-limit", None, None, what="levels of nesting", limit=DEPTH) from None
    except ValueError as error:  # an integer of more digits than Python reads
        raise Refused("dat-bad-line", None, None, reason=f"not JSON ({str(error).partition(';')[0]})") from None
    by_yaml = Results()
    try:
        decode_yaml(text, by_yaml)
    except Refused as refused:
        if refused.diagnostic["code"] == "dat-limit":
            raise
        for key in doubled:
            results.report("dat-duplicate-key", None, key[:80], key=key[:80], first="?")
    results.lines.extend(by_yaml.lines)
    results.diagnostics.extend(
        diagnostic for diagnostic in by_yaml.diagnostics if diagnostic["code"] == "dat-duplicate-key"
    )
    for name in unreal:
        results.report("dat-nan", None, name, field="", value=name)
    return value


class Composer:
    """Builds values from events, with every node paid for from a budget; an alias pays for what it repeats."""

    def __init__(self, loader: Any, results: Results) -> None:
        self.loader, self.results = loader, results
        self.nodes, self.characters = NODES, CHARACTERS
        self.anchors: dict[str, tuple[Any, int, int] | None] = {}  # value and its cost; None while it is being built

    def document(self) -> Any:
        """Build the first document, and report a second."""
        self.loader.get_event()  # the start of the stream
        if not self.loader.check_event(yaml.DocumentStartEvent):
            return None
        self.loader.get_event()
        value = self.node(self.loader.get_event(), ())
        self.loader.get_event()  # the end of the document
        if self.loader.check_event(yaml.DocumentStartEvent):
            mark = self.loader.get_event().start_mark
            self.results.report(
                "dat-bad-line", mark, reason="a second document starts here; only the first one is read"
            )
        return value

    def node(self, event: Any, path: Path) -> Any:
        """Build the value that starts with `event`."""
        if len(path) <= PLACED and (path == () or isinstance(path[-1], int)):
            self.placed(path, event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        nodes, characters = self.nodes, self.characters
        self.pay(event, 1, len(getattr(event, "value", "")))
        if len(path) >= DEPTH and not isinstance(event, yaml.ScalarEvent):
            raise Refused("dat-limit", event.start_mark.line + 1, None, what="levels of nesting", limit=DEPTH)
        if isinstance(event, yaml.ScalarEvent):
            value = self.scalar(event, path)
        elif isinstance(event, yaml.SequenceStartEvent):
            self.collection(event, SequenceNode)
            value = [self.node(each, (*path, i)) for i, each in enumerate(self.until(yaml.SequenceEndEvent))]
        else:
            self.collection(event, MappingNode)
            value = self.mapping(path)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, nodes - self.nodes, characters - self.characters)
        return value

    def until(self, end: type) -> Iterator[Any]:
        """Yield the events before the end of a collection, and take that end."""
        while not self.loader.check_event(end):
            yield self.loader.get_event()
        self.loader.get_event()

    def pay(self, event: Any, nodes: int, characters: int) -> None:
        """Take what a value costs from the budget. Raises Refused when it is spent."""
        self.nodes -= nodes
        self.characters -= characters
        line = event.start_mark.line + 1
        if self.nodes < 0:
            raise Refused("dat-limit", line, None, what="values in one file", limit=NODES)
        if self.characters < 0:
            raise Refused("dat-limit", line, None, what="characters after aliases are followed", limit=CHARACTERS)

    def placed(self, path: Path, mark: Any) -> None:
        """Remember the place of a value."""
        self.results.lines.append([list(path), mark.line + 1, mark.column + 1])

    def alias(self, event: Any) -> Any:
        """Return the value that an alias repeats, which is paid for again."""
        if (anchor := self.anchors.get(event.anchor)) is None:
            if event.anchor in self.anchors:
                why = "is inside itself"
            else:
                why = "is not defined before"
            raise Refused(
                "dat-bad-line",
                event.start_mark.line + 1,
                event.start_mark.column + 1,
                reason=f"not YAML (the alias *{event.anchor[:80]} {why})",
            )
        value, nodes, characters = anchor
        self.pay(event, nodes, characters)
        return value

    def mapping(self, path: Path) -> dict[str, Any]:
        """Build a mapping whose first event was taken."""
        own: dict[str, Any] = {}
        first: dict[str, int] = {}
        merged: list[dict[str, Any]] = []
        for event in self.until(yaml.MappingEndEvent):
            if (key := self.key(event, path)) is None:
                self.node(self.loader.get_event(), (*path, "?"))
                continue
            if key == "<<" and self.resolved(event) == MERGE:
                merged.extend(self.merge(event, self.node(self.loader.get_event(), (*path, key))))
                continue
            line = event.start_mark.line + 1
            if key in first:
                self.results.report("dat-duplicate-key", event.start_mark, key[:80], key=key[:80], first=first[key])
            first.setdefault(key, line)
            if len(path) < PLACED:
                self.placed((*path, key), event.start_mark)
            own[key] = self.node(self.loader.get_event(), (*path, key))
        together: dict[str, Any] = {}
        for each in reversed(merged):  # of several merged mappings the first one wins
            together |= each
        return together | own

    def key(self, event: Any, path: Path) -> str | None:
        """Return a key as the text it is written as; report a key that cannot be text and return None."""
        if isinstance(event, yaml.ScalarEvent):
            self.pay(event, 1, len(event.value))
            if event.anchor is not None:
                self.anchors[event.anchor] = (event.value, 1, len(event.value))
            return str(event.value)
        value = self.node(event, (*path, "?"))
        if not isinstance(value, str):
            self.results.report("dat-bad-line", event.start_mark, reason="a key must be text; this one is left out")
            return None
        return value

    def merge(self, event: Any, value: Any) -> list[dict[str, Any]]:
        """Return the mappings under `<<`."""
        if isinstance(value, list):
            several = value
        else:
            several = [value]
        maps = [each for each in several if isinstance(each, dict)]
        self.pay(event, sum(map(len, maps)), 0)
        if len(maps) < len(several):
            self.results.report("dat-bad-line", event.start_mark, "<<", reason="'<<' merges mappings only")
        return maps

    def resolved(self, event: Any) -> str:
        """Return the tag of a scalar."""
        if event.tag is None or event.tag == "!":
            return str(self.loader.resolve(ScalarNode, event.value, event.implicit))
        return str(event.tag)

    def collection(self, event: Any, kind: type) -> None:
        """Report the tag of a list or mapping that is not one of YAML's own: it is not followed."""
        tag = event.tag
        if tag not in (None, "!") and tag not in COLLECTIONS:
            self.results.report(
                "dat-bad-line", event.start_mark, tag[:80], reason=f"the tag {tag[:80]} is not followed"
            )

    def scalar(self, event: Any, path: Path) -> Any:
        """Build the value of a scalar."""
        tag, text = self.resolved(event), event.value
        if tag in AS_WRITTEN:
            self.differing(event, text)
            return text
        if tag not in SCALARS:
            self.results.report(
                "dat-bad-line", event.start_mark, tag[:80], reason=f"the tag {tag[:80]} is not followed"
            )
            return text
        try:
            value = self.loader.yaml_constructors[tag](self.loader, ScalarNode(tag, text))
        except (ValueError, KeyError, IndexError):
            self.results.report(
                "dat-bad-line", event.start_mark, text[:80], reason=f"{text[:80]!r} is not a {tag[18:]}"
            )
            return text
        if isinstance(value, int) and value.bit_length() > DIGITS * 3:
            self.results.report("dat-bad-line", event.start_mark, text[:80], reason="a number of too many digits")
            return text
        if isinstance(value, float) and value - value != 0:
            name = ".".join(map(str, path))
            self.results.report("dat-nan", event.start_mark, text[:80], field=name, value=text[:80])
        self.differing(event, value)
        return value

    def differing(self, event: Any, value: Any) -> None:
        """Say of a plain scalar that YAML 1.2 reads it otherwise."""
        plain = event.style in (None, "") and event.tag in (None, "!")
        if not plain:
            return
        other = read_as_yaml_1_2(event.value, value, event.tag == "!")
        if other:
            text, read = event.value[:SHOWN], str(value)[:SHOWN]
            if isinstance(value, str):
                read = f"the text {read!r}"
            self.results.report("dat-yaml-differs", event.start_mark, text, text=text, read=read, other=other)


def read_as_yaml_1_2(text: str, value: Any, forced: bool) -> str | None:
    """Return in words what YAML 1.2 reads for a plain scalar that PyYAML reads as `value`; None where it is the same.

    The values of PyYAML, which reads YAML 1.1, are those that Python programs get, so they are used; a reader of YAML
    1.2, as most other languages have, gets another one. `forced`: written as `! 12`, which both versions read as text.
    `yes` and `no` are left out, though YAML 1.2 reads them as text: too many people write them and mean true and false.
    """
    if isinstance(value, bool) or value is None or UNREAL.fullmatch(text):
        return None
    whole, other_base = WHOLE.fullmatch(text), OTHER_BASE.fullmatch(text)
    is_number = whole or other_base or REAL.fullmatch(text)
    if forced or not is_number:
        if isinstance(value, str):
            return None
        return f"the text {text[:SHOWN]!r}"
    number: float
    if whole:
        number = int(text)
    elif other_base:
        number = int(text, 0)
    else:
        number = float(text)
    is_same = not isinstance(value, str) and (value == number or value != value)
    if is_same or number in (float("inf"), float("-inf")):
        return None
    return f"the number {str(number)[:SHOWN]}"
