"""The system and user text of a mode or a task for one record, before any adapter: rendered, or built."""

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
from readback.sources.plain_prompts import SYSTEM_ALONE
from readback.sources.prompt_formats import SYSTEM
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
    """`values` of the record; `defaults` fill the names that are not in them. Notes are about one name each.

    `acronyms` are those that were spelled out in the query, where the program does so.
    """

    values: Values
    defaults: Values
    diagnostics: tuple[tuple[str, Diagnostic], ...] = ()
    acronyms: Mapping[str, str] = field(default_factory=dict)


FALSY = "alb-falsy-default"
Names = tuple[tuple[str, Location], ...]


class BaseTexts(NamedTuple):
    """Both texts; `ok` is False where one could not be made, and then the diagnostics say why."""

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
    """The texts of `prompt`; `task` says that it is a task's and no mode's, `origins` whether to tell who wrote what.

    A mode without a system text gets the model's own: that of its Modelfile, else the one it was trained with. Albert
    modes spell out the `acronyms` in the query (`places`: where each stands), and take a system prompt that the record
    brings.
    """
    if prompt.syntax == "builder":
        kind = model.type if model else None
        user = builders.build_user_message(prompt.template or prompt.mode, record, kind, options)
        return BaseTexts(
            choose_format_system(prompt, model), user.segments, user.names, user.diagnostics, user.ok, user.uses
        )
    template = _user_template(prompt, options, "task" if task else "template")
    if template is None:
        return BaseTexts((), (), (), (Diagnostic("asm-no-user-text", {"name": prompt.mode}, prompt.place),), False)
    values = collect_values(prompt, record.fields, options, record.place, acronyms)
    origin: Origin = "task" if task else "system"
    own = prompt.system is not None
    system = Template(prompt.system or "", prompt.system_syntax, origin, prompt.system_place)
    parts = render_templates(
        (system, template) if own else (template,), values.values, values.defaults, origins=origins
    )
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    used = {name.partition(".")[0].partition("[")[0] for name, _ in names}
    used |= set(META) if any(map(is_chunk_list, used)) else set()
    applied = tuple(diagnostic for name, diagnostic in values.diagnostics if name in used)
    argument, ignored = find_system_argument(prompt, record, options)
    return BaseTexts(
        argument or (parts[0].segments if own else find_model_system(model) if not task else ()),
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
    """What became of the names of both texts; a default that replaced a false value of the record is told apart."""
    every = tuple(use for part in parts for use in part)
    if not falsy:
        return every
    return tuple(replace(u, state="falsy") if u.state == "default" and u.name in falsy else u for u in every)


def find_model_system(model: Model | None) -> Segments:
    """The system text that comes with a model: its Modelfile's effective one, else the one it was trained with."""
    if model is None:
        return ()
    if model.modelfile and model.modelfile.system is not None:
        return (Segment(model.modelfile.system, "system", "Modelfile", model.modelfile.system_place),)
    return (make_trained_system(model.training),) if model.training else ()


def make_trained_system(said: SystemText) -> Segment:
    """The system text a model was trained with; one that was typed into the workspace is called that."""
    return Segment(said.text, "system", "training" if said.verified else "typed", said.place)


def make_format_system(kind: str | None) -> Segments:
    """What the *Prompt Format Specification* prescribes for a type of model; nothing for `base`."""
    text = SYSTEM.get(kind or "")
    return (Segment(text, "system", "prompt format", NOWHERE),) if text else ()


def render_templates(
    templates: tuple[Template, ...], values: Values, defaults: Values | None = None, *, origins: bool = True
) -> tuple[Rendered, ...]:
    """What `render` makes of the templates; those without anything to fill in cost no work in a child process."""
    plain = [render_literal(template) for template in templates]
    rest = render(
        [t for t, p in zip(templates, plain, strict=True) if p is None], values, defaults or {}, origins=origins
    )
    made = iter(rest)
    return tuple(next(made) if p is None else p for p in plain)


def render_literal(template: Template) -> Rendered | None:
    """The template's text if rendering would leave it as it is, but for one final newline under Jinja; else None."""
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
    """The system text of a built-in format: the model's own, else the mode's, else what is prescribed for its type."""
    own = (Segment(prompt.system, "system", prompt.mode, prompt.system_place),) if prompt.system is not None else ()
    return find_model_system(model) or own or make_format_system(model.type if model else None)


def _user_template(prompt: Prompt, options: Mapping[str, str], origin: Origin) -> Template | None:
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
    """The values for one record and mode.

    A default steps in where the record has nothing (missing or null); in an Albert configuration wherever the value
    is false, which is said when the record did have one.
    """
    if prompt.settings.get("dialect") == "albert":
        return _albert(prompt.defaults, dict(fields), options, place, acronyms or {})
    values = {name: value for name, value in fields.items() if value is not None or name not in prompt.defaults}
    return TemplateValues(values, prompt.defaults)


def _albert(
    defaults: Values, data: dict[str, Any], options: Mapping[str, str], place: Location, acronyms: Mapping[str, str]
) -> TemplateValues:
    current = options.get("albert_dialect") == "current"
    known: Mapping[str, str] = {} if current else acronyms
    changed = list(derive_query(data, known, place))
    filled = {name: data.pop(name, None) for name in defaults if not data.get(name)}
    diagnostics = [
        (name, _falsy(name, value, defaults[name], place))
        for name, value in filled.items()
        if value is not None and value != defaults[name]
    ]
    for name in [name for name, value in data.items() if isinstance(value, list) and is_chunk_list(name)]:
        if name.endswith(COLLECTION) != current:
            del data[name]  # the other program's name, which this one leaves without a value
    if options.get("apply_limit") != "off":
        diagnostics += list(_limit(data, defaults, place))
    return TemplateValues(data, defaults, (*changed, *diagnostics), known)


def is_chunk_list(name: str) -> bool:
    """Whether the program fills a variable of that name with what it searched, in either dialect."""
    return name in CHUNKS or name.endswith(COLLECTION)


def _falsy(name: str, value: Any, default: Any, place: Location) -> Diagnostic:
    said = {"name": name, "value": json.dumps(value), "default": json.dumps(default, ensure_ascii=False)}
    return Diagnostic("alb-falsy-default", said, _locate_field(place, name), name)


def _limit(data: dict[str, Any], defaults: Values, place: Location) -> Iterator[tuple[str, Diagnostic]]:
    """Keep of each list of chunks what the search would have brought; says so where that is not all."""
    said = {name: data.get(name) or defaults.get(name) for name in META}
    limit = _whole(said["limit"] or LIMIT)
    for name in [name for name in data if is_chunk_list(name)]:
        chunks = data[name]
        if not isinstance(chunks, list):
            continue
        if limit is None:
            yield (
                name,
                Diagnostic(
                    "alb-bad-limit", {"value": said["limit"], "kept": len(chunks)}, _locate_field(place, "limit")
                ),
            )
            continue
        kept = chunks[1 if said["skip_first"] else 0 :][:limit]
        if len(kept) < len(chunks):
            values = {"name": name, "kept": len(kept), "given": len(chunks), "limit": limit}
            first = {"skipped": 1 if said["skip_first"] else 0}
            data[name] = kept
            yield name, Diagnostic("alb-limit-applied", values | first, _locate_field(place, name), name)


def _whole(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number > 0 else None


def _locate_field(place: Location, field: str) -> Location:
    return Location(file=place.file, line=place.line, field=field)
