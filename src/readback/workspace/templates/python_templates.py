"""Prompts that are constants of Python files, where neither a configuration nor a template file brings any.

The file is parsed and never run (`sources/templates/python_constants`). A constant is a prompt if it names a field of
the records, or if something is to be filled in and its name says that it is a prompt (`QA_PROMPT`, `USER_TEMPLATE`);
a constant that is called a system text goes with those of its file. What the program computes (an f-string with a value
that is no constant, a call of `format`) cannot be shown, and its name is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from readback.readers.files.paths import format_relative
from readback.readers.files.text_file import read_text
from readback.sources.templates import python_constants
from readback.sources.templates.python_constants import SYSTEM, Text
from readback.types import Diagnostic, Location
from readback.workspace.draft import Draft
from readback.workspace.recognise import CODE, DATASET
from readback.workspace.survey import Survey
from readback.workspace.templates.plain_templates import TemplateText, add_modes, judge_text, list_fields

SUFFIX = ".py"
MOST = 50  # files that are parsed
CONSTANT = re.compile(r"^[A-Za-z_]\w*[ \t]*(?::[^=\n]+)?=[ \t]*\(?\s*[rRuUfF]{0,2}[\"']", re.MULTILINE)
NAME = re.compile(r"(?:^|_)(?:PROMPT|TEMPLATE|INSTRUCTIONS?|USER|SYSTEM|MESSAGE)S?(?:_|$)", re.IGNORECASE)
COMPUTED = "dat-text-computed"


def take_constants(draft: Draft, survey: Survey) -> None:
    """Take the constants of the folder's Python files as modes, where they are the prompts of its records."""
    source = draft.dataset
    if source is not None and all(file.path != source.path or file.what != DATASET for file in draft.recognised):
        return  # beside training rows, a text in code is what was trained with
    fields = list_fields(draft, survey)
    kinds = {file.path: file.what for file in survey.recognised}
    paths = [path for path in survey.files if path.suffix == SUFFIX and kinds.get(path, CODE) == CODE]
    texts: list[TemplateText] = []
    for path in paths[:MOST]:
        texts.extend(_read_file(draft, path, fields))
    add_modes(draft, texts, (), fields)


def _read_file(draft: Draft, path: Path, fields: frozenset[str] | None) -> Sequence[TemplateText]:
    """Return the prompts in a Python file; none where nothing is filled into any of its constants."""
    file = format_relative(draft.root, path)
    source, _ = read_text(path, file)
    if source is None or not CONSTANT.search(source):
        return ()
    content = python_constants.find_texts([source])
    texts = [_judge_constant(file, constant, fields) for constant in content.constants if constant.text]
    users = [text for text in texts if text.is_probable and not _is_system(text)]
    computed = [text for text in content.computed if users or NAME.search(text.name or "")]
    draft.diagnostics.extend(_report_computed(file, computed))
    if users:
        return [*users, *filter(_is_system, texts)]
    return ()


def _judge_constant(file: str, constant: Text, fields: frozenset[str] | None) -> TemplateText:
    """Return a constant as a text, and whether it is a prompt."""
    name = constant.name or ""
    text = judge_text(name, constant.text or "", (), fields)
    names_field = fields is not None and text.is_probable
    is_probable = names_field or (text.has_marks and bool(NAME.search(name)))
    return replace(
        text, file=f"{file}/{name}", source=file, line=constant.line, is_probable=is_probable, diagnostics=()
    )


def _is_system(text: TemplateText) -> bool:
    return bool(SYSTEM.search(PurePosixPath(text.file).name)) and bool(text.text.strip())


def _report_computed(file: str, computed: Sequence[Text]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each text that only running the program would give."""
    for text in computed:
        place = Location(file=file, line=text.line)
        yield Diagnostic(COMPUTED, {"name": text.name, "code": text.code}, place, text.name or "")
