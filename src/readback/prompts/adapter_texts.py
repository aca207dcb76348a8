"""What an adapter adds to the messages of one task for one record, rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from readback import adapters
from readback.prompts.base_texts import rendered
from readback.prompts.render import Rendered, Template
from readback.prompts.tri_section import Segments
from readback.tasks import profile_of
from readback.types import Adapter, Addition, Diagnostic, Values, VariableUse, Workspace

# What pipelines tell an adapter besides the record; absent ones are none in its templates.
CONTEXT = ("json_schema", "format_instructions", "example_json", "output_format_hint", "parsing_notes")
WITHOUT_SCHEMA = "dj_template_"  # these tasks are always called with json_schema None


class Added(NamedTuple):
    """(system, user) parts in order, with diagnostics; `ok` is False where one of them could not be rendered."""

    parts: tuple[tuple[Segments, Segments], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    ok: bool = True
    uses: tuple[VariableUse, ...] = ()


def added(workspace: Workspace, adapter: Adapter, task: str, fields: Values) -> Added:
    """The adapter's additions for `task`: its templates see the record and, before it, the workspace's context."""
    entry = adapters.find_entry(adapter, task, workspace.adapters, profile_of(workspace.options))
    writer, found = entry or (adapter, ())
    fault = adapters.find_parent_fault(adapter, workspace.adapters)
    faults = (fault,) if fault else ()
    templates = [
        template
        for addition in found
        for template in (_template(addition, "system"), _template(addition, "user"))
        if template
    ]
    if not templates:
        return Added((), faults)
    said: Values = {**fields, **workspace.context.get(task, {})}
    made = rendered(tuple(templates), {**dict.fromkeys(CONTEXT), **said})
    texts = iter([_named(part, adapter.name, writer.wording) for part in made])
    parts = tuple(
        (next(texts) if one.system is not None else (), next(texts) if one.user is not None else ()) for one in found
    )
    diagnostics = [*faults, *(diagnostic for part in made for diagnostic in part.diagnostics)]
    diagnostics += _blank(found, parts, adapter.name, task)
    if not task.startswith(WITHOUT_SCHEMA) and "json_schema" not in said and _asks_for_schema(made):
        diagnostics.append(Diagnostic("asm-no-schema", {"adapter": adapter.name, "task": task}, flagged=task))
    return Added(parts, tuple(diagnostics), all(part.ok for part in made), tuple(_uses(made, said)))


def _uses(made: tuple[Rendered, ...], said: Values) -> Iterator[VariableUse]:
    """What became of the names, but for those that a pipeline need not tell and did not."""
    for use in (use for part in made for use in part.uses):
        root = use.name.partition(".")[0].partition("[")[0]
        if root in said or root not in CONTEXT:
            yield use


def _template(addition: Addition, role: str) -> Template | None:
    text, place = (addition.system, addition.system_place) if role == "system" else (addition.user, addition.user_place)
    return None if text is None else Template(text, "jinja", "adapter", place, blocks=True)


def _named(part: Rendered, name: str, wording: str) -> Segments:
    """The segments, the adapter's own text under the adapter's name and with whose words they are."""
    own = (s.origin == "adapter" and s.name is None for s in part.segments)
    return tuple(
        replace(s, name=name, wording=wording) if mine else s for s, mine in zip(part.segments, own, strict=True)
    )


def _asks_for_schema(made: tuple[Rendered, ...]) -> bool:
    return any(name == "json_schema" for part in made for name, _ in part.names)


def _blank(
    found: tuple[Addition, ...], parts: tuple[tuple[Segments, Segments], ...], name: str, task: str
) -> Iterator[Diagnostic]:
    for one, (system, user) in zip(found, parts, strict=True):
        for role, place, segments in (("system", one.system_place, system), ("user", one.user_place, user)):
            text = "".join(segment.text for segment in segments)
            if text and not text.strip():
                values: Mapping[str, str | int] = {"adapter": name, "task": task, "role": role, "characters": len(text)}
                yield Diagnostic("asm-blank-addition", values, place, text)
