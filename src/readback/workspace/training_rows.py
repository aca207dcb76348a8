"""Whether the messages a model was trained on have the layout that its evaluation sends.

Source: *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025): an instruction-only
model is trained on the question alone, a RAG-trained one on the stored prompt.
"""

from __future__ import annotations

import re

from readback.sources import training_text
from readback.types import Diagnostic, Location, Model
from readback.workspace.draft import Draft

CODE = "fmt-train-serve-diff"
LAYOUTS = {  # by type: what every user message looks like, and how that is said
    "instruction_only": (re.compile(r"Question: \S(?:.*\S)?\n\nAnswer:", re.DOTALL), r"'Question: …\n\nAnswer:'"),
    "rag_trained": (re.compile(r".*\n\nQuestion: .*[^\n]\nAnswer:", re.DOTALL), r"'…\n\nQuestion: …\nAnswer:'"),
}
ENDS = 24  # characters of a message's beginning and end that are shown


def compare_layouts(draft: Draft) -> None:
    """Note each model of the prompt formats whose training file has user messages of another layout."""
    if draft.uses_prompt_formats():
        for model in draft.models.values():
            if model.training_messages and model.type in LAYOUTS:
                _compare(model, model.training_messages, draft)


def _compare(model: Model, file: str, draft: Draft) -> None:
    layout, said = LAYOUTS[model.type or ""]
    rows = list(training_text.users(draft.root / file, draft.root))
    others = [(line, text) for line, text in rows if not layout.fullmatch(text)]
    if others:
        line, text = others[0]
        trained = f"{len(others)} of {len(rows)} user messages of {file} such as {_shown(text)}"
        values = {"model": model.name, "condition": "the evaluation", "trained": trained, "sent": said}
        values |= {"records": "", "of": ""}  # the sentence counts records of the dataset
        draft.diagnostics.append(Diagnostic(CODE, values, Location(file=file, line=line), model.name))


def _shown(text: str) -> str:
    """Both ends of a text, blanks made visible by the quotes."""
    return repr(text if len(text) <= 2 * ENDS else f"{text[:ENDS]}…{text[-ENDS:]}")
