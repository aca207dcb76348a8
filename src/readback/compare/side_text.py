"""Read the sides of a command line: condition=X,record=1 against condition=Y.

What one side does not say is as in the other. Where that would leave nothing to compare, an adapter, an option, a
workspace and a revision belong to the side that names them: `--a condition=X --b condition4=standard` compares the
option with its present value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from readback.compare.side import LAYERS, Layer, Side, SideError
from readback.readers.yaml_file import nearest
from readback.sources.options import OPTIONS
from readback.types import Selection

SENT = ("condition", "mode", "task", "judge")
KEYS = ("condition", "mode", "task", "adapter", "judge", "record", "index", "layer", "workspace", "rev")
PAIR = re.compile(r"""\s*([^\s=,"]+)\s*=\s*("(?:[^"\\]|\\.)*"|(?:[^,"\\]|\\.)(?:[^,\\]|\\.)*|)\s*(,|$)""", re.DOTALL)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def read_sides(a: str, b: str) -> tuple[Side, Side]:
    """The two sides; what one does not say is as in the other, as far as that makes sense. Raises SideError."""
    return _sides(_pairs(a, "a"), _pairs(b, "b"))


def sides(a: Mapping[str, str], b: Mapping[str, str]) -> tuple[Side, Side]:
    """The two sides that these keys and values say, as `read_sides` reads them in a text. Raises SideError."""
    for name, said in (("a", a), ("b", b)):
        for key, value in said.items():
            _known(key, name)
            _allowed(key, value, name)
        if "record" in said and "index" in said:
            raise SideError(f"{name}: record is an id and index a number: give one of them")
    return _sides(a, b)


def _sides(one: Mapping[str, str], other: Mapping[str, str]) -> tuple[Side, Side]:
    found = _side(_filled(one, other), other), _side(_filled(other, one), one)
    if found[0] != found[1]:
        return found
    found = _side(one, other), _side(other, one)
    if found[0] == found[1] and one != other:  # taking from each other left nothing to compare: only B takes
        return _side(one, {}), found[1]
    return found


def _pairs(text: str, side: str) -> dict[str, str]:
    """Keys and values; a value with a comma is in double quotes, or has a backslash before the comma."""
    said: dict[str, str] = {}
    at = 0
    while text[at:].strip():
        found = PAIR.match(text, at)
        if found is None:
            raise SideError(f"--{side} {text}: write key=value, with a comma between two: condition=X,record=1")
        key, value = found[1], found[2]
        _known(key, f"--{side}")
        if key in said:
            raise SideError(f"--{side} {text}: {key} is said twice")
        said[key] = ESCAPED.sub(r"\1", value[1:-1] if value.startswith('"') else value.rstrip())
        _allowed(key, said[key], f"--{side}")
        at = found.end()
    if "record" in said and "index" in said:
        raise SideError(f"--{side} {text}: record is an id and index a number: give one of them")
    return said


def _known(key: str, side: str) -> None:
    if key not in (*KEYS, *OPTIONS):
        near = nearest(key, (*KEYS, *OPTIONS))
        hint = f"did you mean '{near}'?" if near else f"there are: {', '.join((*KEYS, *OPTIONS))}"
        raise SideError(f"{side}: unknown key '{key}'; {hint}")


def _allowed(key: str, value: str, side: str) -> None:
    known: tuple[str, ...] = LAYERS if key == "layer" else OPTIONS.get(key, ())
    if known and value not in known:
        raise SideError(f"{side}: {key} is {' or '.join(known)}, not '{value}'")
    if key == "index" and not (value.isascii() and value.isdecimal() and len(value) < 19):
        raise SideError(f"{side}: index counts records from 0, and '{value}' is no such number")
    if not value and key not in ("record", "adapter", "rev", "workspace"):
        raise SideError(f"{side}: {key} has no value")


def _side(own: Mapping[str, str], other: Mapping[str, str]) -> Side:
    said = {**own, **_sent(own, other)}
    place = own if {"record", "index"} & set(own) else other
    return Side(
        Selection(*(said.get(name) or None for name in ("condition", "mode", "adapter", "task", "judge"))),
        record=place.get("record"),
        index=int(place["index"]) if "index" in place else None,
        layer=cast(Layer, own.get("layer") or other.get("layer") or "messages"),
        workspace=own.get("workspace") or None,
        rev=own.get("rev") or None,
        options=tuple((name, value) for name, value in own.items() if name in OPTIONS),
    )


def _filled(own: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """A side with the other's files and options. Its adapter too, unless one of them names a condition, which has
    its own."""
    similar = ("condition" in own) == ("condition" in other) or not {*SENT} & set(own)
    taken = ("workspace", "rev", *OPTIONS, *(("adapter",) if similar else ()))
    return {**{name: other[name] for name in taken if name in other}, **own}


def _sent(own: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Which part of what is sent is taken from the other side.

    All of it where this side says nothing; else a condition and a judge complete each other, and so do mode and task.
    """
    mine, theirs = {*SENT} & set(own), {*SENT} & set(other)
    if not mine:
        wanted = theirs
    elif mine <= {"condition", "judge"}:
        wanted = theirs & {"condition", "judge"}
    elif mine <= {"mode", "task"} and {"mode", "task"} <= theirs:
        wanted = theirs & {"mode", "task"}
    else:
        wanted = set()
    return {name: other[name] for name in wanted - mine}
