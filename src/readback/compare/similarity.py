"""Say quickly in which way two lists of messages differ, and name the edit between them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence

from readback.types import Message

AROUND = 16  # characters of the line beside an edit that are a part of it: the same words elsewhere are another edit
Texts = Sequence[tuple[str, str]]  # role, text


def name_edit(a: Texts, b: Texts) -> str:
    """Return 16 hex digits over what has to be taken from A and put into it to get B, and what is beside that on its
    line.

    Where a text was changed in two places, what lies between them belongs to the edit; between values of a record that
    makes another edit. The same edit the other way round has another name.
    """
    start = _count_common(a, b)
    end = _count_common(a[start:][::-1], b[start:][::-1])
    changed_a, changed_b = a[start : len(a) - end], b[start : len(b) - end]
    parts: list[object]
    if [role for role, _ in changed_a] == [role for role, _ in changed_b]:
        parts = [
            [role, *_cut_edit(text_a, text_b)]
            for (role, text_a), (_, text_b) in zip(changed_a, changed_b, strict=True)
            if text_a != text_b
        ]
    else:
        parts = ["roles", list(changed_a), list(changed_b)]
    text = json.dumps(parts, separators=(",", ":"))  # ASCII: a lone surrogate is an escape
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _cut_edit(a: str, b: str) -> tuple[str, str, str, str]:
    """Return the end of the line before, what A has, what B has, the beginning of the line after."""
    start = _count_common(a, b)
    end = _count_common(a[start:][::-1], b[start:][::-1])
    last = len(a) - end
    before, after = a[max(0, start - AROUND) : start], a[last : last + AROUND]
    return before.rpartition("\n")[2], a[start:last], b[start : len(b) - end], after.partition("\n")[0]


def _count_common(a: Sequence[object], b: Sequence[object]) -> int:
    """Count the items that are the same from the beginning, by halves: comparing slices is quick."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


KINDS = ("only_system_a", "only_system_b", "roles", "blank", "order", "added", "removed", "system", "changed")


def find_kind(a: Sequence[Message], b: Sequence[Message]) -> str:
    """Return "" where roles and texts are equal, else the first of KINDS that is true of them.

    only_system_a, only_system_b: one of them alone has a system message, and the other roles are the same; roles: other
    messages, or in another order; blank: only white space; order: the same words, or the same variables, in another
    order; added, removed: B is A with one stretch more, or less; system: only the system message; changed: anything
    else.
    """
    texts_a, texts_b = [(message.role, message.text) for message in a], [(message.role, message.text) for message in b]
    if texts_a == texts_b:
        return ""
    if (roles := ([role for role, _ in texts_a], [role for role, _ in texts_b]))[0] != roles[1]:
        return _find_roles_kind(*roles)
    kind = find_texts_kind([(x[1], y[1]) for x, y in zip(texts_a, texts_b, strict=True) if x != y])
    return kind or ("order" if _is_reordered(a, b) else _find_place_kind(texts_a, texts_b))


def _find_roles_kind(a: list[str], b: list[str]) -> str:
    for name, more, less in (("only_system_a", a, b), ("only_system_b", b, a)):
        if "system" in more and [role for role in more if role != "system"] == less:
            return name
    return "roles"


def find_texts_kind(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the first of blank, order, added and removed that is true of all pairs of texts; "" where none is."""
    shared = set.intersection(*({*_list_text_kinds(a, b)} for a, b in pairs))
    return next((name for name in KINDS if name in shared), "")


def _list_text_kinds(a: str, b: str) -> Iterator[str]:
    lines_a, lines_b = _list_lines(a), _list_lines(b)
    if sorted(lines_a) == sorted(lines_b):  # by far quicker than words, and most often enough
        yield "blank" if "".join(lines_a) == "".join(lines_b) else "order"
        return
    words_a, words_b = a.split(), b.split()
    dense_a, dense_b = "".join(words_a), "".join(words_b)
    if dense_a == dense_b:
        yield "blank"
    if len(dense_a) == len(dense_b) and dict(Counter(words_a)) == dict(Counter(words_b)):  # Counter's == is slow
        yield "order"
    if len(a) != len(b) and _is_insertion(*sorted((a, b), key=len)):
        yield "added" if len(a) < len(b) else "removed"


def _list_lines(text: str) -> list[str]:
    return [line for line in map(str.strip, text.split("\n")) if line]


def _is_reordered(a: Sequence[Message], b: Sequence[Message]) -> bool:
    """Tell whether both hold the same variables, and in some message in another order."""
    variables_a, variables_b = [_list_variables(message) for message in a], [_list_variables(message) for message in b]
    return variables_a != variables_b and [*map(sorted, variables_a)] == [*map(sorted, variables_b)]


def _list_variables(message: Message) -> list[str]:
    names = (s.name.partition("[")[0] for s in message.segments if s.origin == "variable" and s.name)
    return list(dict.fromkeys(names))


def _find_place_kind(a: Texts, b: Texts) -> str:
    roles = {x[0] for x, y in zip(a, b, strict=True) if x != y}
    if roles == {"system"}:
        return "system"
    return "changed"


def _is_insertion(short: str, long: str) -> bool:
    """Tell whether the longer text is the shorter one with one stretch put in."""
    low, high = 0, len(short)
    while low < high:  # the longest common start
        middle = (low + high + 1) // 2
        if short[low:middle] == long[low:middle]:
            low, high = (middle, high)
        else:
            low, high = (low, middle - 1)
    return short[low:] == long[low + len(long) - len(short) :]
