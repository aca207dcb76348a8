"""Draw a score as a chip: its value, with the look of its place on the scale of its criterion, as in the charts."""

from __future__ import annotations

from markupsafe import Markup

from readback.html.templates import render_template
from readback.scores.table import FAILED, NOT_APPLICABLE, SCORED
from readback.scores.values.criteria import MINUS, number
from readback.types import Criterion
from readback.ui.common import show
from readback.words import t

NO_ROW = 9  # the state of an item that no file has under a condition
STEPS = 6  # looks of a chip, from the worse to the better end, as in the charts
PATTERNS = 8  # of charts
TITLES = {FAILED: "failed", NOT_APPLICABLE: "na"}  # states by their words; any other is missing


def format_value(value: float, *, is_mean: bool) -> str:
    """Return a score as the file has it; a mean of several with two digits."""
    return number(round(value, 2) if is_mean else value).replace("-", MINUS)


def render_chip(value: float, state: int, criterion: Criterion, *, is_mean: bool = False) -> Markup:
    """Return a score with the look of its place on the scale, or in words why there is none."""
    if state != SCORED:
        if state == NO_ROW:
            title = t("scores.no_row")
        else:
            title = ""
        word = t(f"scores.{TITLES.get(state, 'missing')}")
        return show.h('<span class="rb-score-chip rb-score-chip-none" title="{}">{}</span>', title, word)
    step = find_step(value, criterion)
    if step is None:
        looks = ["plain"]
    else:
        looks = [str(step), f"pattern-{find_pattern(value, step, criterion)}"]
    text = format_value(value, is_mean=is_mean or not value.is_integer())
    return render_template("ui/common/draw/score_chip.html.jinja", t=t, looks=looks, text=text)


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
    if value in criterion.values:
        return criterion.values.index(value) % PATTERNS
    return step
