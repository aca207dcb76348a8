"""The first words of the scores page: what the planned comparisons say, and beside it what the study expected."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from readback.checks.rules import finding
from readback.scores.comparing import compare
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.comparing.planned import planned
from readback.scores.table import Planned, ScoreTable
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.scores.score_means import p_text, short, signed
from readback.ui.words import t

FIRST = 3  # planned comparisons that are read at first sight

Line = Comparison | Blocked


def lines(table: ScoreTable, workspace: Workspace, criterion: str, judge: str) -> tuple[Line, ...]:
    """The planned comparisons under one criterion by one judge, the plan's order kept; blocked ones too."""
    plan = planned(workspace)
    made = compare.compare(table, plan, baseline=_any(table, plan)) if plan else None
    if made is None:
        return ()
    both: list[Line] = [*made.comparisons, *made.blocked]
    found = [one for one in both if one.planned is not None]
    order = {one: at for at, one in enumerate(plan)}
    here = [one for one in found if one.criterion == criterion and one.judge in (judge, "")]
    return tuple(sorted(here, key=lambda one: order[one.planned] if one.planned else 0))


def elsewhere(table: ScoreTable, workspace: Workspace) -> tuple[str, ...]:
    """The criteria that the plan names and the scores have."""
    return tuple(dict.fromkeys(name for one in planned(workspace) for name in one.criteria))


def without_scores(table: ScoreTable, workspace: Workspace) -> tuple[tuple[Planned, str], ...]:
    """The planned comparisons that no score file speaks of, each with the name that has none."""
    return compare.absent(table, planned(workspace))


def sentence(table: ScoreTable, one: Comparison, criterion: Criterion) -> str:
    """One comparison with its numbers, and no more than they say; the higher condition is named first."""
    if one.difference is None or one.verdict == "too few":
        return t("scores.said_few", a=short(table, one.a), b=short(table, one.b), n=one.n_shared)
    up = one.difference >= 0
    high, low = (one.b, one.a) if up else (one.a, one.b)
    better, worse = (one.wins, one.losses) if up is (criterion.direction != "down") else (one.losses, one.wins)
    given = {
        "n": one.n_shared,
        "high": short(table, high),
        "low": short(table, low),
        "by": signed(abs(one.difference)),
        "interval": interval(one if up else None, one),
        "higher": one.wins if up else one.losses,
        "lower": one.losses if up else one.wins,
        "same": one.ties,
        "better": better,
        "worse": worse,
        "margin": "" if one.margin is None else f"{one.margin:g}",
        "detectable": "–" if one.detectable is None else f"{one.detectable:.2g}",
    }
    key = {"not separated": "open", "equivalent": "equal", "constant": "constant"}.get(one.verdict, "higher")
    said = t(f"scores.said_{key}", **given)
    return f"{said} {t('scores.down')}" if key == "higher" and criterion.direction == "down" else said


def interval(up: Comparison | None, one: Comparison) -> str:
    """The interval of a difference in words, turned round where the sentence names the sides the other way."""
    if one.span is None:
        return t("scores.no_interval")
    low, high = one.span if up is not None else (-one.span[1], -one.span[0])
    return t("scores.interval", low=signed(low), high=signed(high))


def verdict(table: ScoreTable, one: Comparison) -> str:
    """What was found, in a few words."""
    key = one.verdict.replace(" ", "_")
    return t(f"scores.verdict_{key}", a=short(table, one.a), b=short(table, one.b))


def draw(table: ScoreTable, found: Sequence[Line], criterion: Criterion) -> Markup:
    """The planned comparisons, each with its question, what was expected and what was found."""
    rows = [_line(table, one, criterion, first=at == 0) for at, one in enumerate(found)]
    seen = show.h('<ul class="rb-plan">{}</ul>', show.join(rows[:FIRST]))
    if not rows[FIRST:]:
        return seen
    more = t("scores.plan_more", n=len(rows) - FIRST)
    rest = show.h('<ul class="rb-plan">{}</ul>', show.join(rows[FIRST:]))
    return show.h("{}<details><summary>{}</summary>{}</details>", seen, more, rest)


def tested(one: Comparison) -> str:
    """The test in a few words: p as computed, and Holm's over its family."""
    if one.p is None:
        return ""
    said = t("scores.p", p=p_text(one.p))
    if one.planned is not None and one.p_adjusted is not None:
        said = t("scores.p_holm", p=p_text(one.p), adjusted=p_text(one.p_adjusted), n=one.family)
    return said


def _line(table: ScoreTable, one: Line, criterion: Criterion, first: bool) -> Markup:
    plan = one.planned
    pair = t("scores.pair", a=short(table, one.a), b=short(table, one.b))
    question = plan.question if plan and plan.question else plan.name if plan and plan.name else pair
    expected = t("scores.expected", text=_expected(table, one)) if plan and plan.expected else ""
    if isinstance(one, Blocked):
        why = " ".join(finding(diagnostic).message for diagnostic in one.why)
        said, found, look = t("scores.blocked_line", why=why), "", " rb-blocked"
    else:
        said, look = sentence(table, one, criterion), ""
        found = t("scores.found", text=verdict(table, one))
    below = [expected, found, "" if isinstance(one, Blocked) else tested(one), plan.warning if plan else ""]
    return show.h(
        '<li class="rb-plan-line{}"><p class="{}"><strong>{}</strong> {}</p><p class="rb-small">{}</p></li>',
        look, "rb-lead" if first else "", question, said, " · ".join(part for part in below if part),
    )  # fmt: skip


def _expected(table: ScoreTable, one: Line) -> str:
    """The study's own words; where it only names a side, that condition."""
    text = one.planned.expected if one.planned else ""
    side = {"a": one.a, "b": one.b}.get(text.strip().lower())
    return t("scores.verdict_b_is_higher", a="", b=short(table, side)) if side is not None else text


def _any(table: ScoreTable, plan: Sequence[Planned]) -> str | None:
    """A baseline that is there, so that no more is compared than the plan and one row against each other."""
    for one in plan:
        found = compare.side_of(table, one.a)
        if found is not None and found in table.columns.conditions:
            return table.label(found)
    return table.label(table.columns.conditions[0]) if table.columns.conditions else None
