"""What rules ask about the names that a mode's or task's own templates read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from readback.checks.facts import albert_modes, albert_names
from readback.types import Location, Prompt, RuleContext, VariableUse


def prompt(case: RuleContext) -> Prompt | None:
    """What the assembly was made from; None for a judge, for a built-in format, and where nothing could be made."""
    choice = case.assembly.choice if case.assembly else None
    if choice is None or choice.judge or case.record is None or not (case.assembly and case.assembly.messages):
        return None
    condition = case.workspace.condition(choice.condition) if choice.condition else None
    mode, task = choice.mode or (condition and condition.mode), choice.task or (condition and condition.task)
    found = case.workspace.prompts.get(mode) if mode else case.workspace.tasks.get(task or "")
    return found if found and found.syntax != "builder" else None


def is_albert(own: Prompt) -> bool:
    return own.settings.get("dialect") == albert_modes.NAME


def once(case: RuleContext) -> bool:
    """Whether to say here what is true of the template, whatever the record and the adapter."""
    first = case.record is not None and case.record.place.index in (None, 0)
    choice = case.assembly.choice if case.assembly else None
    return first and choice is not None and (choice.condition is not None or choice.adapter is None)


def uses(case: RuleContext, own: Prompt, states: Collection[str] = ()) -> Iterator[VariableUse]:
    """Each name in its own templates that is in one of `states` (none given: in any), once; not those of adapters.

    A name in two of the states counts as one: the times of both, and asked about only where it is so in both.
    """
    files = (own.place.file, own.system_place.file)
    found: dict[str, VariableUse] = {}
    for use in case.assembly.uses if case.assembly else ():
        if use.place.file not in files or (states and use.state not in states):
            continue
        if (before := found.get(use.name)) is None:
            found[use.name] = use
        else:
            times, of = before.times + use.times, max(before.total, use.total)
            found[use.name] = replace(
                before, times=min(times, of), total=of, only_asked=before.only_asked and use.only_asked
            )
    yield from found.values()


def roots(case: RuleContext, own: Prompt) -> dict[str, Location]:
    """The variables that its own templates read, taken or not, with the line where each first appears."""
    found: dict[str, Location] = {}
    for use in uses(case, own):
        found.setdefault(root(use.name), at(use))
    return found


def root(name: str) -> str:
    """The variable of a path."""
    return name.partition(".")[0].partition("[")[0]


def split(name: str) -> tuple[str, str]:
    """`chunks[*].title` as (chunks, title); ("", "") for what is no field of a list's items."""
    listed, mark, field = name.rpartition("[*].")
    return (listed, field) if mark else ("", "")


def others(case: RuleContext, name: str) -> bool:
    """Whether a list of chunks is one that the program in force leaves without a value, which has rules of its own."""
    if albert_modes.current(case.workspace):
        return name in albert_modes.CHUNKS
    return name.endswith(albert_names.COLLECTION)


def at(use: VariableUse) -> Location:
    return Location(file=use.place.file, line=use.place.line, role="user")
