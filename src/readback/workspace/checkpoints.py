"""Take what a checkpoint brings beside its questions: traits as criteria, results as scores, the question's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from readback.quantity import quantity
from readback.readers import checkpoint as reader
from readback.readers.choose_format import choose_format
from readback.scores.files.cells import legible
from readback.scores.files.formats.verification.taking import Definition, criterion
from readback.scores.values.criteria import scale_text
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
        chosen = choose_format(path, source.path, source.format, source.encoding, source.table)
    except OSError:
        return  # whoever reads the questions says so
    if isinstance(chosen, Diagnostic) or chosen.module is not reader:
        return
    benchmark = checkpoint.read(path, source.path)
    draft.diagnostics.extend(benchmark.diagnostics)
    criteria = dict(list_criteria(benchmark))
    for name, measured in criteria.items():
        draft.criteria.setdefault(name, measured)
    if benchmark.results and all(scores.path != source.path for scores in draft.scores):
        draft.scores.append(ScoreSource(source.path))
    if not (draft.prompts or draft.conditions or GENERATION in draft.tasks):
        draft.add_config(checkpoint.CONFIG)
    _list_benchmark(draft, source.path, benchmark, criteria)


def list_criteria(benchmark: Benchmark) -> Iterator[tuple[str, Criterion]]:
    """Yield the traits as criteria; a metric is one for each of its measures. A trait of two scales has neither."""
    for trait in benchmark.traits:
        definition = Definition(trait.kind, trait.low, trait.high, tuple(map(legible, trait.classes)), trait.up)
        for name in _list_names(trait):
            measured = None
            if trait.name not in benchmark.differs:
                measured = criterion(name, trait.kind, definition, True, {})
            yield name, measured or Criterion(name, direction="down" if trait.up is False else "up")


def _list_names(trait: Trait) -> tuple[str, ...]:
    if trait.kind != "metric":
        return (legible(trait.name),)
    return tuple(legible(f"{trait.name}.{metric}") for metric in trait.metrics or METRICS)


def _list_benchmark(draft: Draft, path: str, benchmark: Benchmark, criteria: dict[str, Criterion]) -> None:
    """Write down what the file holds, beside what it was taken for."""
    described: list[str] = []
    for name, measured in criteria.items():
        if measured.direction == "down":
            direction = LOWER
        else:
            direction = ""
        described.append(f"{name} ({scale_text(measured)}{direction})")
    count = len(described)
    if count > SHOWN:
        described[SHOWN:] = [f"{count - SHOWN} more"]
    parts = (
        f"a benchmark, {legible(benchmark.name)}" if benchmark.name else "a benchmark",
        f"{quantity(count, 'criterion', 'criteria')}: {', '.join(described)}" if described else "no criteria",
        "with results" if benchmark.results else "",
    )
    detail = "; ".join(filter(None, parts))
    for number, file in enumerate(draft.recognised):
        if file.path == path:
            details = "; ".join(filter(None, (file.detail, detail)))
            draft.recognised[number] = replace(file, detail=details)
