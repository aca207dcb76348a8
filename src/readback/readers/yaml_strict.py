"""In the sandbox: where YAML 1.2 reads a text otherwise than PyYAML, or does not allow what PyYAML reads.

PyYAML (libyaml) reads YAML 1.1, and forgives more than either version. Its values are the ones that Python programs
see, so they stay; a reader of YAML 1.2, as most other languages have, is told of where it sees something else.
Sources: yaml.org/spec/1.2.2, and the cases of yaml/yaml-test-suite that PyYAML reads otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import yaml

DIFFERS, NOT_ALLOWED = "dat-yaml-differs", "dat-yaml-not-allowed"

ANCHORED = re.compile(r"[&*]([^\s,\[\]{}]+)")  # of an anchor or an alias, to its end as YAML 1.2 has it
HEADER = re.compile(r"[|>]([-+0-9]*)(#?)")  # of a block scalar
DIRECTIVE = re.compile(r"^%YAML[ \t]+[^\s#]+(#)", re.MULTILINE)
SHOWN = 40  # characters of a value that are worth showing

# Plain numbers of YAML 1.2 (the core schema); PyYAML takes more for numbers, and some of these for text.
WHOLE = re.compile(r"[-+]?[0-9]{1,4000}")
OTHER_BASE = re.compile(r"0o[0-7]{1,4000}|0x[0-9a-fA-F]{1,4000}")
REAL = re.compile(r"[-+]?(?:\.[0-9]{1,400}|[0-9]{1,400}(?:\.[0-9]{0,400})?)(?:[eE][-+]?[0-9]{1,9})?")
UNREAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class Mark(NamedTuple):
    """A place, counted from 0 as PyYAML counts."""

    line: int
    column: int


class Watched:
    """A PyYAML loader whose events are looked at on their way. `note` takes a code, a mark, what is flagged, values."""

    def __init__(self, loader: Any, text: str, diagnostic: Callable[..., None]) -> None:
        self._loader, self._text, self._diagnostic = loader, text, diagnostic
        self._end = 0  # of the event before
        self._blocks: list[int] = []  # the columns of the block collections that are open
        self._flow = 0  # how many flow collections are open
        self._began: Any = None  # where the outermost of them did

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def get_event(self) -> Any:
        event = self._loader.get_event()
        start, end = event.start_mark.index, event.end_mark.index
        if "#" in (gap := self._text[self._end : start]):
            self._comments(self._end, gap)
        self._end = max(end, self._end)
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, start, end)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._opened(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._closed(end)
        elif isinstance(event, yaml.DocumentStartEvent) and (hit := DIRECTIVE.search(self._text, start, end)):
            self._not_allowed(hit.start(1), "a comment without a space before it", "it is read as a comment")
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            self._name(event, start)
        return event

    def _comments(self, at: int, gap: str) -> None:
        """Between two values a `#` begins a comment only behind a blank: `"value"# no comment`."""
        for line in gap.splitlines(keepends=True):
            sign = at + line.find("#")
            if sign > at - 1 and sign > 0 and not self._text[sign - 1].isspace():
                self._not_allowed(sign, "a comment without a space before it", "it is read as a comment")
            at += len(line)

    def _scalar(self, event: Any, start: int, end: int) -> None:
        if event.style in ("|", ">"):
            self._block(event, start, end)
        elif event.style in ("'", '"'):
            if not self._flow and event.end_mark.line > event.start_mark.line:
                self._indented(start, end, "a line of a quoted text")
        elif self._flow and self._text[start - 1 : start] == "?" and start:
            said = f"?{event.value[:SHOWN]}"
            self._differs(start - 1, said, event.value, f"the text {said!r}")
        elif event.value == "-":
            self._not_allowed(start, "a '-' alone between brackets", "it is read as the text '-'")

    def _block(self, event: Any, start: int, end: int) -> None:
        head, _, body = self._text[start:end].partition("\n")
        hit = HEADER.search(head)
        if hit and hit[2]:
            self._not_allowed(start + hit.start(2), "a comment without a space before it", "it is read as a comment")
        rest = self._text[end:]
        last = body.rpartition("\n")[2]
        keeps = hit is not None and "-" not in hit[1] and not rest.strip(" ") and last + rest != ""
        if keeps and not (last + rest).strip(" ") and event.value.rpartition("\n")[2]:
            self._differs(end - len(last), "", "spaces without a line end", "a separate line")
        if hit and not event.value.strip("\n") and not re.search(r"\d", hit[1]):
            self._lost(body, end, rest[:1000].partition("\n")[0])

    def _lost(self, body: str, end: int, following: str) -> None:
        """A block text whose empty lines are indented deeper than its first line: PyYAML ends it before that line."""
        widest = max((len(line) for line in body.split("\n")), default=0)
        blanks = len(following) - len(following.lstrip(" "))
        if following.strip() and (self._blocks[-1] if self._blocks else -1) < blanks < widest:
            self._not_allowed(end + blanks, "an empty line that is indented deeper than the text after it",
                              "the text is read as empty")  # fmt: skip

    def _opened(self, event: Any) -> None:
        if not event.flow_style:
            self._blocks.append(event.start_mark.column)
            return
        if not self._flow:
            self._began = event.start_mark
        self._flow += 1

    def _closed(self, end: int) -> None:
        if not self._flow:
            self._blocks.pop()
            return
        self._flow -= 1
        if not self._flow:
            self._indented(self._began.index, end, "a line between brackets")

    def _indented(self, start: int, end: int, what: str) -> None:
        """What goes on in further lines is deeper than its key; a closing bracket alone is let be, as all do."""
        least = self._blocks[-1] if self._blocks else -1
        at = start
        for number, line in enumerate(self._text[start:end].splitlines(keepends=True)):
            inner = line.lstrip(" ")
            bare = inner.strip()
            if number and bare and bare[0] not in "]}#" and len(line) - len(inner) <= least:
                self._not_allowed(at, f"{what} that is not indented", "it is read as a continuation of the line before")
                return
            at += len(line)

    def _name(self, event: Any, start: int) -> None:
        hit = ANCHORED.search(self._text, start)
        if hit and hit[1] != event.anchor:
            read = f"{hit[0][0]}{event.anchor[:SHOWN]}"
            self._differs(hit.start(), hit[0][:SHOWN], read, f"the name {hit[1][:SHOWN]!r}")

    def _differs(self, at: int, said: str, read: str, other: str) -> None:
        self._diagnostic(
            DIFFERS, self._mark(at), said, text=said or "the end of this text", read=read[:SHOWN], other=other
        )

    def _not_allowed(self, at: int, what: str, read: str) -> None:
        self._diagnostic(NOT_ALLOWED, self._mark(at), what=what, read=read)

    def _mark(self, at: int) -> Mark:
        before = self._text[:at]
        return Mark(before.count("\n"), at - before.rfind("\n") - 1)


def number(text: str, value: Any, forced: bool) -> str | None:
    """What YAML 1.2 reads for a plain scalar that PyYAML reads as `value`; None where it is the same.

    `forced`: written as `! 12`, which both versions read as text.
    """
    if isinstance(value, bool) or value is None or UNREAL.fullmatch(text):
        return None  # `yes` and `no` are said in the documentation: too many write them and mean them
    whole, other_base = WHOLE.fullmatch(text), OTHER_BASE.fullmatch(text)
    numeral = whole or other_base or REAL.fullmatch(text)
    if forced or not numeral:
        return None if isinstance(value, str) else f"the text {text[:SHOWN]!r}"
    meant = int(text) if whole else int(text, 0) if other_base else float(text)
    same = not isinstance(value, str) and (value == meant or value != value)
    return None if same or meant in (float("inf"), float("-inf")) else f"the number {str(meant)[:SHOWN]}"
