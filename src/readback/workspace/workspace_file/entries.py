"""Each part of a workspace as the entry of readback.yml that says it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readback.adapters import load_shipped
from readback.records.training_row import DATASET, TRAIN
from readback.sources.plain_prompts import PART
from readback.sources.training_text import CELL, CONSTANT
from readback.tasks import PROFILES
from readback.types import (
    Adapter,
    ChatTemplate,
    Condition,
    Criterion,
    Judge,
    Model,
    OllamaServer,
    Prompt,
    ScoreSource,
    TrainingFile,
    Workspace,
)
from readback.workspace.workspace_file.reader import CONSTANTS

CONDITION = ("name", "mode", "model", "adapter", "task", "judge", "answers", "aliases", "settings")
SCORES = ("path", "item", "condition", "judges", "criterion", "criteria", "cluster", "label", "synthetic", "all_items")


def said(**values: Any) -> dict[str, Any]:
    """The values that say something."""
    return {key: value for key, value in values.items() if value not in (None, "", (), {}, [], False)}


def texts(workspace: Workspace, prompt: Prompt) -> dict[str, Any]:
    """The texts of a mode or task: the file where one was named, else the text itself."""
    found: dict[str, Any] = {}
    for key, text, place in (
        ("template", prompt.template, prompt.place),
        ("system", prompt.system, prompt.system_place),
    ):
        if text is not None:
            inside = place.file in (None, workspace.file)
            found |= {key: text} if inside else {f"{key}_file": place.file}
    syntax = None if prompt.syntax == "jinja" else prompt.syntax
    part = prompt.settings.get(PART)
    settings = {key: value for key, value in prompt.settings.items() if key != PART}
    return found | said(part=part, syntax=syntax, default=prompt.defaults, settings=settings)


def acronyms(workspace: Workspace) -> Any:
    """The files of the table and what is written into the workspace file itself: one of them, or a list."""
    places = workspace.acronym_places
    inside = {
        name: long
        for name, long in workspace.acronyms.items()
        if name not in places or places[name].file in (None, workspace.file)
    }
    files = dict.fromkeys(places[name].file for name in workspace.acronyms if name not in inside)
    found = [*([inside] if inside else []), *files]
    return found[0] if len(found) == 1 else found


def adapter(one: Adapter) -> str:
    """The name of a shipped adapter, else the path of its file."""
    ours = any(load_shipped(profile).get(one.name) == one for profile in PROFILES)
    return one.name if ours or not one.place.file else one.place.file


def training(model: Model) -> dict[str, Any]:
    found = said(messages=model.training_messages) | _template(model.training_template, model.training_format)
    found |= said(template_options=split_options(model)[2])
    text = model.training
    if text and not text.verified:
        found["system"] = text.text
    elif text and text.place.file and text.place.file != model.training_messages:
        asked = said(constant=model.settings.get(CONSTANT), cell=model.settings.get(CELL))
        found["system"] = {"from": text.place.file} | asked
    return found


def stated(model: Model) -> list[dict[str, Any]]:
    """Further places that state a model's system message."""
    places = (text.place for text in model.stated)
    return [said(**{"from": at.file, "constant": at.field}) for at in places if at.file]


def serving(model: Model) -> dict[str, Any]:
    file = model.modelfile.place.file if model.modelfile else None
    base = model.base.place.file if model.base else None
    options = said(template_options=split_options(model)[1])
    return said(modelfile=file, base=base) | _template(model.chat_template, model.chat_format) | options


def ollama(server: OllamaServer) -> dict[str, Any]:
    """The server that runs the Modelfiles, in the words of the section serving."""
    setting = {"true": True, "false": False}.get(server.go_template or "", server.go_template)
    return said(version=server.version) | ({} if setting is None else {"go_template": setting})


def _template(found: ChatTemplate | None, named: str | None) -> dict[str, Any]:
    """A chat template by its file and that of its tokens, else by its name among the formats."""
    template, config = (found.place.file, found.config) if found else (None, None)
    if template == config:
        template = None
    adds = found.adds_bos if found else False
    return said(chat_template=template, tokenizer_config=config, add_special_tokens=adds, format=named)


def condition(one: Condition) -> dict[str, Any]:
    return said(**{key: getattr(one, key) for key in CONDITION})


def judge(one: Judge) -> dict[str, Any]:
    """A judge by the file it was read from, and which texts of it."""
    prompts: Any = one.place.file
    if isinstance(constants := one.settings.get(CONSTANTS), Mapping):
        prompts = {**constants, "file": one.place.file}
    elif one.system_place.file and one.system_place.file != one.place.file:
        prompts = {"system": one.system_place.file, "user": one.place.file}
    return said(prompts=prompts, fields=one.fields, criteria=one.criteria)


def scores(source: ScoreSource) -> Any:
    found = said(**{key: getattr(source, key) for key in SCORES})
    return found if len(found) > 1 else source.path


def training_files(files: Sequence[TrainingFile]) -> list[str] | dict[str, list[str]]:
    """The training files that only the workspace names: a list, or lists by split where there is another one."""
    own = [one for one in files if one.split != DATASET and not (one.models and one.split == TRAIN)]
    splits: dict[str, list[str]] = {}
    for one in own:
        splits.setdefault(one.split, []).append(one.path)
    return splits if set(splits) - {TRAIN} else [one.path for one in own]


def criterion(one: Criterion) -> dict[str, Any]:
    spelt: Mapping[str, Any] = {
        "ordinal": list(one.values),
        "numeric": {"min": one.low, "max": one.high},
        "binary": "binary",
        "nominal": "nominal",
    }
    direction = None if one.direction == "up" else one.direction
    return said(scale=spelt.get(one.scale), direction=direction, unit=one.unit, meanings=one.meanings)


def split_options(model: Model) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the template options of a model: those of the model itself, and what serving and training have besides."""
    serving, training = dict(model.serving_options), dict(model.training_options)
    if serving and serving == training:
        return serving, {}, {}
    return {}, serving, training
