"""What serves a model: its Modelfile and its type, which only names can tell; weights in FROM; its chat template.

Each guess is noted beside the file. The first rule for Modelfiles is that of the *Prompt Format Specification* of
ignaciolinari/beyond-the-cutoff: exactly Modelfile.<type>, else the only one whose name contains the type, else none.
Before that comes a Modelfile that is called like the model itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from readback.readers.files.paths import format_relative, resolve
from readback.serving import gguf
from readback.serving.chat import files as chat_files
from readback.serving.chat import model_input as chat
from readback.serving.modelfile import read_file as modelfile_reader
from readback.serving.modelfile.inheritance import merge_base
from readback.serving.ollama.engine import strip_library_address
from readback.sources.prompt_formats import infer_type
from readback.types import ChatTemplate, Diagnostic, Location, Model, Modelfile, TemplateText, Weights
from readback.workspace.draft import Draft
from readback.workspace.recognise import CHAT_TEMPLATE, MODELFILE, RecognisedFile

WEIGHTS, CONFIG = "weights", "tokenizer configuration"  # what files are taken for
SUFFIX = ".gguf"
PROJECTOR = "clip"  # the architecture of a file that turns images into what the model reads
ROLES = ("bos_token", "eos_token")
LATEST = ":latest"


def add_modelfile(model: Model, modelfiles: Sequence[RecognisedFile], draft: Draft) -> Model:
    """Return the model with its Modelfile; without one, and with a finding, where the names do not tell.

    A model of the type `base` has none.
    """
    if model.type in (None, "base"):
        return model
    own = _find_own_modelfile(model, modelfiles)
    if own:
        exact = [own]
    else:
        exact = [file for file in modelfiles if file.path.name == f"Modelfile.{model.type}"]
    named = exact or [file for file in modelfiles if str(model.type) in file.path.name]
    if len(named) != 1:
        files = [format_relative(draft.root, file.path) for file in named]
        values = {"model": model.name, "type": model.type, "count": len(files), "files": ", ".join(files)}
        draft.diagnostics.append(Diagnostic("fmt-modelfile-unmapped", values, model.place, model.name))
        return model
    modelfile = modelfile_reader.read(named[0].path, draft.root)
    draft.diagnostics.extend(modelfile.diagnostics)
    if exact:
        reason = f"is called {named[0].path.name}"
    else:
        reason = f"alone has {model.type} in its name"
    draft.say(named[0].path, MODELFILE, detail=f"taken for {model.name}: it {reason}")
    return replace(model, modelfile=modelfile)


def _find_own_modelfile(model: Model, modelfiles: Sequence[RecognisedFile]) -> RecognisedFile | None:
    """Return the Modelfile that is called like the end of the model's name, where that says more than its type.

    The model lora_rag_trained_f16 is served by Modelfile.rag_trained_f16, and not by Modelfile.rag_trained.
    """
    prefix = "Modelfile."
    by_ending = {file.path.name.removeprefix(prefix): file for file in modelfiles if file.path.name.startswith(prefix)}
    endings = [end for end in by_ending if str(model.type) in end and f"_{model.name}".endswith(f"_{end}")]
    if endings:
        return by_ending[max(endings, key=len)]
    return None


def resolve_types(draft: Draft) -> None:
    """Infer a type for each model that has none, where the prompt formats are used: they need one.

    A Modelfile that stands for itself beside an experiment is in no condition, and nothing depends on its type.
    """
    if not draft.uses_prompt_formats():
        return
    in_conditions = {condition.model for condition in draft.conditions}
    for name, model in draft.models.items():
        is_bare = model == Model(name, modelfile=model.modelfile, place=model.place)
        is_alone = bool(in_conditions) and name not in in_conditions and is_bare
        if model.type is None and not is_alone:
            if model.modelfile:
                file = model.modelfile.place.file
            else:
                file = None
            kind = infer_type(name, file, None, model.place)
            draft.diagnostics.extend(kind.diagnostics)
            draft.models[name] = replace(model, type=kind.type, type_reason=kind.reason)


def add_weights(draft: Draft) -> None:
    """Give each model with a Modelfile what its FROM names, where that is in the workspace."""
    modelfiles = [model.modelfile for model in draft.models.values() if model.modelfile]
    by_name = {_complete_name(modelfile.shows): modelfile for modelfile in modelfiles if modelfile.shows}
    for name, model in draft.models.items():
        if model.modelfile is None:
            continue
        base = model.base
        if base is None:
            names = map(_complete_name, _list_bases(model.modelfile))
            base = next((by_name[base_name] for base_name in names if base_name in by_name), None)
        if base and base.place.file != model.modelfile.place.file:
            model = replace(model, base=base, modelfile=merge_base(model.modelfile, base))
        draft.models[name] = replace(model, weights=_find_weights(model, draft))


def _list_bases(modelfile: Modelfile) -> Iterator[str]:
    """Yield what the FROM lines name."""
    return (args.strip() for name, args, _ in modelfile.commands if name == "model" and args.strip())


def _complete_name(name: str) -> str:
    """Return the name of a model with its tag."""
    name = strip_library_address(name.lower())
    if ":" in name.rpartition("/")[2]:
        return name
    return f"{name}{LATEST}"


def _find_weights(model: Model, draft: Draft) -> Weights | None:
    """Return those of FROM, else the chat template that the model's `serving:` names, else the one in the folder."""
    modelfile = model.modelfile
    if modelfile is None:
        return None
    for name in _list_bases(modelfile):
        weights = _find_in_workspace(name, modelfile, draft)
        if weights and weights.architecture != PROJECTOR:
            return weights
    if model.chat_template:
        return Weights(model.chat_template.place.file or model.chat_template.name, "", model.chat_template)
    return _find_in_folder(model, modelfile, draft)


def _find_in_workspace(name: str, modelfile: Modelfile, draft: Draft) -> Weights | None:
    """Return the weights that a path in FROM leads to: a GGUF file, or the folder of a model."""
    folder = PurePosixPath(modelfile.place.file or "").parent
    if PurePosixPath(name).is_absolute() or "\\" in name:
        return None
    base = draft.root / folder
    file = resolve(draft.root, name, base=base)
    if isinstance(file, Path):
        if file.suffix.lower() == SUFFIX:
            return _read_gguf(file, draft)
        return None
    directory = resolve(draft.root, name, base=base, folder=True)
    if isinstance(directory, Diagnostic) or (directory == draft.root and not name.startswith(".")):
        return None
    template = chat_files.read(directory, draft.root)
    if template.text is not None:
        return Weights(format_relative(draft.root, directory), "", template)
    return None


def _read_gguf(path: Path, draft: Draft) -> Weights | None:
    """Return what the header of a GGUF file says; None, with a diagnostic, where it cannot be read."""
    file = format_relative(draft.root, path)
    try:
        header = gguf.read_weights(path)
    except gguf.HeaderError as refused:
        draft.report("oll-weights-unread", Location(file=file), file, file=file, reason=str(refused))
        draft.say(file, WEIGHTS, used=False, detail=f"its header cannot be read: {refused.reason}")
        return None
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        draft.report("oll-weights-unread", Location(file=file), file, file=file, reason=reason)
        return None
    draft.say(file, WEIGHTS, detail="its chat template is read" if header.templates else "it has no chat template")
    return Weights(file, header.architecture, _build_template(header, file))


def _build_template(header: gguf.Weights, file: str) -> ChatTemplate | None:
    """Return the chat template of a header, with the one for tools; None where it has none of the usual name."""
    text = header.templates.get("")
    if text is None:
        return None
    place = Location(file=file)
    tools = header.templates.get(chat_files.WITH_TOOLS)
    return ChatTemplate(
        name=file,
        text=text,
        bos_token=header.tokens.get("bos_token"),
        eos_token=header.tokens.get("eos_token"),
        special=tuple(header.tokens[role] for role in ROLES if role in header.tokens),
        place=place,
        with_tools=None if tools is None else TemplateText(file, tools, place),
    )


def _find_in_folder(model: Model, modelfile: Modelfile, draft: Draft) -> Weights | None:
    """Return the chat template of a tokenizer configuration in the Modelfile's folder, which is a guess.

    None where another model is served with it.
    """
    folder = draft.root / PurePosixPath(modelfile.place.file or "").parent
    path = resolve(draft.root, format_relative(draft.root, folder / chat_files.CONFIG))
    if isinstance(path, Diagnostic):
        return None
    template = replace(chat_files.read(path, draft.root), stated=False)
    if template.text is None:
        return None
    file = template.place.file or template.name
    for other in draft.models.values():
        if other.name != model.name and other.chat_template and other.chat_template.place.file == file:
            return None
    for name in dict.fromkeys((file, format_relative(draft.root, path))):
        draft.say(name, "chat template", detail="taken for the one in the weights, since it lies beside the Modelfile")
    return Weights(file, "", template, stated=False)


def read_chat_template(path: Path, config: Path | None, draft: Draft, *, adds: bool) -> ChatTemplate:
    """Return the chat template in `path`, with the tokens of `config`; `adds` says that special tokens are added."""
    template = chat.read(path, draft.root, tokens=config if config != path else None, add_special_tokens=adds)
    _list_template(template, path, draft, template.detail)
    return template


def take_chat_template(file: RecognisedFile, draft: Draft) -> None:
    """Add a chat template as a model by itself: what it serves, without what it was trained with."""
    folder = file.path.parent
    if folder == draft.root:
        name = draft.root.name
    else:
        name = format_relative(draft.root, folder)
    _add_template_model(file.path, name, draft)


def take_named_template(path: Path, draft: Draft) -> None:
    """Add a chat template of any name as a model that is called like the file, as several may lie in one folder."""
    file = format_relative(draft.root, path)
    name = str(PurePosixPath(file).with_suffix(""))
    _add_template_model(path, file if name in draft.models else name, draft)


def _add_template_model(path: Path, name: str, draft: Draft) -> None:
    template = replace(chat.read(path, draft.root), stated=False)
    draft.models[name] = Model(name, chat_template=template, place=Location(file=format_relative(draft.root, path)))
    _list_template(template, path, draft, "; ".join(filter(None, (name, template.detail))))


def take_chat_templates(files: Sequence[RecognisedFile], draft: Draft) -> None:
    """Use the chat templates of a folder without readback.yml.

    The only one serves the only model where nothing else does; where no model is known, each is a model by itself.
    Of one folder's files tokenizer_config.json leads to the others.
    """
    folders = {file.path.parent for file in files if file.path.name == chat_files.CONFIG}
    leading: list[RecognisedFile] = []
    for file in files:
        if file.path.name != chat_files.CONFIG and file.path.parent in folders:
            continue
        if chat_files.lacks_template(file.path, draft.root):
            draft.say(file.path, CONFIG, detail="it contains no chat template, and no template file is beside it")
        else:
            leading.append(file)
    models = list(draft.models.values())
    if not models:
        for file in leading:
            take_chat_template(file, draft)
    elif len(leading) == len(models) == 1 and not (models[0].modelfile or models[0].chat_template):
        template = replace(chat.read(leading[0].path, draft.root), stated=False)
        draft.models[models[0].name] = replace(models[0], chat_template=template)
        reason = f"the only one here, taken for {models[0].name}, the only model"
        _list_template(template, leading[0].path, draft, "; ".join(filter(None, (reason, template.detail))))


def _list_template(template: ChatTemplate, path: Path, draft: Draft, detail: str) -> None:
    """Write down what was read, with what was noted on the way."""
    draft.diagnostics.extend(template.diagnostics)
    draft.say(template.place.file or path, CHAT_TEMPLATE, detail=detail)
    for file in (format_relative(draft.root, path), template.config):
        if file:
            draft.say(file, CONFIG)
