"""How the scores page came by its numbers: the files and what was left out of them, methods, seed, versions, scales."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version

from markupsafe import Markup

from readback.scores.comparing.comparison import Comparison
from readback.scores.criteria import scale_text
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable, SourceRead
from readback.stats.interval import SEED
from readback.types import Criterion
from readback.ui.common import show
from readback.words import t

PACKAGES = ("readback", "numpy", "scipy")  # whose versions decide the numbers


def draw(table: ScoreTable, criterion: Criterion, rows: Sequence[Row], made: Sequence[Comparison]) -> Markup:
    """Everything somebody needs to come to the same numbers."""
    parts = [
        show.h("<p>{}</p>", t("scores.computed_text")),
        _list(_methods(rows, made)),
        show.h("<p>{}</p>", _scale(table, criterion)),
        *(_source(table, source) for source in table.sources),
        show.h("<p>{}</p>", t("scores.versions", text=", ".join(versions()))),
    ]
    return show.join(parts)


def versions() -> Iterator[str]:
    """The packages whose versions decide the numbers."""
    for name in PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield name


def methods(rows: Sequence[Row], made: Sequence[Comparison]) -> dict[str, str]:
    """What the intervals and tests on the page were computed with, by what they are for."""
    of_means = dict.fromkeys(row.method for row in rows if row.method)
    clustered = any(row.interval_clustered for row in rows)
    of_pairs = dict.fromkeys(one.span_method for one in made if one.span_method)
    tests = dict.fromkeys(one.p_method for one in made if one.p_method)
    said = {
        "intervals": ", ".join(of_means), "clustered": t("scores.method_clustered") if clustered else "",
        "on_scale": t("scores.method_on_scale", seed=SEED) if any(row.interval_on_scale for row in rows) else "",
        "differences": ", ".join(of_pairs), "tests": ", ".join(tests),
        "seed": ", ".join(dict.fromkeys(str(one.seed) for one in made if one.seed is not None)),
    }  # fmt: skip
    return {key: text for key, text in said.items() if text}


def _methods(rows: Sequence[Row], made: Sequence[Comparison]) -> Iterator[str]:
    for key, text in methods(rows, made).items():
        yield t(f"scores.method_{key}_is", text=text)
    exploratory = [one for one in made if one.planned is None]
    if exploratory:
        yield t("scores.holm_exploratory", n=max(one.family for one in exploratory))


def _scale(table: ScoreTable, criterion: Criterion) -> str:
    key = "scale_inferred" if criterion.name in table.inferred else "scale_declared"
    return t(f"scores.{key}", criterion=criterion.name, scale=scale_text(criterion))


def _source(table: ScoreTable, source: SourceRead) -> Markup:
    """One file: what it was taken for, the role of its columns, and every row that is not in a number, by reason."""
    key = "source" if source.cells or source.path in table.columns.files else "source_means"
    said = t(f"scores.{key}", path=source.path, what=source.what, rows=source.rows, cells=source.cells)
    roles = [
        t("scores.source_columns", role=t(f"scores.role_{role}"), columns=", ".join(columns))
        for role, columns in source.columns.items()
        if columns
    ]
    left = [t("scores.left_out", n=n, what=what) for what, n in source.left_out.items()]
    lost = [t(f"scores.source_{name}", n=n) for name, n in _lost(source) if n]
    failed = [t(f"scores.failure_{group}", n=n) for group, n in source.failures.items() if n]
    return show.h("<p>{}</p>{}", said, _list((*roles, *failed, *left, *lost)))


def _lost(source: SourceRead) -> tuple[tuple[str, int], ...]:
    return ("refused", source.refused), ("doubled", source.doubled), ("texts_left", source.texts_left)


def _list(lines: Sequence[str] | Iterator[str]) -> Markup:
    items = [show.h("<li>{}</li>", line) for line in lines]
    return show.h("<ul>{}</ul>", show.join(items)) if items else Markup("")
