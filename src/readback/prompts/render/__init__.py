"""Render a template into segments that remember who wrote them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any

from readback import sandbox
from readback.prompts.render.foreign_marks import find_unreadable
from readback.prompts.render.mustache import Read, fill_mustache
from readback.prompts.render.simple_fields import (
    Piece,
    Refusal,
    fill_dollar,
    fill_format,
    fill_percent,
    fill_placeholders,
    list_unfilled,
)
from readback.readers.tables.table_columns import as_written, cell_of, looks_like_python
from readback.sandbox.children import ask_staying_child
from readback.types import (
    NOWHERE,
    Diagnostic,
    Location,
    Origin,
    Segment,
    Severity,
    Syntax,
    UseState,
    Values,
    VariableUse,
)

WORK = "readback.prompts.render.jinja:work"
LIMITS = sandbox.Limits(seconds=0.8, total=2.5, closed=True)  # to compile and render twice; most take milliseconds
TEXT_ALONE = replace(LIMITS, seconds=LIMITS.seconds / 2, total=LIMITS.total / 2)  # rendered once: half of the time
TOGETHER = 1.7  # seconds after which no further template of a call is begun
STOPS = 2  # templates of one call that may be stopped, so that a hostile set of them costs two seconds and no more
MOST = 256  # verdicts kept
EXCESS: Mapping[str, tuple[str, str]] = {
    "time": ("time to render a template", sandbox.format_time_limit(LIMITS.seconds)),
    "memory": ("memory to render a template", "512 MiB"),
    "output": ("text of one template", "8 Mi characters"),
    "nesting": ("nesting in a template", "the depth that Jinja can read"),
    "crash": ("a template's process", "its own crash"),
    "turn": ("time to render the templates of a message", sandbox.format_time_limit(TOGETHER)),
}


@dataclass(frozen=True, slots=True)
class Template:
    """Hold a text to fill in. `place` is where its first character is; `blocks` trims lines around Jinja's tags."""

    text: str
    syntax: Syntax = "jinja"
    origin: Origin = "template"
    place: Location = NOWHERE
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """Hold what a template gave. `ok` False: no segments, and a diagnostic that says why.

    `names` are the variables it reads from the values, dotted where the template says so, each with the line where it
    first appears; `uses` what became of them, and of the fields of what it goes through.
    """

    segments: tuple[Segment, ...]
    names: tuple[tuple[str, Location], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    ok: bool = True
    uses: tuple[VariableUse, ...] = ()

    @property
    def text(self) -> str:
        """Return the text of all segments."""
        return "".join(segment.text for segment in self.segments)


STEP = re.compile(r"[.\[]")
FILLED = {
    "format": fill_format,
    "percent": fill_percent,
    "dollar": fill_dollar,
    "placeholder": fill_placeholders,
}
LOOKS = {
    "python": "a text that looks like a Python list",
    "json": "a text that looks like a JSON list",
    "text": "a text",
}
SENT = {"loop": "goes through its single characters", "few": "takes its single characters", "key": "looks for an item"}
DOT = re.compile(r"\{\{[{&]?\s*\.\s*\}")  # mustache: the item of the section around it
NO_DEFAULTS: Values = {}
_stopped: dict[bytes, tuple[str, str]] = {}  # template over its values -> kind, detail
_lock = Lock()


def render(
    templates: Sequence[Template], values: Values, defaults: Values = NO_DEFAULTS, *, origins: bool = True
) -> tuple[Rendered, ...]:
    """Render each template over `values`; a name that `values` lacks comes from `defaults`.

    Jinja templates give the text that Jinja2 gives with its default settings, byte for byte. Without `origins` such a
    text is one segment, and there are no `uses`.
    """
    jinja = [i for i, template in enumerate(templates) if template.syntax == "jinja"]
    answers = dict(zip(jinja, _render_jinja([templates[i] for i in jinja], values, defaults, origins), strict=True))
    return tuple(
        make_rendered(template, answers[i]) if i in answers else _fill(template, values, defaults)
        for i, template in enumerate(templates)
    )


def _fill(template: Template, values: Values, defaults: Values) -> Rendered:
    """Fill in a template of any syntax but Jinja's. Raises ValueError for a syntax that is not known."""
    if template.syntax == "mustache":
        return _fill_sections(template, values, defaults)
    values = as_written(values)  # nothing else than a section of mustache goes into a value
    if fill := FILLED.get(template.syntax):
        pieces, refusals = fill(template.text, {**defaults, **values})
    elif template.syntax == "text":
        pieces, refusals = [Piece(template.text, None, 1)], []
    else:
        raise ValueError(f"render cannot fill a template of syntax {template.syntax!r}")
    names: dict[str, Location] = {}
    for piece in pieces:
        if piece.name:
            names.setdefault(piece.name, _locate_line(template, piece.line))
    uses = tuple(VariableUse(name, _find_state(name, values, defaults), place) for name, place in names.items())
    if refusals:
        return Rendered(
            (), tuple(names.items()), tuple(_make_diagnostic(template, refusal) for refusal in refusals), False, uses
        )
    if template.syntax == "placeholder":
        uses += tuple(
            VariableUse(name, "missing", _locate_line(template, line))
            for name, line in list_unfilled(template.text, names).items()
        )
    return Rendered(_make_segments(template, pieces, values), tuple(names.items()), uses=uses)


def _fill_sections(template: Template, values: Values, defaults: Values) -> Rendered:
    """Fill in a mustache template: what became of its names is known to whoever goes through its sections."""
    pieces, refusals, uses_read = fill_mustache(template.text, {**defaults, **values})
    names: dict[str, Location] = {}
    for read in uses_read:
        names.setdefault(read.name, _locate_line(template, read.line))
    uses = tuple(
        VariableUse(
            read.name,
            "default" if read.state == "present" and STEP.split(read.name)[0] not in values else read.state,
            _locate_line(template, read.line),
            only_asked=read.only_asked,
        )
        for read in uses_read
    )
    if refusals:
        return Rendered(
            (), tuple(names.items()), tuple(_make_diagnostic(template, refusal) for refusal in refusals), False, uses
        )
    texts = _report_texts(template, _list_texts_in_sections(template, uses_read, {**defaults, **values}))
    return Rendered(_make_segments(template, pieces, values), tuple(names.items()), texts, uses=uses)


def _list_texts_in_sections(
    template: Template, reads: Iterable[Read], values: Values
) -> Iterator[tuple[str, str, str, int]]:
    """Yield the texts that look like lists of which a section is meant to go through the items."""
    if not DOT.search(template.text):
        return
    for read in reads:
        value = values.get(read.name)
        if read.only_asked and isinstance(value, str) and looks_like_python(value):
            yield read.name, "key", "python", read.line


def _make_segments(template: Template, pieces: Sequence[Piece], values: Values) -> tuple[Segment, ...]:
    return tuple(
        Segment(piece.text, _find_origin(template, piece.name, values), piece.name, _locate_line(template, piece.line))
        for piece in pieces
        if piece.text
    )


def _find_state(name: str, values: Values, defaults: Values) -> UseState:
    """Say what became of a plain field, which is filled with whatever its value is."""
    if name in values:
        value = values[name]
    else:
        value = defaults[name]
    if value is None:
        return "null"
    if value in ("", [], {}):
        return "empty"
    if name in values:
        return "present"
    return "default"


def _find_origin(template: Template, name: str | None, values: Values) -> Origin:
    if name is None:
        return template.origin
    if name in values or STEP.split(name)[0] in values:
        return "variable"
    return "default"


def _make_diagnostic(template: Template, wrong: Refusal) -> Diagnostic:
    return Diagnostic(wrong.code, wrong.values, _locate_line(template, wrong.line), wrong.flagged)


def _locate_line(template: Template, line: int | None) -> Location:
    """Return the place of a line of the template: in its file, if it has one."""
    return _line_at(template.place, line or 1)


@lru_cache(4096)
def _line_at(place: Location, line: int) -> Location:
    return replace(place, line=(place.line or 1) + line - 1, column=None)


def _render_jinja(
    templates: Sequence[Template], values: Values, defaults: Values, origins: bool = True
) -> list[dict[str, Any]]:
    """Return for each Jinja template what the sandbox answers, or {"failed": verdict}; the rest fails when their time
    is over.

    What was stopped is remembered, with the values it was given: the same again costs nothing and answers the same.
    """
    cells = {name: cell for name, value in values.items() if (cell := cell_of(value)) is not None}
    inputs = {"values": values, "defaults": defaults, "together": TOGETHER, "origins": origins, "cells": cells}
    limits = LIMITS if origins else TEXT_ALONE
    if not templates:
        return []
    immediate = _ask_staying_child(templates, inputs, limits)
    if immediate is not None:
        return immediate
    answers: list[dict[str, Any]] = []
    stops = 0
    while len(answers) < len(templates) and stops < STOPS:
        rest = templates[len(answers) :]
        verdicts = [_stopped and _stopped.get(_make_key(template, inputs)) for template in rest]
        new_count = next((at for at, verdict in enumerate(verdicts) if verdict), len(rest))
        try:
            answers.extend(
                sandbox.stream(WORK, {"templates": _list_requests(rest[:new_count]), **inputs}, limits)
                if new_count
                else ()
            )
            if new_count < len(rest):
                verdict = verdicts[new_count]
            else:
                verdict = None
        except sandbox.Stopped as stopped:
            verdict = stopped.kind, stopped.detail
            _remember(_make_key(templates[len(answers)], inputs), verdict)
        if not verdict:
            break
        answers.append(_make_failure(*verdict))
        stops += 1
    return answers + [_make_failure("turn")] * (len(templates) - len(answers))


def _ask_staying_child(
    templates: Sequence[Template], inputs: Mapping[str, Any], limits: sandbox.Limits
) -> list[dict[str, Any]] | None:
    """Return the answers of a child that stays, where there is one for these templates and all of them give a text."""
    name = tuple((template.text, template.blocks) for template in templates), inputs["origins"]
    answers = ask_staying_child(name, WORK, {"templates": _list_requests(templates), **inputs}, limits)
    is_whole = answers is not None and len(answers) == len(templates)
    if is_whole and not any("failed" in answer for answer in answers or ()):
        return answers
    return None


def _list_requests(templates: Sequence[Template]) -> list[list[Any]]:
    return [[template.text, template.blocks] for template in templates]


def _make_failure(kind: str, reason: str = "") -> dict[str, Any]:
    return {"names": {}, "failed": {"kind": kind, "reason": reason, "line": None}}


def _make_key(template: Template, inputs: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(json.dumps([template.text, template.blocks, inputs]).encode("ascii")).digest()


def _remember(key: bytes, verdict: tuple[str, str]) -> None:
    with _lock:
        while len(_stopped) >= MOST:
            del _stopped[next(iter(_stopped))]
        _stopped[key] = verdict


def make_rendered(template: Template, answer: Mapping[str, Any]) -> Rendered:
    """Make a rendered template of what the sandbox answered."""
    names = _locate_names(template.place, tuple(answer["names"].items()))
    use_rows = answer.get("uses")
    if use_rows:
        uses = _locate_uses(template.place, tuple(map(tuple, use_rows)))
    else:
        uses = ()
    if failed := answer.get("failed"):
        return Rendered((), names, (_explain_failure(template, failed),), False, uses)
    places = {line: _locate_line(template, line) for line in {piece[3] for piece in answer["pieces"]}}
    segments = (
        Segment(text, template.origin if kind == "literal" else kind, name, places[line])
        for text, kind, name, line in answer["pieces"]
    )
    diagnostics = (*_report_random(template, answer.get("drawn")), *_report_texts(template, answer.get("texts") or ()))
    return Rendered(tuple(segments), names, diagnostics, uses=uses)


def _report_texts(template: Template, entered: Iterable[Sequence[Any]]) -> tuple[Diagnostic, ...]:
    """Report each text that the template goes into as if it were a list."""
    diagnostics: dict[str, Diagnostic] = {}
    for path, access, looks, line in sorted(entered, key=lambda entry: entry[1] == "key"):
        severity: Severity = "warning" if access == "key" or looks == "text" else "error"
        values = {"name": path, "looks": LOOKS[looks], "sent": SENT[access], "column": STEP.split(path)[0]}
        diagnostics.setdefault(
            path, Diagnostic("asm-text-for-list", values, _locate_line(template, line), path, severity)
        )
    return tuple(diagnostics.values())


def _report_random(template: Template, drawn: Sequence[Any] | None) -> tuple[Diagnostic, ...]:
    if not drawn:
        return ()
    what, line = drawn
    return (Diagnostic("asm-random-text", {"what": what}, _locate_line(template, line), what),)


@lru_cache(4096)
def _locate_names(place: Location, lines: tuple[tuple[str, int], ...]) -> tuple[tuple[str, Location], ...]:
    """Return each name with the place where it first appears, in the order of the lines."""
    return tuple((name, _line_at(place, line or 1)) for name, line in sorted(lines, key=lambda item: item[1]))


@lru_cache(4096)
def _locate_uses(place: Location, rows: tuple[tuple[Any, ...], ...]) -> tuple[VariableUse, ...]:
    return tuple(
        VariableUse(name, state, _line_at(place, line), times, total, only_asked)
        for name, state, line, times, total, only_asked in rows
    )


def _explain_failure(template: Template, failed: Mapping[str, Any]) -> Diagnostic:
    """Make the one diagnostic of a template that gave no text."""
    kind, reason, place = failed["kind"], failed["reason"], _locate_line(template, failed["line"])
    if kind in EXCESS:
        what, limit = EXCESS[kind]
        return Diagnostic("dat-limit", {"what": what, "limit": limit}, place, what)
    if kind == "unsafe":
        return Diagnostic("alb-unsafe-template", {"reason": reason}, place, reason)
    if template.origin == "adapter":
        return Diagnostic("asm-adapter-error", {"reason": reason or "it includes another file"}, place, reason)
    if kind == "include":
        return Diagnostic("alb-include", {}, place, "include")
    values = {"reason": reason, "mark": "", "why": ""}
    if template.syntax == "jinja":
        unreadable = find_unreadable(template.text, failed["line"])
    else:
        unreadable = None
    if unreadable:
        values |= {"mark": unreadable.mark, "why": unreadable.why}
    return Diagnostic("alb-render-error", values, place, reason)
