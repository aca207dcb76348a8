"""Scales that score files state themselves, and what to do where two files state different ones under one name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from readback.results._rows import Read
from readback.scores.criteria import look_up, scale_text
from readback.types import Criterion


def with_scales(reads: Sequence[Read], workspace: Mapping[str, Criterion]) -> tuple[list[Read], dict[str, Criterion]]:
    """The files, and every scale that is declared: by the workspace, else by a file.

    Where a later file states another scale than an earlier one, its criterion is called after its scale as well:
    nothing is averaged over two scales.
    """
    reported: dict[str, Criterion] = {}
    kept = []
    for read in reads:
        called: dict[str, str] = {}
        for name, criterion in read.criteria.items():
            said = look_up(name, workspace)
            if said is not None and said.scale != "unknown":
                continue
            known = reported.get(name)
            if known is not None and _scale(known) != _scale(criterion):
                called[name] = f"{name} ({scale_text(criterion)})"
                reported.setdefault(called[name], replace(criterion, name=called[name]))
            else:
                reported[name] = _together(known, criterion)
        if called and read.columns is not None:
            names = tuple(called.get(name, name) for name in read.columns.criteria)
            kept.append(replace(read, columns=replace(read.columns, criteria=names)))
        else:
            kept.append(read)
    return kept, {**reported, **workspace}


def _scale(criterion: Criterion) -> tuple[object, ...]:
    return criterion.scale, criterion.values, criterion.low, criterion.high


def _together(known: Criterion | None, criterion: Criterion) -> Criterion:
    """Class names met in several files are put together."""
    return criterion if known is None else replace(known, meanings={**criterion.meanings, **known.meanings})
