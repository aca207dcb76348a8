"""Turn a program's texts into files, and count how many of the texts are equal and what was left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.bridge import yaml_files
from readback.bridge.child import PACKAGE
from readback.bridge.run import Program
from readback.bridge.templates import NotWritten, Written, build_plain_template, build_template
from readback.prompts.adapter_texts import CONTEXT
from readback.prompts.base_texts import render_templates
from readback.prompts.render import Template
from readback.tasks import CURRENT, tasks_of

ROLES = ("system", "user")
CONSTANT = re.compile(r"_?(?P<task>\w+?)_(?P<role>SYS|SYSTEM|USER)(?:_PROMPT|_TEMPLATE)?")
BASE = "benchmark/"  # where the base prompts are
TASK_NAMES = {"dynamic_parsing_decision": "agentic_parsing_decision"}  # constants that are called otherwise
OF_RECORDS = frozenset({"question", "response"})  # what records have of themselves
NAME = re.compile(r"\w[\w.-]*", re.ASCII)
AT_ONCE = 40  # templates that one child of the sandbox renders


@dataclass(frozen=True, slots=True)
class ImportResult:
    """`files` by their path; numbers of `registrations`, of those `written`, of `texts` compared and `equal`."""

    files: Mapping[str, str]
    interfaces: tuple[str, ...]
    tasks: tuple[str, ...]
    registrations: int
    written: int
    texts: int
    equal: int
    left_out: tuple[str, ...]


def build_import(program: Program, answer: Mapping[str, Any]) -> ImportResult:
    """Return the files for the child's answer. A registration is left out whole where one of its texts is not equal."""
    left_out = [f"{registration['file']}: {registration['reason']}" for registration in answer["failed"]]
    written_registrations: list[tuple[Mapping[str, Any], dict[str, Written]]] = []
    for registration in answer["made"]:
        try:
            if "error" in registration:
                raise NotWritten(registration["error"])
            if not (NAME.fullmatch(registration["interface"]) and NAME.fullmatch(registration["task"])):
                raise NotWritten("its name cannot be a file's")
            keys, cases = registration["keys"], registration["cases"]
            templates = {role: build_template(keys, cases, role) for role in ROLES}
            written_registrations.append((registration, templates))
        except NotWritten as reason:
            left_out.append(f"{_format_place(registration)}: {reason}")
    complete, texts, equal = [], 0, 0
    differing_cases = _list_differing_cases(written_registrations)
    for (registration, templates), differing in zip(written_registrations, differing_cases, strict=True):
        texts += len(registration["cases"])
        equal += len(registration["cases"]) - len(differing)
        if differing:
            names = ", ".join(differing[0]["context"]) or "nothing"
            left_out.append(f"{_format_place(registration)}: a template does not give its text with {names}")
            continue
        complete.append((registration, templates))
        if any(template.cases for template in templates.values()):
            left_out.append(f"{_format_place(registration)}: written as a table of cases, in which texts stand twice")
    origin = {"program": PACKAGE, "version": program.version, "commit": program.commit}
    built = dict(_build_built_tasks(answer.get("builds", ()), origin, left_out))
    functions = {name for build in answer.get("builds", ()) for name in build["functions"]}
    files = dict(_build_adapters(complete, origin)) | built
    files |= dict(_build_tasks(answer["constants"], origin, left_out, functions))
    return ImportResult(
        files=files,
        interfaces=tuple(dict.fromkeys(registration["interface"] for registration, _ in complete)),
        tasks=tuple(dict.fromkeys(registration["task"] for registration, _ in complete)),
        registrations=len(answer["made"]),
        written=len(complete),
        texts=texts,
        equal=equal,
        left_out=tuple(left_out),
    )


def _format_place(registration: Mapping[str, Any]) -> str:
    return f"{registration['interface']}, {registration['task']} ({registration['file']}:{registration.get('line')})"


def _list_differing_cases(
    written_registrations: Sequence[tuple[Mapping[str, Any], Mapping[str, Written]]],
) -> Iterator[list[Mapping[str, Any]]]:
    """Yield for each registration the cases that its templates do not give; render texts as those of adapters."""
    texts = list(
        dict.fromkeys(template.text for _, templates in written_registrations for template in templates.values())
    )
    rendered: dict[tuple[str, str], str | None] = {}
    contexts = {
        repr(case["context"]): case["context"]
        for registration, _ in written_registrations
        for case in registration["cases"]
    }
    for context_key, context in contexts.items():
        values = {**dict.fromkeys(CONTEXT), **context}
        for start in range(0, len(texts), AT_ONCE):
            batch = texts[start : start + AT_ONCE]
            parts = render_templates(
                tuple(Template(text, "jinja", "adapter", blocks=True) for text in batch), values, origins=False
            )
            rendered |= {
                (text, context_key): part.text if part.ok else None for text, part in zip(batch, parts, strict=True)
            }
    for registration, templates in written_registrations:
        yield [
            case
            for case in registration["cases"]
            if any(rendered[templates[role].text, repr(case["context"])] != case[role] for role in ROLES)
        ]


def _build_adapters(
    complete: Sequence[tuple[Mapping[str, Any], Mapping[str, Written]]], origin: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    by_interface: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for registration, templates in complete:
        entry: dict[str, Any] = {"origin": {"file": registration["file"], "line": registration.get("line")}}
        entry |= {role: template.text for role, template in templates.items()}
        by_interface.setdefault(registration["interface"], {}).setdefault(registration["task"], []).append(entry)
    for name, tasks in by_interface.items():
        yield f"adapters/{name}.yml", yaml_files.format_adapter(name, origin, tasks)


def name_task(constant: str) -> str:
    """Return the task that a constant is called after."""
    return TASK_NAMES.get(constant.lower(), constant.lower())


def _build_built_tasks(
    builds: Sequence[Mapping[str, Any]], origin: Mapping[str, Any], left_out: list[str]
) -> Iterator[tuple[str, str]]:
    """Yield the base prompts that functions build, as templates that give their text for other values, too."""
    written: set[str] = set()
    for build in builds:
        task, file = build["task"], build["file"]
        owner, *names = build["functions"]
        place = f"{file}: {task} ({', '.join(f'{owner}.{name}' if owner else name for name in names)})"
        try:
            if "error" in build:
                raise NotWritten(build["error"])
            if task in written:
                raise NotWritten("another module builds it, too")
            texts = _write_texts(build["cases"])
        except NotWritten as reason:
            left_out.append(f"{place}: {reason}")
            continue
        written.add(task)
        names_used = [name for name in build["cases"][0]["context"] if name not in OF_RECORDS]
        defaults = {name: f"⟨{name.replace('_', ' ')}⟩" for name in names_used}
        yield f"tasks/{task}.yml", yaml_files.format_built_task(texts, {**origin, "file": file}, defaults)
        parts = [f"{name} is {what}" for name, what in build["stand_ins"].items()]
        parts += [f"{name} is not installed, and an empty package stands in for it" for name in build["replaced"]]
        if names_used:
            parts.append(f"until records have them, stand-ins are shown for {', '.join(names_used)}")
        if parts:
            left_out.append(f"{place}: written with stand-ins: {'; '.join(parts)}")


def _write_texts(cases: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the templates of both roles. Raise NotWritten where they do not give the text for other values."""
    marked = cases[0]
    keys = sorted(marked["context"], key=len, reverse=True)
    texts = {role: build_plain_template(keys, marked[role]).text for role in ROLES}
    for case in cases:
        parts = render_templates(
            tuple(Template(text, "jinja", "task") for text in texts.values()), case["context"], origins=False
        )
        for role, part in zip(texts, parts, strict=True):
            if not part.ok or part.text != case[role]:
                raise NotWritten(f"a template does not give its {role} text")
    return texts


def _build_tasks(
    constants: Sequence[Mapping[str, Any]],
    origin: Mapping[str, Any],
    left_out: list[str],
    functions: Collection[str],
) -> Iterator[tuple[str, str]]:
    """Yield the base prompts that are plain texts: constants called after their task. What code builds is left out."""
    known_tasks = tasks_of(CURRENT)
    for module in constants:
        by_task: dict[str, dict[str, str]] = {}
        other_names = [name for name in module["code"] if name not in functions]
        for name, text in module["texts"].items():
            match = CONSTANT.fullmatch(name)
            if module["file"].startswith(BASE) and match and (task := name_task(match["task"])) in known_tasks:
                by_task.setdefault(task, {})["user" if match["role"] == "USER" else "system"] = text
            else:
                other_names.append(name)
        for task, texts in by_task.items():
            yield f"tasks/{task}.yml", yaml_files.format_task(texts, {**origin, "file": module["file"]})
        if other_names:
            reason = "nothing is registered"
            if module["file"].startswith(BASE):
                reason = "no base text by itself, or built by code"
            left_out.append(f"{module['file']}: {', '.join(other_names)}: {reason}")
