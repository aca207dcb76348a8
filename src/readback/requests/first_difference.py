"""Find the first difference between a logged request and the messages that Readback assembles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from readback.records.replies.logged_calls import TEXT_ROLE
from readback.requests.json_spelling import is_same_json
from readback.requests.request import Request

EXCERPT_LENGTH = 40  # characters shown of each text from the first difference on

SPAN = 200  # characters of what differs that are kept

RESPELLED: Literal["JSON spelling"] = "JSON spelling"  # the texts are the same JSON, written in another way

Change = Literal["left out", "put in", "white space", "replaced", "JSON spelling"]
Texts = Sequence[tuple[str, str]]  # role, text


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first difference. `at` counts characters of our message of `role`; `ours` and `sent` are what is there.

    `what`: a text differs, a message is in one of them only, or a role. Of texts, `ours_span` and `sent_span` are what
    is between the beginning and the end that both share (at most SPAN characters), and `change` says whether the one
    sent leaves something out, has something more, has other white space, has another text there, or is the same JSON in
    another spelling. The last is the first difference only where there is no other.
    """

    what: Literal["text", "only ours", "only sent", "role"]
    role: str
    at: int
    ours: str
    sent: str
    change: Change = "replaced"
    ours_span: str = ""
    sent_span: str = ""


def find_first_difference(
    ours: Texts, request: Request, *, served: bool = False, whole: str | None = None
) -> FirstDifference | None:
    """Return the first difference between our messages and the request; None where they are equal, byte for byte.

    `served`: the server puts the system message in front by itself, so a request need not contain it. A prompt is
    compared with our user message, with our text without a role, or with `whole`, the one text that the model reads; a
    system message that a prompt does not state is no difference, because it is unknown.
    """
    texts = list(request.messages)
    if request.form == "prompt":
        if whole is not None and [("user", whole)] == texts:
            return None
        ours = [("user", text) if role == TEXT_ROLE else (role, text) for role, text in ours]
        if len(texts) == 1 and texts[0] in ours and all(role == "user" for role, _ in ours):
            return None  # one of the texts that a tool sends for a record
        stated = [text for role, text in texts if role == "system"]
        users = [pair for pair in ours if pair[0] != "system"]
        if len(users) > 1:
            return FirstDifference("only ours", users[1][0], 0, _cut_excerpt(users[1][1], 0), "")
        ours = [*(pair for pair in ours if pair[0] == "system" and stated), *users]
    elif served and ours and ours[0][0] == "system" and texts[0][0] != "system":
        ours = ours[1:]
    respelled: FirstDifference | None = None
    for our_text, sent_text in zip_longest(ours, texts):
        difference = _compare_messages(our_text, sent_text)
        if difference and difference.change != RESPELLED:
            return difference
        respelled = respelled or difference
    return respelled


def _compare_messages(ours: tuple[str, str] | None, sent: tuple[str, str] | None) -> FirstDifference | None:
    if ours is None or sent is None:
        role, text = ours or sent or ("", "")
        excerpt = _cut_excerpt(text, 0)
        if ours:
            return FirstDifference("only ours", role, 0, excerpt, "")
        return FirstDifference("only sent", role, 0, "", excerpt)
    (our_role, our_text), (sent_role, sent_text) = ours, sent
    if our_role != sent_role:
        return FirstDifference("role", our_role, 0, our_role, sent_role)
    if our_text == sent_text:
        return None
    start = _find_first_unequal(our_text, sent_text)
    our_span, sent_span = _find_spans(our_text, sent_text, start)
    our_excerpt, sent_excerpt = _cut_excerpt(our_text, start), _cut_excerpt(sent_text, start)
    change: Change = RESPELLED if is_same_json(our_text, sent_text) else _name_change(our_span, sent_span)
    return FirstDifference(
        "text", our_role, start, our_excerpt, sent_excerpt, change, our_span[:SPAN], sent_span[:SPAN]
    )


def _find_spans(ours: str, sent: str, start: int) -> tuple[str, str]:
    """Return what of two texts, equal before `start`, is not in the end that both share."""
    most = min(len(ours), len(sent)) - start
    if most:
        end = _find_first_unequal(ours[len(ours) - most :][::-1], sent[len(sent) - most :][::-1])
    else:
        end = 0
    return ours[start : len(ours) - end], sent[start : len(sent) - end]


def _name_change(ours: str, sent: str) -> Change:
    """Say what kind of change made the one text of the other."""
    if "".join(ours.split()) == "".join(sent.split()):
        return "white space"
    if not sent:
        return "left out"
    if ours:
        return "replaced"
    return "put in"


def _find_first_unequal(a: str, b: str) -> int:
    """Return the first character in which two texts differ; found by halves, since they may be long."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _cut_excerpt(text: str, start: int) -> str:
    """Return the text from a character on, cut off where it is long."""
    end = start + EXCERPT_LENGTH
    return text[start:end] + ("…" if len(text) > end else "")
