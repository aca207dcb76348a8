"""Models of `models:`: what each was trained with, what serves it, and what its chat template is given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative
from readback.readers.files.text_file import read_text
from readback.readers.json_text import Decoder, NotJson
from readback.readers.yaml.yaml_file import Node
from readback.serving import tokens
from readback.serving.chat import model_input as chat
from readback.serving.modelfile import read_file
from readback.sources import model_yaml, prompt_formats
from readback.sources.training import training_text
from readback.sources.training.training_text import CELL, CONSTANT
from readback.types import ChatTemplate, Diagnostic, Location, Model, Modelfile, SystemText
from readback.workspace.draft import Draft
from readback.workspace.recognise import MODEL
from readback.workspace.serving_files import read_chat_template
from readback.workspace.workspace_file.schema import (
    OPTION_LISTS,
    OPTIONS_OF_SERVER,
    ModelSection,
    ModelServing,
    ModelTraining,
    TextSource,
)
from readback.workspace.workspace_file.values import TextNode

TABLE_NAME = re.compile(r"[\w-]+(\.\d+)?")  # what looks like a table's name: gpt-4o, qwen2.5
DATES = "Cutting Knowledge Date:"
LARGEST = 4 << 20  # bytes of a file of tools or documents


def read_model(name: str, section: ModelSection, draft: Draft) -> Model:
    """Return the model of an entry of `models:`, on top of what its model YAML or a plan says of it."""
    model = _read_configuration(name, section, draft)
    if section.type:
        model = replace(model, type=section.type, type_reason=prompt_formats.STATED_REASON)
    training = section.training or ModelTraining(node=section.node)
    serving = section.serving or ModelServing(node=section.node)
    messages = _read_file(training.messages, "training messages", draft)
    modelfile = _read_modelfile(serving.modelfile, draft)
    options = read_template_options(section.template_options, draft)
    serving_options = read_template_options(serving.template_options, draft)
    training_options = read_template_options(training.template_options, draft)
    model = replace(
        model,
        serving_options={**model.serving_options, **options, **serving_options},
        training_options={**model.training_options, **options, **training_options},
        training=_read_training_text(name, training, messages, draft) or model.training,
        training_messages=messages or model.training_messages,
        training_template=_read_chat_template(training, draft, adds=False) or model.training_template,
        training_format=training.format or model.training_format,
        modelfile=modelfile or model.modelfile,
        base=_read_base(serving.base, modelfile or model.modelfile, draft),
        modelfile_lost=serving.modelfile.text if serving.modelfile and not (modelfile or model.modelfile) else None,
        chat_template=_read_chat_template(serving, draft, adds=bool(serving.add_special_tokens)) or model.chat_template,
        chat_format=serving.format or model.chat_format,
        tokenizer=_read_tokenizer(section.tokenizer, draft) or model.tokenizer,
        settings={**model.settings, **section.settings, **_list_source_settings(training.system)},
    )
    if section.stated_in is not None:
        model = replace(model, stated=tuple(_read_stated(name, section.stated_in, draft)))
    if "context" in section.parts:
        model = replace(model, context=section.context)
    if "reserve" in section.parts:
        model = replace(model, reserve=section.reserve)
    if "config" not in section.parts:
        model = replace(model, place=section.place)
    _compare_system_messages(model, draft)
    return model


def _compare_system_messages(model: Model, draft: Draft) -> None:
    """Report rows without a system message as a fault where the model is served with one.

    The dates that the chat template of Llama 3 writes into every conversation are no such message.
    """
    if model.modelfile:
        served = model.modelfile.system or ""
    else:
        served = ""
    if not served.strip() or served.lstrip().startswith(DATES):
        return
    for index, diagnostic in enumerate(draft.diagnostics):
        is_without = diagnostic.values.get("reason") == training_text.WITHOUT
        if is_without and diagnostic.values["file"] == model.training_messages:
            if model.modelfile:
                place = model.modelfile.system_place
            else:
                place = diagnostic.place
            reason = f"{training_text.WITHOUT}, but {place.file}:{place.line} serves it with one"
            draft.diagnostics[index] = replace(
                diagnostic, values={**diagnostic.values, "reason": reason}, severity=None
            )


def _read_configuration(name: str, section: ModelSection, draft: Draft) -> Model:
    """Return the model of a model YAML. What is noted of its type does not matter where the entry states one."""
    path = _locate(section.config, draft)
    if path is None:
        return draft.models.get(name, Model(name))  # a plan may have brought it
    model, diagnostics = model_yaml.read(path, draft.root)
    for diagnostic in diagnostics:
        if not ("type" in section.parts and diagnostic.code.startswith("fmt-model-type")):
            draft.diagnostics.append(diagnostic)
    draft.say(path, MODEL)
    return replace(model, name=name)


def _read_training_text(name: str, training: ModelTraining, messages: str | None, draft: Draft) -> SystemText | None:
    """Return the training system text: read from where it lives, else typed, else the first of the messages file."""
    system = training.system
    if isinstance(system, TextSource):
        return _read_source(name, system, draft)
    if system is not None:
        return SystemText(system.text, "typed", system.place, name, verified=False)
    if messages is None or "system" in training.parts:
        return None
    return _read_system_text(name, messages, draft)


def _read_stated(name: str, sources: tuple[TextNode | TextSource, ...], draft: Draft) -> Iterator[SystemText]:
    """Yield the texts of further places that state the model's system text."""
    for source in sources:
        if isinstance(source, TextSource):
            text = _read_source(name, source, draft)
        else:
            path = draft.file_at(source.text, source.place)
            if path:
                text = _read_system_text(name, format_relative(draft.root, path), draft)
            else:
                text = None
        if text:
            yield replace(text, source="configuration")


def _read_source(name: str, source: TextSource, draft: Draft) -> SystemText | None:
    path = _locate(source.file, draft)
    if path is None:
        return None
    return _read_system_text(name, format_relative(draft.root, path), draft, source.constant, source.cell)


def _read_system_text(
    name: str, file: str, draft: Draft, constant: str | None = None, cell: int | None = None
) -> SystemText | None:
    text, diagnostics = training_text.read(draft.root / file, draft.root, constant, cell)
    draft.diagnostics.extend(diagnostics)
    draft.say(file, "training text")
    if text:
        return replace(text, name=name)
    return None


def _list_source_settings(system: TextNode | TextSource | None) -> dict[str, Any]:
    """Return which constant or cell was asked for, kept so that it can be written down again."""
    if isinstance(system, TextSource):
        value = system.node.value
    else:
        value = {}
    names = ((CONSTANT, "constant"), (CELL, "cell"))
    return {setting: value[key] for setting, key in names if value.get(key)}


def _read_modelfile(named: TextNode | None, draft: Draft) -> Modelfile | None:
    file = _read_file(named, "Modelfile", draft)
    if file is None:
        return None
    modelfile = read_file.read(draft.root / file, draft.root)
    draft.diagnostics.extend(modelfile.diagnostics)
    return modelfile


def _read_base(named: TextNode | None, modelfile: Modelfile | None, draft: Draft) -> Modelfile | None:
    """Return the Modelfile of the model in FROM, as `ollama show --modelfile` prints it."""
    path = _locate(named, draft)
    if path is None or named is None:
        return None
    if modelfile is None:
        named.node.wrong("a file beside modelfile: it says what the model in its FROM has")
        return None
    file = format_relative(draft.root, path)
    draft.say(file, "Modelfile", detail="of the model that another one is made from")
    base = read_file.read(draft.root / file, draft.root)
    draft.diagnostics.extend(base.diagnostics)
    return base


def _read_chat_template(section: ModelTraining | ModelServing, draft: Draft, *, adds: bool) -> ChatTemplate | None:
    """Return the chat template of `chat_template`, else of `tokenizer_config`, which in any case supplies the tokens.

    A format that is a data file is a chat template here only where special tokens are added (`adds`).
    """
    config = _locate(section.tokenizer_config, draft)
    path = _locate(section.chat_template, draft) or config
    if path is not None:
        return read_chat_template(path, config, draft, adds=adds)
    if adds:
        template = chat.load_format(section.format or "")
    else:
        template = None
    if template:
        return replace(template, adds_bos=template.bos_token is not None)
    return None


def _read_tokenizer(named: TextNode | None, draft: Draft) -> str | None:
    """Return the name of a table, or the path of a tokenizer that can be used; None, with a diagnostic, for others."""
    if named is None:
        return None
    name = named.text
    if not tokens.is_table(name):
        if TABLE_NAME.fullmatch(name) and not (draft.root / name).exists():
            named.node.wrong(f"a table ({', '.join(tokens.NAMES)}) or the path of a tokenizer.json")
            return None
        path = draft.file_at(tokens.locate_file(draft.root, name), named.place)
        if path is None:
            return None
        name = format_relative(draft.root, path)
        draft.say(name, "tokenizer")
    _, diagnostics = tokens.load_counter(name, draft.root, named.place)
    draft.diagnostics.extend(diagnostics)
    if diagnostics:
        return None
    return name


def read_template_options(node: Node | None, draft: Draft) -> dict[str, Any]:
    """Return the options that a mapping states, without those that are wrong, each of which is a diagnostic."""
    options: dict[str, Any] = {}
    for name, value in node.entries() if node else ():
        if name in OPTIONS_OF_SERVER:
            value.wrong("another name: what the server gives the template cannot be set")
        elif name in OPTION_LISTS and value.value is not None:
            rows = _read_rows(value, draft)
            if rows is not None:
                options[name] = rows
        else:
            options[name] = value.value
    return options


def _read_rows(node: Node, draft: Draft) -> list[Any] | None:
    """Return a list of mappings that is written there or in the file that is named."""
    if isinstance(node.value, str):
        rows = _read_json(node, draft)
    else:
        rows = node.value
    if rows is None:
        return None
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        node.wrong("a list of mappings, or the path of a JSON file that holds one")
        return None
    return rows


def _read_json(node: Node, draft: Draft) -> Any:
    """Return the value of the JSON file that is named; None, with a diagnostic, where it cannot be read."""
    path = draft.file_at(str(node.value), node.place)
    if path is None:
        return None
    file = format_relative(draft.root, path)
    draft.say(file, "template options", detail=node.where)
    text, diagnostics = read_text(path, file, LARGEST)
    draft.diagnostics.extend(diagnostics)
    if text is None:
        return None
    try:
        return Decoder().whole(text)
    except NotJson as fault:
        place = Location(file=file, line=text.count("\n", 0, fault.at) + 1)
        values = {"where": node.where, "value": file, "expected": f"JSON ({fault.reason})"}
        draft.diagnostics.append(Diagnostic("dat-wrong-value", values, place, file))
        return None


def _locate(named: TextNode | None, draft: Draft) -> Path | None:
    """Return the path of a file that is named; None where none is, or, with a diagnostic, where it is not there."""
    if named and named.text:
        return draft.file_at(named.text, named.place)
    return None


def _read_file(named: TextNode | None, kind: str, draft: Draft) -> str | None:
    """Write down what a named file is, and return its path below the workspace."""
    path = _locate(named, draft)
    if path is None:
        return None
    draft.say(path, kind)
    return format_relative(draft.root, path)
