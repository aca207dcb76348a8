"""Say in one English sentence what differs between two assemblies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from readback.compare.amount import Amount
from readback.compare.diff import Difference
from readback.compare.facts import Fact, Facts, facts
from readback.compare.first_difference import FirstDifference, place, said
from readback.compare.moved import Moved

EQUAL = "A and B are equal byte for byte."
SAID = 3  # facts in one sentence; of more, those about most text
OPENING = {
    "blank": "Only white space differs: B ",
    "values": "Only values differ: B ",
    "order": "The same parts in another order: B ",
    "reordered": "The order changed: B ",
    "changes": "B ",
}
NOTHING = {
    ("A",): "A has no messages: they could not be built.",
    ("B",): "B has no messages: they could not be built.",
    ("A", "B"): "Neither A nor B has messages: they could not be built.",
}


def sentence(d: Difference) -> str:
    """One plain sentence about what B does differently from A; of two texts through templates, where they part."""
    return parted(d.first_differences) if d.first_differences else english(facts(d))


def parted(found: Sequence[FirstDifference], a: str = "A", b: str = "B") -> str:
    """The first difference of two texts in a sentence, and how many more there are."""
    first = said(found[0], a, b)
    more = len(found) - 1
    rest = f"; {more:,} more {'differences' if more > 1 else 'difference'}" if more else ""
    return f"{first[0].upper()}{first[1:]} ({place(found[0])} of {a}){rest}."


def english(found: Facts) -> str:
    """The facts in a sentence."""
    if found.frame == "equal":
        return EQUAL
    if found.frame == "nothing":
        return NOTHING[tuple(fact.values["side"] for fact in found.facts)]
    kept = sorted(sorted(found.facts, key=_rank)[:SAID], key=found.facts.index)
    more = len(found.facts) - len(kept) + found.more
    clauses = [*_clauses(kept, found.several), *_more(more)]
    return f"{OPENING[found.frame]}{listed(clauses)}."


def _clauses(found: Sequence[Fact], several: bool) -> Iterator[str]:
    """A clause for each verb; what is said of one message in a row names it once."""
    said = [(fact.role, *_clause(fact).split(" ", 1)) for fact in found]
    runs = [(key, [rest for *_, rest in run]) for key, run in groupby(said, key=lambda one: one[:2])]
    for at, ((role, verb), rests) in enumerate(runs):
        last = at + 1 == len(runs) or runs[at + 1][0][0] != role
        yield f"{verb} {listed(rests)}" + (_in(role) if several and last else "")


def _clause(fact: Fact) -> str:
    return CLAUSES[fact.code](fact.values) + (f" in {fact.times} places" if fact.times > 1 else "")


def _more(n: int) -> Iterator[str]:
    if n:
        yield f"makes {n:,} more {'changes' if n > 1 else 'change'}"


def _rank(fact: Fact) -> tuple[bool, int]:
    """Messages and moves before texts, more text before less."""
    return fact.code in ("added", "dropped", "exchanged", "reworded", "value"), -fact.weight


def listed(clauses: Sequence[str]) -> str:
    """x; x and y; x, y and z."""
    return " and ".join([", ".join(clauses[:-1]), clauses[-1]] if len(clauses) > 1 else clauses)


def _in(role: str) -> str:
    return f" in the {role} message" if role else ""


def _moved(values: Mapping[str, Any]) -> str:
    one: Moved = values["moved"]
    other = ", reworded," if one.reworded else ""
    return f"puts {_name(one.name, one.quoted)}{other} {one.side} {_name(one.anchor, one.anchor_quoted)}"


def _name(name: str, quoted: bool) -> str:
    return f"“{name}”" if quoted else name


def _where(where: tuple[str, str]) -> str:
    kind, name = where
    return {"": "", "start": " at the start", "end": " at the end"}.get(kind, f" {kind} {name}")


def _amount(one: Amount, known: bool = False) -> str:
    """An amount in words; `known`: it is one that A has, so it is the and not a."""
    if one.unit == "part":
        return one.text + (f" and {_amount(Amount('sentence', one.more))}" if one.more else "")
    if one.unit == "number":
        return one.text
    if one.unit == "quote":
        return f"“{one.text}”"
    if one.unit == "final newline" and one.n == 1:
        return "the final newline" if known else "a final newline"
    if one.unit == "character of white space":
        return f"white space ({one.n} characters)" if one.n > 1 else "a white-space character"
    return f"a {one.unit}" if one.n == 1 else f"{one.n:,} {one.unit}s"


def _changed(values: Mapping[str, Any]) -> str:
    old, new = values["old"], values["new"]
    if {old.unit, new.unit} <= {"quote", "number"}:
        where = values["where"] if values["where"][1] else ("", "")  # what is quoted is easily found
        return f"changes {_amount(old)} to {_amount(new)}{_where(where)}"
    return f"puts {_amount(new)} in place of {_amount(old, True)}{_where(values['where'])}"


def _value(values: Mapping[str, Any]) -> str:
    name = values["name"]
    if name.startswith("the variable "):
        return f"has another value of {name.removeprefix('the variable ')}"
    return f"has another {name.removeprefix('the ')}"


CLAUSES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "message_added": lambda v: f"adds {_a(v['role'])} message",
    "message_dropped": lambda v: f"has no {v['role']} message",
    "system_stated": lambda v: "states a system message, where it is not known which one A gets",
    "system_unstated": lambda v: "states no system message, and it is not known which one it gets",
    "message_moved": lambda v: f"puts the {v['role']} message in another place",
    "role_changed": lambda v: f"sends the {v['role']} message as {_a(v['as'])} message",
    "folded": lambda v: f"puts the {v['role']} message into the {v['into']} message",
    "unfolded": lambda v: f"puts a part of the {v['out_of']} message into {_a(v['role'])} message",
    "added": lambda v: f"adds {_amount(v['amount'])}{_where(v['where'])}",
    "dropped": lambda v: f"drops {_amount(v['amount'], True)}{_where(v['where'])}",
    "reworded": lambda v: f"rewords {_amount(v['amount'])}{_where(v['where'])}",
    "exchanged": _changed,
    "value": _value,
    "moved": _moved,
}


def _a(role: str) -> str:
    return f"an {role}" if role == "assistant" else f"a {role}"
