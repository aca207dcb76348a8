"""One of two sides that are compared: what is sent, for which record, in which layer, from which files.

Bring two sides into a form that can be held against each other: what a model was trained on, as text or messages.

Read the sides of a command line: condition=X,record=1 against condition=Y.

What one side does not say is as in the other. Where that would leave nothing to compare, an adapter, an option, a
workspace and a revision belong to the side that names them: `--a condition=X --b condition4=standard` compares the
option with its present value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

from readback.prompts.messages import compute_fingerprint
from readback.prompts.selections import Variant
from readback.prompts.training_text import TrainedText
from readback.readers.yaml.yaml_file import find_nearest
from readback.sources.options import OPTIONS
from readback.types import Assembly, Diagnostic, Message, Selection

Layer = Literal["messages", "wire", "training"]
Form = Literal["", "text", "prompt", "messages"]  # of what was trained on: all of its text, up to the answer, messages
LAYERS: tuple[Layer, ...] = ("messages", "wire", "training")


class SideError(Exception):
    """A side cannot be shown; its text is a sentence that says why."""


class NoRowError(SideError):
    """The layer is known, but not for this record: other records may have it."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is compared. `record` is an id and goes before `index`; without both the caller's record is meant.

    `workspace` is another folder or file, `rev` a revision of git of it; `options` replace those of its file.
    """

    choice: Selection
    record: str | None = None
    index: int | None = None
    layer: Layer = "messages"
    workspace: str | None = None
    rev: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ShownSide:
    """A side with its messages; in the layer `wire` one message of the role "prompt".

    `assembly` is what the messages come from, in the layer `training` the training messages. There, `trained` is all
    that is known, and `form` says what of it is shown: the text a model was trained on, as one message "prompt", or
    its messages where no template is known for them. `variants` are the named options that made the text.
    `system_unknown` says why it is not known which system message the model gets, where none of `messages` is one.
    """

    side: Side
    messages: tuple[Message, ...]
    fingerprint: str
    assembly: Assembly | None
    diagnostics: tuple[Diagnostic, ...]
    label: str
    trained: TrainedText | None = None
    variants: tuple[Variant, ...] = ()
    form: Form = ""
    system_unknown: str | None = None

    @property
    def title(self) -> str:
        """The label, and what is shown of what was trained on: condition x, layer training (ChatML, assumed)."""
        if self.trained and self.form:
            return f"{self.label} ({_describe_form(self.trained, self.form)})"
        return self.label


def format_label(side: Side, record: str | None = None) -> str:
    """Format a side: condition hybrid, record 12, condition4 standard. `record`: the id of the record shown."""
    chosen = side.choice
    parts = [(name, getattr(chosen, name)) for name in ("condition", "mode", "task", "adapter", "judge")]
    record_name = side.record if side.record is not None else side.index
    parts += [("record", record_name if record is None else record), *side.options]
    parts += [("layer", None if side.layer == "messages" else side.layer)]
    parts += [("workspace", side.workspace), ("revision", side.rev)]
    return ", ".join(f"{name} {value}" for name, value in parts if value is not None)


def _describe_form(trained_text: TrainedText, form: Form) -> str:
    if form == "messages" or trained_text.template is None:
        return "its messages" + (": no training template is known" if trained_text.missing == "template" else "")
    if trained_text.template.basis == "assumed":
        assumed = ", assumed"
    else:
        assumed = ""
    return f"{trained_text.template.name}{assumed}{', up to the answer' if form == 'prompt' else ''}"


def match_forms(a: ShownSide, b: ShownSide) -> tuple[ShownSide, ShownSide]:
    """Return both sides in forms that can be compared.

    Beside what the model reads, a training text ends where the answer begins; beside messages, its own messages
    stand, which no template has touched yet.
    """
    layers = {a.side.layer, b.side.layer}
    if layers == {"training", "wire"}:
        return set_form(a, "prompt"), set_form(b, "prompt")
    if layers == {"training", "messages"}:
        return set_form(a, "messages"), set_form(b, "messages")
    return a, b


def set_form(shown_side: ShownSide, form: Form) -> ShownSide:
    """Return a side with its training text in this form, or its messages without a known template; others unchanged."""
    trained_text = shown_side.trained
    if trained_text is None or trained_text.messages is None:
        return shown_side
    if trained_text.missing == "template":
        form = "messages"
    messages: tuple[Message, ...]
    if form == "messages":
        messages = trained_text.messages.messages
    else:
        if trained_text.text:
            text = trained_text.text.segments
        else:
            text = ()
        if form == "prompt":
            segments = trained_text.prompt
        else:
            segments = text
        if segments:
            messages = (Message("prompt", segments),)
        else:
            messages = ()
    if messages:
        mark = compute_fingerprint(messages)
    else:
        mark = ""
    return replace(shown_side, messages=messages, fingerprint=mark, form=form)


SENT = ("condition", "mode", "task", "judge")
KEYS = ("condition", "mode", "task", "adapter", "judge", "record", "index", "layer", "workspace", "rev")
PAIR = re.compile(r"""\s*([^\s=,"]+)\s*=\s*("(?:[^"\\]|\\.)*"|(?:[^,"\\]|\\.)(?:[^,\\]|\\.)*|)\s*(,|$)""", re.DOTALL)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def read_sides(a: str, b: str) -> tuple[Side, Side]:
    """Parse the two sides; a side takes what it does not name from the other where that fits. Raise SideError."""
    return _complete_sides(_read_pairs(a, "a"), _read_pairs(b, "b"))


def make_sides(a: Mapping[str, str], b: Mapping[str, str]) -> tuple[Side, Side]:
    """Make the two sides of these keys and values, as `read_sides` does for text. Raise SideError."""
    for name, pairs in (("a", a), ("b", b)):
        for key, value in pairs.items():
            _check_key(key, name)
            _check_value(key, value, name)
        if "record" in pairs and "index" in pairs:
            raise SideError(f"{name}: record is an id and index a number: give one of them")
    return _complete_sides(a, b)


def _complete_sides(pairs_a: Mapping[str, str], pairs_b: Mapping[str, str]) -> tuple[Side, Side]:
    sides = _make_side(_fill_side(pairs_a, pairs_b), pairs_b), _make_side(_fill_side(pairs_b, pairs_a), pairs_a)
    if sides[0] != sides[1]:
        return sides
    sides = _make_side(pairs_a, pairs_b), _make_side(pairs_b, pairs_a)
    if sides[0] == sides[1] and pairs_a != pairs_b:  # taking from each other left nothing to compare: only B takes
        return _make_side(pairs_a, {}), sides[1]
    return sides


def _read_pairs(text: str, side: str) -> dict[str, str]:
    """Keys and values; a value with a comma is in double quotes, or has a backslash before the comma."""
    pairs: dict[str, str] = {}
    at = 0
    while text[at:].strip():
        match = PAIR.match(text, at)
        if match is None:
            raise SideError(f"--{side} {text}: write key=value, with a comma between two: condition=X,record=1")
        key, value = match[1], match[2]
        _check_key(key, f"--{side}")
        if key in pairs:
            raise SideError(f"--{side} {text}: {key} is said twice")
        pairs[key] = ESCAPED.sub(r"\1", value[1:-1] if value.startswith('"') else value.rstrip())
        _check_value(key, pairs[key], f"--{side}")
        at = match.end()
    if "record" in pairs and "index" in pairs:
        raise SideError(f"--{side} {text}: record is an id and index a number: give one of them")
    return pairs


def _check_key(key: str, side: str) -> None:
    if key not in (*KEYS, *OPTIONS):
        near = find_nearest(key, (*KEYS, *OPTIONS))
        if near:
            hint = f"did you mean '{near}'?"
        else:
            hint = f"there are: {', '.join((*KEYS, *OPTIONS))}"
        raise SideError(f"{side}: unknown key '{key}'; {hint}")


def _check_value(key: str, value: str, side: str) -> None:
    allowed: tuple[str, ...] = LAYERS if key == "layer" else OPTIONS.get(key, ())
    if allowed and value not in allowed:
        raise SideError(f"{side}: {key} is {' or '.join(allowed)}, not '{value}'")
    if key == "index" and not (value.isascii() and value.isdecimal() and len(value) < 19):
        raise SideError(f"{side}: index counts records from 0, and '{value}' is no such number")
    if not value and key not in ("record", "adapter", "rev", "workspace"):
        raise SideError(f"{side}: {key} has no value")


def _make_side(own: Mapping[str, str], other: Mapping[str, str]) -> Side:
    """Build one side of a comparison from its own parameters of the address, completed by those of the other side.

    The record and the layer are the other side's where this one states none; options and revision are never taken over.
    Raises ValueError where the record's number is no number.
    """
    parts = {**own, **_take_sent(own, other)}
    if {"record", "index"} & set(own):
        place = own
    else:
        place = other
    return Side(
        Selection(*(parts.get(name) or None for name in ("condition", "mode", "adapter", "task", "judge"))),
        record=place.get("record"),
        index=int(place["index"]) if "index" in place else None,
        layer=cast(Layer, own.get("layer") or other.get("layer") or "messages"),
        workspace=own.get("workspace") or None,
        rev=own.get("rev") or None,
        options=tuple((name, value) for name, value in own.items() if name in OPTIONS),
    )


def _fill_side(own: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Return a side with the other's files and options. Its adapter too, unless one of them names a condition, which
    has its own.
    """
    similar = ("condition" in own) == ("condition" in other) or not {*SENT} & set(own)
    names = ("workspace", "rev", *OPTIONS, *(("adapter",) if similar else ()))
    return {**{name: other[name] for name in names if name in other}, **own}


def _take_sent(own: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of the selection that are taken from the other side.

    All of them where this side names none; else a condition and a judge complete each other, and so do mode and task.
    """
    own_names, other_names = {*SENT} & set(own), {*SENT} & set(other)
    if not own_names:
        names = other_names
    elif own_names <= {"condition", "judge"}:
        names = other_names & {"condition", "judge"}
    elif own_names <= {"mode", "task"} and {"mode", "task"} <= other_names:
        names = other_names & {"mode", "task"}
    else:
        names = set()
    return {name: other[name] for name in names - own_names}
