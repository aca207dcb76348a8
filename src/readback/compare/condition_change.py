"""Say in a phrase what one condition's messages have or lack beside another's."""

from __future__ import annotations

from readback.compare.diff import compare_sides
from readback.compare.sentence import list_changes, list_facts
from readback.compare.side import Side, SideError
from readback.compare.sides import show_side
from readback.types import Selection, Workspace


def describe_condition_change(opened: Workspace, a: str, b: str) -> str:
    """Return how the messages of condition `b` differ from those of `a` for the first record, as phrases that
    begin with a verb, or with the message where there are several; "" where they do not differ, or where one of the two
    cannot be assembled.
    """
    try:
        sides = [show_side(opened, Side(Selection(condition=name))) for name in (a, b)]
    except SideError:
        return ""
    phrases = list_changes(list_facts(compare_sides(*sides)))
    named = (phrase.replace(" message: ", " message ", 1) for phrase in phrases)
    return "; ".join(f"{phrase[:1].lower()}{phrase[1:]}" for phrase in named)
