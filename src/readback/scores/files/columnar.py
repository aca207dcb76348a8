"""Regular CSV and TSV score files, read column by column: the same cells as row by row, five to ten times as fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from readback.readers.bounded_diagnostics import BoundedDiagnostics
from readback.readers.choose_format import choose
from readback.readers.csv_blocks import SIZE, Irregular, Plain
from readback.scores.files._batch import Batch
from readback.scores.files.intake import Intake
from readback.scores.files.layout import Layout
from readback.scores.files.score_rows import Asked, Counted, Read, Row, finished
from readback.types import Diagnostic

LARGE = 1 << 20  # bytes below which the row reader is done before pyarrow is imported
SEPARATORS = {"csv": None, "tsv": "\t"}


def read(
    path: Path,
    reader: Any,
    head: Sequence[Row],
    asked: Asked,
    beat: Callable[[int], None] | None = None,
    large: int = LARGE,
    size: int = SIZE,
) -> Read | None:
    """What `reader.read` gives for this file, or None where rows must be read one by one.

    So it is for small files, for other formats, for readers without a plan of columns, and for any file with a quote
    inside a bare cell, an empty line, a row of another width or whatever else `csv_blocks.Plain` does not let pass.
    """
    file = asked.source.path
    plan_of = getattr(reader, "plan", None)
    if plan_of is None or path.stat().st_size < large:
        return None
    chosen = choose(path, file)
    if isinstance(chosen, Diagnostic) or chosen.packed or chosen.module.NAME not in SEPARATORS:
        return None
    try:
        samples: list[Mapping[str, Any]] = [row.fields for row in head]
        plain = Plain(path, file, SEPARATORS[chosen.module.NAME], size)
        return _read(reader.NAME, plain, lambda names: plan_of(list(names), asked, samples), asked, beat)
    except Irregular:
        return None


def _read(
    what: str,
    plain: Plain,
    plan_of: Callable[[Sequence[str]], Layout],
    asked: Asked,
    beat: Callable[[int], None] | None,
) -> Read:
    batch: Batch | None = None
    room = plain.rows()
    for block in plain.blocks():
        if beat:
            beat(plain.done)
        if batch is None:
            plan = plan_of(plain.names)
            if plan.reply or plan.kind:  # what they say is looked at row by row
                raise Irregular
            batch = Batch(Intake(asked.source.path), plan, asked, plain.names, plain.separator or ",", room)
        batch.take(block)
    if batch is None:
        raise Irregular
    batch.done()
    diagnostics = BoundedDiagnostics()
    diagnostics.extend(plain.diagnostics)
    counted = Counted(
        batch.used, batch.means, asked.source.synthetic or batch.synthetic, batch.costs.shown(), batch.spent
    )
    return finished(what, batch.intake, batch.plan, asked, counted, diagnostics)
