"""The registry as a table: which interface adds what to which task, and under which context.

What an adapter's text depends on is not read off its template but seen: it is rendered without any context, with each
context key alone, with all of them, and with all but one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.adapters import find_entry, load_shipped
from readback.prompts.adapter_texts import CONTEXT
from readback.prompts.base_texts import rendered
from readback.prompts.render import Template
from readback.tasks import DOCUMENT, tasks_of
from readback.types import NOWHERE, Adapter, Location, Values

SAMPLES: Mapping[str, Any] = {"json_schema": {"type": "object"}} | dict.fromkeys(CONTEXT[1:], "sample")
NOTHING: Values = dict.fromkeys(CONTEXT)


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


def registry(listed: Mapping[str, Adapter], profile: str = DOCUMENT, own: Iterable[str] = ()) -> tuple[Entry, ...]:
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
    parts = dict(_seen(dict.fromkeys(texts)))
    return tuple(
        Entry(
            name,
            task,
            source.wording,
            _together([(parts[one.system], one.system_place) for one in added if one.system]),
            _together([(parts[one.user], one.user_place) for one in added if one.user]),
        )
        for (name, task), (source, added) in found.items()
    )


def _together(parts: Sequence[tuple[Part, Location]]) -> Part | None:
    if not parts:
        return None
    always = any(part.always for part, _ in parts)
    when = () if always else tuple(key for key in CONTEXT if any(key in part.when for part, _ in parts))
    reads = tuple(key for key in CONTEXT if any(key in part.reads for part, _ in parts))
    return Part(always, when, reads, all(part.ok for part, _ in parts), parts[0][1])


def _seen(texts: Iterable[str]) -> Iterator[tuple[str, Part]]:
    """Each template with what it does under the contexts that are tried."""
    templates = tuple(Template(text, "jinja", "adapter", NOWHERE, blocks=True) for text in texts)
    bare, whole = _render(templates, {}), _render(templates, SAMPLES)
    alone = {key: _render(templates, {key: SAMPLES[key]}) for key in CONTEXT}
    without = {key: _render(templates, {k: v for k, v in SAMPLES.items() if k != key}) for key in CONTEXT}
    for n, template in enumerate(templates):
        always = bool(bare[n])
        when = () if always else tuple(key for key in CONTEXT if alone[key][n])
        reads = tuple(key for key in CONTEXT if alone[key][n] != bare[n] or without[key][n] != whole[n])
        yield template.text, Part(always, when, reads, None not in (bare[n], whole[n]))


def _render(templates: tuple[Template, ...], values: Values) -> list[str | None]:
    """The texts; None for one that fails."""
    made = rendered(templates, {**NOTHING, **values})
    return ["".join(segment.text for segment in one.segments) if one.ok else None for one in made]
