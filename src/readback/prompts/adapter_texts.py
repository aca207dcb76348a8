"""What an adapter adds to the messages of one task for one record, rendered.

The registry as a table: which interface adds what to which task, and under which context.

What an adapter's text depends on is not read off its template but seen: it is rendered without any context, with each
context key alone, with all of them, and with all but one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from readback import adapters
from readback.adapters import find_entry, load_shipped
from readback.prompts.base_texts import render_templates
from readback.prompts.messages import Segments
from readback.prompts.render import Rendered, Template
from readback.tasks import DOCUMENT, profile_of, tasks_of
from readback.types import NOWHERE, Adapter, Addition, Diagnostic, Location, Values, VariableUse, Workspace

# What pipelines tell an adapter besides the record; absent ones are none in its templates.
CONTEXT = ("json_schema", "format_instructions", "example_json", "output_format_hint", "parsing_notes")
WITHOUT_SCHEMA = "dj_template_"  # these tasks are always called with json_schema None


class AdapterTexts(NamedTuple):
    """(system, user) parts in order, with diagnostics; `ok` is False where one of them could not be rendered."""

    parts: tuple[tuple[Segments, Segments], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    ok: bool = True
    uses: tuple[VariableUse, ...] = ()


def render_additions(workspace: Workspace, adapter: Adapter, task: str, fields: Values) -> AdapterTexts:
    """The adapter's additions for `task`: its templates see the record and, before it, the workspace's context."""
    entry = adapters.find_entry(adapter, task, workspace.adapters, profile_of(workspace.options))
    writer, found = entry or (adapter, ())
    fault = adapters.find_parent_fault(adapter, workspace.adapters)
    faults = (fault,) if fault else ()
    templates = [
        template
        for addition in found
        for template in (_make_template(addition, "system"), _make_template(addition, "user"))
        if template
    ]
    if not templates:
        return AdapterTexts((), faults)
    said: Values = {**fields, **workspace.context.get(task, {})}
    made = render_templates(tuple(templates), {**dict.fromkeys(CONTEXT), **said})
    texts = iter([_name_segments(part, adapter.name, writer.wording) for part in made])
    parts = tuple(
        (next(texts) if one.system is not None else (), next(texts) if one.user is not None else ()) for one in found
    )
    diagnostics = [*faults, *(diagnostic for part in made for diagnostic in part.diagnostics)]
    diagnostics += _find_blank_additions(found, parts, adapter.name, task)
    if not task.startswith(WITHOUT_SCHEMA) and "json_schema" not in said and _asks_for_schema(made):
        diagnostics.append(Diagnostic("asm-no-schema", {"adapter": adapter.name, "task": task}, flagged=task))
    return AdapterTexts(parts, tuple(diagnostics), all(part.ok for part in made), tuple(_list_uses(made, said)))


def _list_uses(made: tuple[Rendered, ...], said: Values) -> Iterator[VariableUse]:
    """What became of the names, but for those that a pipeline need not tell and did not."""
    for use in (use for part in made for use in part.uses):
        root = use.name.partition(".")[0].partition("[")[0]
        if root in said or root not in CONTEXT:
            yield use


def _make_template(addition: Addition, role: str) -> Template | None:
    text, place = (addition.system, addition.system_place) if role == "system" else (addition.user, addition.user_place)
    return None if text is None else Template(text, "jinja", "adapter", place, blocks=True)


def _name_segments(part: Rendered, name: str, wording: str) -> Segments:
    """The segments, the adapter's own text under the adapter's name and with whose words they are."""
    own = (s.origin == "adapter" and s.name is None for s in part.segments)
    return tuple(
        replace(s, name=name, wording=wording) if mine else s for s, mine in zip(part.segments, own, strict=True)
    )


def _asks_for_schema(made: tuple[Rendered, ...]) -> bool:
    return any(name == "json_schema" for part in made for name, _ in part.names)


def _find_blank_additions(
    found: tuple[Addition, ...], parts: tuple[tuple[Segments, Segments], ...], name: str, task: str
) -> Iterator[Diagnostic]:
    for one, (system, user) in zip(found, parts, strict=True):
        for role, place, segments in (("system", one.system_place, system), ("user", one.user_place, user)):
            text = "".join(segment.text for segment in segments)
            if text and not text.strip():
                values: Mapping[str, str | int] = {"adapter": name, "task": task, "role": role, "characters": len(text)}
                yield Diagnostic("asm-blank-addition", values, place, text)


CONTEXT_SAMPLES: Mapping[str, Any] = {"json_schema": {"type": "object"}} | dict.fromkeys(CONTEXT[1:], "sample")
NO_CONTEXT: Values = dict.fromkeys(CONTEXT)


@dataclass(frozen=True, slots=True)
class Part:
    """What is added to one message: `always`, or as soon as one key of `when` is given.

    Neither means that it depends on the record, or on several things at once. `reads` are the context keys that change
    the text. `ok` is False where the text cannot be rendered without a record.
    """

    always: bool
    when: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    ok: bool = True
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Entry:
    """What an interface adds to the system and the user message of a task; None where there is no such text.

    `wording` says whose sentences they are: readback, upstream or own.
    """

    adapter: str
    task: str
    wording: str
    system: Part | None
    user: Part | None


def list_entries(listed: Mapping[str, Adapter], profile: str = DOCUMENT, own: Iterable[str] = ()) -> tuple[Entry, ...]:
    """Every entry of the shipped adapters and of those listed, by adapter and task; `own` are further task names.

    There is no entry where an interface adds nothing. Several additions of one entry count together: the part is
    there when one of them is.
    """
    found = {
        (adapter.name, task): said
        for adapter in {**load_shipped(profile), **listed}.values()
        for task in dict.fromkeys((*tasks_of(profile), *own))
        if (said := find_entry(adapter, task, listed, profile)) and said[1]
    }
    texts = [text for _, added in found.values() for one in added for text in (one.system, one.user) if text]
    parts = dict(_try_contexts(dict.fromkeys(texts)))
    return tuple(
        Entry(
            name,
            task,
            source.wording,
            _merge_parts([(parts[one.system], one.system_place) for one in added if one.system]),
            _merge_parts([(parts[one.user], one.user_place) for one in added if one.user]),
        )
        for (name, task), (source, added) in found.items()
    )


def _merge_parts(parts: Sequence[tuple[Part, Location]]) -> Part | None:
    if not parts:
        return None
    always = any(part.always for part, _ in parts)
    when = () if always else tuple(key for key in CONTEXT if any(key in part.when for part, _ in parts))
    reads = tuple(key for key in CONTEXT if any(key in part.reads for part, _ in parts))
    return Part(always, when, reads, all(part.ok for part, _ in parts), parts[0][1])


def _try_contexts(texts: Iterable[str]) -> Iterator[tuple[str, Part]]:
    """Each template with what it does under the contexts that are tried."""
    templates = tuple(Template(text, "jinja", "adapter", NOWHERE, blocks=True) for text in texts)
    bare, whole = _render_texts(templates, {}), _render_texts(templates, CONTEXT_SAMPLES)
    alone = {key: _render_texts(templates, {key: CONTEXT_SAMPLES[key]}) for key in CONTEXT}
    without = {key: _render_texts(templates, {k: v for k, v in CONTEXT_SAMPLES.items() if k != key}) for key in CONTEXT}
    for n, template in enumerate(templates):
        always = bool(bare[n])
        when = () if always else tuple(key for key in CONTEXT if alone[key][n])
        reads = tuple(key for key in CONTEXT if alone[key][n] != bare[n] or without[key][n] != whole[n])
        yield template.text, Part(always, when, reads, None not in (bare[n], whole[n]))


def _render_texts(templates: tuple[Template, ...], values: Values) -> list[str | None]:
    """The texts; None for one that fails."""
    made = render_templates(templates, {**NO_CONTEXT, **values})
    return ["".join(segment.text for segment in one.segments) if one.ok else None for one in made]
