"""Saved programs of DSPy: the signature and the examples of each predictor, whose messages are not assembled.

A program is JSON in which each predictor has `signature` with `instructions` and `fields`, and `demos`; one that is
saved alone has them at the top. The messages consist of the library's own wording around them, which differs with the
adapter and the version, so nothing is guessed. Source: dspy 2.6 to 3.0 (`save`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.projects.model import ProjectMode, PromptFile
from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import read_yaml

TOOL = "dspy"
REASON = (
    "DSPy writes its messages in its own words around the signature and the examples, so run the program with "
    "'readback tap' to see them"
)
SHOWN = 20  # examples that the text for people has
MOST = 100  # predictors of one program


def recognise(value: Mapping[str, Any]) -> bool:
    """Tell whether a parsed file is a saved program."""
    return any(True for _ in _list_predictors(value))


def _list_predictors(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each predictor with its name; "" for one that is saved alone."""
    for name, each in (("", value), *value.items()):
        if not isinstance(each, Mapping) or "demos" not in each:
            continue
        signature = each.get("signature")
        if isinstance(signature, Mapping) and "instructions" in signature and "fields" in signature:
            yield str(name), each


def read_prompt(path: Path, root: Path, name: str) -> PromptFile:
    """Return the first predictor of a program as a mode that shows what it consists of, and the others beside it."""
    parsed = read_yaml(path, format_relative(root, path))
    if isinstance(parsed.value, Mapping):
        predictors = list(_list_predictors(parsed.value))[:MOST]
    else:
        predictors = []
    modes = []
    for predictor, about in predictors:
        if len(predictors) == 1:
            mode = name
        else:
            mode = f"{name} · {predictor or 'program'}"
        if predictor:
            place = parsed.place(predictor, "signature")
        else:
            place = parsed.place("signature")
        modes.append(ProjectMode(mode, _describe(about), {"tool": TOOL, "not_assembled": REASON}, place))
    if modes:
        return PromptFile(modes[0], others=tuple(modes[1:]), diagnostics=parsed.diagnostics)
    reason = "it holds no predictor with a signature and demos"
    empty = ProjectMode(name, "", {"tool": TOOL, "not_assembled": reason}, parsed.place())
    return PromptFile(empty, reason, diagnostics=parsed.diagnostics)


def _describe(about: Mapping[str, Any]) -> str:
    """Return a predictor as one text for people."""
    signature, demos = about["signature"], about["demos"]
    lines = [str(signature["instructions"]), ""]
    for each in signature["fields"] if isinstance(signature["fields"], list) else ():
        if isinstance(each, Mapping):
            lines.append(f"{each.get('prefix', '')} {each.get('description', '')}".strip())
    if isinstance(demos, list):
        examples = demos
    else:
        examples = []
    for number, demo in enumerate(examples[:SHOWN], 1):
        lines += ["", f"[example {number} of {len(examples)}]", json.dumps(demo, ensure_ascii=False, indent=2)]
    return "\n".join(lines)
