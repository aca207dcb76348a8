"""What is true of a difference, as facts: a code and its values; `sentence` puts them into English.

Say in one English sentence what differs between two assemblies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal

from readback.compare.diff import Difference, MessageDifference
from readback.compare.first_difference import FirstDifference, describe_difference, format_place
from readback.compare.moved import Move, find_moved
from readback.compare.parts import (
    Amount,
    Part,
    find_holder,
    list_inside,
    list_parts,
    locate_stretch,
    measure_amount,
    measure_blanks,
    measure_changed,
)
from readback.compare.texts import Change, differ_in_blanks, is_blank_change
from readback.types import Message

Frame = Literal["equal", "nothing", "blank", "values", "order", "reordered", "changes"]
WHOLE = {
    *("message_added", "message_dropped", "message_moved", "role_changed", "folded", "unfolded"),
    *("system_stated", "system_unstated"),
}
MAX_CHANGES = 200  # changes of one message that are looked at, the largest
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


def list_facts(d: Difference) -> Facts:
    """Return the facts of a difference."""
    if d.equal:
        return Facts("equal")
    empty = [side for side, shown_side in (("A", d.a), ("B", d.b)) if not shown_side.messages]
    if empty:
        return Facts("nothing", tuple(Fact("nothing", {"side": side}) for side in empty))
    whole, away = _list_message_facts(d)
    pairs = [
        pair for pair in d.messages if pair.a and pair.b and any(change.kind != "equal" for change in pair.changes)
    ]
    facts = [*whole, *(fact for pair in pairs for fact in _list_text_facts(pair, away))]
    more = sum(fact.times for fact in facts if fact.code == "more")
    facts = [fact for fact in facts if fact.code != "more"]
    return Facts(_find_frame(facts, pairs), _merge_facts(facts), len(d.messages) > 1, more)


def _find_frame(facts: Sequence[Fact], pairs: Sequence[MessageDifference]) -> Frame:
    codes = {fact.code for fact in facts}
    if not codes & WHOLE:
        texts = [(pair.a.text, pair.b.text) for pair in pairs if pair.a and pair.b]
        if all(differ_in_blanks(a, b) for a, b in texts):
            return "blank"
        if codes == {"value"}:
            return "values"
        if "moved" in codes and all(Counter(a.split()) == Counter(b.split()) for a, b in texts):
            return "order"
    if "moved" in codes:
        return "reordered"
    return "changes"


def _list_message_facts(d: Difference) -> tuple[list[Fact], set[str]]:
    """Return the facts of messages that only one side has, and the texts that moved from one message into another."""
    gone = [pair.a for pair in d.messages if pair.a and not pair.b]
    come = [pair.b for pair in d.messages if pair.b and not pair.a]
    facts: list[Fact] = []
    away: set[str] = set()
    for message_a in gone:
        same = next((message_b for message_b in come if message_b.text == message_a.text), None)
        if same:
            come.remove(same)
            if same.role == message_a.role:
                code = "message_moved"
            else:
                code = "role_changed"
            facts.append(Fact(code, {"role": message_a.role, "as": same.role}, weight=len(message_a.text)))
        elif into := _find_holder_role(d.b.messages, message_a.text):
            away.add(message_a.text.strip())
            facts.append(Fact("folded", {"role": message_a.role, "into": into}, weight=len(message_a.text)))
        else:
            unknown = message_a.role == "system" and d.b.system_unknown
            if unknown:
                code = "system_unstated"
            else:
                code = "message_dropped"
            facts.append(Fact(code, {"role": message_a.role}, weight=len(message_a.text)))
    for message_b in come:
        if out_of := _find_holder_role(d.a.messages, message_b.text):
            away.add(message_b.text.strip())
            facts.append(Fact("unfolded", {"role": message_b.role, "out_of": out_of}, weight=len(message_b.text)))
        else:
            unknown = message_b.role == "system" and d.a.system_unknown
            if unknown:
                code = "system_stated"
            else:
                code = "message_added"
            facts.append(Fact(code, {"role": message_b.role}, weight=len(message_b.text)))
    return facts, away


def _find_holder_role(messages: Sequence[Message], text: str) -> str:
    """Return the role of the message that contains a text; "" without one."""
    return next((message.role for message in messages if text.strip() and text in message.text), "")


def _list_text_facts(pair: MessageDifference, away: set[str]) -> Iterator[Fact]:
    """Yield the facts of two messages of one role: moves, then the rest in the order of the text, blanks last."""
    if pair.a is None or pair.b is None:
        return
    a, b = pair.a.text, pair.b.text
    both = _Pair(a, b, list_parts(pair.a), list_parts(pair.b), pair.a.role)
    moves, rest = find_moved(a, b, pair.changes, both.parts_a, both.parts_b)
    yield from (Fact("moved", {"moved": move}, both.role, len(a)) for move in moves)
    if len(rest) > MAX_CHANGES:
        yield Fact("more", times=len(rest) - MAX_CHANGES)
        rest = sorted(sorted(rest, key=_measure)[-MAX_CHANGES:], key=lambda change: (change.a, change.b))
    left = [change for change in rest if not {a[slice(*change.a)].strip(), b[slice(*change.b)].strip()} & away]
    white = [change for change in left if is_blank_change(change, a, b)]
    yield from _list_wording_facts(both, [change for change in left if change not in white])
    if not moves or not left:  # lines that move take their line ends along
        yield from (_make_blank_fact(both, change) for change in white)


@dataclass(frozen=True, slots=True)
class _Pair:
    a: str
    b: str
    parts_a: tuple[Part, ...]
    parts_b: tuple[Part, ...]
    role: str

    def find_variable(self, change: Change) -> str | None:
        """Return the name of the variable whose value differs; None where it is not one variable."""
        in_a, in_b = find_holder(self.parts_a, *change.a), find_holder(self.parts_b, *change.b)
        if in_a and in_b:
            if in_a.name == in_b.name:
                return in_a.name
            return None
        return None


def _list_wording_facts(both: _Pair, changes: Sequence[Change]) -> Iterator[Fact]:
    waiting: list[Change] = []
    for change in changes:
        name = both.find_variable(change)
        if waiting and (name or not _is_near(both, waiting[-1], change)):
            yield _make_passage_fact(both, waiting)
            waiting = []
        if name:
            yield Fact("value", {"name": name}, both.role, _measure(change))
        else:
            waiting.append(change)
    if waiting:
        yield _make_passage_fact(both, waiting)


def _is_near(both: _Pair, first: Change, second: Change) -> bool:
    """Return whether two changes are in one passage: in one line, close, and no named part between them."""
    between = first.a[1], second.a[0]
    changed = both.a[first.a[0] : second.a[1]] + both.b[first.b[0] : second.b[1]]
    return between[1] - between[0] <= NEAR and "\n" not in changed and not list_inside(both.parts_a, *between)


def _make_passage_fact(both: _Pair, changes: Sequence[Change]) -> Fact:
    """Make one fact of the changes of a passage: a single change as it is, several as a rewording."""
    first, last = changes[0], changes[-1]
    weight = sum(map(_measure, changes))
    old = measure_amount(both.a, first.a[0], last.a[1], both.parts_a)
    new = measure_amount(both.b, first.b[0], last.b[1], both.parts_b)
    where_a = _find_place(both.a, first.a[0], last.a[1], both.parts_a, old)
    where_b = _find_place(both.b, first.b[0], last.b[1], both.parts_b, new)
    short = {old.unit, new.unit} <= {"quote", "number"} and old != new
    reworded = {"amount": measure_changed(both.a, first.a[0], last.a[1]), "where": where_a}
    if len(changes) > 1 and not short:
        return Fact("reworded", reworded, both.role, weight)
    if len(changes) == 1 and first.kind == "added":
        return Fact("added", {"amount": new, "where": where_b}, both.role, weight)
    if len(changes) == 1 and first.kind == "removed":
        return Fact("dropped", {"amount": old, "where": where_a}, both.role, weight)
    if old == new and old.unit != "part":
        return Fact("reworded", reworded, both.role, weight)
    if old.unit == "part" and old.text == new.text:
        return Fact("value", {"name": old.text}, both.role, weight)
    return Fact("exchanged", {"old": old, "new": new, "where": where_a}, both.role, weight)


def _find_place(text: str, start: int, end: int, parts: Sequence[Part], amount: Amount) -> tuple[str, str]:
    """Locate a stretch; not relative to a part of the same name."""
    where = locate_stretch(text, start, end, parts)
    if where[1] and where[1] == amount.text:
        return ("", "")
    return where


def _make_blank_fact(both: _Pair, change: Change) -> Fact:
    nowhere = ("", "")
    if change.kind == "added":
        return Fact("added", {"amount": measure_blanks(both.b, *change.b), "where": nowhere}, both.role)
    if change.kind == "removed":
        return Fact("dropped", {"amount": measure_blanks(both.a, *change.a), "where": nowhere}, both.role)
    values = {"old": measure_blanks(both.a, *change.a), "new": measure_blanks(both.b, *change.b), "where": nowhere}
    return Fact("exchanged", values, both.role)


def _measure(change: Change) -> int:
    return max(change.a[1] - change.a[0], change.b[1] - change.b[0])


def _merge_facts(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Join facts of the same content, with the number of times."""
    merged: list[Fact] = []
    for fact in facts:
        same = next((at for at, previous in enumerate(merged) if _is_same_fact(previous, fact)), None)
        if same is None:
            merged.append(fact)
        else:
            previous = merged[same]
            merged[same] = replace(
                previous, weight=previous.weight + fact.weight, times=previous.times + (fact.code != "value")
            )
    return tuple(merged)


def _is_same_fact(fact: Fact, other: Fact) -> bool:
    return (fact.code, fact.role, fact.values) == (other.code, other.role, other.values)


EQUAL = "A and B are equal byte for byte."
MAX_FACTS = 3  # facts in one sentence; of more, those about most text
OPENING = {
    "blank": "Only white space differs: ",
    "values": "Only values differ: ",
    "order": "The same parts in another order: ",
    "reordered": "The order changed: ",
    "changes": "",
}
NOTHING = {
    ("A",): "A has no messages: they could not be built.",
    ("B",): "B has no messages: they could not be built.",
    ("A", "B"): "Neither A nor B has messages: they could not be built.",
}


def format_sentence(d: Difference) -> str:
    """Describe in one sentence how B differs from A; for texts through templates, by their first difference."""
    if d.first_differences:
        return format_first_difference(d.first_differences)
    return format_facts(list_facts(d))


def format_first_difference(differences: Sequence[FirstDifference], a: str = "A", b: str = "B") -> str:
    """Format the first difference of two texts as a sentence, with the number of the others."""
    first = describe_difference(differences[0], a, b)
    more = len(differences) - 1
    if more:
        rest = f"; {more:,} more {'differences' if more > 1 else 'difference'}"
    else:
        rest = ""
    return f"{first[0].upper()}{first[1:]} ({format_place(differences[0])} of {a}){rest}."


def format_facts(facts: Facts) -> str:
    """Format the facts as a sentence."""
    if facts.frame == "equal":
        return EQUAL
    if facts.frame == "nothing":
        return NOTHING[tuple(fact.values["side"] for fact in facts.facts)]
    selected, more = _select_facts(facts)
    clauses = [*_list_clauses(selected, facts.several), *_list_more(more)]
    return f"{OPENING[facts.frame]}B {join_clauses(clauses)}."


@dataclass(frozen=True, slots=True)
class MessageChange:
    """What B does differently in the message of `role`, as a phrase without a subject; the role is "" where it is in
    several messages. `words` begin with the message where there are several and the phrase does not name it.
    """

    role: str
    phrase: str
    words: str


def list_changes(facts: Facts) -> tuple[MessageChange, ...]:
    """Return what B does differently, for where B is named beside it: what is in one message is one change."""
    if facts.frame in ("equal", "nothing") or not facts.facts:
        return ()
    if facts.frame in ("blank", "values", "order"):
        opening = OPENING[facts.frame]
        phrase = opening + format_facts(facts).removeprefix(f"{opening}B ").removesuffix(".")
        return (MessageChange(_find_role(facts.facts), phrase, phrase),)
    selected, more = _select_facts(facts)
    changes = []
    for role, of_message in groupby(selected, key=lambda fact: fact.role):
        in_message = [*of_message]
        phrase = join_clauses([*_list_clauses(in_message, False)])
        words = f"{role.capitalize()} message: {phrase}" if role and facts.several else _capitalize(phrase)
        changes.append(MessageChange(_find_role(in_message), _capitalize(phrase), words))
    rest = [_capitalize(phrase) for phrase in _list_more(more)]
    return (*changes, *(MessageChange("", phrase, phrase) for phrase in rest))


def _find_role(facts: Sequence[Fact]) -> str:
    """Return the role of the message that all facts are about; "" where they are about several."""
    roles = {fact.role or fact.values.get("role", "") for fact in facts}
    return roles.pop() if len(roles) == 1 else ""


def _capitalize(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]


def _select_facts(facts: Facts) -> tuple[list[Fact], int]:
    """Return the facts that a sentence names, in their order, and the number of changes that it only counts."""
    selected = sorted(sorted(facts.facts, key=_rank_fact)[:MAX_FACTS], key=facts.facts.index)
    return selected, len(facts.facts) - len(selected) + facts.more


def _list_clauses(facts: Sequence[Fact], several: bool) -> Iterator[str]:
    """Yield a clause for each verb; successive facts of one message name the message once."""
    phrases = [(fact.role, *_format_clause(fact).split(" ", 1)) for fact in facts]
    runs = [(key, [rest for *_, rest in run]) for key, run in groupby(phrases, key=lambda phrase: phrase[:2])]
    for at, ((role, verb), rests) in enumerate(runs):
        last = at + 1 == len(runs) or runs[at + 1][0][0] != role
        yield f"{verb} {join_clauses(rests)}" + (_format_role(role) if several and last else "")


def _format_clause(fact: Fact) -> str:
    return CLAUSES[fact.code](fact.values) + (f" in {fact.times} places" if fact.times > 1 else "")


def _list_more(n: int) -> Iterator[str]:
    if n:
        yield f"makes {n:,} more {'changes' if n > 1 else 'change'}"


def _rank_fact(fact: Fact) -> tuple[bool, int]:
    """Return a key that sorts messages and moves before texts, more text before less."""
    return fact.code in ("added", "dropped", "exchanged", "reworded", "value"), -fact.weight


def join_clauses(clauses: Sequence[str]) -> str:
    """Join clauses: x; x and y; x, y and z."""
    return " and ".join([", ".join(clauses[:-1]), clauses[-1]] if len(clauses) > 1 else clauses)


def _format_role(role: str) -> str:
    if role:
        return f" in the {role} message"
    return ""


def _format_move(values: Mapping[str, Any]) -> str:
    move: Move = values["moved"]
    rewording = ", reworded," if move.reworded else ""
    anchor = _quote_name(move.anchor, move.anchor_quoted)
    return f"puts {_quote_name(move.name, move.quoted)}{rewording} {move.side} {anchor}"


def _quote_name(name: str, quoted: bool) -> str:
    if quoted:
        return f"“{name}”"
    return name


def _format_where(where: tuple[str, str]) -> str:
    kind, name = where
    return {"": "", "start": " at the start", "end": " at the end"}.get(kind, f" {kind} {name}")


def _format_amount(amount: Amount, definite: bool = False) -> str:
    """Format an amount; with `definite` (A has it) with "the" instead of "a"."""
    if amount.unit == "part":
        return amount.text + (f" and {_format_amount(Amount('sentence', amount.more))}" if amount.more else "")
    if amount.unit == "number":
        return amount.text
    if amount.unit == "quote":
        return f"“{amount.text}”"
    if amount.unit == "final newline" and amount.n == 1:
        if definite:
            return "the final newline"
        return "a final newline"
    if amount.unit == "character of white space":
        if amount.n > 1:
            return f"white space ({amount.n} characters)"
        return "a white-space character"
    if amount.n == 1:
        return f"a {amount.unit}"
    return f"{amount.n:,} {amount.unit}s"


def _format_exchange(values: Mapping[str, Any]) -> str:
    old, new = values["old"], values["new"]
    if {old.unit, new.unit} <= {"quote", "number"}:
        # what is quoted is easily found
        if values["where"][1]:
            where = values["where"]
        else:
            where = ("", "")
        return f"changes {_format_amount(old)} to {_format_amount(new)}{_format_where(where)}"
    return f"puts {_format_amount(new)} in place of {_format_amount(old, True)}{_format_where(values['where'])}"


def _format_value(values: Mapping[str, Any]) -> str:
    name = values["name"]
    if name.startswith("the variable "):
        return f"has another value of {name.removeprefix('the variable ')}"
    return f"has another {name.removeprefix('the ')}"


CLAUSES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "message_added": lambda v: f"adds {_add_article(v['role'])} message",
    "message_dropped": lambda v: f"has no {v['role']} message",
    "system_stated": lambda v: "states a system message, where it is not known which one the other gets",
    "system_unstated": lambda v: "states no system message, and it is not known which one it gets",
    "message_moved": lambda v: f"puts the {v['role']} message in another place",
    "role_changed": lambda v: f"sends the {v['role']} message as {_add_article(v['as'])} message",
    "folded": lambda v: f"puts the {v['role']} message into the {v['into']} message",
    "unfolded": lambda v: f"puts a part of the {v['out_of']} message into {_add_article(v['role'])} message",
    "added": lambda v: f"adds {_format_amount(v['amount'])}{_format_where(v['where'])}",
    "dropped": lambda v: f"drops {_format_amount(v['amount'], True)}{_format_where(v['where'])}",
    "reworded": lambda v: f"rewords {_format_amount(v['amount'])}{_format_where(v['where'])}",
    "exchanged": _format_exchange,
    "value": _format_value,
    "moved": _format_move,
}


def _add_article(role: str) -> str:
    if role == "assistant":
        return f"an {role}"
    return f"a {role}"
