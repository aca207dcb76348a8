"""Which files hold training rows: those the workspace names, those its models name, and a dataset of such rows."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath

from readback.readers.paths import show
from readback.readers.row import Row
from readback.records.raw_rows import read_raw_rows
from readback.records.training_row import DATASET, DESCRIPTIONS, TRAIN, Kind, find_main_kind
from readback.types import DatasetSource, Location, TrainingFile
from readback.workspace.draft import Draft
from readback.workspace.recognise import LOOKED_AT, TRAINING, Found

LINES = (".jsonl", ".ndjson")  # the first rows of others cannot be had without unpacking the whole file
NAMED = re.compile(r"(?:^|[._-])(train|training|valid|validation|val|dev|test|eval|evaluation)(?=$|[._-])", re.I)
SPLITS = {"training": TRAIN, "validation": "valid", "val": "valid", "dev": "valid", "evaluation": "eval"}


def add(draft: Draft, path: Path, split: str, place: Location) -> None:
    """A file that the workspace names, or that lies among others of its kind."""
    name = show(draft.root, path)
    if all((one.path, one.split) != (name, split) for one in draft.training):
        draft.training.append(TrainingFile(name, split, place=place))
    kind = _kind(draft, name)
    draft.say(name, TRAINING, detail=f"{split}; {DESCRIPTIONS[kind]}" if kind else split)


def discovered(draft: Draft, several: list[Found]) -> None:
    """Files of training rows and nothing better: all are checked, in the splits that their names tell."""
    for found in several:
        draft.training.append(TrainingFile(show(draft.root, found.path), split_of(found.path.name)))
        draft.say(found.path, found.what, detail=found.detail)


def split_of(name: str) -> str:
    """The split that a file's name tells: train-00001.jsonl, my_test.jsonl."""
    hit = NAMED.search(PurePosixPath(name.lower()).name)
    return SPLITS.get(hit[1], hit[1]) if hit else TRAIN


def add_of_models(draft: Draft) -> None:
    """Add the files that models were trained on, and the dataset where its rows can only be meant for training.

    Where nothing but training files is named, the first one is the dataset, so that its rows can be looked at.
    """
    if draft.dataset is None and draft.training and not _sends(draft):
        first = draft.training[0]
        draft.dataset = DatasetSource(first.path, place=first.place)
    for name, model in draft.models.items():
        if model.training_messages:
            _of_model(draft, model.training_messages, name, model.place)
    source = draft.dataset
    if (
        source
        and not source.absent
        and all(one.path != source.path for one in draft.training)
        and _is_training(draft, source.path)
    ):
        draft.training.append(TrainingFile(source.path, DATASET))


def _of_model(draft: Draft, file: str, model: str, place: Location) -> None:
    for number, one in enumerate(draft.training):
        if one.path == file:
            draft.training[number] = replace(one, models=(*one.models, model))
            return
    draft.training.append(TrainingFile(file, TRAIN, (model,), place))


def _sends(draft: Draft) -> bool:
    return bool(draft.prompts or draft.tasks or draft.judges or draft.conditions)


def _is_training(draft: Draft, file: str) -> bool:
    """Whether most of the first rows are training rows; messages are conversations to go on with where prompts are."""
    if any(one.path == file and one.what == TRAINING for one in draft.recognised):
        return not _sends(draft)
    kind = _kind(draft, file)
    return kind is not None and not (_sends(draft) and kind == "chat_sft")


def _kind(draft: Draft, file: str) -> Kind | None:
    """What most of the first rows are, where they can be had at once."""
    if not file.lower().endswith(LINES):
        return None
    return find_main_kind(
        [row.fields for row in islice(read_raw_rows(draft.root / file, file), LOOKED_AT) if isinstance(row, Row)]
    )
