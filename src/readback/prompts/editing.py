"""A built-in prompt format written out as a Jinja template, to start an edited copy from.

The builders decide by the record: which spelling of a field it has, whether its contexts carry numbers already. The
template is written for one record, and holds for every record like it; what a builder does for a record without
contexts is in it too.


A workspace with the text of one prompt replaced: what an edit does before any file is written.

A unified diff of one file that `git apply` takes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from readback.prompts import builders
from readback.prompts.base_texts import choose_format_system, find_model_system
from readback.prompts.builders import NUMBER
from readback.prompts.selections import SelectedTexts, resolve_selection
from readback.readers.paths import resolve
from readback.readers.text_file import read_bytes
from readback.records import row_fields
from readback.sources.prompt_texts import CLOSED_BOOK, HYBRID, NO_CONTEXTS, STANDARD, UNKNOWN
from readback.types import Diagnostic, Location, Prompt, Record, Selection, Workspace

ALONE = "Question: {question}\n\nAnswer:"


def write_format_template(name: str, record: Record, model_type: str | None, options: Mapping[str, str]) -> str | None:
    """The template of mode `name` for a model's type, as `builders.build` would make it; None where nothing is made
    of the record, and where its contexts are no list.
    """
    if not builders.build_user_message(name, record, model_type, options).ok:
        return None
    wanted = builders.choose_builder(name, model_type, options)
    if wanted == "stored":
        stored = row_fields.read_stored_prompt(record.fields)
        return f"{{{{ {stored.name} }}}}" if stored else None
    question = "{{ instruction | trim }}"
    alone = ALONE.format(question=question)
    if wanted == "question":
        return alone
    if wanted == "closed_book":
        return CLOSED_BOOK["short" if options.get("closed_book") == "short" else "no_citations"] + alone
    contexts = row_fields.read_contexts(record.fields) or row_fields.Field("contexts", [])
    if not isinstance(contexts.value, list):
        return None
    field = contexts.name
    document = wanted == "hybrid" and options.get("spacing") == "document"
    block = _write_contexts(field, contexts.value, "\n" if document else "\n\n")
    if wanted == "standard":
        without = NO_CONTEXTS if name == "standard" else None
        inner = f"{{% if {field} %}}{block}{{% else %}}{without}{{% endif %}}" if without else block
        made = f"{STANDARD} {UNKNOWN}\n\nContext:\n{inner}\n\nQuestion: {question}\nAnswer:"
        if without:
            return made
    else:
        lines = "\n" if document else " "
        made = f"Question: {question}\n\nContext:\n{block}\n\n{HYBRID}{lines}{UNKNOWN}\n\nAnswer:"
    return f"{{% if {field} %}}{made}{{% else %}}{alone}{{% endif %}}"


def _write_contexts(field: str, contexts: Sequence[Any], between: str) -> str:
    """The contexts one after the other, numbered unless every one of them carries its number."""
    kept = [str(one) for one in contexts if one is not None]
    number = "" if kept and all(map(NUMBER.match, kept)) else "[{{ loop.index }}] "
    each = f"{number}{{{{ context | string | trim }}}}"
    # A line end right after a tag is the tag's where blocks are trimmed, so the space between stands in quotes.
    gap = '{% if not loop.last %}{{ "' + between.replace("\n", "\\n") + '" }}{% endif %}'
    return f"{{% for context in {field} | reject('none') %}}{each}{gap}{{% endfor %}}"


MAX_BYTES = 1 << 20  # bytes of a template's file
Part = Literal["template", "system"]


@dataclass(frozen=True, slots=True)
class Target:
    """A text that can be edited: the template or the system text of a mode or a task.

    `written` is a built-in format written out as a template, which is in no file; `system` the system text that the
    format then sends, None where the model's own is.
    """

    kind: Literal["mode", "task"]
    name: str
    part: Part
    written: str | None = None
    system: str | None = None


def list_targets(opened: Workspace, choice: Selection, record: Record | None = None) -> tuple[Target, ...]:
    """The texts that what is sent is made from, the template first. A built-in format is written out as the template
    that makes the same of `record`; without a record, and where nothing is made of it, there is none.
    """
    if choice.judge is not None:
        return ()
    found = resolve_selection(opened, choice)
    if isinstance(found, Diagnostic):
        return ()
    kind: Literal["mode", "task"] = "task" if found.is_task else "mode"
    name = found.task if found.is_task else found.prompt.mode
    if found.prompt.syntax == "builder":
        return _list_format_targets(found, opened.options, kind, name, record) if record else ()
    parts: list[Part] = []
    if found.prompt.template is not None:
        parts.append("template")
    if found.prompt.system is not None:
        parts.append("system")
    return tuple(Target(kind, name, part) for part in parts)


def _list_format_targets(
    found: SelectedTexts, options: Mapping[str, str], kind: Literal["mode", "task"], name: str, record: Record
) -> tuple[Target, ...]:
    prompt, model = found.prompt, found.model
    written = write_format_template(prompt.template or prompt.mode, record, model.type if model else None, options)
    if written is None:
        return ()
    system = "".join(one.text for one in choose_format_system(prompt, model))
    return (Target(kind, name, "template", written, None if find_model_system(model) else system or None),)


def get_text(opened: Workspace, target: Target) -> str:
    """The text as it is; "" where there is none by now."""
    if target.written is not None:
        return target.written
    found = _get_prompts(opened, target.kind).get(target.name)
    return (found.template if target.part == "template" else found.system) or "" if found else ""


def locate_text(opened: Workspace, target: Target) -> Location:
    """Where its first character is."""
    found = _get_prompts(opened, target.kind).get(target.name)
    return (found.place if target.part == "template" else found.system_place) if found else Location()


def list_sharing(opened: Workspace, target: Target) -> tuple[Target, ...]:
    """All that are read from the same place, `target` among them: an edit of the file is an edit of each."""
    if target.written is not None:
        return (target,)
    here = locate_text(opened, target)
    same = [
        one
        for one in _list_all(opened)
        if locate_text(opened, one) == here and get_text(opened, one) == get_text(opened, target)
    ]
    return tuple(same) if here.file is not None and target in same else (target,)


def replace_text(opened: Workspace, target: Target, new: str) -> Workspace:
    """The workspace with the text replaced, wherever it is read from the same place."""
    prompts, tasks = dict(opened.prompts), dict(opened.tasks)
    if target.written is not None:
        home = prompts if target.kind == "mode" else tasks
        if target.name in home:
            own = home[target.name]
            home[target.name] = replace(own, template=new, syntax="jinja", system=target.system, system_syntax="text")
        return replace(opened, prompts=prompts, tasks=tasks)
    for one in list_sharing(opened, target):
        home = prompts if one.kind == "mode" else tasks
        if one.name in home:
            old = home[one.name]
            home[one.name] = replace(old, template=new) if one.part == "template" else replace(old, system=new)
    return replace(opened, prompts=prompts, tasks=tasks)


def restore_line_ends(original: str, said: str) -> str:
    """What was typed, with the line ends of the original: a browser's text field knows line feeds only."""
    plain = original.replace("\r\n", "\n")
    said = said.replace("\r\n", "\n")
    if said == plain:
        return original
    return said.replace("\n", "\r\n") if "\r\n" in original and plain.count("\n") == original.count("\r\n") else said


def read_whole_file(opened: Workspace, target: Target) -> str | None:
    """What the file holds by now that the target is all of, byte-order mark included; None where it is a part."""
    here = locate_text(opened, target)
    if here.file is None or (here.line, here.column) != (1, 1):
        return None
    path = resolve(opened.root, here.file)
    data = path if isinstance(path, Diagnostic) else read_bytes(path, here.file, MAX_BYTES)
    return None if isinstance(data, Diagnostic) else data.decode("utf-8", "surrogateescape")


def _get_prompts(opened: Workspace, kind: str) -> dict[str, Prompt]:
    return dict(opened.prompts if kind == "mode" else opened.tasks)


def _list_all(opened: Workspace) -> Iterator[Target]:
    for name, found in opened.prompts.items():
        yield from (Target("mode", name, part) for part in _list_parts(found))
    for name, found in opened.tasks.items():
        yield from (Target("task", name, part) for part in _list_parts(found))


def _list_parts(found: Prompt) -> Iterator[Part]:
    if found.template is not None:
        yield "template"
    if found.system is not None:
        yield "system"


NO_END = "\\ No newline at end of file\n"
QUOTED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def make_patch(file: str, old: str, new: str) -> str:
    """What makes `new` of `old`; `file` is its posix path in the folder where the patch is applied. "" if equal."""
    lines = difflib.unified_diff(
        _split_lines(old), _split_lines(new), _quote_path(f"a/{file}"), _quote_path(f"b/{file}")
    )
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_END}" for line in lines)


def _split_lines(text: str) -> list[str]:
    """The lines with their ends: only a line feed ends a line, as for git."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _quote_path(path: str) -> str:
    """A file's name as git writes it: quoted where it must be, with a tab after one that holds a blank."""
    if any(char in QUOTED or ord(char) < 32 for char in path):
        return f'"{"".join(_escape_characters(path))}"'
    return f"{path}\t" if " " in path else path


def _escape_characters(path: str) -> Iterator[str]:
    for char in path:
        yield QUOTED.get(char, char if ord(char) >= 32 else f"\\{ord(char):03o}")
