"""The first words of the scores page: what the planned comparisons say, and beside it what the study expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from readback.checks import fair_pairs
from readback.checks.rules import finding
from readback.scores import conclusion, in_view, not_compared, report
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.comparison import Blocked, Comparison
from readback.scores.conclusion import BestOf, Conclusion
from readback.scores.drawn_pairs import Pair
from readback.scores.report import Line
from readback.scores.summary_row import Row
from readback.scores.table import Planned, ScoreTable
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.common.draw import verdict
from readback.ui.common.state import caches, choice
from readback.ui.scores import score_means, score_view
from readback.ui.scores.score_view import Chosen
from readback.words import t

FIRST = 3  # planned comparisons that are read at first sight


def lines(table: ScoreTable, workspace: Workspace, criterion: str, judge: str) -> tuple[Line, ...]:
    """The planned comparisons under one criterion by one judge, the plan's order kept; blocked ones too."""
    return in_view.of_plan(table, list_planned(workspace), criterion, judge)


def elsewhere(table: ScoreTable, workspace: Workspace) -> tuple[str, ...]:
    """The criteria that the plan names and the scores have."""
    return tuple(dict.fromkeys(name for one in list_planned(workspace) for name in one.criteria))


def without_scores(table: ScoreTable, workspace: Workspace) -> tuple[tuple[Planned, str], ...]:
    """The planned comparisons that no score file speaks of, each with the name that has none."""
    return compare.list_absent(score_view.of_files(table), list_planned(workspace))


@dataclass(frozen=True, slots=True)
class Concluded:
    """What the first words of a view say, and how it stands with the fairness of each of its pairs, in markup."""

    found: Sequence[Conclusion] | BestOf | None
    ways: Mapping[Pair, tuple[Markup, str]]


def conclude(table: ScoreTable, workspace: Workspace, view: Chosen) -> Concluded:
    """Return what is concluded of the scores in view: the first words, charts and tables are drawn of it."""
    ways: dict[Pair, tuple[Markup, str]] = {}

    def fair(one: Comparison) -> str:
        ways[frozenset((one.a, one.b))] = way = _fair(table, workspace, one)
        return way[1]

    name = view.criterion.name
    found = conclusion.conclude_criterion(table, workspace, name, view.judge, fair, view.by or None)
    return Concluded(found, ways)


def draw(table: ScoreTable, workspace: Workspace, concluded: Concluded, criterion: Criterion) -> Markup:
    """The planned comparisons, each with its question, what was expected, what was found and whether it is fair."""
    if concluded.found is None or isinstance(concluded.found, BestOf):
        return Markup("")
    rows = []
    for at, one in enumerate(concluded.found):
        fair = concluded.ways.get(frozenset((one.line.a, one.line.b)), (Markup(""), ""))[0]
        rows.append(_line(table, workspace, one, fair, criterion, first=at == 0))
    seen = show.h('<ul class="rb-plan">{}</ul>', show.join(rows[:FIRST]))
    if not rows[FIRST:]:
        return seen
    more = t("scores.plan_more", n=len(rows) - FIRST)
    rest = show.h('<ul class="rb-plan">{}</ul>', show.join(rows[FIRST:]))
    return show.h("{}<details><summary>{}</summary>{}</details>", seen, more, rest)


def unplanned(
    table: ScoreTable, workspace: Workspace, rows: Sequence[Row], concluded: Concluded, view: Chosen
) -> Markup:
    """What the scores say where nothing was planned: of two conditions as of a planned pair, of a few which is best and
    how sure that is; then the range of the means.
    """
    means, scored = score_means.lead(table, rows, view.criterion), [row for row in rows if row.mean is not None]
    scales = not_compared.find_scales(score_view.of_files(table), view.criterion.name)
    if scales is not None:
        apart = show.h('<p class="rb-lead"><strong>{}</strong></p>', scales.headline)
        if len(scored) < 2:
            return show.h("{}<p>{}</p>", apart, means)
        return show.h("{}{}", apart, _unplanned(table, workspace, scored, concluded, view, means))
    return _unplanned(table, workspace, scored, concluded, view, means)


def _unplanned(
    table: ScoreTable, workspace: Workspace, scored: Sequence[Row], concluded: Concluded, view: Chosen, means: str
) -> Markup:
    """What is concluded of the conditions on one scale, and the range of their means."""
    if concluded.found and not isinstance(concluded.found, BestOf):
        return show.h('{}<p class="rb-small">{}</p>', draw(table, workspace, concluded, view.criterion), means)
    said, rest = _best(table, scored, concluded, view)
    if not said:
        return show.h('<p class="rb-lead">{}</p>', means)
    return show.h('<p class="rb-lead"><strong>{}</strong></p>{}<p>{}</p>', said, _paragraph(rest), means)


def _paragraph(said: Markup | str) -> Markup:
    return said if isinstance(said, Markup) else show.h("<p>{}</p>", said) if said else Markup("")


def _best(table: ScoreTable, rows: Sequence[Row], concluded: Concluded, view: Chosen) -> tuple[str, Markup | str]:
    """Which of the rows, the better means first, is best, and what is not counted for it or not known yet; "" where
    nobody can say.
    """
    if not rows:
        return "", ""
    if len(rows) < 2:
        alone = not_compared.find_alone(score_view.of_files(table), view.criterion.name)
        return (t("scores.best_alone") if alone is None else alone.headline), ""
    found = concluded.found
    if not isinstance(found, BestOf) or not found.answer:
        return "", ""
    if found.found is None:
        factor = t("scores.best_factor") if score_view.levels(table, view.criterion.name, view.judge) else ""
        return found.headline, factor
    unchecked = next((way for way, kind in concluded.ways.values() if kind == conclusion.UNCHECKED), None)
    against = [way for way, kind in concluded.ways.values() if kind in conclusion.AGAINST]
    which = t("scores.best_which", factor=view.by) if view.by else ""
    rest = show.h("<p>{}</p>{}", t("scores.best_unfair", n=len(against)), against[0]) if against else ""
    return f"{which} {found.headline}".lstrip(), unchecked or rest


def _line(
    table: ScoreTable, workspace: Workspace, concluded: Conclusion, fair: Markup, criterion: Criterion, first: bool
) -> Markup:
    one = concluded.line
    plan, name = one.planned, partial(report.short, table)
    pair = t("scores.pair", a=name(one.a), b=name(one.b))
    question = plan.question if plan and plan.question else plan.name if plan and plan.name else pair
    expected = t("scores.expected", text=report.expected(one, name)) if plan and plan.expected else ""
    if isinstance(one, Blocked):
        why = " ".join(finding(diagnostic).message for diagnostic in one.why)
        said, answer, look = t("scores.blocked_line", why=why), "", " rb-blocked"
        tested = ("", "")
    else:
        kind = concluded.fairness
        said, look, answer = concluded.sentence, "", concluded.headline
        others = ""
        if first:
            others = conclusion.sum_up_others(table, workspace, one.a, one.b, one.criterion, one.judge)
        more = (others, report.not_shown(one, name, criterion, kind), report.doubtful(one, kind))
        said = " ".join(part for part in (said, *more) if part)
        tested = (report.tested(one), report.power(one, kind))
    below = [expected, *tested, plan.warning if plan else ""]
    return show.h(
        '<li class="rb-plan-line{}"><p class="{}"><strong>{} {}</strong> {}</p><p class="rb-small">{}</p>{}</li>',
        look, "rb-lead" if first else "", question, answer, said, " · ".join(part for part in below if part), fair,
    )  # fmt: skip


def _fair(table: ScoreTable, workspace: Workspace, one: Comparison) -> tuple[Markup, str]:
    """Whether the overview calls the pair fair, and the difference on the records that its errors do not touch; and the
    kind of the verdict, "unchecked" before a check and "" where none can be given.
    """
    if workspace.dataset is None or not workspace.conditions:
        return show.h('<p class="rb-small rb-fair">{}</p>', t("scores.fair_no_prompts")), conclusion.NO_PROMPTS
    job = caches.audited(choice.key())
    audit = job.result if job is not None and job.ready.is_set() else None
    if audit is None or audit.stopped:
        way = show.link("overview", t("scores.fair_check"))
        return show.h('<p class="rb-small rb-fair">{} {}</p>', t("scores.fair_unchecked"), way), "unchecked"
    found = fair_pairs.fairness(workspace, choice.dataset(), audit, table, one)
    if found is None:
        return Markup(""), ""
    name = partial(report.short, table)
    same = found.verdict.kind == "same"
    rest = report.untouched(one, found.touched, found.untouched, name, same=same) if found.verdict.faults else ""
    said = [
        _over(one, found, name),
        verdict.line(found.verdict),
        show.h('<p class="rb-fair">{}</p>', rest) if rest else "",
    ]
    return show.join(said), found.verdict.kind


def _over(one: Comparison, found: fair_pairs.Fairness, name: report.Name) -> Markup | str:
    """Of two values of a factor: over how many pairs of conditions they are compared, and how many of them are not fair
    or not known to be.
    """
    if len(found.pairs) < 2 or found.verdict.kind in ("fair", "same"):
        return ""
    counts = {kind: sum(each.kind == kind for each in found.pairs) for kind in ("unfair", "unknown")}
    which = ", and ".join(t(f"scores.fair_factor_{kind}", n=n) for kind, n in counts.items() if n)
    said = t("scores.fair_factor", a=name(one.a), b=name(one.b), n=len(found.pairs), which=which,
             factor=" and ".join(factor for factor, _ in one.a))  # fmt: skip
    return show.h('<p class="rb-fair">{}</p>', said)
