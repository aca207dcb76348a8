"""Take files into a draft: what a file is decides what it adds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from readback.adapters import read_adapter
from readback.quantity import quantity
from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import Node, read_yaml
from readback.serving.modelfile import read_file as modelfile_reader
from readback.sources import albert, comparisons, instructions, model_yaml
from readback.tasks import profile_of
from readback.types import NOWHERE, DatasetSource, Location, Model, ScoreSource
from readback.workspace import experiment, serving_files
from readback.workspace.draft import Draft
from readback.workspace.judges import read_judges
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
    PROJECT,
    PROMPTS,
    SCORES,
    TOOL_PROMPT,
    TRAINING,
    RecognisedFile,
    recognise,
)
from readback.workspace.survey import Survey, survey
from readback.workspace.tools import tool_projects, tool_prompts

DATA = (DATASET, TRAINING, ANSWERS)  # what may serve as the records of a review
# What is read together with a dataset.
CONFIGS = (PROMPTS, INSTRUCTIONS, PLAN, JUDGE, MODEL, MODELFILE, CHAT_TEMPLATE, ADAPTER)


def take_file(path: Path, draft: Draft, place: Location = NOWHERE) -> None:
    """Take in the file that something names at `place`; one that is of no known kind is a diagnostic there."""
    take_recognised(recognise(path, draft.root, named=True), draft, place)


def take_config(file: RecognisedFile, draft: Draft, entry: Node) -> None:
    """Take in the file that an entry names as a configuration; for a list of rows the entry is wrong."""
    if file.what not in DATA:
        take_recognised(file, draft, entry.place)
        return
    if file.path.suffix.lower() == ".json":  # what is wrong inside, with its place
        draft.diagnostics.extend(read_yaml(file.path, format_relative(draft.root, file.path)).diagnostics)
    entry.wrong("the path of a configuration: that file holds a list of rows, and a configuration is a mapping")


def take_recognised(
    file: RecognisedFile, draft: Draft, place: Location = NOWHERE, around: Survey | None = None
) -> None:
    """Take in a file that is recognised already. `around` is what lies in the folder, where the caller knows it."""
    if file.what == PLAN:
        experiment.load_plan(draft, file, around or survey(draft.root))
    elif file.what in DATA:
        take_dataset(file, draft)
    elif file.what in TAKERS:
        TAKERS[file.what](file, draft)
    else:
        draft.diagnostics.extend(file.diagnostics)
        name = format_relative(draft.root, file.path)
        reason = file.detail or file.reason or "its content is not of a kind that Readback knows"
        if place != NOWHERE:
            where = place
        else:
            where = Location(file=name)
        kinds = sorted((*TAKERS, PLAN, *DATA))
        draft.report("dat-not-recognised", where, name, path=name, reason=reason, known=kinds, endings=[])


def take_dataset(file: RecognisedFile, draft: Draft, detail: str = "") -> None:
    """Take in the dataset, unless there is one already."""
    if draft.dataset is not None and not draft.dataset.absent:
        draft.say(file.path, file.what, used=False)
        return
    draft.dataset = DatasetSource(format_relative(draft.root, file.path))
    if file.what == TRAINING:
        detail = "; ".join(filter(None, (file.detail, detail)))
    draft.say(file.path, file.what, detail=detail or file.detail)


def _take_prompts(file: RecognisedFile, draft: Draft) -> None:
    is_named = format_relative(draft.root, file.path) in draft.named
    config, diagnostics = albert.read(file.path, draft.root, file.parsed, is_named)
    draft.add_config(config, diagnostics)
    draft.say(file.path, file.what, detail=", ".join(config.prompts))


def _take_instructions(file: RecognisedFile, draft: Draft) -> None:
    config, diagnostics = instructions.read(file.path, draft.root, file.parsed)
    draft.add_config(config, diagnostics)
    dropped = config.settings.get("dropped")
    what = str(config.settings.get("shape", file.what))
    draft.say(file.path, what, detail=f"obsolete and left out: {', '.join(dropped)}" if dropped else "")


def _take_comparisons(file: RecognisedFile, draft: Draft) -> None:
    comparison, diagnostics = comparisons.read(file.path, draft.root, file.parsed)
    draft.diagnostics.extend(diagnostics)
    draft.comparisons.extend(comparison.pairs)
    draft.say(file.path, file.what, detail=quantity(len(comparison.pairs), "pair"))


def _take_model(file: RecognisedFile, draft: Draft) -> None:
    model, diagnostics = model_yaml.read(file.path, draft.root, file.parsed)
    draft.diagnostics.extend(diagnostics)
    draft.models[model.name] = model
    draft.say(file.path, file.what, detail=f"{model.type}: {model.type_reason}")


def _list_inference(file: RecognisedFile, draft: Draft) -> None:
    draft.say(file.path, file.what, used=False, detail="says how a judge is run; no prompt is in it")


def _take_judge(file: RecognisedFile, draft: Draft) -> None:
    judges = read_judges(file.path, draft)
    if len(judges) == 1:
        judges = (replace(judges[0], name=file.path.stem),)
    for judge in judges:
        draft.judges[judge.name] = judge
    draft.say(file.path, file.what, detail=", ".join(judge.name for judge in judges))


def _take_modelfile(file: RecognisedFile, draft: Draft, detail: str = "") -> None:
    """Add a Modelfile as a model by itself: what it serves, without what it was trained with."""
    modelfile = modelfile_reader.read(file.path, draft.root)
    prefix, suffix = "modelfile.", ".modelfile"
    name = file.path.name
    if name.lower().startswith(prefix):
        name = name[len(prefix) :]
    else:
        name = name.removesuffix(suffix)
    if name in draft.models:
        name = format_relative(draft.root, file.path)
    draft.models[name] = Model(name, modelfile=modelfile, place=modelfile.place)
    draft.diagnostics.extend(modelfile.diagnostics)
    draft.say(file.path, file.what, detail=detail or name)


def _take_adapter(file: RecognisedFile, draft: Draft) -> None:
    adapter, diagnostics = read_adapter(file.path, draft.root, profile_of(draft.options))
    draft.diagnostics.extend(diagnostics)
    draft.adapters[adapter.name] = adapter
    draft.say(file.path, file.what, detail=adapter.name)


def _take_scores(file: RecognisedFile, draft: Draft) -> None:
    draft.diagnostics.extend(file.diagnostics)
    draft.scores.append(ScoreSource(format_relative(draft.root, file.path)))
    draft.say(file.path, file.what, detail=file.detail)


def _take_project(file: RecognisedFile, draft: Draft) -> None:
    tool_projects.take_project(draft, (file,))


TAKERS = {
    PROMPTS: _take_prompts,
    INSTRUCTIONS: _take_instructions,
    COMPARISONS: _take_comparisons,
    MODEL: _take_model,
    INFERENCE: _list_inference,
    JUDGE: _take_judge,
    MODELFILE: _take_modelfile,
    CHAT_TEMPLATE: serving_files.take_chat_template,
    ADAPTER: _take_adapter,
    SCORES: _take_scores,
    TOOL_PROMPT: tool_prompts.take_prompt,
    PROJECT: _take_project,
}


def add_modelfiles(draft: Draft, files: Survey) -> None:
    """Give each model without a plan its Modelfile."""
    modelfiles = files.all(MODELFILE)
    for name, model in draft.models.items():
        draft.models[name] = serving_files.add_modelfile(model, modelfiles, draft)


def take_remaining_models(draft: Draft, files: Survey) -> None:
    """Add Modelfiles and chat templates that serve no other model as models, so that they are checked, too."""
    served = {model.modelfile.place.file for model in draft.models.values() if model.modelfile}
    if draft.models:
        detail = "it serves no other model here and stands for itself"
    else:
        detail = ""
    for file in files.all(MODELFILE):
        if format_relative(draft.root, file.path) not in served:
            _take_modelfile(file, draft, detail)
    serving_files.take_chat_templates(files.all(CHAT_TEMPLATE), draft)
