"""Render the small parts of the grid: a score as a chip with a pattern of its own, a text that is cut, findings."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from readback.html.templates import render_template
from readback.scores.criteria import MINUS, number
from readback.scores.table import FAILED, NOT_APPLICABLE, SCORED
from readback.types import Criterion, Finding
from readback.ui.common import show
from readback.ui.results.grid.values import NO_ROW
from readback.words import sentence, t

STEPS = 6  # looks of a chip, from the worse to the better end, as in the charts
PATTERNS = 8  # of charts
TITLES = {FAILED: "failed", NOT_APPLICABLE: "na"}  # states by their words; any other is missing
WEIGHT = ("error", "warning", "info")


def format_value(value: float, *, is_mean: bool) -> str:
    """Return a score as the file has it; a mean of several with two digits."""
    return number(round(value, 2) if is_mean else value).replace("-", MINUS)


def render_chip(value: float, state: int, criterion: Criterion, *, is_mean: bool = False) -> Markup:
    """Return a score with the look of its place on the scale, or in words why there is none."""
    if state != SCORED:
        title = t("scores.no_row") if state == NO_ROW else ""
        word = t(f"scores.{TITLES.get(state, 'missing')}")
        return show.h('<span class="rb-chip rb-chip-none" title="{}">{}</span>', title, word)
    step = find_step(value, criterion)
    looks = ["plain"] if step is None else [str(step), f"pattern-{find_pattern(value, step, criterion)}"]
    text = format_value(value, is_mean=is_mean or not value.is_integer())
    return render_template("ui/results/grid/chip.html.jinja", t=t, looks=looks, text=text)


def find_step(value: float, criterion: Criterion) -> int | None:
    """Return the look of a score, 0 for the worst end of its scale; None where no end is better or the scale unknown.

    A value beside the steps of a scale has the look of its place between the ends.
    """
    low, high = criterion.low, criterion.high
    if criterion.direction == "none" or criterion.scale == "nominal" or low is None or high is None or low >= high:
        return None
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    if value in criterion.values and len(criterion.values) > 1:
        share = criterion.values.index(value) / (len(criterion.values) - 1)
    if criterion.direction == "down":
        share = 1 - share
    return round(share * (STEPS - 1))


def find_pattern(value: float, step: int, criterion: Criterion) -> int:
    """Return the pattern that charts give to this value, or to its place on a scale without steps."""
    return criterion.values.index(value) % PATTERNS if value in criterion.values else step


def render_cut(text: str, most: int) -> Markup:
    """Return the beginning of a text, with a mark that says how much more there is."""
    return render_template(
        "ui/results/grid/cut.html.jinja",
        t=t,
        text=text[:most],
        more=len(text) - most,
        language=show.spoken_attribute(),
    )


def render_dots(findings: Sequence[Finding], label: str, **params: str | None) -> Markup:
    """Return the findings about an answer as one link to the first of the gravest; nothing where there is none."""
    if not findings:
        return Markup("")
    first = min(findings, key=lambda finding: WEIGHT.index(finding.severity))
    link = show.link("prompts", label, **params, finding=first.key)
    sign = show.SIGNS[first.severity]
    return show.h(
        '<span class="rb-dot rb-{}" title="{}"><span aria-hidden="true">{}</span> {}</span>',
        first.severity,
        sentence.finish(first.message),
        sign,
        link,
    )


def cut_short(text: str, most: int) -> Markup:
    """Return the beginning of a text for a link."""
    return show.h(
        '<span dir="auto"{}>{}{}</span>', show.spoken_attribute(), text[:most], "…" if len(text) > most else ""
    )


def render_rest(text: str, most: int) -> Markup:
    """Return how much of a text its link leaves out."""
    return (
        show.h('<span class="rb-cut">{}</span>', t("grid.cut", n=len(text) - most)) if len(text) > most else Markup("")
    )
