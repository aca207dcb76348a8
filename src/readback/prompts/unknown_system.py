"""Whether a choice that sends no system message of its own may be served one that no file here states.

Ollama puts the SYSTEM of a model's Modelfile before what is sent, and a Modelfile without one inherits that of the
model it is FROM. Where those files are not in the workspace, "none" would be a guess.
"""

from __future__ import annotations

from readback.prompts.selections import SelectedTexts, selected_texts
from readback.types import Diagnostic, Message, Model, Modelfile, Selection, Workspace

NOTHING_BUILT = "nothing could be built of the first record"
OLLAMA = "ollama"  # provider of a model's settings
WEIGHTS = (".gguf", ".bin", ".safetensors")  # files of weights alone, which bring no system message


def unknown_system(workspace: Workspace, choice: Selection, messages: tuple[Message, ...]) -> str | None:
    """Why it is not known which system message the model gets; None where it is known, also that there is none."""
    if choice.judge or any(message.role == "system" for message in messages):
        return None
    own = selected_texts(workspace, choice)
    if isinstance(own, Diagnostic):
        return None
    if not messages:
        return NOTHING_BUILT
    return of_model(own.model) if own.model and own.prompt.system is None and _served(own, own.model) else None


def of_model(model: Model) -> str | None:
    """Why a model's own system message is not known, where no file states one."""
    if model.training or (model.modelfile and model.modelfile.system is not None):
        return None
    if model.modelfile_lost:
        return f"its Modelfile ({model.modelfile_lost}) cannot be read"
    if model.modelfile is None:
        return f"no Modelfile of {model.name} is among the files"
    base = None if model.base else _inherited(model.modelfile)
    return f"its Modelfile states none, and {base}, which it builds on, is not among the files" if base else None


def _served(own: SelectedTexts, model: Model) -> bool:
    """Whether a server like Ollama serves the model, which adds a system message of its own."""
    if model.chat_template or model.chat_format:
        return False
    said = str(model.settings.get("provider") or "").strip().lower()
    return (
        model.modelfile is not None
        or model.modelfile_lost is not None
        or said == OLLAMA
        or (own.prompt.syntax == "builder" and not said)
    )


def _inherited(modelfile: Modelfile) -> str | None:
    """The model that a Modelfile builds on; None for a file of weights."""
    base = next((args.strip() for name, args, _ in reversed(modelfile.commands) if name == "model"), "")
    path = base.startswith((".", "/", "~")) or base.lower().endswith(WEIGHTS)
    return None if path or not base else base
