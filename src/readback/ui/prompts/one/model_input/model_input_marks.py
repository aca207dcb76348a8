"""The stretches of what the model reads that a finding about its server's template is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import streamlit as st

from readback.html import exact
from readback.serving.message_location import Span, find_text, locate_segments
from readback.types import Assembly, Finding, Message, ModelInput, Segment
from readback.words import t

TURN_END = "<|im_end|>"
NO_VALUE = "<no value>"


def marks(
    about: Sequence[Finding], first: int, sent: ModelInput, system_text: str, others: Iterable[Segment]
) -> tuple[exact.Mark, ...]:
    """Return a mark for each stretch; the findings are numbered from `first`. `system_text` is the system text."""
    key_in_address = st.query_params.get("finding")
    own = tuple(others)
    return tuple(
        exact.Mark(start, end, number, finding.severity, title, finding.key == key_in_address)
        for number, finding in enumerate(about, first)
        for (start, end), title in _stretches(finding.code, sent, system_text, own)
        if not _spanned(finding)
    )


def system_of(assembly: Assembly, stated: str | None) -> str:
    """Return the system text that reaches the server: the one that is sent, else its own."""
    return next((message.text for message in assembly.messages if message.role == "system"), stated or "")


def others_of(messages: Iterable[Message]) -> tuple[Segment, ...]:
    """Return what the messages of other roles are put together from."""
    return tuple(segment for message in messages if message.role != "system" for segment in message.segments)


def _spanned(finding: Finding) -> bool:
    """Whether a finding has its own stretch, which is marked as every finding's is."""
    return finding.place.role == "prompt" and finding.place.start is not None


def _stretches(code: str, sent: ModelInput, system_text: str, others: Sequence[Segment]) -> Iterator[tuple[Span, str]]:
    if code == "oll-system-twice":
        for n, span in enumerate(find_text(sent, system_text, others), 1):
            yield span, t(f"messages.system_time_{n}" if n < 4 else "messages.system_time_n", n=n)
    elif code == "oll-chatml-newline":
        yield from ((span, t("messages.no_newline")) for span in _ends(sent))
    elif code == "oll-no-value":
        for segment, start, _ in locate_segments(sent):
            if segment.origin in ("serving", "unknown") and NO_VALUE in segment.text:
                at = start + segment.text.index(NO_VALUE)
                yield (at, at + len(NO_VALUE)), t("messages.no_value")


def _ends(sent: ModelInput) -> Iterator[Span]:
    """Return the tokens that end a turn with something else than a newline after them."""
    at = sent.text.find(TURN_END)
    while at >= 0:
        end = at + len(TURN_END)
        if sent.text[end : end + 1] not in ("", "\n", "\r"):
            yield at, end
        at = sent.text.find(TURN_END, end)
