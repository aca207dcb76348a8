"""The built-in prompt formats of a fine-tuning and RAG study: their modes, system texts and model types.

Source: *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT), November 2025.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from readback.types import NOWHERE, Diagnostic, Location, Prompt, PromptConfig, SystemText

NAME = "prompt-formats"
BUILTIN = "builtin:prompt-formats"
MODES = ("instruction", "rag", "hybrid", "standard")
TYPES = ("base", "instruction_only", "rag_trained")
SYSTEM = {
    "instruction_only": "You are a research paper assistant.",
    "rag_trained": (
        "You are a scientific research assistant who answers with concise, evidence-grounded prose"
        " and includes inline numeric citations like [1], [2], etc."
    ),
}
INSTRUCTION = ("instruction_only", "instruction-only")
STATED_REASON = "the configuration says so"
GUESSED = ("rag", "lora", "hybrid", "instruct")  # a name with one of these is hardly a plain base model's

CONFIG = PromptConfig(
    name=BUILTIN,
    dialect=NAME,
    prompts={mode: Prompt(mode=mode, template=mode, syntax="builder") for mode in MODES},
)


def list_system_texts() -> tuple[SystemText, ...]:
    """Return the system messages that the document prescribes, one for each model type that has one."""
    return tuple(SystemText(text, "format", NOWHERE, name) for name, text in SYSTEM.items())


class Inferred(NamedTuple):
    """A model's type, why, and what has to be said about the guess."""

    type: str
    reason: str
    diagnostics: tuple[Diagnostic, ...] = ()


def infer_type(model: str, file: str | None = None, explicit: str | None = None, place: Location = NOWHERE) -> Inferred:
    """Infer the model's type by the document's four steps: stated, by file name, by model name, else base.

    `explicit` must already be one of TYPES. Upstream never looks for rag_trained in the model's name, and
    neither do we: what is shown must be what the program does, and the diagnostic says that it was a guess.
    """
    if explicit is not None:
        return Inferred(explicit, STATED_REASON)
    stem = PurePosixPath(file or "").name
    by_file, by_name = _infer_by_file(stem.lower()), _infer_by_name(model.lower())
    kind, reason = by_file or by_name or ("base", "neither file name nor model name tells a type")
    if by_file:
        reason = f"file name {reason}"
    elif by_name:
        reason = f"model name {reason}"
    values = {"model": model, "file": stem, "type": kind, "reason": reason}
    diagnostics = [Diagnostic("fmt-model-type-inferred", values, place, model)]
    if by_file and by_name and by_file[0] != by_name[0]:
        other = {"model": model, "file": stem, "file_type": by_file[0], "name_type": by_name[0], "type": kind}
        diagnostics.append(Diagnostic("fmt-model-type-conflict", other, place, model))
    hint = next((word for word in GUESSED if word in f"{stem} {model}".lower()), None)
    if hint and not (by_file or by_name):
        name = model if hint in model.lower() else stem
        values = {"model": model, "file": stem, "hint": hint, "name": name}
        diagnostics.append(Diagnostic("fmt-model-type-guess", values, place, model))
    return Inferred(kind, reason, tuple(diagnostics))


def _infer_by_file(name: str) -> tuple[str, str] | None:
    for words, kind in ((("rag_trained", "rag-trained"), "rag_trained"), (INSTRUCTION, "instruction_only")):
        if hit := next((word for word in words if word in name), None):
            return kind, f"contains {hit}"
    if "hybrid" in name and "instruction" not in name:
        return "rag_trained", "contains hybrid and not instruction"
    return None


def _infer_by_name(name: str) -> tuple[str, str] | None:
    if hit := next((word for word in INSTRUCTION if word in name), None):
        return "instruction_only", f"contains {hit}"
    if "lora_science" in name and "instruction" not in name:
        return "rag_trained", "contains lora_science and not instruction"
    return None


def report_unknown_mode(mode: str, modes: Iterable[str], place: Location) -> Diagnostic:
    """Return the diagnostic for a mode that no configuration defines."""
    names = sorted(modes)
    close = difflib.get_close_matches(mode, names, 1)
    values = {"mode": mode, "nearest": close[0] if close else "–", "known": ", ".join(names)}
    return Diagnostic("fmt-unknown-mode", values, place, mode)
