"""What short forms stand for: the last full citation they can mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from readback.citations.citation import Citation
from readback.citations.name_words import WRITTEN_OUT

FAR = 400  # citations that are looked back through; what is further is no longer meant
FULL = ("full case", "reporter")


def resolved(found: Sequence[Citation]) -> tuple[Citation, ...]:
    """The citations with `resolves_to` and, for what is resolved, the normal form of what it stands for."""
    made: list[Citation] = []
    for one in found:
        target = _target(one, made)
        if target is None and one.kind in ("short rule", "case name"):  # often given in full only later
            target = _later(one, len(made), found)
        if target is None:
            made.append(one)
        else:
            full = (made if target < len(made) else found)[target]
            made.append(replace(one, normal=full.normal, resolves_to=target, name=one.name or full.name))
    return tuple(made)


def stands_for(one: Citation, full: Sequence[Citation]) -> Citation | None:
    """The full citation of another text that a short form without one in its own text stands for."""
    target = _target(one, full) if one.kind != "id" else None
    return None if target is None else full[target]


def same_name(one: str, other: str) -> bool:
    """Whether two normalised case names mean one case.

    Each party has the other's words, or the first of them, abbreviations written out.
    """
    a, b = one.split(" v "), other.split(" v ")
    return bool(one and other) and len(a) == len(b) == 1 + (" v " in one) and all(map(_begins, a, b))


def same_number(one: Citation, other: Citation) -> bool:
    """Whether two rules have one number, whatever sets they are of."""
    return one.normal.rpartition(" ")[2] == other.normal.rpartition(" ")[2]


def _target(one: Citation, before: Sequence[Citation]) -> int | None:
    """The index of the full citation that `one` stands for; of a full citation None."""
    if one.kind == "id":
        return _nearest(before)
    if one.kind == "short rule":
        return _last(before, lambda full: full.kind == "rule" and same_number(full, one))
    if one.kind == "short case":
        return _case(one, before)
    if one.kind in ("supra", "reference"):
        return _last(before, lambda full: full.resolves_to is None and bool(one.name) and _names(one.name, full.name))
    if one.kind == "case name":
        return _last(before, lambda full: full.kind == "full case" and same_name(one.name, full.name))
    return None


def _names(said: str, name: str) -> bool:
    """Whether `nixon`, or the whole name, names the case."""
    return f" {said} " in f" {name} " or same_name(said, name)


def _last(before: Sequence[Citation], fits: Callable[[Citation], bool]) -> int | None:
    numbers = range(len(before) - 1, max(-1, len(before) - 1 - FAR), -1)
    return next((n for n in numbers if not before[n].short and fits(before[n])), None)


def _later(one: Citation, here: int, found: Sequence[Citation]) -> int | None:
    for number in range(here + 1, min(len(found), here + FAR)):
        full = found[number]
        if one.kind == "short rule" and full.kind == "rule" and same_number(full, one):
            return number
        if one.kind == "case name" and full.kind == "full case" and same_name(one.name, full.name):
            return number
    return None


def _nearest(before: Sequence[Citation]) -> int | None:
    """What the citation before stands for; a case name alone, such as a page's heading, is passed over."""
    for number in range(len(before) - 1, max(-1, len(before) - 1 - FAR), -1):
        one = before[number]
        if one.kind == "case name" and one.resolves_to is None:
            continue
        return one.resolves_to if one.short or one.resolves_to is not None else number
    return None


def _case(short: Citation, before: Sequence[Citation]) -> int | None:
    """Of the cases in that volume the one that the page falls into: the last that begins at it or before."""
    page = int(short.page) if short.page and short.page.isdecimal() else None
    there = [
        (int(full.page), number)
        for number, full in enumerate(before[-FAR:], max(0, len(before) - FAR))
        if full.kind in FULL
        and (full.volume, full.reporter) == (short.volume, short.reporter)
        and full.page
        and full.page.isdecimal()
    ]
    fitting = [one for one in there if page is None or one[0] <= page]
    return max(fitting)[1] if fitting else None


def _begins(one: str, other: str) -> bool:
    short, long = sorted((_words(one), _words(other)), key=len)
    return bool(short) and long[: len(short)] == short


def _words(party: str) -> list[str]:
    written = " ".join(WRITTEN_OUT.get(word, word) for word in party.split())
    return ("united states" if written == "us" else written).split()
