"""Draw which conditions have logged requests that differ from what the files assemble to, and by which text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from markupsafe import Markup

from readback.checks.comparisons import Verdict
from readback.checks.request_differences import DifferenceKind
from readback.checks.summary import Audit, Row
from readback.html import exact
from readback.html.templates import render_template
from readback.requests.first_difference import RESPELLED
from readback.ui.common import show
from readback.ui.overview import requests_line
from readback.words import t

MOST = 12  # conditions that are drawn; more are counted
NAMED = 2  # kinds of difference of a condition whose text is drawn; more are counted
SHOWN = 90  # characters of such a text


@dataclass(frozen=True, slots=True)
class Change:
    """By what requests differ: the kind of change, the text, and the text of the files that it replaces; "" where there
    is none, or where each request has a text of its own.
    """

    name: str
    text: str
    replaced: str


@dataclass(frozen=True, slots=True)
class DifferingRow:
    """A condition with requests that differ: the way to its prompt, how many differ as the way to them with that share
    in percent, and by what; `more` counts the kinds that are not drawn.
    """

    link: Markup
    count: Markup
    share: float
    changes: tuple[Change, ...]
    more: str


def draws_every_request(audit: Audit) -> bool:
    """Tell whether `draw_differing` draws what became of the requests of every condition."""
    differing = _list_differing(audit)
    return 0 < len(differing) <= MOST and all(row.observed[1] for row in audit.conditions)


def draw_differing(audit: Audit, judged: Sequence[Verdict]) -> bool:
    """Draw the conditions of which logged requests differ, most first, each with the text that differs; the others are
    counted. Return whether any does.
    """
    differing = _list_differing(audit)
    if not differing:
        return False
    kinds: dict[str, list[DifferenceKind]] = defaultdict(list)
    for kind in audit.differences:
        if kind.change != RESPELLED:
            kinds[kind.name].append(kind)
    rest = []
    if len(differing) > MOST:
        rest.append(t("overview.ranked_differing_more", n=len(differing) - MOST))
    if equal := sum(row.observed[1] > 0 for row in audit.conditions) - len(differing):
        comparable = "" if judged else requests_line.describe_comparable(audit)
        rest.append(" ".join(filter(None, (t("overview.ranked_equal", n=equal), comparable))))
    show.draw(
        render_template(
            "ui/overview/differing.html.jinja",
            t=t,
            rows=[_build_row(row, kinds) for row in differing[:MOST]],
            rest=rest,
        )
    )
    return True


def _list_differing(audit: Audit) -> list[Row]:
    """Return the conditions with logged requests that differ, most first."""
    differing = [row for row in audit.conditions if row.observed[0] < row.observed[1]]
    return sorted(differing, key=lambda row: row.observed[0] - row.observed[1])


def _build_row(row: Row, kinds: Mapping[str, Sequence[DifferenceKind]]) -> DifferingRow:
    equal, total = row.observed
    of_row = kinds.get(row.name, ())
    words = t("overview.ranked_of_all", n=total - equal, all=total)
    more = len(of_row) - NAMED
    return DifferingRow(
        show.link("prompts", row.name, **asdict(row.choice)),
        show.link("findings", words, code=requests_line.CODE, arm=row.name),
        round(100 * (total - equal) / total, 1),
        tuple(_describe_change(kind) for kind in of_row[:NAMED]),
        t("held.more_kinds", n=more) if more > 0 else "",
    )


def _describe_change(kind: DifferenceKind) -> Change:
    name = t(f"held.change.{kind.change.replace(' ', '_')}")
    if kind.ours and kind.sent:
        return Change(name, _shorten(kind.sent), _shorten(kind.ours))
    return Change(name, _shorten(kind.ours or kind.sent), "")


def _shorten(text: str) -> str:
    written = exact.written_out(text)
    if len(written) > SHOWN:
        return f"{written[: SHOWN - 1]}…"
    return written
