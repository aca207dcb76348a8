"""The first differing lines of two prompts, side by side, with what was removed and added."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from readback.compare.diff import Difference, MessageDifference, explain_unknown_message
from readback.compare.texts import Change
from readback.html import exact
from readback.html.templates import render_template
from readback.ui.common import show
from readback.ui.common.draw.text import message
from readback.words import t

BEFORE, LINES = 1, 8  # lines before the first difference, and lines in all
MOST = 1_200  # characters of one side: a line may be very long

Piece = tuple[str, bool]


def build(difference: Difference, a: str, b: str) -> Markup:
    """Return the first message that differs; nothing where both are the same. `a` and `b` are their names."""
    pair = next((pair for pair in difference.messages if not pair.equal), None)
    if pair is None:
        return Markup("")
    unknown = explain_unknown_message(difference, pair)
    sides = [
        _build_side(pair, name, text.text if text else None, side, unknown)
        for side, (name, text) in enumerate(((a, pair.a), (b, pair.b)))
    ]
    role = pair.role_a or pair.role_b or ""
    return render_template(
        "ui/review/first_lines.html.jinja",
        t=t,
        sides=sides,
        title=message.role_title(role) if unknown else t("agenda.first_lines", role=message.role_title(role)),
        spoken=show.spoken_attribute(),
    )


def _build_side(
    pair: MessageDifference, name: str, text: str | None, side: int, unknown: str | None
) -> dict[str, object]:
    """Return a side for the template. `unknown` is why the other one is not known: then nothing is a difference."""
    if text is None:
        if unknown:
            none, why = ("", t("compare.not_known", why=unknown))
        else:
            none, why = (t("agenda.no_message"), "")
        return {"name": name, "pieces": [], "before": 0, "after": 0, "none": none, "unknown": why}
    start, stop = _find_window(text, pair.changes, side)
    pieces = [
        (Markup(exact.text(piece)), differs and not unknown)  # noqa: S704 (escaped there)
        for piece, differs in _cut(text, pair.changes, side, start, stop)
    ]
    return {"name": name, "pieces": pieces, "before": start, "after": len(text) - stop, "none": "", "unknown": ""}


def _find_window(text: str, changes: Sequence[Change], side: int) -> tuple[int, int]:
    """Return from where to where a text is shown: whole lines from before its first difference."""
    first = next((_get_span(change, side)[0] for change in changes if change.kind != "equal"), 0)
    start = first
    for _ in range(BEFORE + 1):
        start = max(text.rfind("\n", 0, max(start - 1, 0)) + 1, 0)
    if first - start > MOST // 2:
        start = first - MOST // 2
    stop = start
    for _ in range(LINES):
        end = text.find("\n", stop)
        stop = end + 1 if end >= 0 else len(text)
    return start, min(stop, start + MOST)


def _cut(text: str, changes: Sequence[Change], side: int, start: int, stop: int) -> list[Piece]:
    """Return the stretches of a text within the window, each with whether it differs."""
    pieces = []
    for change in changes:
        begin, end = _get_span(change, side)
        inner = text[max(begin, start) : min(end, stop)]
        if inner:
            pieces.append((inner, change.kind != "equal"))
    return pieces or [(text[start:stop], True)]


def _get_span(change: Change, side: int) -> tuple[int, int]:
    if side:
        return change.b
    return change.a
