"""In the sandbox: what became of the names that passed by while a watched template rendered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from jinja2 import Undefined
from jinja2.runtime import Context
from jinja2.utils import pass_context

from readback.prompts.render.trace import Trace
from readback.prompts.render.watch import Look

SEEN = "readback seen"  # a name no template can read
NUMBER = re.compile(r"\[\d+\]")
ROOT = re.compile(r"[.\[]")  # where the first name of a path ends
NOWHERE = ("missing", "default")  # the states of a name without a value
LONGEST = 200  # characters of a name; beyond, it is data that was taken for a key
MOST = 500  # names found while rendering, for one record

Kept = tuple[str, str, int, int, int, bool]  # name, state, line, times, of, asked


class Seen:
    """One rendering: how often each look saw a value, and what else it saw instead."""

    def __init__(self, looks: Sequence[Look], trace: Trace) -> None:
        self.looks, self.trace = looks, trace
        self.present = [0] * len(looks)
        self.odd: Counter[tuple[int, str]] = Counter()
        self.found: Counter[tuple[int, str, str]] = Counter()

    def key(self) -> tuple[Any, ...]:
        """Two renderings with the same key have the same account."""
        return tuple(self.present), tuple(self.odd.items()), tuple(self.found.items())


@pass_context
def watch(context: Context, value: Any, index: int) -> Any:
    """The value itself, once it was looked at."""
    seen: Seen = context.parent[SEEN]
    if value or (state := _state(value, seen.looks[index].how)) == "present":
        seen.present[index] += 1
    else:
        seen.odd[index, state] += 1
    return value


@pass_context
def find(context: Context, value: Any, index: int, objects: list[Any], computed: list[Any]) -> Any:
    """The same for a value whose path only the objects on the way to it tell."""
    seen: Seen = context.parent[SEEN]
    look = seen.looks[index]
    if (name := _name(seen.trace, look, objects, computed)) is not None and len(seen.found) < MOST:
        seen.found[index, name, "present" if value else _state(value, look.how)] += 1
    return value


@pass_context
def get(context: Context, holder: Any, index: int) -> Any:
    """The same for `holder.get(key)`, before it is called."""
    seen: Seen = context.parent[SEEN]
    look = seen.looks[index]
    if isinstance(holder, dict):
        value = holder[look.key] if look.key in holder else Undefined(name=look.key)
        seen.odd[index, "present" if value else _state(value, look.how)] += 1
    return holder


def _state(value: Any, how: str) -> str:
    """What a value that counts as false is, where it is read like this."""
    if how == "holder" and not isinstance(value, Undefined):
        return "present"
    if isinstance(value, Undefined):
        return "default" if how in ("default", "falsy") else "missing"
    if how == "falsy":
        return "falsy"
    if value is None:
        return "null"
    if isinstance(value, str | list | dict | tuple):
        return "idle" if how == "looped" else "empty"
    return "present"


def _name(trace: Trace, look: Look, objects: list[Any], computed: list[Any]) -> str | None:
    assert look.site is not None  # noqa: S101 - only such looks are found while rendering
    assert look.site.chain is not None  # noqa: S101 - likewise
    name, root = trace.path(look.site, objects, computed), look.site.chain.root
    if name is None and isinstance(objects[0], Undefined) and root in trace.roots and root not in trace.values:
        name = root + (look.site.tails[0] or "")
    elif name is None or ROOT.split(name, maxsplit=1)[0] not in trace.values:  # the template's own None is no value
        return None
    return NUMBER.sub("[*]", name) if len(name) <= LONGEST else None


def account(looks: Sequence[Look], seen: Seen | None, absent: Collection[str]) -> tuple[Kept, ...]:
    """Each name with each of its states, in the order of the lines; a name that no taken branch reads is untaken.

    `absent` are the names that the configuration's defaults supply. Without `seen` nothing is known but the names.
    """
    rows: dict[tuple[str, str], Kept] = {}
    lines = {look.name: look.line for look in reversed(looks) if look.name and look.how != "holder"}
    for name, state, look, times, of in _times(looks, seen) if seen else ():
        lines[name] = min(look.line, lines.get(name, look.line))
        root = ROOT.split(name, maxsplit=1)[0]
        if seen and root not in seen.trace.values and state not in NOWHERE:
            continue  # the variable of a loop over `[name, 'text']`: what it holds now is a text of the template
        if state == "present" and root in absent:
            state = "default"
        before = rows.get((name, state), (name, state, 0, 0, 0, True))
        most = (times, of) if times > before[3] else before[3:5]
        rows[name, state] = (name, state, 0, *most, look.asked and before[5])
    for name in lines.keys() - {name for name, _ in rows}:
        rows[name, "untaken"] = (name, "untaken", 0, 0, 0, all(look.asked for look in looks if look.name == name))
    placed = ((name, state, lines[name], *rest) for name, state, _, *rest in rows.values())
    return tuple(sorted(placed, key=lambda row: (row[2], row[0], row[1])))  # type: ignore[arg-type]


def _times(looks: Sequence[Look], seen: Seen) -> Iterator[tuple[str, str, Look, int, int]]:
    """Name, state, look, how often it was in that state, and how often it passed by there at all."""
    odd: dict[int, list[tuple[str, int]]] = {}
    for (index, state), times in seen.odd.items():
        odd.setdefault(index, []).append((state, times))
    for index, look in enumerate(looks):
        if look.name is None:
            continue
        there = seen.present[index] if look.how != "holder" else 0
        states = [*odd.get(index, ()), *([("present", there)] if there else ())]
        of = sum(times for _, times in states)
        yield from ((look.name, state, look, times, of) for state, times in states)
    of_found: Counter[tuple[int, str]] = Counter()
    for (index, name, _), times in seen.found.items():
        of_found[index, name] += times
    for (index, name, state), times in seen.found.items():
        yield name, state, looks[index], times, of_found[index, name]
