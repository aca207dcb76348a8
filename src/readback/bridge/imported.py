"""What an import makes of a program's texts: the files, how many of their texts are equal, and what was left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.bridge import yaml_files
from readback.bridge.child import PACKAGE
from readback.bridge.run import Program
from readback.bridge.templates import NotWritten, Written, written
from readback.prompts.adapter_texts import CONTEXT
from readback.prompts.base_texts import render_templates
from readback.prompts.render import Template
from readback.tasks import CURRENT, tasks_of

ROLES = ("system", "user")
CONSTANT = re.compile(r"_?(?P<task>\w+?)_(?P<role>SYS|SYSTEM|USER)(?:_PROMPT|_TEMPLATE)?")
BASE = "benchmark/"  # where the base prompts are
NAME = re.compile(r"\w[\w.-]*", re.ASCII)
AT_ONCE = 40  # templates that one child of the sandbox renders


@dataclass(frozen=True, slots=True)
class Imported:
    """`files` by their path; `registrations` that were found and `kept`; texts that were compared and are `equal`."""

    files: Mapping[str, str]
    interfaces: tuple[str, ...]
    tasks: tuple[str, ...]
    registrations: int
    kept: int
    texts: int
    equal: int
    left_out: tuple[str, ...]


def imported(program: Program, found: Mapping[str, Any]) -> Imported:
    """The files of what the child answered. A registration of which one text is not equal is left out whole."""
    left_out = [f"{one['file']}: {one['reason']}" for one in found["failed"]]
    made: list[tuple[Mapping[str, Any], dict[str, Written]]] = []
    for one in found["made"]:
        try:
            if "error" in one:
                raise NotWritten(one["error"])
            if not (NAME.fullmatch(one["interface"]) and NAME.fullmatch(one["task"])):
                raise NotWritten("its name cannot be a file's")
            made.append((one, {role: written(one["keys"], one["cases"], role) for role in ROLES}))
        except NotWritten as reason:
            left_out.append(f"{_where(one)}: {reason}")
    kept, texts, equal = [], 0, 0
    for (one, templates), wrong in zip(made, _differing(made), strict=True):
        texts += len(one["cases"])
        equal += len(one["cases"]) - len(wrong)
        if wrong:
            given = ", ".join(wrong[0]["context"]) or "nothing"
            left_out.append(f"{_where(one)}: a template does not give its text with {given}")
            continue
        kept.append((one, templates))
        if any(each.cases for each in templates.values()):
            left_out.append(f"{_where(one)}: written as a table of cases, in which texts stand twice")
    origin = {"program": PACKAGE, "version": program.version, "commit": program.commit}
    files = dict(_adapters(kept, origin)) | dict(_tasks(found["constants"], origin, left_out))
    return Imported(
        files=files,
        interfaces=tuple(dict.fromkeys(one["interface"] for one, _ in kept)),
        tasks=tuple(dict.fromkeys(one["task"] for one, _ in kept)),
        registrations=len(found["made"]),
        kept=len(kept),
        texts=texts,
        equal=equal,
        left_out=tuple(left_out),
    )


def _where(one: Mapping[str, Any]) -> str:
    return f"{one['interface']}, {one['task']} ({one['file']}:{one.get('line')})"


def _differing(made: Sequence[tuple[Mapping[str, Any], Mapping[str, Written]]]) -> Iterator[list[Mapping[str, Any]]]:
    """For each registration the cases that its templates do not give; every text is rendered as an adapter's is."""
    texts = list(dict.fromkeys(each.text for _, templates in made for each in templates.values()))
    seen: dict[tuple[str, str], str | None] = {}
    contexts = {repr(case["context"]): case["context"] for one, _ in made for case in one["cases"]}
    for called, context in contexts.items():
        values = {**dict.fromkeys(CONTEXT), **context}
        for at in range(0, len(texts), AT_ONCE):
            some = texts[at : at + AT_ONCE]
            parts = render_templates(
                tuple(Template(text, "jinja", "adapter", blocks=True) for text in some), values, origins=False
            )
            seen |= {(text, called): part.text if part.ok else None for text, part in zip(some, parts, strict=True)}
    for one, templates in made:
        yield [
            case
            for case in one["cases"]
            if any(seen[templates[role].text, repr(case["context"])] != case[role] for role in ROLES)
        ]


def _adapters(
    kept: Sequence[tuple[Mapping[str, Any], Mapping[str, Written]]], origin: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    by_interface: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for one, templates in kept:
        entry: dict[str, Any] = {"origin": {"file": one["file"], "line": one.get("line")}}
        entry |= {role: each.text for role, each in templates.items()}
        by_interface.setdefault(one["interface"], {}).setdefault(one["task"], []).append(entry)
    for name, tasks in by_interface.items():
        yield f"adapters/{name}.yml", yaml_files.adapter(name, origin, tasks)


def _tasks(
    constants: Sequence[Mapping[str, Any]], origin: Mapping[str, Any], left_out: list[str]
) -> Iterator[tuple[str, str]]:
    """The base prompts that are plain texts: constants called after their task. What code builds is left out."""
    known = tasks_of(CURRENT)
    for one in constants:
        by_task: dict[str, dict[str, str]] = {}
        others = list(one["code"])
        for name, text in one["texts"].items():
            found = CONSTANT.fullmatch(name)
            if one["file"].startswith(BASE) and found and (task := found["task"].lower()) in known:
                by_task.setdefault(task, {})["user" if found["role"] == "USER" else "system"] = text
            else:
                others.append(name)
        for task, texts in by_task.items():
            yield f"tasks/{task}.yml", yaml_files.task(texts, {**origin, "file": one["file"]})
        if others:
            why = (
                "no base text by itself, or built by code" if one["file"].startswith(BASE) else "nothing is registered"
            )
            left_out.append(f"{one['file']}: {', '.join(others)}: {why}")
