"""Take one file into the workspace: what it is decides what it adds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from readback.adapters import read_adapter
from readback.quantity import quantity
from readback.readers.paths import show
from readback.readers.yaml_file import read_yaml
from readback.readers.yaml_node import Node
from readback.serving.modelfile import read_file as modelfile
from readback.sources import albert, comparisons, instructions, model_yaml
from readback.tasks import profile_of
from readback.types import NOWHERE, DatasetSource, Location, Model, ScoreSource
from readback.workspace import chat_templates, experiment
from readback.workspace.draft import Draft
from readback.workspace.judge_files import judges_of
from readback.workspace.modelfiles import for_model
from readback.workspace.recognise import (
    ADAPTER,
    ANSWERS,
    CHAT_TEMPLATE,
    COMPARISONS,
    DATASET,
    INFERENCE,
    INSTRUCTIONS,
    JUDGE,
    MODEL,
    MODELFILE,
    PLAN,
    PROMPTS,
    SCORES,
    TRAINING,
    Found,
    recognise,
)
from readback.workspace.survey import Survey, survey

DATA = (DATASET, TRAINING, ANSWERS)  # what may serve as the records of a review
# What is read together with a dataset.
CONFIGS = (PROMPTS, INSTRUCTIONS, PLAN, JUDGE, MODEL, MODELFILE, CHAT_TEMPLATE, ADAPTER)


def take(path: Path, draft: Draft, place: Location = NOWHERE) -> None:
    """Take in the file that something names at `place`; one that is nothing we know is a diagnostic there."""
    take_found(recognise(path, draft.root, named=True), draft, place)


def take_config(found: Found, draft: Draft, named: Node) -> None:
    """Take in the file that an entry names as a configuration; a list of rows is none, and the entry is wrong."""
    path = found.path
    if found.what not in DATA:
        return take_found(found, draft, named.place)
    if path.suffix.lower() == ".json":  # what is wrong inside, with its place
        draft.diagnostics.extend(read_yaml(path, show(draft.root, path)).diagnostics)
    named.wrong("the path of a configuration: that file holds a list of rows, and a configuration is a mapping")
    return None


def take_found(found: Found, draft: Draft, place: Location = NOWHERE, around: Survey | None = None) -> None:
    """Take in a file that is recognised already. `around` is what lies in the folder, where the caller knows it."""
    if found.what == PLAN:
        experiment.load(draft, found, around or survey(draft.root))
    elif found.what in DATA:
        take_dataset(found, draft)
    elif found.what in TAKERS:
        TAKERS[found.what](found, draft)
    else:
        draft.diagnostics.extend(found.diagnostics)
        file = show(draft.root, found.path)
        reason = found.detail or found.reason or "its content is not of a kind that Readback knows"
        where = place if place != NOWHERE else Location(file=file)
        known = sorted((*TAKERS, PLAN, *DATA))
        draft.report("dat-not-recognised", where, file, path=file, reason=reason, known=known, endings=[])


def take_dataset(found: Found, draft: Draft, detail: str = "") -> None:
    if draft.dataset is None or draft.dataset.absent:
        draft.dataset = DatasetSource(show(draft.root, found.path))
        told = "; ".join(filter(None, (found.detail, detail))) if found.what == TRAINING else detail or found.detail
        draft.say(found.path, found.what, detail=told)
    else:
        draft.say(found.path, found.what, used=False)


def _prompts(found: Found, draft: Draft) -> None:
    named = show(draft.root, found.path) in draft.named
    config, diagnostics = albert.read(found.path, draft.root, found.parsed, named)
    draft.add_config(config, diagnostics)
    draft.say(found.path, found.what, detail=", ".join(config.prompts))


def _instructions(found: Found, draft: Draft) -> None:
    config, diagnostics = instructions.read(found.path, draft.root, found.parsed)
    draft.add_config(config, diagnostics)
    dropped = config.settings.get("dropped")
    what = str(config.settings.get("shape", found.what))
    draft.say(found.path, what, detail=f"obsolete and left out: {', '.join(dropped)}" if dropped else "")


def _comparisons(found: Found, draft: Draft) -> None:
    read, diagnostics = comparisons.read(found.path, draft.root, found.parsed)
    draft.diagnostics.extend(diagnostics)
    draft.comparisons.extend(read.pairs)
    draft.say(found.path, found.what, detail=quantity(len(read.pairs), "pair"))


def _model(found: Found, draft: Draft) -> None:
    model, diagnostics = model_yaml.read(found.path, draft.root, found.parsed)
    draft.diagnostics.extend(diagnostics)
    draft.models[model.name] = model
    draft.say(found.path, found.what, detail=f"{model.type}: {model.type_reason}")


def _inference(found: Found, draft: Draft) -> None:
    draft.say(found.path, found.what, used=False, detail="says how a judge is run; no prompt is in it")


def _judge(found: Found, draft: Draft) -> None:
    judges = judges_of(found.path, draft)
    only = len(judges) == 1
    for judge in judges:
        name = found.path.stem if only else judge.name
        draft.judges[name] = replace(judge, name=name)
    draft.say(found.path, found.what, detail=", ".join(j.name for j in judges) if not only else found.path.stem)


def _modelfile(found: Found, draft: Draft, detail: str = "") -> None:
    """A Modelfile by itself is a model: what it serves, without what it was trained with."""
    read = modelfile.read(found.path, draft.root)
    name = found.path.name
    name = name[len("modelfile.") :] if name.lower().startswith("modelfile.") else name.removesuffix(".modelfile")
    if name in draft.models:
        name = show(draft.root, found.path)
    draft.models[name] = Model(name, modelfile=read, place=read.place)
    draft.diagnostics.extend(read.diagnostics)
    draft.say(found.path, found.what, detail=detail or name)


def _adapter(found: Found, draft: Draft) -> None:
    adapter, diagnostics = read_adapter(found.path, draft.root, profile_of(draft.options))
    draft.diagnostics.extend(diagnostics)
    draft.adapters[adapter.name] = adapter
    draft.say(found.path, found.what, detail=adapter.name)


def _scores(found: Found, draft: Draft) -> None:
    draft.diagnostics.extend(found.diagnostics)
    draft.scores.append(ScoreSource(show(draft.root, found.path)))
    draft.say(found.path, found.what, detail=found.detail)


TAKERS = {
    PROMPTS: _prompts,
    INSTRUCTIONS: _instructions,
    COMPARISONS: _comparisons,
    MODEL: _model,
    INFERENCE: _inference,
    JUDGE: _judge,
    MODELFILE: _modelfile,
    CHAT_TEMPLATE: chat_templates.take,
    ADAPTER: _adapter,
    SCORES: _scores,
}


def serve(draft: Draft, around: Survey) -> None:
    """Give each model without a plan its Modelfile."""
    found = around.all(MODELFILE)
    for name, model in draft.models.items():
        draft.models[name] = for_model(model, found, draft)


def alone(draft: Draft, around: Survey) -> None:
    """Modelfiles that serve no model of the others stand for themselves, so that they are checked, too."""
    served = {m.modelfile.place.file for m in draft.models.values() if m.modelfile}
    others = bool(draft.models)
    for one in around.all(MODELFILE):
        if show(draft.root, one.path) not in served:
            _modelfile(one, draft, "it serves no other model here and stands for itself" if others else "")
    chat_templates.found(around.all(CHAT_TEMPLATE), draft)
