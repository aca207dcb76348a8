"""What a dataset that is a checkpoint brings along: traits as criteria, results as scores, the question's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from readback.quantity import quantity
from readback.readers import checkpoint as reader
from readback.readers.choose_format import choose
from readback.scores.criteria import scale_text
from readback.scores.files.cells import legible
from readback.scores.files.formats.verification.taking import Definition, criterion
from readback.sources import checkpoint
from readback.sources.checkpoint import Benchmark, Trait
from readback.tasks import GENERATION
from readback.types import Criterion, Diagnostic, ScoreSource
from readback.workspace.draft import Draft

SHOWN = 12  # traits that are named where the file is listed
LOWER = ", lower is better"
METRICS = ("precision", "recall", "f1")


def add_benchmark(draft: Draft) -> None:
    """Take in what the dataset says beside its questions, where it is a checkpoint.

    What the workspace says itself stays: its criteria, its score files, its modes, tasks and conditions.
    """
    source = draft.dataset
    if source is None or source.absent:
        return
    path = draft.root / source.path
    try:
        chosen = choose(path, source.path, source.format, source.encoding)
    except OSError:
        return  # whoever reads the questions says so
    if isinstance(chosen, Diagnostic) or chosen.module is not reader:
        return
    benchmark = checkpoint.read(path, source.path)
    draft.diagnostics.extend(benchmark.diagnostics)
    found = dict(criteria(benchmark))
    said = set(draft.criteria)
    draft.criteria |= {name: one for name, one in found.items() if name not in said}
    if benchmark.results and all(one.path != source.path for one in draft.scores):
        draft.scores.append(ScoreSource(source.path))
    if not (draft.prompts or draft.conditions or GENERATION in draft.tasks):
        draft.add_config(checkpoint.CONFIG)
    _say(draft, source.path, benchmark, found)


def criteria(benchmark: Benchmark) -> Iterator[tuple[str, Criterion]]:
    """The traits as criteria; a metric is one for each of its measures. One of two scales has none of them."""
    for one in benchmark.traits:
        given = Definition(one.kind, one.low, one.high, tuple(map(legible, one.classes)), one.up)
        for name in _names(one):
            made = None if one.name in benchmark.differs else criterion(name, one.kind, given, True, {})
            yield name, made or Criterion(name, direction="down" if one.up is False else "up")


def _names(trait: Trait) -> tuple[str, ...]:
    if trait.kind != "metric":
        return (legible(trait.name),)
    return tuple(legible(f"{trait.name}.{metric}") for metric in trait.metrics or METRICS)


def _say(draft: Draft, path: str, benchmark: Benchmark, found: dict[str, Criterion]) -> None:
    """Write down what was found, beside the file."""
    told = [f"{name} ({scale_text(one)}{LOWER if one.direction == 'down' else ''})" for name, one in found.items()]
    more = [f"{len(told) - SHOWN} more"] if len(told) > SHOWN else []
    listed = f"{quantity(len(told), 'criterion', 'criteria')}: {', '.join((*told[:SHOWN], *more))}"
    parts = (
        f"a benchmark, {legible(benchmark.name)}" if benchmark.name else "a benchmark",
        listed if told else "no criteria",
        "with results" if benchmark.results else "",
    )
    detail = "; ".join(filter(None, parts))
    draft.recognised = [
        replace(one, detail="; ".join(filter(None, (one.detail, detail)))) if one.path == path else one
        for one in draft.recognised
    ]
