"""The files of training rows that are checked beside the dataset, and what is known of a file before its rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from readback.checks import rules
from readback.readers.files.bounded_diagnostics import about
from readback.readers.files.progress import Progress
from readback.records.dataset import Counts, Dataset, open_dataset
from readback.types import DatasetSource, Diagnostic, TrainingFile, Workspace

AREA = "trn-"  # of the rules that look at other files than the dataset: the rest is about what is sent
IDS = ("dat-missing-id", "dat-duplicate-id")  # about ids, which training rows need not have


@dataclass(frozen=True, slots=True)
class Trained:
    """A training file and what became of its lines; `kinds` counts its rows by what they are.

    `is_separate`: it is not the dataset.
    """

    path: str
    split: str
    counts: Counts
    kinds: Mapping[str, int]
    is_separate: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A workspace with a training file as its dataset, the file opened, and the rules that look at it."""

    opened: Workspace
    data: Dataset
    codes: frozenset[str]


def parts(opened: Workspace, codes: Collection[str] | None, progress: Progress | None = None) -> tuple[Part, ...]:
    """Open the training files beside the dataset, each once. Raises Cancelled when `progress` answers False."""
    wanted = frozenset(code for code in (codes or rules.RULES()) if code.startswith(AREA))
    if opened.dataset:
        paths = {opened.dataset.path}
    else:
        paths = set()
    if opened.dataset:
        private = opened.dataset.private
    else:
        private = ()
    training_parts: list[Part] = []
    for training_file in opened.training if wanted else ():
        if training_file.path not in paths:
            paths.add(training_file.path)
            source = DatasetSource(training_file.path, private=private, place=training_file.place)
            data = open_dataset(opened.root, source, progress)
            training_parts.append(Part(replace(opened, dataset=source), data, wanted))
    return tuple(training_parts)


def trained(opened: Workspace, files: Collection[Dataset]) -> tuple[Trained, ...]:
    """Summarise the training files, in the order of the workspace."""
    by_path = {data.file: data for data in files}
    if opened.dataset:
        own = opened.dataset.path
    else:
        own = None
    there = (
        (training_file, by_path[training_file.path])
        for training_file in opened.training
        if training_file.path in by_path
    )
    return tuple(
        Trained(training_file.path, training_file.split, data.counts, data.kinds, training_file.path != own)
        for training_file, data in there
    )


def noted(opened: Workspace, data: Dataset) -> tuple[Diagnostic, ...]:
    """Return what loading noted of a file: for training rows with what is to be said of all of them, and at most infos
    about ids.
    """
    if find_training_file(opened, data.file) is None:
        return data.diagnostics
    own = (
        replace(diagnostic, severity="info") if diagnostic.code in IDS else diagnostic
        for diagnostic in data.diagnostics
    )
    is_separate = opened.dataset is not None and opened.dataset.path != data.file
    return (
        *(diagnostic for diagnostic in own if not (is_separate and about(diagnostic) in IDS)),
        *data.training_diagnostics,
    )


def find_training_file(opened: Workspace, file: str) -> TrainingFile | None:
    """Find the training file of that path."""
    return next((training_file for training_file in opened.training if training_file.path == file), None)
