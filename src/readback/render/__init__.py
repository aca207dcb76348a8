"""Render a template into segments that remember who wrote them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import Any

from readback import cell
from readback.render.simple_fields import Piece, Wrong, format_pieces, left, placeholder_pieces
from readback.types import NOWHERE, Note, Origin, Place, Segment, Syntax, Use, UseState, Values

WORK = "readback.render.jinja:work"
SECONDS = 0.8  # for compiling a template and rendering it twice; ordinary ones take milliseconds
TOTAL = 1.7  # for all templates of one call, so that a hostile set of them costs two seconds and no more
LEAST = 0.2  # seconds left that are worth another child
REMEMBERED = 120.0  # seconds; a machine that was busy must not condemn a template for good
MOST = 256  # verdicts kept
EXCESS: Mapping[str, tuple[str, str]] = {
    "time": ("time to render a template", f"{SECONDS:g} s"),
    "memory": ("memory to render a template", "512 MiB"),
    "output": ("text of one template", "8 Mi characters"),
    "nesting": ("nesting in a template", "the depth that Jinja can read"),
    "crash": ("a template's process", "its own crash"),
    "turn": ("time to render the templates of a message", f"{TOTAL:g} s"),
}


@dataclass(frozen=True, slots=True)
class Template:
    """A text to fill in. `place` is where its first character stands; `blocks` trims lines around Jinja's tags."""

    text: str
    syntax: Syntax = "jinja"
    origin: Origin = "template"
    place: Place = NOWHERE
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a template gave. `ok` False: no segments, and a note that says why.

    `names` are the variables it reads from the values, dotted where the template says so, each with the line
    where it first stands; `uses` what became of them, and of the fields of what it goes through.
    """

    segments: tuple[Segment, ...]
    names: tuple[tuple[str, Place], ...] = ()
    notes: tuple[Note, ...] = ()
    ok: bool = True
    uses: tuple[Use, ...] = ()

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments)


NO_DEFAULTS: Values = {}
_stopped: dict[tuple[str, bool], tuple[str, str, float]] = {}  # template -> kind, detail, when to try again
_lock = Lock()


def render(templates: Sequence[Template], values: Values, defaults: Values = NO_DEFAULTS) -> tuple[Rendered, ...]:
    """Each template over `values`; a name that `values` lacks comes from `defaults`.

    Jinja templates give the text that Jinja2 gives with its default settings, byte for byte.
    """
    jinja = [i for i, template in enumerate(templates) if template.syntax == "jinja"]
    answers = dict(zip(jinja, _jinja([templates[i] for i in jinja], values, defaults), strict=True))
    return tuple(
        _rendered(template, answers[i]) if i in answers else _filled(template, values, defaults)
        for i, template in enumerate(templates)
    )


def render_many(
    templates: Sequence[Template], rows: Iterable[Values], defaults: Values = NO_DEFAULTS
) -> Iterator[tuple[Rendered, ...]]:
    """`render` for each of `rows`. Meant for work inside a cell, where a template is compiled once."""
    for values in rows:
        yield render(templates, values, defaults)


def _filled(template: Template, values: Values, defaults: Values) -> Rendered:
    if template.syntax == "format":
        pieces, wrong = format_pieces(template.text, {**defaults, **values})
    elif template.syntax == "placeholder":
        pieces, wrong = placeholder_pieces(template.text, {**defaults, **values})
    elif template.syntax == "text":
        pieces, wrong = [Piece(template.text, None, 1)], []
    else:
        raise ValueError(f"render cannot fill a template of syntax {template.syntax!r}")
    names: dict[str, Place] = {}
    for piece in pieces:
        if piece.name:
            names.setdefault(piece.name, _at(template, piece.line))
    uses = tuple(Use(name, _state(name, values, defaults), place) for name, place in names.items())
    if wrong:
        return Rendered((), tuple(names.items()), tuple(_wrong(template, each) for each in wrong), False, uses)
    if template.syntax == "placeholder":
        uses += tuple(Use(name, "missing", _at(template, line)) for name, line in left(template.text, names).items())
    segments = (
        Segment(piece.text, _origin(template, piece.name, values), piece.name, _at(template, piece.line))
        for piece in pieces
        if piece.text
    )
    return Rendered(tuple(segments), tuple(names.items()), uses=uses)


def _state(name: str, values: Values, defaults: Values) -> UseState:
    """What became of a plain field, which is filled with whatever is there."""
    value = values[name] if name in values else defaults[name]
    if value is None:
        return "null"
    return "empty" if value in ("", [], {}) else "present" if name in values else "default"


def _origin(template: Template, name: str | None, values: Values) -> Origin:
    if name is None:
        return template.origin
    return "variable" if name in values else "default"


def _wrong(template: Template, wrong: Wrong) -> Note:
    return Note(wrong.code, wrong.values, _at(template, wrong.line), wrong.flagged)


def _at(template: Template, line: int | None) -> Place:
    """The place of a line of the template: in its file, if it has one."""
    return _line_at(template.place, line or 1)


@lru_cache(4096)
def _line_at(place: Place, line: int) -> Place:
    return replace(place, line=(place.line or 1) + line - 1, column=None)


def _jinja(templates: Sequence[Template], values: Values, defaults: Values) -> list[dict[str, Any]]:
    """For each template what the cell answers, or {"failed": verdict}; a stopped one costs its time once."""
    answers: list[dict[str, Any] | None] = [_remembered(template) for template in templates]
    until = time.monotonic() + TOTAL
    while waiting := [i for i, answer in enumerate(answers) if answer is None]:
        left = until - time.monotonic()
        if left < LEAST:
            for i in waiting:
                answers[i] = _failed("turn")
            break
        asked = [[templates[i].text, templates[i].blocks] for i in waiting]
        payload = {"templates": asked, "values": values, "defaults": defaults}
        limits = cell.Limits(seconds=min(SECONDS, left), total=left, closed=True)
        done = 0
        try:
            for answer in cell.stream(WORK, payload, limits):
                answers[waiting[done]] = answer
                done += 1
        except cell.Stopped as stopped:
            answers[waiting[done]] = _failed(stopped.kind)
            _remember(templates[waiting[done]], stopped.kind, stopped.detail)
    return [answer or _failed("turn") for answer in answers]


def _failed(kind: str, reason: str = "") -> dict[str, Any]:
    return {"names": {}, "failed": {"kind": kind, "reason": reason, "line": None}}


def _key(template: Template) -> tuple[str, bool]:
    return hashlib.sha256(template.text.encode("utf-8", "surrogatepass")).hexdigest(), template.blocks


def _remembered(template: Template) -> dict[str, Any] | None:
    if not _stopped:
        return None
    kind, reason, until = _stopped.get(_key(template), ("", "", 0.0))
    return _failed(kind, reason) if time.monotonic() < until else None


def _remember(template: Template, kind: str, detail: str) -> None:
    with _lock:
        while len(_stopped) >= MOST:
            del _stopped[next(iter(_stopped))]
        _stopped[_key(template)] = (kind, detail, time.monotonic() + REMEMBERED)


def _rendered(template: Template, answer: Mapping[str, Any]) -> Rendered:
    names = tuple((name, _at(template, line)) for name, line in sorted(answer["names"].items(), key=lambda n: n[1]))
    uses = _uses(template.place, tuple(map(tuple, answer.get("uses", ()))))
    if failed := answer.get("failed"):
        return Rendered((), names, (_note(template, failed),), False, uses)
    places = {line: _at(template, line) for line in {piece[3] for piece in answer["pieces"]}}
    segments = (
        Segment(text, template.origin if kind == "literal" else kind, name, places[line])
        for text, kind, name, line in answer["pieces"]
    )
    return Rendered(tuple(segments), names, uses=uses)


@lru_cache(4096)
def _uses(place: Place, kept: tuple[tuple[Any, ...], ...]) -> tuple[Use, ...]:
    return tuple(
        Use(name, state, _line_at(place, line), times, of, asked) for name, state, line, times, of, asked in kept
    )


def _note(template: Template, failed: Mapping[str, Any]) -> Note:
    """The one finding of a template that gave no text."""
    kind, reason, place = failed["kind"], failed["reason"], _at(template, failed["line"])
    if kind in EXCESS:
        what, limit = EXCESS[kind]
        return Note("dat-limit", {"what": what, "limit": limit}, place, what)
    if kind == "unsafe":
        return Note("alb-unsafe-template", {"reason": reason}, place, reason)
    if template.origin == "adapter":
        return Note("asm-adapter-error", {"reason": reason or "it includes another file"}, place, reason)
    if kind == "include":
        return Note("alb-include", {}, place, "include")
    return Note("alb-render-error", {"reason": reason}, place, reason)
