"""What a Modelfile's FROM brings along: the chat template of its weights, and what its model's own Modelfile says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from readback.readers.paths import resolve, show
from readback.serving import gguf
from readback.serving.chat import files as chat_files
from readback.serving.modelfile.inheritance import merge_base
from readback.serving.ollama.engine import strip_library_address
from readback.types import ChatTemplate, Diagnostic, Location, Model, Modelfile, TemplateText, Weights
from readback.workspace.draft import Draft

KIND = "weights"  # what a file of weights is taken for
SUFFIX = ".gguf"
PROJECTOR = "clip"  # the architecture of a file that turns images into what the model reads
ROLES = ("bos_token", "eos_token")
LATEST = ":latest"


def add_weights(draft: Draft) -> None:
    """Give each model with a Modelfile what its FROM names, where that is in the workspace."""
    by_name = {_full(file.shows): file for file in _shown(draft) if file.shows}
    for name, model in draft.models.items():
        if model.modelfile is None:
            continue
        base = model.base or next(
            (by_name[full] for full in map(_full, _names(model.modelfile)) if full in by_name), None
        )
        if base and base.place.file != model.modelfile.place.file:
            model = replace(model, base=base, modelfile=merge_base(model.modelfile, base))
        draft.models[name] = replace(model, weights=_weights(model, draft))


def _shown(draft: Draft) -> Iterator[Modelfile]:
    return (model.modelfile for model in draft.models.values() if model.modelfile)


def _names(modelfile: Modelfile) -> Iterator[str]:
    """What the FROM lines name."""
    return (args.strip() for name, args, _ in modelfile.commands if name == "model" and args.strip())


def _full(name: str) -> str:
    """The name of a model with its tag."""
    name = strip_library_address(name.lower())
    return name if ":" in name.rpartition("/")[2] else f"{name}{LATEST}"


def _weights(model: Model, draft: Draft) -> Weights | None:
    """Those of FROM, else the chat template that the model's `serving:` names, else the one beside the Modelfile."""
    modelfile = model.modelfile
    if modelfile is None:
        return None
    for name in _names(modelfile):
        weights = _in_workspace(name, modelfile, draft)
        if weights and weights.architecture != PROJECTOR:
            return weights
    if model.chat_template:
        return Weights(model.chat_template.place.file or model.chat_template.name, "", model.chat_template)
    return _beside(model, modelfile, draft)


def _in_workspace(name: str, modelfile: Modelfile, draft: Draft) -> Weights | None:
    """The weights that a path in FROM leads to: a GGUF file, or the folder of a model."""
    folder = PurePosixPath(modelfile.place.file or "").parent
    if PurePosixPath(name).is_absolute() or "\\" in name:
        return None
    base = draft.root / folder
    file = resolve(draft.root, name, base=base)
    if isinstance(file, Path):
        return _of_file(file, draft) if file.suffix.lower() == SUFFIX else None
    directory = resolve(draft.root, name, base=base, folder=True)
    if isinstance(directory, Diagnostic) or (directory == draft.root and not name.startswith(".")):
        return None
    template = chat_files.read(directory, draft.root)
    return Weights(show(draft.root, directory), "", template) if template.text is not None else None


def _of_file(path: Path, draft: Draft) -> Weights | None:
    """What the header of a GGUF file says; None, with a diagnostic, where it cannot be read."""
    file = show(draft.root, path)
    try:
        header = gguf.read_weights(path)
    except gguf.HeaderError as refused:
        draft.report("oll-weights-unread", Location(file=file), file, file=file, reason=str(refused))
        draft.say(file, KIND, used=False, detail=f"its header cannot be read: {refused.reason}")
        return None
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        draft.report("oll-weights-unread", Location(file=file), file, file=file, reason=reason)
        return None
    draft.say(file, KIND, detail="its chat template is read" if header.templates else "it has no chat template")
    return Weights(file, header.architecture, _template(header, file))


def _template(header: gguf.Weights, file: str) -> ChatTemplate | None:
    """The chat template of a header, with the one for tools; None where it has none of the usual name."""
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


def _beside(model: Model, modelfile: Modelfile, draft: Draft) -> Weights | None:
    """The chat template of a tokenizer configuration in the Modelfile's folder, which nothing says is the weights'.

    None where another model is served with it.
    """
    folder = draft.root / PurePosixPath(modelfile.place.file or "").parent
    path = resolve(draft.root, show(draft.root, folder / chat_files.CONFIG))
    if isinstance(path, Diagnostic):
        return None
    template = replace(chat_files.read(path, draft.root), stated=False)
    if template.text is None:
        return None
    file = template.place.file or template.name
    others = (
        other.chat_template for other in draft.models.values() if other.name != model.name and other.chat_template
    )
    if any(other.place.file == file for other in others):
        return None
    for name in dict.fromkeys((file, show(draft.root, path))):
        draft.say(name, "chat template", detail="taken for the one in the weights, since it lies beside the Modelfile")
    return Weights(file, "", template, stated=False)
