"""Where a logged request and our messages part: the first difference, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from readback.requests.request import Request

AROUND = 40  # characters shown on each side of the first difference

Texts = Sequence[tuple[str, str]]  # role, text


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first difference. `at` counts characters of our message of `role`; `ours` and `sent` are what is there.

    `what`: a text differs, a message is in one of them only, or a role.
    """

    what: Literal["text", "only ours", "only sent", "role"]
    role: str
    at: int
    ours: str
    sent: str


def first_difference(
    ours: Texts, request: Request, *, served: bool = False, whole: str | None = None
) -> FirstDifference | None:
    """The first difference between our messages and the request; None where they are equal, byte for byte.

    `served`: the server puts the system message in front by itself, so a request need not carry it. A prompt is
    compared with our user message, or with `whole`, the one text that the model reads; a system message that a prompt
    does not state is not held against it, for nobody knows.
    """
    texts = list(request.messages)
    if request.form == "prompt":
        if whole is not None and [("user", whole)] == texts:
            return None
        stated = [text for role, text in texts if role == "system"]
        users = [pair for pair in ours if pair[0] != "system"]
        if len(users) > 1:
            return FirstDifference("only ours", users[1][0], 0, _cut(users[1][1], 0), "")
        ours = [*(pair for pair in ours if pair[0] == "system" and stated), *users]
    elif served and ours and ours[0][0] == "system" and texts[0][0] != "system":
        ours = ours[1:]
    return next((found for pair in zip_longest(ours, texts) if (found := _of(*pair))), None)


def _of(mine: tuple[str, str] | None, theirs: tuple[str, str] | None) -> FirstDifference | None:
    if mine is None or theirs is None:
        role, text = mine or theirs or ("", "")
        cut = _cut(text, 0)
        return (
            FirstDifference("only ours", role, 0, cut, "") if mine else FirstDifference("only sent", role, 0, "", cut)
        )
    if mine[0] != theirs[0]:
        return FirstDifference("role", mine[0], 0, mine[0], theirs[0])
    if mine[1] == theirs[1]:
        return None
    at = _first(mine[1], theirs[1])
    return FirstDifference("text", mine[0], at, _cut(mine[1], at), _cut(theirs[1], at))


def _first(one: str, other: str) -> int:
    """The first character in which two texts differ; found by halves, since they may be long."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(text: str, at: int) -> str:
    """What is from a place on, shortened."""
    return text[at : at + AROUND] + ("…" if len(text) > at + AROUND else "")
