"""In which way two lists of messages differ, told quickly: one word for each record of a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from readback.types import Message

KINDS = ("only_system_a", "only_system_b", "roles", "blank", "order", "added", "removed", "system", "changed")
Texts = Sequence[tuple[str, str]]  # role, text


def kind(a: Sequence[Message], b: Sequence[Message]) -> str:
    """ "" where roles and texts are equal, else the first of KINDS that is true of them.

    only_system_a, only_system_b: one of them alone has a system message, and the other roles are the same; roles:
    other messages, or in another order; blank: only white space; order: the same words, or the same variables, in
    another order; added, removed: B is A with one stretch more, or less; system: only the system message; changed:
    anything else.
    """
    one, other = [(m.role, m.text) for m in a], [(m.role, m.text) for m in b]
    if one == other:
        return ""
    if (roles := ([role for role, _ in one], [role for role, _ in other]))[0] != roles[1]:
        return _roles(*roles)
    found = texts_kind([(x[1], y[1]) for x, y in zip(one, other, strict=True) if x != y])
    return found or ("order" if _reordered(a, b) else _where(one, other))


def _roles(a: list[str], b: list[str]) -> str:
    for name, more, less in (("only_system_a", a, b), ("only_system_b", b, a)):
        if "system" in more and [role for role in more if role != "system"] == less:
            return name
    return "roles"


def texts_kind(pairs: Sequence[tuple[str, str]]) -> str:
    """The first of blank, order, added and removed that is true of all pairs of different texts; "" where none is."""
    shared = set.intersection(*({*_text_kinds(a, b)} for a, b in pairs))
    return next((name for name in KINDS if name in shared), "")


def _text_kinds(a: str, b: str) -> Iterator[str]:
    lines_a, lines_b = _lines(a), _lines(b)
    if sorted(lines_a) == sorted(lines_b):  # by far quicker than words, and most often enough
        yield "blank" if "".join(lines_a) == "".join(lines_b) else "order"
        return
    words_a, words_b = a.split(), b.split()
    dense_a, dense_b = "".join(words_a), "".join(words_b)
    if dense_a == dense_b:
        yield "blank"
    if len(dense_a) == len(dense_b) and dict(Counter(words_a)) == dict(Counter(words_b)):  # Counter's == is slow
        yield "order"
    if len(a) != len(b) and _within(*sorted((a, b), key=len)):
        yield "added" if len(a) < len(b) else "removed"


def _lines(text: str) -> list[str]:
    return [line for line in map(str.strip, text.split("\n")) if line]


def _reordered(a: Sequence[Message], b: Sequence[Message]) -> bool:
    """Whether both hold the same variables, and in some message in another order."""
    one, other = [_variables(m) for m in a], [_variables(m) for m in b]
    return one != other and [*map(sorted, one)] == [*map(sorted, other)]


def _variables(message: Message) -> list[str]:
    names = (s.name.partition("[")[0] for s in message.segments if s.origin == "variable" and s.name)
    return list(dict.fromkeys(names))


def _where(a: Texts, b: Texts) -> str:
    roles = {x[0] for x, y in zip(a, b, strict=True) if x != y}
    return "system" if roles == {"system"} else "changed"


def _within(short: str, long: str) -> bool:
    """Whether the longer text is the shorter one with one stretch put in."""
    low, high = 0, len(short)
    while low < high:  # the longest common start
        middle = (low + high + 1) // 2
        low, high = (middle, high) if short[low:middle] == long[low:middle] else (low, middle - 1)
    return short[low:] == long[low + len(long) - len(short) :]
