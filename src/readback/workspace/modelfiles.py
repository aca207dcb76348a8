"""What only names can tell of a model: which Modelfile serves it, and of which type it is. Each guess is said.

The first rule is that of the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff: exactly
Modelfile.<type>, else the only one whose name contains the type, else none. Before that comes a Modelfile that is
called like the model itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readback.readers.paths import show
from readback.serving.modelfile import read_file as modelfile
from readback.sources.prompt_formats import infer_type
from readback.types import Diagnostic, Model
from readback.workspace.draft import Draft
from readback.workspace.recognise import MODELFILE, Found


def for_model(model: Model, found: Sequence[Found], draft: Draft) -> Model:
    """The model with its Modelfile; without one, and with a finding, where the names do not tell. `base` has none."""
    if model.type in (None, "base"):
        return model
    name = f"Modelfile.{model.type}"
    exact = _own(model, found) or [f for f in found if f.path.name == name]
    named = exact or [f for f in found if str(model.type) in f.path.name]
    if len(named) != 1:
        files = [show(draft.root, f.path) for f in named]
        values = {"model": model.name, "type": model.type, "count": len(files), "files": ", ".join(files)}
        draft.diagnostics.append(Diagnostic("fmt-modelfile-unmapped", values, model.place, model.name))
        return model
    read = modelfile.read(named[0].path, draft.root)
    draft.diagnostics.extend(read.diagnostics)
    how = f"is called {named[0].path.name}" if exact else f"alone has {model.type} in its name"
    draft.say(named[0].path, MODELFILE, detail=f"taken for {model.name}: it {how}")
    return replace(model, modelfile=read)


def _own(model: Model, found: Sequence[Found]) -> list[Found]:
    """The Modelfile that is called like the end of the model's name, where that says more than its type: the model
    lora_rag_trained_f16 is served by Modelfile.rag_trained_f16, and not by Modelfile.rag_trained.
    """
    named = {f.path.name.removeprefix("Modelfile."): f for f in found if f.path.name.startswith("Modelfile.")}
    ends = (end for end in named if str(model.type) in end and f"_{model.name}".endswith(f"_{end}"))
    longest = max(ends, key=len, default=None)
    return [named[longest]] if longest else []


def resolve_types(draft: Draft) -> None:
    """A type for each model that has none, where the prompt formats are used: they need one.

    A Modelfile that stands for itself beside an experiment is in no condition, and its type matters to nobody.
    """
    if not draft.uses_prompt_formats():
        return
    named = {condition.model for condition in draft.conditions}
    for name, model in draft.models.items():
        alone = bool(named) and name not in named and model == Model(name, modelfile=model.modelfile, place=model.place)
        if model.type is None and not alone:
            file = model.modelfile.place.file if model.modelfile else None
            kind = infer_type(name, file, None, model.place)
            draft.diagnostics.extend(kind.diagnostics)
            draft.models[name] = replace(model, type=kind.type, type_reason=kind.reason)
