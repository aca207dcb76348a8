"""A difference as lines for a terminal, and as JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from readback import adapters
from readback.compare.change import Change, blank
from readback.compare.diff import Difference, MessageDifference
from readback.compare.over_records import Counted
from readback.compare.side import Shown, Side
from readback.quantity import quantity
from readback.types import Message

NEAR = 80  # characters of an equal stretch kept on each side of a change
FOLD = 40  # characters that are worth folding
SEEN = {" ": "·", "\t": "→", "\n": "⏎", "\r": "␍", "\u00a0": "⍽", "\u202f": "⍽"}
KINDS = {
    "only_system_a": "by the system message, which A alone states",
    "only_system_b": "by the system message, which B alone states",
    "roles": "in which messages there are",
    "blank": "in white space only",
    "order": "in the order of the same parts",
    "added": "by one stretch that B adds",
    "removed": "by one stretch that B drops",
    "system": "in the system message only",
    "changed": "in other ways",
}


def lines(d: Difference, whole: bool = False) -> Iterator[str]:
    """The messages with - and + before what changed; equal ones in one line, equal stretches folded, unless `whole`."""
    for pair in d.messages:
        a, b = (_size(m, pair, side) for m, side in ((pair.a, d.a), (pair.b, d.b)))
        yield ""
        if pair.equal:
            yield f"=== {pair.role_a}: equal, {a}"
            yield from (f"  {line}" for line in _split(pair.a.text)) if whole and pair.a else ()
            continue
        yield f"=== {pair.role_a or pair.role_b}: A {a}, B {b}"
        for at, one in enumerate(pair.changes):
            yield from _change(pair, one, at, whole)
    if d.coarse:
        yield "\nstretches that differ were too long to compare word by word"


def _size(message: Message | None, pair: MessageDifference, side: Shown) -> str:
    """How long a message of a side is; where there is none, whether that is known."""
    if message is not None:
        return quantity(len(message.text), "character")
    unknown = "system" in (pair.role_a, pair.role_b) and side.system_unknown
    return "not known" if unknown else "not there"


def _change(pair: MessageDifference, one: Change, at: int, whole: bool) -> Iterator[str]:
    a, b = pair.a.text if pair.a else "", pair.b.text if pair.b else ""
    old, new = a[slice(*one.a)], b[slice(*one.b)]
    if one.kind == "equal":
        # The line end behind a changed stretch needs no line of its own.
        kept = old if at == 0 else old.removeprefix("\n")
        edges = at == 0, at == len(pair.changes) - 1
        yield from (f"  {line}" for line in _split(kept)) if whole else _equal(kept, *edges)
        return
    if blank(one, a, b):
        old, new = _visible(old), _visible(new)
    yield from (f"- {line}" for line in _split(old))
    yield from (f"+ {line}" for line in _split(new))


def _equal(text: str, first: bool, last: bool) -> Iterator[str]:
    head, tail = "" if first else text[:NEAR], "" if last else text[-NEAR:]
    folded = len(text) - len(head) - len(tail)
    if folded < FOLD and not (first and last):
        head, tail, folded = text, "", 0
    yield from (f"  {line}" for line in _split(head))
    if folded:
        yield f"  … {folded:,} equal characters …"
    yield from (f"  {line}" for line in _split(tail))


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _visible(text: str) -> str:
    """White space spelled out, a sign for each character."""
    return "".join(SEEN.get(char, f"\\u{ord(char):04x}") for char in text)


def values(d: Difference, said: str) -> dict[str, Any]:
    """The answer of `readback diff --format json`."""
    return {
        "a": {**side(d.a.side), **worded(d.a.messages)},
        "b": {**side(d.b.side), **worded(d.b.messages)},
        "equal": d.equal,
        "coarse": d.coarse,
        "sentence": said,
        "fingerprints": {"a": d.a.fingerprint or None, "b": d.b.fingerprint or None},
        "made_by": {"a": list(map(asdict, d.a.variants)), "b": list(map(asdict, d.b.variants))},
        "messages": [_pair(pair) for pair in d.messages],
    }


def worded(messages: Sequence[Message]) -> dict[str, Any]:
    """{"wording": "readback", "worded": [adapters]} where adapters' text is in Readback's own words, else nothing."""
    ours = adapters.list_own_wordings(messages)
    return {"wording": adapters.OURS, "worded": list(ours)} if ours else {}


def made_by(d: Difference) -> Iterator[str]:
    """The named options that made both texts, with what they could be instead; once where both have the same."""
    same = d.a.variants == d.b.variants
    for name, shown in (("both", d.a),) if same else (("A", d.a), ("B", d.b)):
        yield from (f"{name}: {one.said}" for one in shown.variants)


def side(one: Side) -> dict[str, Any]:
    """A side as it was asked for; what it does not say is null."""
    return {
        **asdict(one.choice),
        "record": one.record,
        "index": one.index,
        "layer": one.layer,
        "workspace": one.workspace,
        "rev": one.rev,
        "options": dict(one.options),
    }


def _pair(pair: MessageDifference) -> dict[str, Any]:
    a, b = pair.a.text if pair.a else "", pair.b.text if pair.b else ""
    changes = [
        {"kind": c.kind, "a": [*c.a], "b": [*c.b], "text_a": a[slice(*c.a)], "text_b": b[slice(*c.b)]}
        for c in pair.changes
    ]
    return {"role_a": pair.role_a, "role_b": pair.role_b, "changes": changes}


def counted(found: Counted) -> dict[str, Any]:
    """The answer of `readback diff --records --format json`, without the sides."""
    names = ("done", "total", "equal", "differing", "only_a", "only_b", "neither", "unpaired_a", "unpaired_b")
    return {
        **{name: getattr(found, name) for name in names},
        "kinds": dict(found.kinds),
        "first": [{"index": index, "id": called} for index, called in found.first],
        "stopped": found.stopped,
        "why": found.why,
    }
