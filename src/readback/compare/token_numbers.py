"""Which token of a text a character lies in, where a model's tokenizer is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from readback import sandbox
from readback.serving import tokens
from readback.types import Model

LONGEST = 400_000  # characters of a text that is cut into tokens for this


def numbers(model: Model | None, text: str, at: Iterable[int], root: Path) -> Mapping[int, int]:
    """The number, from 1, of the token that each of these characters lies in; empty where tokens are estimates.

    A place behind the last character is that of the token that comes next.
    """
    if model is None or model.tokenizer is None or len(text) > LONGEST:
        return {}
    found, _ = tokens.load_counter(model.tokenizer, root)
    if not found.exact:
        return {}
    try:
        pieces = found.split(text)
    except sandbox.Stopped:
        return {}
    made: dict[int, int] = {}
    wanted = sorted(set(at))
    number, next_one = 1, 0
    for piece in pieces:
        while next_one < len(wanted) and wanted[next_one] < piece.end:
            made[wanted[next_one]] = number
            next_one += 1
        number += len(piece.ids)
    return {**made, **dict.fromkeys(wanted[next_one:], number)}
