"""Build the system and the user text of a mode or a task for one record, before any adapter's additions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from readback.prompts import builders
from readback.prompts.albert import derive_query, find_query, find_system_argument, mark_acronyms
from readback.prompts.messages import Segments
from readback.prompts.render import Rendered, Template, render
from readback.sources.prompt_formats import SYSTEM
from readback.sources.templates.plain_prompts import SYSTEM_ALONE
from readback.types import (
    NOWHERE,
    Diagnostic,
    Location,
    Model,
    Origin,
    Prompt,
    Record,
    Segment,
    SystemText,
    Values,
    VariableUse,
)

CHUNKS = ("sheet_chunks", "experience_chunks")
COLLECTION = "_collection"  # how the names end that the later program fills
META = ("limit", "skip_first")
LIMIT = 3  # chunks used where neither the data nor the configuration says


@dataclass(frozen=True, slots=True)
class TemplateValues:
    """Hold what a template sees of a record: `values`, and `defaults` for the names that are not in them.

    Each diagnostic is about one name. `acronyms` are those that were spelled out in the query, where the program does
    so.
    """

    values: Values
    defaults: Values
    diagnostics: tuple[tuple[str, Diagnostic], ...] = ()
    acronyms: Mapping[str, str] = field(default_factory=dict)


FALSY = "alb-falsy-default"
Names = tuple[tuple[str, Location], ...]


class BaseTexts(NamedTuple):
    """Hold both texts; `ok` is False where one could not be built, and then the diagnostics say why."""

    system: Segments
    user: Segments
    names: Names
    diagnostics: tuple[Diagnostic, ...]
    ok: bool
    uses: tuple[VariableUse, ...] = ()


def build_base_texts(
    prompt: Prompt,
    record: Record,
    model: Model | None,
    options: Mapping[str, str],
    task: bool,
    acronyms: Mapping[str, str] | None = None,
    places: Mapping[str, Location] | None = None,
    *,
    origins: bool = True,
) -> BaseTexts:
    """Build the texts of `prompt`; `task` says that it is a task's and not a mode's, `origins` whether to tell who
    wrote what.

    A mode without a system text gets the model's own: that of its Modelfile, else the one it was trained with. Albert
    modes spell out the `acronyms` in the query (`places`: where each is defined), and take a system prompt that the
    record brings.
    """
    if prompt.syntax == "builder":
        model_type = model.type if model else None
        user = builders.build_user_message(prompt.template or prompt.mode, record, model_type, options)
        return BaseTexts(
            choose_format_system(prompt, model), user.segments, user.names, user.diagnostics, user.ok, user.uses
        )
    template = _find_user_template(prompt, options, "task" if task else "template")
    if template is None:
        return BaseTexts((), (), (), (Diagnostic("asm-no-user-text", {"name": prompt.mode}, prompt.place),), False)
    values = collect_values(prompt, record.fields, options, record.place, acronyms)
    origin: Origin = "task" if task else "system"
    has_system = prompt.system is not None
    system = Template(prompt.system or "", prompt.system_syntax, origin, prompt.system_place)
    parts = render_templates(
        (system, template) if has_system else (template,), values.values, values.defaults, origins=origins
    )
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    used = {name.partition(".")[0].partition("[")[0] for name, _ in names}
    if any(map(is_chunk_list, used)):
        used |= set(META)
    applied = tuple(diagnostic for name, diagnostic in values.diagnostics if name in used)
    argument, ignored = find_system_argument(prompt, record, options)
    system_segments: Segments = ()
    if has_system:
        system_segments = parts[0].segments
    elif not task:
        system_segments = find_model_system(model)
    return BaseTexts(
        argument or system_segments,
        mark_acronyms(parts[-1].segments, find_query(record.fields), values.acronyms, places or {}),
        names,
        (*(diagnostic for part in parts for diagnostic in part.diagnostics), *applied, *ignored),
        all(part.ok for part in parts),
        _list_uses(
            tuple(part.uses for part in parts),
            frozenset(name for name, diagnostic in values.diagnostics if diagnostic.code == FALSY),
        ),
    )


@lru_cache(4096)
def _list_uses(parts: tuple[tuple[VariableUse, ...], ...], falsy: frozenset[str]) -> tuple[VariableUse, ...]:
    """List what became of the names of both texts; a default that replaced a false value is told apart."""
    uses = tuple(use for part in parts for use in part)
    if not falsy:
        return uses
    return tuple(replace(use, state="falsy") if use.state == "default" and use.name in falsy else use for use in uses)


def find_model_system(model: Model | None) -> Segments:
    """Return the system text that comes with a model: its Modelfile's effective one, else its training's."""
    if model is None:
        return ()
    if model.modelfile and model.modelfile.system is not None:
        return (Segment(model.modelfile.system, "system", "Modelfile", model.modelfile.system_place),)
    if model.training:
        return (make_trained_system(model.training),)
    return ()


def make_trained_system(system: SystemText) -> Segment:
    """Make the segment of the system text a model was trained with, named "typed" where the workspace states it."""
    return Segment(system.text, "system", "training" if system.verified else "typed", system.place)


def make_format_system(model_type: str | None) -> Segments:
    """Return what the *Prompt Format Specification* prescribes for a type of model; nothing for `base`."""
    text = SYSTEM.get(model_type or "")
    if text:
        return (Segment(text, "system", "prompt format", NOWHERE),)
    return ()


def render_templates(
    templates: tuple[Template, ...], values: Values, defaults: Values | None = None, *, origins: bool = True
) -> tuple[Rendered, ...]:
    """Render the templates; those with nothing to fill in cost no work in a child process."""
    literals = [render_literal(template) for template in templates]
    others = [template for template, literal in zip(templates, literals, strict=True) if literal is None]
    rendered = iter(render(others, values, defaults or {}, origins=origins))
    return tuple(next(rendered) if literal is None else literal for literal in literals)


def render_literal(template: Template) -> Rendered | None:
    """Return a template's text if rendering leaves it so, but for a final newline under Jinja; else None."""
    text = template.text
    if template.syntax == "jinja":
        if "{" in text or "\r" in text:
            return None
        text = text.removesuffix("\n")
    elif template.syntax != "text":
        return None
    segments = (Segment(text, template.origin, None, template.place),) if text else ()
    return Rendered(segments, (), (), True)


def choose_format_system(prompt: Prompt, model: Model | None) -> Segments:
    """Choose a built-in format's system text: the model's own, else the mode's, else what its type prescribes."""
    of_mode = (Segment(prompt.system, "system", prompt.mode, prompt.system_place),) if prompt.system is not None else ()
    return find_model_system(model) or of_mode or make_format_system(model.type if model else None)


def _find_user_template(prompt: Prompt, options: Mapping[str, str], origin: Origin) -> Template | None:
    """Return the template of the user text; None where the mode has none."""
    if prompt.template is not None:
        return Template(prompt.template, prompt.syntax, origin, prompt.place)
    if prompt.settings.get(SYSTEM_ALONE):
        return Template("", "text", origin, prompt.place)
    if prompt.settings.get("dialect") == "albert" and options.get("albert_dialect") == "current":
        return Template("{{ query }}", "jinja", origin, prompt.place)  # the later program sends the bare query
    return None


# What a mode's template sees of a record: its fields, where defaults step in, and which chunks are used.


def collect_values(
    prompt: Prompt,
    fields: Values,
    options: Mapping[str, str],
    place: Location = NOWHERE,
    acronyms: Mapping[str, str] | None = None,
) -> TemplateValues:
    """Collect the values for one record and mode.

    A default steps in where the record has nothing (missing or null); in an Albert configuration wherever the value is
    false, which a diagnostic reports when the record did have one.
    """
    if prompt.settings.get("dialect") == "albert":
        return _collect_albert_values(prompt.defaults, dict(fields), options, place, acronyms or {})
    values = {name: value for name, value in fields.items() if value is not None or name not in prompt.defaults}
    return TemplateValues(values, prompt.defaults)


def _collect_albert_values(
    defaults: Values, data: dict[str, Any], options: Mapping[str, str], place: Location, acronyms: Mapping[str, str]
) -> TemplateValues:
    """Collect the values that an Albert program fills in: defaults for false values, chunks up to its limit."""
    is_current = options.get("albert_dialect") == "current"
    acronyms_in_use: Mapping[str, str] = {} if is_current else acronyms
    changed = list(derive_query(data, acronyms_in_use, place))
    replaced = {name: data.pop(name, None) for name in defaults if not data.get(name)}
    diagnostics = [
        (name, _report_falsy(name, value, defaults[name], place))
        for name, value in replaced.items()
        if value is not None and value != defaults[name]
    ]
    for name in [name for name, value in data.items() if isinstance(value, list) and is_chunk_list(name)]:
        if name.endswith(COLLECTION) != is_current:
            del data[name]  # the other program's name, which this one leaves without a value
    if options.get("apply_limit") != "off":
        diagnostics += list(_apply_limit(data, defaults, place))
    return TemplateValues(data, defaults, (*changed, *diagnostics), acronyms_in_use)


def is_chunk_list(name: str) -> bool:
    """Tell whether the program fills a variable of that name with what it searched, in either dialect."""
    return name in CHUNKS or name.endswith(COLLECTION)


def _report_falsy(name: str, value: Any, default: Any, place: Location) -> Diagnostic:
    """Report a false value of the record that a default replaced."""
    values = {"name": name, "value": json.dumps(value), "default": json.dumps(default, ensure_ascii=False)}
    return Diagnostic("alb-falsy-default", values, _locate_field(place, name), name)


def _apply_limit(data: dict[str, Any], defaults: Values, place: Location) -> Iterator[tuple[str, Diagnostic]]:
    """Keep of each list of chunks what the search would have brought, and report where that is not all."""
    meta = {name: data.get(name) or defaults.get(name) for name in META}
    limit = _read_limit(meta["limit"] or LIMIT)
    for name in [name for name in data if is_chunk_list(name)]:
        chunks = data[name]
        if not isinstance(chunks, list):
            continue
        if limit is None:
            fault = {"value": meta["limit"], "kept": len(chunks)}
            yield name, Diagnostic("alb-bad-limit", fault, _locate_field(place, "limit"))
            continue
        first_chunks = chunks[1 if meta["skip_first"] else 0 :][:limit]
        if len(first_chunks) < len(chunks):
            values = {"name": name, "kept": len(first_chunks), "given": len(chunks), "limit": limit}
            skipping = {"skipped": 1 if meta["skip_first"] else 0}
            data[name] = first_chunks
            yield name, Diagnostic("alb-limit-applied", values | skipping, _locate_field(place, name), name)


def _read_limit(value: Any) -> int | None:
    """Return a limit as a whole number above 0; None where it is something else."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if number > 0:
        return number
    return None


def _locate_field(place: Location, field: str) -> Location:
    return Location(file=place.file, line=place.line, field=field)
