"""Format a difference, with the places and the tokens where it begins, as lines for a terminal and as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readback import adapters, sandbox
from readback.compare.diff import Difference, MessageDifference, explain_unknown_message
from readback.compare.first_difference import FirstDifference, Spot, describe_difference
from readback.compare.record_differences import RecordCounts
from readback.compare.side import ShownSide, Side
from readback.compare.texts import Change, is_blank_change
from readback.quantity import quantity
from readback.serving import tokens
from readback.types import Message, Model, Segment, Workspace

LONGEST_TOKENISED = 400_000  # characters of a text that is cut into tokens for this


def find_token_numbers(model: Model | None, text: str, at: Iterable[int], root: Path) -> Mapping[int, int]:
    """Return the number, from 1, of the token in which each character lies; nothing where tokens are only estimated.

    A place behind the last character gets the number of the next token.
    """
    if model is None or model.tokenizer is None or len(text) > LONGEST_TOKENISED:
        return {}
    counter, _ = tokens.load_counter(model.tokenizer, root)
    if not counter.exact:
        return {}
    try:
        pieces = counter.split(text)
    except sandbox.Stopped:
        return {}
    token_numbers: dict[int, int] = {}
    wanted = sorted(set(at))
    number, next_one = 1, 0
    for piece in pieces:
        while next_one < len(wanted) and wanted[next_one] < piece.end:
            token_numbers[wanted[next_one]] = number
            next_one += 1
        number += len(piece.ids)
    return {**token_numbers, **dict.fromkeys(wanted[next_one:], number)}


LISTED = 20  # differences that the text names
WRITERS = {
    "serving": "chat template",
    "system": "system text",
    "variable": "data",
    "default": "default",
    "adapter": "adapter",
    "joiner": "a joiner",
    "unknown": "origin not known",
}


def list_place_lines(d: Difference, opened: Workspace) -> Iterator[str]:
    """Yield every difference with its places on both sides and who wrote the text there."""
    tokens_a, tokens_b = _find_tokens(d, opened)
    for number, difference in enumerate(d.first_differences[:LISTED], 1):
        yield f"{number:>3}. {describe_difference(difference)}"
        yield f"     A: {_format_where(difference, difference.a, tokens_a)}"
        yield f"     B: {_format_where(difference, difference.b, tokens_b)}"
    if len(d.first_differences) > LISTED:
        yield f"     and {len(d.first_differences) - LISTED:,} more"


def make_place_values(d: Difference, opened: Workspace) -> dict[str, Any]:
    """Return the form of training text that each side shows and every difference with its places, as JSON values."""
    sides = {name: _make_trained_values(side) for name, side in (("a", d.a), ("b", d.b)) if side.form}
    tokens_a, tokens_b = _find_tokens(d, opened)
    places = [
        {
            "said": describe_difference(difference),
            "a": _make_spot_values(difference, difference.a, tokens_a),
            "b": _make_spot_values(difference, difference.b, tokens_b),
        }
        for difference in d.first_differences
    ]
    return {**({"training": sides} if sides else {}), **({"partings": places} if places else {})}


def format_writer(segment: Segment) -> str:
    """Format who wrote a stretch: system text modelfile, ollama/Modelfile.instruction_only line 37."""
    who = WRITERS.get(segment.origin, segment.origin)
    at = segment.place
    if segment.name and segment.name != at.file:
        named = f"{who} {segment.name}"
    else:
        named = who
    if at.file and at.line:
        return f"{named}, {at.file} line {at.line}"
    if at.file:
        return f"{named}, {at.file}"
    return named


def find_model(opened: Workspace, shown_side: ShownSide) -> Model | None:
    """Return the model of a side's condition; None without one."""
    if shown_side.side.choice.condition:
        condition = opened.condition(shown_side.side.choice.condition)
    else:
        condition = None
    if condition and condition.model:
        return opened.models.get(condition.model)
    return None


def _find_tokens(d: Difference, opened: Workspace) -> tuple[Mapping[int, int], Mapping[int, int]]:
    sides = (
        (d.a, [difference.a.start + difference.shared for difference in d.first_differences]),
        (d.b, [difference.b.start + difference.shared for difference in d.first_differences]),
    )
    a, b = (_number_tokens(opened, shown_side, at) for shown_side, at in sides)
    return a, b


def _number_tokens(opened: Workspace, shown_side: ShownSide, at: Sequence[int]) -> Mapping[int, int]:
    if not at or shown_side.side.workspace is not None:
        return {}
    return find_token_numbers(find_model(opened, shown_side), shown_side.messages[0].text, at, Path(opened.root))


def _format_where(difference: FirstDifference, spot: Spot, tokens: Mapping[int, int]) -> str:
    at = spot.start + difference.shared
    if at in tokens:
        number = f", token {tokens[at]:,}"
    else:
        number = ""
    if spot.segments:
        origin = f" ({format_writer(spot.segments[0])})"
    else:
        origin = ""
    return f"character {at + 1:,}, line {spot.line:,}, column {spot.column + difference.shared:,}{number}{origin}"


def _make_spot_values(difference: FirstDifference, spot: Spot, tokens: Mapping[int, int]) -> dict[str, Any]:
    at = spot.start + difference.shared
    if spot.segments:
        place = spot.segments[0].place
    else:
        place = None
    return {
        "text": spot.text,
        "start": spot.start,
        "end": spot.end,
        "character": at + 1,
        "line": spot.line,
        "column": spot.column + difference.shared,
        "token": tokens.get(at),
        "origin": spot.segments[0].origin if spot.segments else None,
        "written_by": format_writer(spot.segments[0]) if spot.segments else None,
        "file": place.file if place else None,
        "file_line": place.line if place else None,
    }


def _make_trained_values(shown_side: ShownSide) -> dict[str, Any]:
    trained_text = shown_side.trained
    if trained_text:
        template = trained_text.template
    else:
        template = None
    return {
        "form": shown_side.form,
        "template": template.name if template else None,
        "basis": template.basis if template else None,
        "assumed": bool(template and template.basis == "assumed"),
    }


NEAR = 80  # characters of an equal stretch kept on each side of a change
FOLD = 40  # characters that are worth folding
BLANK_SIGNS = {" ": "·", "\t": "→", "\n": "⏎", "\r": "␍", "\u00a0": "⍽", "\u202f": "⍽"}
KIND_PHRASES = {
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


def list_lines(d: Difference, whole: bool = False) -> Iterator[str]:
    """Yield the messages with - and + before what changed, and ? before a message against which it is not known what
    stands; without `whole`, equal messages and long stretches are folded.
    """
    for pair in d.messages:
        a, b = (_format_size(m, pair, side) for m, side in ((pair.a, d.a), (pair.b, d.b)))
        yield ""
        if pair.equal:
            yield f"=== {pair.role_a}: equal, {a}"
            yield from (f"  {line}" for line in _split_lines(pair.a.text)) if whole and pair.a else ()
            continue
        yield f"=== {pair.role_a or pair.role_b}: A {a}, B {b}"
        stated = pair.a or pair.b
        if stated is not None and (why := explain_unknown_message(d, pair)):
            yield f"? not known what stands against this: {why}"
            yield from (f"? {line}" for line in _split_lines(stated.text))
            continue
        for at, change in enumerate(pair.changes):
            yield from _list_change_lines(pair, change, at, whole)
    if d.coarse:
        yield "\nstretches that differ were too long to compare word by word"


def _format_size(message: Message | None, pair: MessageDifference, side: ShownSide) -> str:
    """Format the length of a message of a side; without a message, whether that is known."""
    if message is not None:
        return quantity(len(message.text), "character")
    unknown = "system" in (pair.role_a, pair.role_b) and side.system_unknown
    if unknown:
        return "not known"
    return "not there"


def _list_change_lines(pair: MessageDifference, change: Change, at: int, whole: bool) -> Iterator[str]:
    a, b = pair.a.text if pair.a else "", pair.b.text if pair.b else ""
    old, new = a[slice(*change.a)], b[slice(*change.b)]
    if change.kind == "equal":
        # The line end behind a changed stretch needs no line of its own.
        if at == 0:
            equal_text = old
        else:
            equal_text = old.removeprefix("\n")
        edges = at == 0, at == len(pair.changes) - 1
        yield from (
            (f"  {line}" for line in _split_lines(equal_text)) if whole else _list_equal_lines(equal_text, *edges)
        )
        return
    if is_blank_change(change, a, b):
        old, new = _draw_blanks(old), _draw_blanks(new)
    yield from (f"- {line}" for line in _split_lines(old))
    yield from (f"+ {line}" for line in _split_lines(new))


def _list_equal_lines(text: str, first: bool, last: bool) -> Iterator[str]:
    head, tail = "" if first else text[:NEAR], "" if last else text[-NEAR:]
    folded = len(text) - len(head) - len(tail)
    if folded < FOLD and not (first and last):
        head, tail, folded = text, "", 0
    yield from (f"  {line}" for line in _split_lines(head))
    if folded:
        yield f"  … {folded:,} equal characters …"
    yield from (f"  {line}" for line in _split_lines(tail))


def _split_lines(text: str) -> list[str]:
    if text:
        return text.removesuffix("\n").split("\n")
    return []


def _draw_blanks(text: str) -> str:
    """Draw white space, a sign for each character."""
    return "".join(BLANK_SIGNS.get(char, f"\\u{ord(char):04x}") for char in text)


def make_values(d: Difference, sentence: str) -> dict[str, Any]:
    """Return the answer of `readback diff --format json`."""
    return {
        "a": {**make_side_values(d.a.side), **make_wording(d.a.messages)},
        "b": {**make_side_values(d.b.side), **make_wording(d.b.messages)},
        "equal": d.equal,
        "coarse": d.coarse,
        "sentence": sentence,
        "fingerprints": {"a": d.a.fingerprint or None, "b": d.b.fingerprint or None},
        "made_by": {"a": list(map(asdict, d.a.variants)), "b": list(map(asdict, d.b.variants))},
        "messages": [_make_pair_values(d, pair) for pair in d.messages],
    }


def make_wording(messages: Sequence[Message]) -> dict[str, Any]:
    """{"wording": "readback", "worded": [adapters]} where adapters' text is in Readback's own words, else nothing."""
    adapter_names = adapters.list_own_wordings(messages)
    if adapter_names:
        return {"wording": adapters.OURS, "worded": list(adapter_names)}
    return {}


def list_variant_lines(d: Difference) -> Iterator[str]:
    """Yield a line for each option that made a text, with its alternatives; once where both sides have the same."""
    same = d.a.variants == d.b.variants
    for name, shown_side in (("both", d.a),) if same else (("A", d.a), ("B", d.b)):
        yield from (f"{name}: {variant.sentence}" for variant in shown_side.variants)


def make_side_values(side: Side) -> dict[str, Any]:
    """Return the keys and values of a side; null where the side names nothing."""
    return {
        **asdict(side.choice),
        "record": side.record,
        "index": side.index,
        "layer": side.layer,
        "workspace": side.workspace,
        "rev": side.rev,
        "options": dict(side.options),
    }


def _make_pair_values(d: Difference, pair: MessageDifference) -> dict[str, Any]:
    a, b = pair.a.text if pair.a else "", pair.b.text if pair.b else ""
    changes = [
        {"kind": c.kind, "a": [*c.a], "b": [*c.b], "text_a": a[slice(*c.a)], "text_b": b[slice(*c.b)]}
        for c in pair.changes
    ]
    why = explain_unknown_message(d, pair)
    return {"role_a": pair.role_a, "role_b": pair.role_b, "changes": changes, **({"unknown": why} if why else {})}


def make_count_values(counts: RecordCounts) -> dict[str, Any]:
    """Return the answer of `readback diff --records --format json`, without the sides."""
    names = ("done", "total", "equal", "differing", "only_a", "only_b", "neither", "unpaired_a", "unpaired_b")
    return {
        **{name: getattr(counts, name) for name in names},
        "kinds": dict(counts.kinds),
        "first": [{"index": index, "id": record_id} for index, record_id in counts.first],
        "stopped": counts.stopped,
        "why": counts.why,
    }
