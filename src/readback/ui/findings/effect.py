"""Say what the findings of a rule do to planned comparisons: the difference without the records that have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from readback.checks.comparisons import Weighed, verdicts
from readback.checks.fair_pairs import compare_without, find_touched
from readback.checks.summary import Audit
from readback.records.dataset import Dataset
from readback.review.concluded import conclude_planned
from readback.scores import loading
from readback.scores.comparing.comparison import Comparison
from readback.scores.sentences import report
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.state import caches, choice
from readback.ui.common.state.work import PATIENCE
from readback.ui.overview import paired
from readback.words import t

NAMED = 2  # planned comparisons of which the difference is computed again
MOST = 200_000  # cells with a score; with more of them a click should not wait for it


def describe_effect(
    workspace: Workspace, data: Dataset, audit: Audit, weighed_groups: Sequence[Weighed], code: str
) -> Markup:
    """Return what becomes of each planned comparison that the rule of that code touches, in a paragraph each; "" where
    it touches none, where nothing is scored or more than `MOST` cells are, and as long as the scores are read.
    """
    weighed_group = next(each for each in weighed_groups if each.group.code == code)
    touched_pairs = weighed_group.one_sided or weighed_group.both_sided
    if not (touched_pairs and workspace.scores) or weighed_group.group.severity == "info" or audit.sample:
        return Markup("")
    mark = loading.fingerprint(workspace)
    job = caches.scores(mark, workspace)
    if not job.ready.wait(PATIENCE) or not isinstance(job.result, ScoreTable):
        return Markup("")
    table = job.result
    if len(table.columns) > MOST:
        return Markup("")
    lines = caches.rule_effect(
        choice.key(),
        mark,
        f"{weighed_group.group.code} {audit.stopped}",
        lambda: tuple(_list_effects(workspace, data, audit, weighed_group, table)),
    )
    return show.join([show.h('<p class="rb-effect">{}</p>', line) for line in lines])


def _list_effects(
    workspace: Workspace, data: Dataset, audit: Audit, weighed_group: Weighed, table: ScoreTable
) -> Iterator[str]:
    """Yield a sentence for each touched comparison with a difference."""
    pairs = (weighed_group.one_sided + weighed_group.both_sided)[:NAMED]
    concluded = conclude_planned(workspace, table, verdicts(audit, (weighed_group,), pairs))
    for pair, of_pair in concluded.items():
        line = of_pair.conclusion.line
        if not isinstance(line, Comparison) or line.difference is None:
            continue
        touched = find_touched(workspace, data, audit, of_pair.view, line, weighed_group.group.code)
        rest = compare_without(of_pair.view, line, touched)
        question = paired.find_question(workspace, pair)
        if question:
            about = f"“{question}”"
        else:
            about = paired.name_pair(pair)
        values = {"about": about, "by": report.plus(line.difference), "n": line.n_shared, "touched": len(touched)}
        if rest is None:
            yield t("findings.effect_none", **values)
        elif rest.difference is None or rest.span is None:
            yield t("findings.effect_few", rest=rest.n_shared, **values)
        else:
            interval = report.interval(rest, turned=False)
            rest_by = report.plus(rest.difference)
            yield t("findings.effect", rest_by=rest_by, rest=rest.n_shared, interval=interval, **values)
