"""`models:` what each model was trained with and what serves it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from readback.readers.paths import show
from readback.readers.yaml_node import Node
from readback.serving import tokens
from readback.serving.modelfile import read_file
from readback.sources import model_yaml, prompt_formats, training_text
from readback.types import Model, Modelfile, SystemText
from readback.workspace import chat_templates, template_options, weights
from readback.workspace.draft import Draft
from readback.workspace.recognise import MODEL
from readback.workspace.workspace_entries import CELL, CONSTANT

KEY = "models"
NAME = re.compile(r"[\w-]+(\.\d+)?")  # what looks like a table's name: gpt-4o, qwen2.5
KNOWN = (
    "type",
    "config",
    "training",
    "stated_in",
    "serving",
    template_options.KEY,
    "tokenizer",
    "context",
    "reserve",
    "settings",
)
DATES = "Cutting Knowledge Date:"
TRAINING = ("system", "messages", "chat_template", "tokenizer_config", "format", template_options.KEY)
SERVING = ("modelfile", "base", *chat_templates.KEYS, template_options.KEY)


def read(node: Node, draft: Draft) -> None:
    for name, part in node.entries():
        draft.models[name] = _model(name, part, draft)


def _model(name: str, node: Node, draft: Draft) -> Model:
    parts = node.mapping(*KNOWN) if node.value is not None else {}
    model = _configured(name, parts.get("config"), "type" in parts, draft)
    said = parts["type"].one_of(prompt_formats.TYPES) if "type" in parts else None
    if said:
        model = replace(model, type=said, type_reason=prompt_formats.SAID)
    training = parts["training"].mapping(*TRAINING) if "training" in parts else {}
    serving = parts["serving"].mapping(*SERVING) if "serving" in parts else {}
    messages = _file(training.get("messages"), "training messages", draft)
    modelfile = _modelfile(serving.get("modelfile"), draft) or model.modelfile
    options = template_options.read_options(parts.get(template_options.KEY), draft)
    of_serving, of_training = (
        template_options.read_options(part.get(template_options.KEY), draft) for part in (serving, training)
    )
    made = replace(
        model,
        serving_options={**model.serving_options, **options, **of_serving},
        training_options={**model.training_options, **options, **of_training},
        training=_training(name, training, messages, draft) or model.training,
        stated=tuple(_stated(name, parts["stated_in"], draft)) if "stated_in" in parts else model.stated,
        training_messages=messages or model.training_messages,
        training_template=chat_templates.template(training, draft) or model.training_template,
        training_format=chat_templates.named(training) or model.training_format,
        modelfile=modelfile,
        base=_base(serving.get("base"), modelfile, draft),
        modelfile_lost=serving["modelfile"].text() if "modelfile" in serving and modelfile is None else None,
        chat_template=chat_templates.template(serving, draft) or model.chat_template,
        chat_format=chat_templates.named(serving) or model.chat_format,
        tokenizer=_tokenizer(parts.get("tokenizer"), draft) or model.tokenizer,
        context=parts["context"].whole() if "context" in parts else model.context,
        reserve=parts["reserve"].whole(0) if "reserve" in parts else model.reserve,
        settings={**model.settings, **_settings(parts.get("settings")), **_constant(training.get("system"))},
        place=node.place if "config" not in parts else model.place,
    )
    _compare(made, draft)
    return made


def _compare(model: Model, draft: Draft) -> None:
    """Rows without a system message are a fault where the model is served with one, unless it is the dates that the
    chat template of Llama 3 writes into every conversation.
    """
    served = (model.modelfile.system or "") if model.modelfile else ""
    if not served.strip() or served.lstrip().startswith(DATES):
        return
    for at, diagnostic in enumerate(draft.diagnostics):
        if (
            diagnostic.values.get("reason") == training_text.WITHOUT
            and diagnostic.values["file"] == model.training_messages
        ):
            place = model.modelfile.system_place if model.modelfile else diagnostic.place
            reason = f"{training_text.WITHOUT}, but {place.file}:{place.line} serves it with one"
            draft.diagnostics[at] = replace(diagnostic, values={**diagnostic.values, "reason": reason}, severity=None)


def _configured(name: str, node: Node | None, typed: bool, draft: Draft) -> Model:
    """The model of a model YAML; what is said of its type is of no interest where the workspace says one (`typed`)."""
    named = node.text() if node else None
    path = draft.file_at(named, node.place) if node and named else None
    if path is None:
        return draft.models.get(name, Model(name))  # a plan may have brought it
    model, diagnostics = model_yaml.read(path, draft.root)
    draft.diagnostics.extend(
        diagnostic for diagnostic in diagnostics if not (typed and diagnostic.code.startswith("fmt-model-type"))
    )
    draft.say(path, MODEL)
    return replace(model, name=name)


def _training(name: str, parts: Mapping[str, Node], messages: str | None, draft: Draft) -> SystemText | None:
    """The training system text: read from where it lives, else typed, else the messages file's first one."""
    node = parts.get("system")
    if node is None:
        return _from_file(name, messages, None, draft) if messages else None
    if isinstance(node.value, Mapping):
        return _from_place(name, node, draft, "a text, or a mapping with from")
    text = node.text()
    return SystemText(text, "typed", node.place, name, verified=False) if text is not None else None


def _stated(name: str, node: Node, draft: Draft) -> Iterator[SystemText]:
    """Further places that state the model's system text, each kept with the constant that was asked for."""
    for item in node.listed():
        if isinstance(item.value, str):
            path = draft.file_at(item.value, item.place)
            text = _from_file(name, show(draft.root, path), None, draft) if path else None
        else:
            text = _from_place(name, item, draft, "a path, or a mapping with from and constant")
        if text:
            yield replace(text, source="configuration")


def _from_place(name: str, node: Node, draft: Draft, expected: str) -> SystemText | None:
    """The text of a mapping with `from`, and `constant` or `cell`."""
    where = node.mapping("from", "constant", "cell")
    if "from" not in where:
        node.wrong(expected)
        return None
    named = where["from"].text()
    path = draft.file_at(named, where["from"].place) if named else None
    constant = where["constant"].text() if "constant" in where else None
    cell = where["cell"].whole() if "cell" in where else None
    return _from_file(name, show(draft.root, path), constant, draft, cell) if path else None


def _from_file(name: str, file: str, constant: str | None, draft: Draft, cell: int | None = None) -> SystemText | None:
    text, diagnostics = training_text.read(draft.root / file, draft.root, constant, cell)
    draft.diagnostics.extend(diagnostics)
    draft.say(file, "training text")
    return replace(text, name=name) if text else None


def _modelfile(node: Node | None, draft: Draft) -> Modelfile | None:
    file = _file(node, "Modelfile", draft)
    if file is None:
        return None
    found = read_file.read(draft.root / file, draft.root)
    draft.diagnostics.extend(found.diagnostics)
    return found


def _base(node: Node | None, modelfile: Modelfile | None, draft: Draft) -> Modelfile | None:
    """The Modelfile of the model in FROM, as `ollama show --modelfile` prints it."""
    file = weights.read_base(node, modelfile, draft) if node else None
    if file is None:
        return None
    draft.say(file, "Modelfile", detail="of the model that another one is made from")
    parsed = read_file.read(draft.root / file, draft.root)
    draft.diagnostics.extend(parsed.diagnostics)
    return parsed


def _tokenizer(node: Node | None, draft: Draft) -> str | None:
    """The name of a table, or the path of a tokenizer that can be used; else a diagnostic."""
    named = node.text() if node else None
    if node is None or named is None:
        return None
    if not tokens.is_table(named):
        if NAME.fullmatch(named) and not (draft.root / named).exists():
            node.wrong(f"a table ({', '.join(tokens.NAMES)}) or the path of a tokenizer.json")
            return None
        path = draft.file_at(tokens.locate_file(draft.root, named), node.place)
        if path is None:
            return None
        named = show(draft.root, path)
        draft.say(named, "tokenizer")
    _, diagnostics = tokens.load_counter(named, draft.root, node.place)
    draft.diagnostics.extend(diagnostics)
    return None if diagnostics else named


def _file(node: Node | None, what: str, draft: Draft) -> str | None:
    named = node.text() if node else None
    path = draft.file_at(named, node.place) if node and named else None
    if path:
        draft.say(path, what)
    return show(draft.root, path) if path else None


def _settings(node: Node | None) -> dict[str, Any]:
    return node.values() if node else {}


def _constant(node: Node | None) -> dict[str, Any]:
    """Which constant was asked for, kept so that it can be written down again."""
    value = node.value if node else None
    asked = value if isinstance(value, Mapping) else {}
    return {key: asked[said] for key, said in ((CONSTANT, "constant"), (CELL, "cell")) if asked.get(said)}
