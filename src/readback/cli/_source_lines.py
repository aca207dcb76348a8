"""What each score file was taken for and what became of its rows, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.words import t

MOST = 8  # names of unused columns that a line lists
Answer = Mapping[str, Any]


def text(answer: Answer) -> Iterator[str]:
    """A line for each condition and judge that cost something, then one for each file."""
    if answer["costs"]:
        yield f"\n{t('cli.scores.costs')}"
    for one in answer["costs"]:
        sums = [f"{name} {amount:.6g}" for name, amount in one["cost"].items()]
        sums += [f"{name} {count:,}" for name, count in one["tokens"].items()]
        said = {"condition": " · ".join(one["condition"].values()), "judge": one["judge"], "sums": ", ".join(sums)}
        cost = "cost_judge" if one["judge"] else "cost"
        yield f"  {t(f'cli.scores.{cost}', **said, n=one['rows'])}"
    if answer["sources"]:
        yield f"\n{t('cli.scores.files')}"
    for one in answer["sources"]:
        yield f"  {t('cli.scores.file', file=one['path'], what=one['what'], facts='; '.join(_said(one)))}"


def _said(one: Answer) -> Iterator[str]:
    yield t("cli.scores.file_rows", n=one["rows"], cells=one["cells"])
    if one["refused"]:
        yield t("cli.scores.file_refused", n=one["refused"])
    yield from (t("cli.scores.file_left_out", n=count, why=why) for why, count in one["left_out"].items())
    if one["doubled"]:
        yield t("cli.scores.file_doubled", n=one["doubled"])
    if one["failures"]:
        groups = ", ".join(f"{group} {count}" for group, count in one["failures"].items())
        yield t("cli.scores.file_failures", groups=groups)
    if one["texts_left"]:
        yield t("cli.scores.file_texts_left", n=one["texts_left"])
    if unused := one["columns"].get("unused", ()):
        names = ", ".join(name or t("cli.scores.file_no_name") for name in unused[:MOST])
        more = "file_unused_more" if len(unused) > MOST else "file_unused"
        yield t(f"cli.scores.{more}", names=names, n=len(unused) - MOST)
    if cost := one["columns"].get("cost", ()):
        yield t("cli.scores.file_cost", columns=", ".join(cost))
