"""A workspace with the text of one prompt replaced: what an edit does before any file is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from readback.prompts.base_texts import built_system, model_system
from readback.prompts.format_template import format_template
from readback.prompts.selections import SelectedTexts, selected_texts
from readback.readers.paths import resolve
from readback.readers.text_file import read_bytes
from readback.types import Diagnostic, Location, Prompt, Record, Selection, Workspace

MOST = 1 << 20  # bytes of a template's file
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


def targets(opened: Workspace, choice: Selection, record: Record | None = None) -> tuple[Target, ...]:
    """The texts that what is sent is made from, the template first. A built-in format is written out as the template
    that makes the same of `record`; without a record, and where nothing is made of it, there is none.
    """
    if choice.judge is not None:
        return ()
    found = selected_texts(opened, choice)
    if isinstance(found, Diagnostic):
        return ()
    kind: Literal["mode", "task"] = "task" if found.is_task else "mode"
    name = found.task if found.is_task else found.prompt.mode
    if found.prompt.syntax == "builder":
        return _of_format(found, opened.options, kind, name, record) if record else ()
    parts: list[Part] = []
    if found.prompt.template is not None:
        parts.append("template")
    if found.prompt.system is not None:
        parts.append("system")
    return tuple(Target(kind, name, part) for part in parts)


def _of_format(
    found: SelectedTexts, options: Mapping[str, str], kind: Literal["mode", "task"], name: str, record: Record
) -> tuple[Target, ...]:
    prompt, model = found.prompt, found.model
    written = format_template(prompt.template or prompt.mode, record, model.type if model else None, options)
    if written is None:
        return ()
    system = "".join(one.text for one in built_system(prompt, model))
    return (Target(kind, name, "template", written, None if model_system(model) else system or None),)


def text(opened: Workspace, target: Target) -> str:
    """The text as it is; "" where there is none by now."""
    if target.written is not None:
        return target.written
    found = _prompts(opened, target.kind).get(target.name)
    return (found.template if target.part == "template" else found.system) or "" if found else ""


def place(opened: Workspace, target: Target) -> Location:
    """Where its first character is."""
    found = _prompts(opened, target.kind).get(target.name)
    return (found.place if target.part == "template" else found.system_place) if found else Location()


def sharing(opened: Workspace, target: Target) -> tuple[Target, ...]:
    """All that are read from the same place, `target` among them: an edit of the file is an edit of each."""
    if target.written is not None:
        return (target,)
    here = place(opened, target)
    same = [one for one in _every(opened) if place(opened, one) == here and text(opened, one) == text(opened, target)]
    return tuple(same) if here.file is not None and target in same else (target,)


def edited(opened: Workspace, target: Target, new: str) -> Workspace:
    """The workspace with the text replaced, wherever it is read from the same place."""
    prompts, tasks = dict(opened.prompts), dict(opened.tasks)
    if target.written is not None:
        home = prompts if target.kind == "mode" else tasks
        if target.name in home:
            own = home[target.name]
            home[target.name] = replace(own, template=new, syntax="jinja", system=target.system, system_syntax="text")
        return replace(opened, prompts=prompts, tasks=tasks)
    for one in sharing(opened, target):
        home = prompts if one.kind == "mode" else tasks
        if one.name in home:
            old = home[one.name]
            home[one.name] = replace(old, template=new) if one.part == "template" else replace(old, system=new)
    return replace(opened, prompts=prompts, tasks=tasks)


def typed(original: str, said: str) -> str:
    """What was typed, with the line ends of the original: a browser's text field knows line feeds only."""
    plain = original.replace("\r\n", "\n")
    said = said.replace("\r\n", "\n")
    if said == plain:
        return original
    return said.replace("\n", "\r\n") if "\r\n" in original and plain.count("\n") == original.count("\r\n") else said


def whole_file(opened: Workspace, target: Target) -> str | None:
    """What the file holds by now that the target is all of, byte-order mark included; None where it is a part."""
    here = place(opened, target)
    if here.file is None or (here.line, here.column) != (1, 1):
        return None
    path = resolve(opened.root, here.file)
    data = path if isinstance(path, Diagnostic) else read_bytes(path, here.file, MOST)
    return None if isinstance(data, Diagnostic) else data.decode("utf-8", "surrogateescape")


def _prompts(opened: Workspace, kind: str) -> dict[str, Prompt]:
    return dict(opened.prompts if kind == "mode" else opened.tasks)


def _every(opened: Workspace) -> Iterator[Target]:
    for name, found in opened.prompts.items():
        yield from (Target("mode", name, part) for part in _parts(found))
    for name, found in opened.tasks.items():
        yield from (Target("task", name, part) for part in _parts(found))


def _parts(found: Prompt) -> Iterator[Part]:
    if found.template is not None:
        yield "template"
    if found.system is not None:
        yield "system"
