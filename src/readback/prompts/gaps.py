"""Where a name without a value would stand in the messages of one record.

A name that fills in nothing leaves no trace in the text. So the record is assembled once more with a sign in place of
each such value; where the text without the signs is the same, they are where the values would be. A template that says
something else as soon as there is a value is not guessed about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from readback.prompts import assemble
from readback.types import Answer, Assembly, Record, Workspace

FIRST = 0xE000  # private-use characters, which mean nothing in any text
MOST = 40  # names that are looked for
WITHOUT = ("missing", "null", "empty")
SIGN = re.compile(f"[{chr(FIRST)}-{chr(FIRST + MOST - 1)}]")


@dataclass(frozen=True, slots=True)
class Gap:
    """A place between two characters of a message: the name that would be there, and why nothing is."""

    at: int
    name: str
    state: str


def find_gaps(
    opened: Workspace,
    record: Record,
    made: Assembly,
    answer: Answer | None = None,
    tried: Mapping[str, Any] | None = None,
) -> tuple[tuple[Gap, ...], ...]:
    """The gaps of each message, in the order of the text; offsets count characters of the message."""
    names = {use.name: use.state for use in made.uses if use.state in WITHOUT and "[" not in use.name}
    if not names or len(names) > MOST or any(SIGN.search(one.text) for one in made.messages):
        return ((),) * len(made.messages)

    def looked(wanted: Iterable[str]) -> tuple[tuple[Gap, ...], ...] | None:
        listed = list(wanted)
        signs = {name: chr(FIRST + number) for number, name in enumerate(listed)}
        again = assemble.assemble(opened, record, made.choice, answer, {**(tried or {}), **signs}, origins=False)
        same = [(one.role, SIGN.sub("", one.text)) for one in again.messages]
        if same != [(one.role, one.text) for one in made.messages]:
            return None
        return tuple(_gaps(one.text, listed, names) for one in again.messages)

    if (together := looked(names)) is not None:
        return together
    alone = [found for name in names if len(names) > 1 and (found := looked([name])) is not None]
    return tuple(
        tuple(sorted((gap for found in alone for gap in found[number]), key=lambda gap: gap.at))
        for number in range(len(made.messages))
    )


def _gaps(text: str, listed: list[str], states: Mapping[str, str]) -> tuple[Gap, ...]:
    found = []
    for before, sign in enumerate(SIGN.finditer(text)):
        name = listed[ord(sign[0]) - FIRST]
        found.append(Gap(sign.start() - before, name, states[name]))
    return tuple(found)
