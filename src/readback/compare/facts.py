"""What is true of a difference, as facts: a code and its values; `sentence` puts them into English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from readback.compare.amount import Amount, amount, blanks, changed, place
from readback.compare.change import Change, blank
from readback.compare.diff import Difference, MessageDifference
from readback.compare.moved import moved
from readback.compare.parts import Part, holding, parts, within
from readback.compare.texts import same_but_blanks
from readback.types import Message

Frame = Literal["equal", "nothing", "blank", "values", "order", "reordered", "changes"]
WHOLE = {
    *("message_added", "message_dropped", "message_moved", "role_changed", "folded", "unfolded"),
    *("system_stated", "system_unstated"),
}
KEPT = 200  # changes of one message that are looked at, the largest
NEAR = 60  # characters of a line between two rewordings of one passage


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that B does differently, in the message of `role`, in so many `times` places.

    nothing {side}; system_stated, system_unstated {}: by B alone, or by A alone, where that of the other is not known;
    message_added, message_dropped, message_moved {role}; role_changed {role, as}; folded {role, into};
    unfolded {role, out_of};
    added, dropped {amount, where}; exchanged {old, new, where}; reworded {amount, where}; value {name}; moved {moved}
    """

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)
    role: str = ""
    weight: int = 0  # characters it is about
    times: int = 1


@dataclass(frozen=True, slots=True)
class Facts:
    """What kind of difference it is, and what makes it up, in the order of the messages.

    equal; nothing: one side or both have no messages; blank: only white space; values: the same texts around other
    values; order: the same words in another order; reordered: another order and other words; changes: the rest.
    `several`: there is more than one message, so that a role says where. `more` changes were only counted.
    """

    frame: Frame
    facts: tuple[Fact, ...] = ()
    several: bool = False
    more: int = 0


def facts(d: Difference) -> Facts:
    """The facts of a difference."""
    if d.equal:
        return Facts("equal")
    empty = [side for side, one in (("A", d.a), ("B", d.b)) if not one.messages]
    if empty:
        return Facts("nothing", tuple(Fact("nothing", {"side": side}) for side in empty))
    whole, away = _messages(d)
    pairs = [pair for pair in d.messages if pair.a and pair.b and any(one.kind != "equal" for one in pair.changes)]
    found = [*whole, *(fact for pair in pairs for fact in _texts(pair, away))]
    more = sum(fact.times for fact in found if fact.code == "more")
    found = [fact for fact in found if fact.code != "more"]
    return Facts(_frame(found, pairs), _merged(found), len(d.messages) > 1, more)


def _frame(found: Sequence[Fact], pairs: Sequence[MessageDifference]) -> Frame:
    codes = {fact.code for fact in found}
    if not codes & WHOLE:
        texts = [(pair.a.text, pair.b.text) for pair in pairs if pair.a and pair.b]
        if all(same_but_blanks(a, b) for a, b in texts):
            return "blank"
        if codes == {"value"}:
            return "values"
        if "moved" in codes and all(Counter(a.split()) == Counter(b.split()) for a, b in texts):
            return "order"
    return "reordered" if "moved" in codes else "changes"


def _messages(d: Difference) -> tuple[list[Fact], set[str]]:
    """Messages that only one side has; and the texts that only moved from one message into another."""
    gone = [pair.a for pair in d.messages if pair.a and not pair.b]
    come = [pair.b for pair in d.messages if pair.b and not pair.a]
    found: list[Fact] = []
    away: set[str] = set()
    for one in gone:
        same = next((other for other in come if other.text == one.text), None)
        if same:
            come.remove(same)
            code = "message_moved" if same.role == one.role else "role_changed"
            found.append(Fact(code, {"role": one.role, "as": same.role}, weight=len(one.text)))
        elif into := _holder(d.b.messages, one.text):
            away.add(one.text.strip())
            found.append(Fact("folded", {"role": one.role, "into": into}, weight=len(one.text)))
        else:
            unknown = one.role == "system" and d.b.system_unknown
            code = "system_unstated" if unknown else "message_dropped"
            found.append(Fact(code, {"role": one.role}, weight=len(one.text)))
    for other in come:
        if out_of := _holder(d.a.messages, other.text):
            away.add(other.text.strip())
            found.append(Fact("unfolded", {"role": other.role, "out_of": out_of}, weight=len(other.text)))
        else:
            unknown = other.role == "system" and d.a.system_unknown
            code = "system_stated" if unknown else "message_added"
            found.append(Fact(code, {"role": other.role}, weight=len(other.text)))
    return found, away


def _holder(messages: Sequence[Message], text: str) -> str:
    """The role of the message a text is in; "" for none."""
    return next((one.role for one in messages if text.strip() and text in one.text), "")


def _texts(pair: MessageDifference, away: set[str]) -> Iterator[Fact]:
    """The facts of two messages of one role: what moved, then the rest in the order of the text, blanks last."""
    if pair.a is None or pair.b is None:
        return
    a, b = pair.a.text, pair.b.text
    both = _Pair(a, b, parts(pair.a), parts(pair.b), pair.a.role)
    moves, rest = moved(a, b, pair.changes, both.parts_a, both.parts_b)
    yield from (Fact("moved", {"moved": one}, both.role, len(a)) for one in moves)
    if len(rest) > KEPT:
        yield Fact("more", times=len(rest) - KEPT)
        rest = sorted(sorted(rest, key=_size)[-KEPT:], key=lambda one: (one.a, one.b))
    left = [one for one in rest if not {a[slice(*one.a)].strip(), b[slice(*one.b)].strip()} & away]
    white = [one for one in left if blank(one, a, b)]
    yield from _worded(both, [one for one in left if one not in white])
    if not moves or not left:  # lines that move take their line ends along
        yield from (_blank(both, one) for one in white)


@dataclass(frozen=True, slots=True)
class _Pair:
    a: str
    b: str
    parts_a: tuple[Part, ...]
    parts_b: tuple[Part, ...]
    role: str

    def value(self, one: Change) -> str | None:
        """The variable whose value it is that differs."""
        in_a, in_b = holding(self.parts_a, *one.a), holding(self.parts_b, *one.b)
        if in_a and in_b:
            return in_a.name if in_a.name == in_b.name else None
        return None


def _worded(both: _Pair, changes: Sequence[Change]) -> Iterator[Fact]:
    waiting: list[Change] = []
    for one in changes:
        name = both.value(one)
        if waiting and (name or not _near(both, waiting[-1], one)):
            yield _passage(both, waiting)
            waiting = []
        if name:
            yield Fact("value", {"name": name}, both.role, _size(one))
        else:
            waiting.append(one)
    if waiting:
        yield _passage(both, waiting)


def _near(both: _Pair, one: Change, other: Change) -> bool:
    """Whether two changes are of one passage: in one line, close, and nothing with a name between them."""
    between = one.a[1], other.a[0]
    changed = both.a[one.a[0] : other.a[1]] + both.b[one.b[0] : other.b[1]]
    return between[1] - between[0] <= NEAR and "\n" not in changed and not within(both.parts_a, *between)


def _passage(both: _Pair, changes: Sequence[Change]) -> Fact:
    """One fact for changes of one passage: a single change as it is, several as a rewording."""
    one, last = changes[0], changes[-1]
    weight = sum(map(_size, changes))
    old = amount(both.a, one.a[0], last.a[1], both.parts_a)
    new = amount(both.b, one.b[0], last.b[1], both.parts_b)
    where_a = _place(both.a, one.a[0], last.a[1], both.parts_a, old)
    where_b = _place(both.b, one.b[0], last.b[1], both.parts_b, new)
    short = {old.unit, new.unit} <= {"quote", "number"} and old != new
    reworded = {"amount": changed(both.a, one.a[0], last.a[1]), "where": where_a}
    if len(changes) > 1 and not short:
        return Fact("reworded", reworded, both.role, weight)
    if len(changes) == 1 and one.kind == "added":
        return Fact("added", {"amount": new, "where": where_b}, both.role, weight)
    if len(changes) == 1 and one.kind == "removed":
        return Fact("dropped", {"amount": old, "where": where_a}, both.role, weight)
    if old == new and old.unit != "part":
        return Fact("reworded", reworded, both.role, weight)
    if old.unit == "part" and old.text == new.text:
        return Fact("value", {"name": old.text}, both.role, weight)
    return Fact("exchanged", {"old": old, "new": new, "where": where_a}, both.role, weight)


def _place(text: str, start: int, end: int, named: Sequence[Part], what: Amount) -> tuple[str, str]:
    """Where a stretch is; not beside something that is called the same."""
    where = place(text, start, end, named)
    return ("", "") if where[1] and where[1] == what.text else where


def _blank(both: _Pair, one: Change) -> Fact:
    nowhere = ("", "")
    if one.kind == "added":
        return Fact("added", {"amount": blanks(both.b, *one.b), "where": nowhere}, both.role)
    if one.kind == "removed":
        return Fact("dropped", {"amount": blanks(both.a, *one.a), "where": nowhere}, both.role)
    values = {"old": blanks(both.a, *one.a), "new": blanks(both.b, *one.b), "where": nowhere}
    return Fact("exchanged", values, both.role)


def _size(one: Change) -> int:
    return max(one.a[1] - one.a[0], one.b[1] - one.b[0])


def _merged(found: Iterable[Fact]) -> tuple[Fact, ...]:
    """Facts of the same content once, with how often."""
    made: list[Fact] = []
    for fact in found:
        same = next((at for at, one in enumerate(made) if _same(one, fact)), None)
        if same is None:
            made.append(fact)
        else:
            one = made[same]
            made[same] = replace(one, weight=one.weight + fact.weight, times=one.times + (fact.code != "value"))
    return tuple(made)


def _same(one: Fact, other: Fact) -> bool:
    return (one.code, one.role, one.values) == (other.code, other.role, other.values)
