"""Work out what a folder without readback.yml is, and say what was taken for what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from readback.readers.paths import show
from readback.sources import other_tools, prompt_formats
from readback.workspace import (
    candidates,
    experiment,
    judge_tables,
    plain_templates,
    run_folders,
    score_tables,
    training_files,
    training_texts,
)
from readback.workspace.draft import Draft
from readback.workspace.intake import CONFIGS, DATA, alone, serve, take_dataset, take_found
from readback.workspace.recognise import (
    ADAPTER,
    BATCH,
    DATASET,
    FORM,
    INSTRUCTIONS,
    JUDGE,
    MODEL,
    OTHER,
    PLAN,
    PROMPTS,
    SCORES,
    TEMPLATE,
    TOOL,
    TRAINING,
    Found,
)
from readback.workspace.survey import Survey, survey

MAIN = ("prompt_config.yml", "prompt_config.yaml")  # the names of the Albert document, the first one wins
ROWS = frozenset({"instruction", "rag"})  # columns of a dataset of the prompt formats


def discover(draft: Draft) -> None:
    """Take in what the folder holds: a prompt configuration, else an experiment plan, else what lies there singly."""
    around = survey(draft.root)
    draft.diagnostics.extend(around.diagnostics)
    draft.discovered, draft.depth = True, around.depth
    draft.reasons |= around.reasons
    around = _without_neighbours(draft, around)
    several = candidates.main(draft, around, MAIN)
    main = several.found
    candidates.say(draft, "plan" if main and main.what == PLAN else "prompts", main, several.others)
    if main and main.what == PLAN:
        experiment.load(draft, main, around)
    elif main:
        take_found(main, draft, around=around)
    listed = bool(draft.scores)
    if main is None or main.what != PLAN:
        candidates.say(draft, "prompts", next(iter(around.all(INSTRUCTIONS)), None), around.all(INSTRUCTIONS))
        first = () if draft.instructions else around.all(INSTRUCTIONS)[:1]
        for found in first + around.all(JUDGE, MODEL, ADAPTER):
            take_found(found, draft, around=around)
        serve(draft, around)
        alone(draft, around)
        tables = _tables(draft, around)
        around = replace(around, found=tuple(f for f in around.found if show(draft.root, f.path) not in tables))
        _dataset(draft, around)
        if not (draft.prompts or draft.tasks):
            plain_templates.take(draft, around)
        _formats(draft, around)
    else:
        alone(draft, around)
        _alternatives(draft, around)
    if not listed:  # what a plan names is all there is; a table known by its columns has others beside it
        for found in around.all(SCORES):
            take_found(found, draft, around=around)
    training_texts.find(draft, around)
    if main is None:
        run_folders.take(draft, around)
        experiment.take_comparisons(draft, around)
    _rest(draft, around)


def _without_neighbours(draft: Draft, around: Survey) -> Survey:
    """Leave out what lies in the folder of another tool's project and is only guessed to be data or a prompt."""
    homes = {one.path.parent: one for one in around.all(TOOL) if one.detail.startswith(other_tools.PROJECTS)}
    if not homes:
        return around
    asked = set(draft.chosen.get("dataset", "").split("\n")) | set(draft.chosen.get("template", "").split("\n"))
    left: set[Path] = set()
    for path in around.files:
        home = next((one for folder, one in homes.items() if path.is_relative_to(folder)), None)
        found = around.of(path)
        guessed = found is None or found.what in DATA
        if home is None or not guessed or show(draft.root, path) in asked:
            continue
        left.add(path)
        tool = home.detail.partition(",")[0]
        beside = f"it lies beside {tool} ({show(draft.root, home.path)})"
        draft.reasons[show(draft.root, path)] = f"{beside}, and what lies beside another tool's file is not guessed"
    rest = tuple(one for one in around.found if one.path not in left)
    return replace(around, found=rest, files=tuple(path for path in around.files if path not in left))


def open_file(found: Found, draft: Draft) -> None:
    """Take one opened file in, and the dataset beside a configuration where it is the only one there."""
    if found.what == TEMPLATE:
        around = survey(draft.root, depth=0)
        draft.diagnostics.extend(around.diagnostics)
        _beside(draft, around)
        plain_templates.take_file(draft, found.path, around)
        return _rest(draft, around)
    if found.what == DATASET and _tables(draft, Survey(draft.root, (found,))):
        return None
    take_found(found, draft)
    if found.what in CONFIGS and (draft.dataset is None or draft.dataset.absent):
        around = survey(draft.root, depth=0)
        draft.diagnostics.extend(around.diagnostics)
        if found.what == MODEL:
            serve(draft, around)
        _beside(draft, around)
        _rest(draft, around)
    elif found.what in DATA:
        _formats(draft, Survey(draft.root, (found,)))
    return None


def _tables(draft: Draft, around: Survey) -> frozenset[str]:
    """The tables that are scores, confirmed or only proposed, and so are no datasets."""
    tables = judge_tables.propose(draft, around)
    return tables | score_tables.propose(draft, around, tables)


def _dataset(draft: Draft, around: Survey) -> None:
    """The dataset that was asked for, else the only one at the top, else the only one below; of several none is
    certain, so the first one is taken only where there is no configuration.
    """
    several = _alternatives(draft, around)
    if asked := candidates.wanted(draft, "dataset", several):
        take_dataset(asked, draft, "chosen")
    elif not _beside(draft, around) and several:
        alone = not (draft.prompts or draft.judges or draft.models)
        if alone:
            several = plain_templates.order_by_templates(several, around)
            take_dataset(several[0], draft, f"the first of {len(several)}")
            if several[0].what == TRAINING:
                training_files.discovered(draft, several)
        if not (alone and several[0].what == TRAINING):
            candidates.say(draft, "dataset", several[0] if alone else None, several)
        for other in several:
            draft.say(other.path, other.what, used=False, detail=f"one of {len(several)}; name one in readback.yml")


def _alternatives(draft: Draft, around: Survey) -> list[Found]:
    """The files that may be the dataset, those in use first."""
    several = candidates.in_order(_data(around.found), draft.root)
    if len(several) > 1:
        draft.alternatives["dataset"] = tuple(show(draft.root, one.path) for one in several)
    return several


def _beside(draft: Draft, around: Survey) -> bool:
    for nearby in ([f for f in around.found if f.path.parent == draft.root], around.found):
        if len(data := _data(nearby)) == 1:
            take_dataset(data[0], draft, "the only one here")
            return True
    return False


def _data(found: Sequence[Found]) -> list[Found]:
    """The datasets; files of training rows or answers only where there is nothing better."""
    for what in DATA:
        if kept := [f for f in found if f.what == what]:
            return kept
    return []


def _formats(draft: Draft, around: Survey) -> None:
    """Rows of the prompt formats bring their modes with them where no configuration gives any."""
    if draft.prompts or draft.tasks or draft.dataset is None:
        return
    found = around.of(draft.root / draft.dataset.path)
    if found and found.fields >= ROWS:
        draft.add_config(prompt_formats.CONFIG)


def _rest(draft: Draft, around: Survey) -> None:
    """What was recognised and not needed is listed, so that nobody wonders."""
    for found in around.found:
        if found.what == FORM and show(draft.root, found.path) not in draft.named:
            draft.diagnostics.extend(found.diagnostics)
        if found.what not in (OTHER, BATCH):  # which conditions and judges a batch asked is known at the end
            chosen = found.what in (PLAN, PROMPTS, *DATA)
            detail = "another one is taken, or none of several" if chosen else "nothing that was taken names it"
            draft.say(found.path, found.what, used=False, detail=found.detail or detail)
