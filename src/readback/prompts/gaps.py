"""Find where a name without a value would stand in the messages of one record.

A name that fills in nothing leaves no trace in the text. So the record is assembled once more with a sign in place of
each such value; where the text without the signs is the same, they are where the values would be. Where a template
writes something else as soon as there is a value, nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from readback.prompts import assemble
from readback.types import Answer, Assembly, Record, Workspace

FIRST_SIGN = 0xE000  # private-use characters, which mean nothing in any text
MAX_NAMES = 40  # names that are looked for
WITHOUT_VALUE = ("missing", "null", "empty")
SIGN = re.compile(f"[{chr(FIRST_SIGN)}-{chr(FIRST_SIGN + MAX_NAMES - 1)}]")


@dataclass(frozen=True, slots=True)
class Gap:
    """Name the value that is missing at a position between two characters of a message, and say why."""

    position: int
    name: str
    state: str


def find_gaps(
    workspace: Workspace,
    record: Record,
    assembly: Assembly,
    answer: Answer | None = None,
    values: Mapping[str, Any] | None = None,
) -> tuple[tuple[Gap, ...], ...]:
    """Find the gaps of each message, in the order of the text; positions count characters of the message."""
    names = {use.name: use.state for use in assembly.uses if use.state in WITHOUT_VALUE and "[" not in use.name}
    if not names or len(names) > MAX_NAMES or any(SIGN.search(message.text) for message in assembly.messages):
        return ((),) * len(assembly.messages)

    def look_for(wanted_names: Iterable[str]) -> tuple[tuple[Gap, ...], ...] | None:
        """Return the gaps of these names by message; None where their values change the text around them."""
        names_in_order = list(wanted_names)
        signs = {name: chr(FIRST_SIGN + number) for number, name in enumerate(names_in_order)}
        again = assemble.assemble(
            workspace, record, assembly.choice, answer, {**(values or {}), **signs}, origins=False
        )
        texts = [(message.role, SIGN.sub("", message.text)) for message in again.messages]
        if texts != [(message.role, message.text) for message in assembly.messages]:
            return None
        return tuple(_read_signs(message.text, names_in_order, names) for message in again.messages)

    gaps = look_for(names)
    if gaps is not None:
        return gaps
    by_message: list[list[Gap]] = [[] for _ in assembly.messages]
    for name in names if len(names) > 1 else ():
        for number, gaps_in_message in enumerate(look_for([name]) or ()):
            by_message[number] += gaps_in_message
    return tuple(tuple(sorted(gaps_in_message, key=lambda gap: gap.position)) for gaps_in_message in by_message)


def _read_signs(text: str, names: list[str], states: Mapping[str, str]) -> tuple[Gap, ...]:
    """Return the gaps that the signs of a text stand for."""
    gaps = []
    for before, sign in enumerate(SIGN.finditer(text)):
        name = names[ord(sign[0]) - FIRST_SIGN]
        gaps.append(Gap(sign.start() - before, name, states[name]))
    return tuple(gaps)
