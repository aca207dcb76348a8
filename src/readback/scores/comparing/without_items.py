"""The same scores without some of the items: what a comparison says of all the others."""

from __future__ import annotations

from array import array
from dataclasses import replace
from functools import lru_cache
from typing import Any

from readback.scores.table import Columns, Pool, ScoreTable


@lru_cache(maxsize=8)
def without(table: ScoreTable, items: frozenset[str]) -> ScoreTable:
    """The table without the cells of these items; of a pooled table, without them in what is pooled too.

    Notes and reasons are left behind: nothing is listed of such a table, only computed.
    """
    made = replace(table, columns=_without(table.columns, items))
    if table.pool is None:
        return made
    return replace(made, pool=Pool(without(table.pool.table, items), table.pool.judges))


def _without(c: Columns, items: frozenset[str]) -> Columns:
    import numpy as np

    gone = [code for code, name in enumerate(c.items) if name in items]
    kept = np.flatnonzero(~np.isin(np.asarray(c.item), gone))

    def of(column: Any) -> Any:
        return array(column.typecode, np.asarray(column)[kept].tolist())

    return replace(
        c, item=of(c.item), condition=of(c.condition), criterion=of(c.criterion), judge=of(c.judge),
        cluster=of(c.cluster), run=of(c.run), prompt=of(c.prompt), file=of(c.file), line=of(c.line),
        value=of(c.value), state=bytearray(np.frombuffer(c.state, np.uint8)[kept].tobytes()), whys={}, texts={},
    )  # fmt: skip
