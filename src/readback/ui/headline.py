"""How each condition was scored, in one small picture: a distribution, and a mean where one is called for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from readback import scores, stats
from readback.types import Workspace
from readback.ui import show
from readback.ui.words import t


@dataclass(frozen=True, slots=True)
class Shape:
    """One condition: `shape` draws the distribution, `said` is the mean with n in words."""

    mean: float | None
    said: str
    shape: Markup


@dataclass(frozen=True, slots=True)
class Headline:
    """The criterion that stands for the workspace. `stated`: the workspace declares it, so its number is shown."""

    criterion: str
    stated: bool
    synthetic: bool
    shapes: Mapping[str, Shape]

    def of(self, condition: str) -> Shape | None:
        return self.shapes.get(condition)


def headline(shop: Workspace) -> Headline | None:
    """The headline criterion's scores by condition name; None where there are no scores."""
    if not shop.scores:
        return None
    table = scores.load(shop)
    names = list(table.columns.criteria)
    wanted = next((n for n in names if shop.headline in (n, n.removesuffix("_score"))), names[0] if names else None)
    if wanted is None:
        return None
    made = {table.label(row.condition): _shape(row) for row in reversed(stats.rows(table, criterion=wanted))}
    return Headline(wanted, shop.headline is not None, table.synthetic, made)


def _shape(row: stats.Row) -> Shape:
    counts = ", ".join(f"{value}: {n}" for value, n in row.distribution)
    label = t("overview.shape_said", criterion=row.criterion, counts=counts)
    parts = [
        show.h('<span class="rb-step rb-step-{}" style="flex:{} 1 0" title="{}: {}"></span>', at % 6, n, value, n)
        for at, (value, n) in enumerate(row.distribution)
        if n
    ]
    picture = show.h('<span class="rb-shape" role="img" aria-label="{}">{}</span>', label, show.join(parts))
    return Shape(row.mean, f"{show.number(row.mean)} ({row.n})", picture)
