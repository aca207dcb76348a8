"""Looks for fmt-system-mismatch; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator

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
    for model in case.workspace.models.values():
        first, *others = list_system_texts(case.workspace, model) or (None,)
        if first is None:
            continue
        yield from (_diagnostic(model, first, other) for other in others if other.text != first.text)
        if model.modelfile and not model.modelfile.system and first.source in ("training", "typed"):
            absent = SystemText("", "modelfile", model.modelfile.place, model.name)
            yield _diagnostic(model, first, absent)


def _diagnostic(model: Model, first: SystemText, other: SystemText) -> Diagnostic:
    at = _first_difference(first.text, other.text)
    values = {
        "model": model.name,
        "one": describe_place(first),
        "one_text": _shown(first.text, at),
        "other": describe_place(other),
        "other_text": _shown(other.text, at),
        "at": at + 1,
        "texts": [first.text, other.text],
    }
    light = not other.text or first.text.split() == other.text.split()
    place = other.place if other.place.file else first.place
    return Diagnostic(CODE, values, place, f"{first.text}\n{other.text}", "warning" if light else None)


def _first_difference(one: str, other: str) -> int:
    """The first character that differs, from 0."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _shown(text: str, at: int) -> str:
    """The text around a character, blanks made visible by the quotes."""
    if not text:
        return "nothing"
    start, end = max(0, at - AROUND), at + AROUND
    shown = repr(f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}")
    return MORE.sub(lambda blanks: "·" * len(blanks[0]), shown)  # a sentence has single blanks only
