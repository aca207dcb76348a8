"""Say in a phrase what one condition's messages have or lack beside another's."""

from __future__ import annotations

from readback.compare.diff import compare_sides
from readback.compare.sentence import format_facts, list_facts
from readback.compare.side import Side, SideError
from readback.compare.sides import show_side
from readback.types import Selection, Workspace

SUBJECT = "B "  # which a sentence on two sides begins with, unless they differ in blanks, values or order alone


def describe_condition_change(opened: Workspace, a: str, b: str) -> str:
    """Return how the messages of condition `b` differ from those of `a` for the first record, as a sentence without
    subject and full stop; "" where they do not differ in what templates state, or where one of the two is not there.
    """
    try:
        sides = [show_side(opened, Side(Selection(condition=name))) for name in (a, b)]
    except SideError:
        return ""
    sentence = format_facts(list_facts(compare_sides(*sides)))
    if not sentence.startswith(SUBJECT):
        return ""
    return sentence.removeprefix(SUBJECT).removesuffix(".")
