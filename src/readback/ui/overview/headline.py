"""How each condition was scored, in one small picture: a distribution, and a mean where one is called for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from readback.scores import report, summary
from readback.scores.criteria import MINUS
from readback.scores.summary_row import Row
from readback.scores.table import FAILED, MISSING, NOT_APPLICABLE, SCORED, ScoreTable
from readback.types import Criterion, Workspace
from readback.ui.common import show
from readback.ui.common.table import Column
from readback.ui.scores import score_means
from readback.ui.scores.score_drilldown import address_of
from readback.words import t

STEPS = 6  # shades; a scale with fewer values takes some of them, one with more repeats neighbours


@dataclass(frozen=True, slots=True)
class Shape:
    """One condition: `picture` draws the distribution that `told` tells, `said` is the mean with n."""

    name: str
    n: int
    missing: int
    said: str
    told: str
    picture: Markup
    address_of: str


@dataclass(frozen=True, slots=True)
class Headline:
    """The criterion that stands for the workspace. `stated`: the workspace declares it, so its number is shown."""

    criterion: str
    judge: str
    stated: bool
    synthetic: bool
    values: tuple[tuple[str, int], ...]  # with their shades
    factors: tuple[str, ...]
    shapes: Mapping[str, Shape]

    def of(self, condition: str) -> Shape | None:
        return self.shapes.get(condition)


def headline(workspace: Workspace, table: ScoreTable) -> Headline | None:
    """The headline criterion's scores by condition name, by its first judge; None where there are no scores."""
    names = table.columns.criteria
    wanted = next(
        (n for n in names if workspace.headline in (n, n.removesuffix("_score"))), names[0] if names else None
    )
    rows = summary.rows(table, criterion=wanted) if wanted is not None else ()
    if wanted is None or not rows:
        return None
    judge = rows[0].judge
    shapes = {table.label(row.condition): _shape(table, row) for row in rows if row.judge == judge}
    known = [_said(value) for value, _ in rows[0].distribution]
    values = tuple(zip(known, _steps(len(known), table.criteria[wanted]), strict=True))
    return Headline(wanted, judge, workspace.headline is not None, table.synthetic, values, table.varying, shapes)


def legend(head: Headline) -> Markup:
    """What the small pictures show, in the order and shades of the scale."""
    key = '<span class="rb-key"><span class="rb-step rb-step-{}"></span>{}</span>'
    items = [show.h(key, step, value) for value, step in head.values]
    said = t("overview.legend", criterion=head.criterion)
    judge = t("overview.legend_judge", judge=head.judge) if head.judge else ""
    factors = t("overview.factors", factors=" · ".join(head.factors)) if len(head.factors) > report.FEW else ""
    made_up = show.h(' <strong class="rb-warn">{}</strong>', t("overview.synthetic")) if head.synthetic else ""
    return show.h('<p class="rb-small">{} {} {} {}{}</p>', said, show.join(items, " "), judge, factors, made_up)


def scored(head: Headline) -> tuple[tuple[Column, ...], list[Mapping[str, Any]]]:
    """The conditions of a workspace that has nothing but scores."""
    rows: list[Mapping[str, Any]] = [
        {"name": one.name, "n": one.n, "missing": one.missing, "shape": one.told, "mean": one.said}
        for one in head.shapes.values()
    ]
    shapes = {one.name: one for one in head.shapes.values()}
    columns = (
        Column(
            "name",
            t("overview.name"),
            show=lambda row: show.link("scores", row["name"], of=shapes[row["name"]].address_of),
        ),
        Column("n", t("overview.n"), number=True),
        Column("missing", t("overview.missing"), number=True),
        *pictures(head, shapes),
    )
    return columns, rows


def pictures(head: Headline, shapes: Mapping[str, Shape]) -> tuple[Column, ...]:
    """The columns with the distribution, and with the mean where the workspace declares a headline."""

    def picture(row: Mapping[str, Any]) -> Markup | str:
        return shapes[row["name"]].picture if row["name"] in shapes else "–"

    title = t("overview.shape_synthetic" if head.synthetic else "overview.shape", criterion=head.criterion)
    shape = Column("shape", title, show=picture)
    mean = Column(
        "mean", t("overview.headline", criterion=head.criterion), number=True, show=lambda row: row["mean"] or "–"
    )
    return (shape, mean) if head.stated else (shape,)


def reconciled(table: ScoreTable) -> Sequence[str]:
    """The counts of the score files, which add up."""
    state, lines = table.columns.state, []
    for one in table.sources:
        lines.append(t("overview.score_file", path=one.path, rows=one.rows, cells=one.cells))
    if len(table.columns):
        counts = {"scored": SCORED, "failed": FAILED, "missing": MISSING, "na": NOT_APPLICABLE}
        known = {name: state.count(code) for name, code in counts.items()}
        lines.append(t("overview.score_counts", cells=len(table.columns), **known))
        absent = sum(row.missing for row in summary.rows(table)) - known["missing"]
        lines += [t("overview.score_absent", n=absent)] if absent > 0 else []
    return lines


def _shape(table: ScoreTable, row: Row) -> Shape:
    counts = [(_said(value), n) for value, n in row.distribution]
    missing = row.missing + row.failed
    told = ", ".join(f"{value}: {n}" for value, n in counts) or "–"
    label = t("overview.shape_said", criterion=row.criterion, counts=told, n=row.n, missing=missing)
    box = '<span class="{}" style="flex:{} 1 0" title="{}: {}"></span>'
    steps = _steps(len(counts), table.criteria[row.criterion])
    parts = [
        show.h(box, f"rb-step rb-step-{step}", n, value, n) for step, (value, n) in zip(steps, counts, strict=True) if n
    ]
    parts += [show.h(box, "rb-left", missing, t("overview.missing"), missing)] if missing else []
    picture = show.h('<span class="rb-shape" role="img" aria-label="{}">{}</span>', label, show.join(parts))
    said = f"{score_means.mean(row.mean)} ({row.n})"
    name = report.short(table, row.condition)
    return Shape(name, row.n, missing, said, told, picture, address_of(table, row.condition))


def _steps(count: int, criterion: Criterion) -> list[int]:
    """The shade of each value, the same as in the charts of Scores: the better end of the scale is blue."""
    places = [round(at * (STEPS - 1) / (count - 1)) if count > 1 else STEPS - 2 for at in range(count)]
    return places[::-1] if criterion.direction == "down" else places


def _said(value: str) -> str:
    return value.replace("-", MINUS) if value.startswith("-") else value
