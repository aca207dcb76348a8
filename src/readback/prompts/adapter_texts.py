"""Render what an adapter adds to the messages of a task, and list what every adapter adds under which context.

What an adapter's text depends on is not read off its template but tried: it is rendered without any context, with each
context key alone, with all of them, and with all but one.
"""

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
from readback.types import NOWHERE, Adapter, Addition, Diagnostic, Location, Segment, Values, VariableUse, Workspace

# What pipelines tell an adapter besides the record; absent ones are none in its templates.
CONTEXT = ("json_schema", "format_instructions", "example_json", "output_format_hint", "parsing_notes")
WITHOUT_SCHEMA = "dj_template_"  # these tasks are always called with json_schema None


class AdapterTexts(NamedTuple):
    """Hold (system, user) parts in order, with diagnostics; `ok` is False where one of them could not be rendered."""

    parts: tuple[tuple[Segments, Segments], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    ok: bool = True
    uses: tuple[VariableUse, ...] = ()


def render_additions(workspace: Workspace, adapter: Adapter, task: str, fields: Values) -> AdapterTexts:
    """Render the adapter's additions for `task`.

    Its templates see the record's fields, and the workspace's context in their place where both have a name.
    """
    entry = adapters.find_entry(adapter, task, workspace.adapters, profile_of(workspace.options))
    writer, additions = entry or (adapter, ())
    fault = adapters.find_parent_fault(adapter, workspace.adapters)
    faults = (fault,) if fault else ()
    roles = ((addition, role) for addition in additions for role in ("system", "user"))
    templates = [template for addition, role in roles if (template := _make_template(addition, role))]
    if not templates:
        return AdapterTexts((), faults)
    values: Values = {**fields, **workspace.context.get(task, {})}
    rendered = render_templates(tuple(templates), {**dict.fromkeys(CONTEXT), **values})
    texts = iter([_name_segments(part, adapter.name, writer.wording) for part in rendered])
    parts = tuple(
        (
            next(texts) if addition.system is not None else (),
            next(texts) if addition.user is not None else (),
        )
        for addition in additions
    )
    diagnostics = [*faults, *(diagnostic for part in rendered for diagnostic in part.diagnostics)]
    diagnostics += _find_blank_additions(additions, parts, adapter.name, task)
    if not task.startswith(WITHOUT_SCHEMA) and "json_schema" not in values and _asks_for_schema(rendered):
        diagnostics.append(Diagnostic("asm-no-schema", {"adapter": adapter.name, "task": task}, flagged=task))
    return AdapterTexts(
        parts, tuple(diagnostics), all(part.ok for part in rendered), tuple(_list_uses(rendered, values))
    )


def _list_uses(rendered: tuple[Rendered, ...], values: Values) -> Iterator[VariableUse]:
    """Yield what became of the names, but for those that a pipeline need not set and did not."""
    for use in (use for part in rendered for use in part.uses):
        root = use.name.partition(".")[0].partition("[")[0]
        if root in values or root not in CONTEXT:
            yield use


def _make_template(addition: Addition, role: str) -> Template | None:
    if role == "system":
        text, place = (addition.system, addition.system_place)
    else:
        text, place = (addition.user, addition.user_place)
    if text is None:
        return None
    return Template(text, "jinja", "adapter", place, blocks=True)


def _name_segments(part: Rendered, name: str, wording: str) -> Segments:
    """Return the segments, the adapter's own text under the adapter's name and with whose words they are."""
    segments: list[Segment] = []
    for segment in part.segments:
        if segment.origin == "adapter" and segment.name is None:
            segment = replace(segment, name=name, wording=wording)
        segments.append(segment)
    return tuple(segments)


def _asks_for_schema(rendered: tuple[Rendered, ...]) -> bool:
    return any(name == "json_schema" for part in rendered for name, _ in part.names)


def _find_blank_additions(
    additions: tuple[Addition, ...], parts: tuple[tuple[Segments, Segments], ...], name: str, task: str
) -> Iterator[Diagnostic]:
    """Report additions whose text is white space alone."""
    for addition, (system, user) in zip(additions, parts, strict=True):
        for role, place, segments in (("system", addition.system_place, system), ("user", addition.user_place, user)):
            text = "".join(segment.text for segment in segments)
            if text and not text.strip():
                values: Mapping[str, str | int] = {"adapter": name, "task": task, "role": role, "characters": len(text)}
                yield Diagnostic("asm-blank-addition", values, place, text)


CONTEXT_SAMPLES: Mapping[str, Any] = {"json_schema": {"type": "object"}} | dict.fromkeys(CONTEXT[1:], "sample")
NO_CONTEXT: Values = dict.fromkeys(CONTEXT)


@dataclass(frozen=True, slots=True)
class Part:
    """Describe what is added to one message: `always`, or as soon as one key of `when` is set.

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
    """Describe what an interface adds to the system and the user message of a task; None where there is no such text.

    `wording` says whose sentences they are: readback, upstream or own.
    """

    adapter: str
    task: str
    wording: str
    system: Part | None
    user: Part | None


def list_entries(listed: Mapping[str, Adapter], profile: str = DOCUMENT, own: Iterable[str] = ()) -> tuple[Entry, ...]:
    """List every entry of the shipped adapters and of those in `listed`, by adapter and task; `own` are further task
    names.

    There is no entry where an interface adds nothing. Several additions of one entry count together: the part is
    present when one of them is.
    """
    additions_of: dict[tuple[str, str], tuple[Adapter, tuple[Addition, ...]]] = {}
    texts: dict[str, None] = {}
    for adapter in {**load_shipped(profile), **listed}.values():
        for task in dict.fromkeys((*tasks_of(profile), *own)):
            entry = find_entry(adapter, task, listed, profile)
            if entry and entry[1]:
                additions_of[adapter.name, task] = entry
                for addition in entry[1]:
                    texts.update((text, None) for text in (addition.system, addition.user) if text)
    parts = dict(_try_contexts(texts))
    entries = []
    for (name, task), (source, additions) in additions_of.items():
        system = [(parts[addition.system], addition.system_place) for addition in additions if addition.system]
        user = [(parts[addition.user], addition.user_place) for addition in additions if addition.user]
        entries.append(Entry(name, task, source.wording, _merge_parts(system), _merge_parts(user)))
    return tuple(entries)


def _merge_parts(parts: Sequence[tuple[Part, Location]]) -> Part | None:
    """Merge the parts of several additions to one message; None without any."""
    if not parts:
        return None
    always = any(part.always for part, _ in parts)
    when = () if always else tuple(key for key in CONTEXT if any(key in part.when for part, _ in parts))
    reads = tuple(key for key in CONTEXT if any(key in part.reads for part, _ in parts))
    return Part(always, when, reads, all(part.ok for part, _ in parts), parts[0][1])


def _try_contexts(texts: Iterable[str]) -> Iterator[tuple[str, Part]]:
    """Yield each template's text with what it does under the contexts that are tried."""
    templates = tuple(Template(text, "jinja", "adapter", NOWHERE, blocks=True) for text in texts)
    without_context, with_all = _render_texts(templates, {}), _render_texts(templates, CONTEXT_SAMPLES)
    with_one = {key: _render_texts(templates, {key: CONTEXT_SAMPLES[key]}) for key in CONTEXT}
    with_all_but_one = {
        key: _render_texts(templates, {k: v for k, v in CONTEXT_SAMPLES.items() if k != key}) for key in CONTEXT
    }
    for n, template in enumerate(templates):
        always = bool(without_context[n])
        when = () if always else tuple(key for key in CONTEXT if with_one[key][n])
        reads = tuple(
            key for key in CONTEXT if with_one[key][n] != without_context[n] or with_all_but_one[key][n] != with_all[n]
        )
        yield template.text, Part(always, when, reads, None not in (without_context[n], with_all[n]))


def _render_texts(templates: tuple[Template, ...], values: Values) -> list[str | None]:
    """Return the templates' texts; None for one that fails."""
    rendered = render_templates(templates, {**NO_CONTEXT, **values})
    return ["".join(segment.text for segment in part.segments) if part.ok else None for part in rendered]
