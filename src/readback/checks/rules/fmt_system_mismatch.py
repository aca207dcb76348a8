"""Find places that state different system messages for one model.

A fine-tuned model answers best with the exact system message of its training.
"""

import re
from collections.abc import Iterator

from readback.checks.facts.repetitions import find_first_difference
from readback.checks.facts.stated_texts import describe_place, list_system_texts
from readback.types import Diagnostic, Model, RuleContext, SystemText

CODE = "fmt-system-mismatch"
ON = "workspace"
_MODEL = "models: {m: {training: {system: 'You are brief.'}, serving: {modelfile: Modelfile}}}\n"
PASS = ({"readback.yml": _MODEL, "Modelfile": 'FROM x\nsystem """You are brief."""\n'},)
FAIL = (
    {"readback.yml": _MODEL, "Modelfile": 'FROM x\nSYSTEM "You are long."\n'},
    {"readback.yml": _MODEL, "Modelfile": 'FROM x\nSYSTEM "You are brief. "\n'},
)

MORE = re.compile("  +")
AROUND = 20  # characters of a text shown before and after the point where two part


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each text that differs from the first one, and for a Modelfile without a trained one."""
    for model in case.workspace.models.values():
        first, *others = list_system_texts(case.workspace, model) or (None,)
        if first is None:
            continue
        yield from (_build_diagnostic(model, first, other) for other in others if other.text != first.text)
        if model.modelfile and not model.modelfile.system and first.source in ("training", "typed"):
            absent = SystemText("", "modelfile", model.modelfile.place, model.name)
            yield _build_diagnostic(model, first, absent)


def _build_diagnostic(model: Model, first: SystemText, other: SystemText) -> Diagnostic:
    offset = find_first_difference(first.text, other.text)
    values = {
        "model": model.name,
        "one": describe_place(first),
        "one_text": _quote_around(first.text, offset),
        "other": describe_place(other),
        "other_text": _quote_around(other.text, offset),
        "at": offset + 1,
        "texts": [first.text, other.text],
    }
    is_light = not other.text or first.text.split() == other.text.split()
    if other.place.file:
        place = other.place
    else:
        place = first.place
    return Diagnostic(CODE, values, place, f"{first.text}\n{other.text}", "warning" if is_light else None)


def _quote_around(text: str, offset: int) -> str:
    """Return the text around a character in quotes, with a dot for each of several blanks in a row."""
    if not text:
        return "nothing"
    start, end = max(0, offset - AROUND), offset + AROUND
    quotation = repr(f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}")
    return MORE.sub(lambda blanks: "·" * len(blanks[0]), quotation)  # a sentence has single blanks only
