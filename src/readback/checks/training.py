"""The files of training rows that are checked beside the dataset, and what is known of a file before its rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from readback.checks import rules
from readback.readers.bounded_diagnostics import about
from readback.readers.progress import Progress
from readback.records.dataset import Counts, Dataset, open_dataset
from readback.types import DatasetSource, Diagnostic, TrainingFile, Workspace

AREA = "trn-"  # of the rules that look at other files than the dataset: the rest is about what is sent
IDS = ("dat-missing-id", "dat-duplicate-id")  # about ids, which training rows need not have


@dataclass(frozen=True, slots=True)
class Trained:
    """A training file and what became of its lines; `kinds` counts its rows by what they are.

    `beside`: it is not the dataset.
    """

    path: str
    split: str
    counts: Counts
    kinds: Mapping[str, int]
    beside: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A workspace with a training file as its dataset, the file opened, and the rules that look at it."""

    opened: Workspace
    data: Dataset
    codes: frozenset[str]


def parts(opened: Workspace, codes: Collection[str] | None, progress: Progress | None = None) -> tuple[Part, ...]:
    """The training files beside the dataset, each once. Raises Cancelled when `progress` answers False."""
    wanted = frozenset(code for code in (codes or rules.RULES()) if code.startswith(AREA))
    known = {opened.dataset.path} if opened.dataset else set()
    private = opened.dataset.private if opened.dataset else ()
    found: list[Part] = []
    for one in opened.training if wanted else ():
        if one.path not in known:
            known.add(one.path)
            source = DatasetSource(one.path, private=private, place=one.place)
            data = open_dataset(opened.root, source, progress)
            found.append(Part(replace(opened, dataset=source), data, wanted))
    return tuple(found)


def trained(opened: Workspace, files: Collection[Dataset]) -> tuple[Trained, ...]:
    """What the training files hold, in the order of the workspace."""
    by_path = {data.file: data for data in files}
    own = opened.dataset.path if opened.dataset else None
    there = ((one, by_path[one.path]) for one in opened.training if one.path in by_path)
    return tuple(Trained(one.path, one.split, data.counts, data.kinds, one.path != own) for one, data in there)


def noted(opened: Workspace, data: Dataset) -> tuple[Diagnostic, ...]:
    """What loading noted of a file: for training rows with what is to be said of all of them, and without a fuss
    about ids.
    """
    if of(opened, data.file) is None:
        return data.diagnostics
    own = (
        replace(diagnostic, severity="info") if diagnostic.code in IDS else diagnostic
        for diagnostic in data.diagnostics
    )
    beside = opened.dataset is not None and opened.dataset.path != data.file
    return (*(one for one in own if not (beside and about(one) in IDS)), *data.training_diagnostics)


def of(opened: Workspace, file: str) -> TrainingFile | None:
    """The training file of that path."""
    return next((one for one in opened.training if one.path == file), None)
