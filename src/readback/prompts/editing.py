"""Try an edit of a template before any file is written: list the texts of a selection, replace one, write a patch.

A built-in prompt format is written out as a Jinja template, to start an edited copy from. The builders decide by the
record: which spelling of a field it has, whether its contexts carry numbers already. So the template is written for one
record, and holds for every record like it; what a builder does for a record without contexts is in it too.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from readback.prompts import builders
from readback.prompts.base_texts import choose_format_system, find_model_system
from readback.prompts.builders import NUMBER
from readback.prompts.selections import SelectedTexts, resolve_selection
from readback.readers.files.paths import resolve
from readback.readers.files.text_file import read_bytes
from readback.records.fields import row_fields
from readback.sources.templates.prompt_texts import CLOSED_BOOK, HYBRID, NO_CONTEXTS, STANDARD, UNKNOWN
from readback.types import Diagnostic, Location, Prompt, Record, Selection, Workspace

ALONE = "Question: {question}\n\nAnswer:"


def write_format_template(name: str, record: Record, model_type: str | None, options: Mapping[str, str]) -> str | None:
    """Write the template of mode `name` for a model's type, which gives what `builders.build_user_message` gives.

    Returns None where nothing is built of the record, and where its contexts are not a list.
    """
    if not builders.build_user_message(name, record, model_type, options).ok:
        return None
    builder = builders.choose_builder(name, model_type, options)
    if builder == "stored":
        stored = row_fields.read_stored_prompt(record.fields)
        if stored:
            return f"{{{{ {stored.name} }}}}"
        return None
    question = "{{ instruction | trim }}"
    question_only = ALONE.format(question=question)
    if builder == "question":
        return question_only
    if builder == "closed_book":
        return CLOSED_BOOK["short" if options.get("closed_book") == "short" else "no_citations"] + question_only
    contexts = row_fields.read_contexts(record.fields) or row_fields.Field("contexts", [])
    if not isinstance(contexts.value, list):
        return None
    field_name = contexts.name
    spaced_as_document = builder == "hybrid" and options.get("spacing") == "document"
    block = _write_contexts(field_name, contexts.value, "\n" if spaced_as_document else "\n\n")
    if builder == "standard":
        if name == "standard":
            without_contexts = NO_CONTEXTS
        else:
            without_contexts = None
        if without_contexts:
            inner = f"{{% if {field_name} %}}{block}{{% else %}}{without_contexts}{{% endif %}}"
        else:
            inner = block
        template = f"{STANDARD} {UNKNOWN}\n\nContext:\n{inner}\n\nQuestion: {question}\nAnswer:"
        if without_contexts:
            return template
    else:
        lines = "\n" if spaced_as_document else " "
        template = f"Question: {question}\n\nContext:\n{block}\n\n{HYBRID}{lines}{UNKNOWN}\n\nAnswer:"
    return f"{{% if {field_name} %}}{template}{{% else %}}{question_only}{{% endif %}}"


def _write_contexts(field: str, contexts: Sequence[Any], between: str) -> str:
    """Write the loop over the contexts, numbered unless every one of them carries its number."""
    texts = [str(context) for context in contexts if context is not None]
    if texts and all(map(NUMBER.match, texts)):
        number = ""
    else:
        number = "[{{ loop.index }}] "
    item = f"{number}{{{{ context | string | trim }}}}"
    # A line end right after a tag is the tag's where blocks are trimmed, so the space between stands in quotes.
    separator = '{% if not loop.last %}{{ "' + between.replace("\n", "\\n") + '" }}{% endif %}'
    return f"{{% for context in {field} | reject('none') %}}{item}{separator}{{% endfor %}}"


MAX_BYTES = 1 << 20  # bytes of a template's file
Part = Literal["template", "system"]


@dataclass(frozen=True, slots=True)
class Target:
    """Name a text that can be edited: the template or the system text of a mode or a task.

    `written` is a built-in format written out as a template, which is in no file; `system` the system text that the
    format then sends, None where the model's own is sent.
    """

    kind: Literal["mode", "task"]
    name: str
    part: Part
    written: str | None = None
    system: str | None = None


def list_targets(workspace: Workspace, choice: Selection, record: Record | None = None) -> tuple[Target, ...]:
    """List the texts that what is sent is made from, the template first.

    A built-in format is written out as the template that gives the same for `record`; without a record, and where
    nothing is built of it, there is no target.
    """
    if choice.judge is not None:
        return ()
    selected = resolve_selection(workspace, choice)
    if isinstance(selected, Diagnostic):
        return ()
    kind: Literal["mode", "task"] = "task" if selected.is_task else "mode"
    if selected.is_task:
        name = selected.task
    else:
        name = selected.prompt.mode
    if selected.prompt.syntax == "builder":
        if record:
            return _list_format_targets(selected, workspace.options, kind, name, record)
        return ()
    parts: list[Part] = []
    if selected.prompt.template is not None:
        parts.append("template")
    if selected.prompt.system is not None:
        parts.append("system")
    return tuple(Target(kind, name, part) for part in parts)


def _list_format_targets(
    selected: SelectedTexts, options: Mapping[str, str], kind: Literal["mode", "task"], name: str, record: Record
) -> tuple[Target, ...]:
    """List the target of a built-in format."""
    prompt, model = selected.prompt, selected.model
    template = write_format_template(prompt.template or prompt.mode, record, model.type if model else None, options)
    if template is None:
        return ()
    system = "".join(segment.text for segment in choose_format_system(prompt, model))
    return (Target(kind, name, "template", template, None if find_model_system(model) else system or None),)


def get_text(workspace: Workspace, target: Target) -> str:
    """Return the text as it is; "" where there is none by now."""
    if target.written is not None:
        return target.written
    prompt = _get_prompts(workspace, target.kind).get(target.name)
    if prompt:
        return (prompt.template if target.part == "template" else prompt.system) or ""
    return ""


def locate_text(workspace: Workspace, target: Target) -> Location:
    """Return where the text's first character is."""
    prompt = _get_prompts(workspace, target.kind).get(target.name)
    if prompt:
        if target.part == "template":
            return prompt.place
        return prompt.system_place
    return Location()


def list_sharing(workspace: Workspace, target: Target) -> tuple[Target, ...]:
    """List all targets that are read from the same place, `target` among them: an edit of the file is an edit of
    each.
    """
    if target.written is not None:
        return (target,)
    place = locate_text(workspace, target)
    sharing = [
        candidate
        for candidate in _list_all(workspace)
        if locate_text(workspace, candidate) == place and get_text(workspace, candidate) == get_text(workspace, target)
    ]
    if place.file is not None and target in sharing:
        return tuple(sharing)
    return (target,)


def replace_text(workspace: Workspace, target: Target, new: str) -> Workspace:
    """Return the workspace with the text replaced, wherever it is read from the same place."""
    prompts, tasks = dict(workspace.prompts), dict(workspace.tasks)
    if target.written is not None:
        if target.kind == "mode":
            prompts_of_kind = prompts
        else:
            prompts_of_kind = tasks
        if target.name in prompts_of_kind:
            prompt = prompts_of_kind[target.name]
            prompts_of_kind[target.name] = replace(
                prompt, template=new, syntax="jinja", system=target.system, system_syntax="text"
            )
        return replace(workspace, prompts=prompts, tasks=tasks)
    for shared in list_sharing(workspace, target):
        if shared.kind == "mode":
            prompts_of_kind = prompts
        else:
            prompts_of_kind = tasks
        if shared.name in prompts_of_kind:
            prompt = prompts_of_kind[shared.name]
            prompts_of_kind[shared.name] = (
                replace(prompt, template=new) if shared.part == "template" else replace(prompt, system=new)
            )
    return replace(workspace, prompts=prompts, tasks=tasks)


def restore_line_ends(original: str, typed: str) -> str:
    """Return what was typed with the line ends of the original: a browser's text field only knows line feeds."""
    original_lines = original.replace("\r\n", "\n")
    typed = typed.replace("\r\n", "\n")
    if typed == original_lines:
        return original
    if "\r\n" in original and original_lines.count("\n") == original.count("\r\n"):
        return typed.replace("\n", "\r\n")
    return typed


def read_whole_file(workspace: Workspace, target: Target) -> str | None:
    """Read the file that the target is all of, byte-order mark included; None where it is a part of a file."""
    place = locate_text(workspace, target)
    if place.file is None or (place.line, place.column) != (1, 1):
        return None
    path = resolve(workspace.root, place.file)
    data = path if isinstance(path, Diagnostic) else read_bytes(path, place.file, MAX_BYTES)
    if isinstance(data, Diagnostic):
        return None
    return data.decode("utf-8", "surrogateescape")


def _get_prompts(workspace: Workspace, kind: str) -> dict[str, Prompt]:
    return dict(workspace.prompts if kind == "mode" else workspace.tasks)


def _list_all(workspace: Workspace) -> Iterator[Target]:
    for name, prompt in workspace.prompts.items():
        yield from (Target("mode", name, part) for part in _list_parts(prompt))
    for name, prompt in workspace.tasks.items():
        yield from (Target("task", name, part) for part in _list_parts(prompt))


def _list_parts(prompt: Prompt) -> Iterator[Part]:
    if prompt.template is not None:
        yield "template"
    if prompt.system is not None:
        yield "system"


NO_END = "\\ No newline at end of file\n"
QUOTED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def make_patch(file: str, old: str, new: str) -> str:
    """Make the unified diff of one file that `git apply` takes; "" where both texts are equal.

    `file` is its posix path in the folder where the patch is applied.
    """
    lines = difflib.unified_diff(
        _split_lines(old), _split_lines(new), _quote_path(f"a/{file}"), _quote_path(f"b/{file}")
    )
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_END}" for line in lines)


def _split_lines(text: str) -> list[str]:
    """Split a text into lines with their ends: only a line feed ends a line, as for git."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _quote_path(path: str) -> str:
    """Write a file's name as git does: quoted where it must be, with a tab after one that holds a blank."""
    if any(char in QUOTED or ord(char) < 32 for char in path):
        return f'"{"".join(_escape_characters(path))}"'
    if " " in path:
        return f"{path}\t"
    return path


def _escape_characters(path: str) -> Iterator[str]:
    for char in path:
        yield QUOTED.get(char, char if ord(char) >= 32 else f"\\{ord(char):03o}")
