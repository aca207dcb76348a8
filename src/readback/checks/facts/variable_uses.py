"""Find the names that a mode's or task's own templates read, without those of adapters."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from readback.checks.facts import albert_modes
from readback.checks.facts.conditions import find_condition, is_for_judge
from readback.types import Location, Prompt, RuleContext, VariableUse


def find_prompt(case: RuleContext) -> Prompt | None:
    """Return what the case's assembly was made from.

    None for a judge, for a built-in format, and if there is no record or nothing could be assembled.
    """
    if case.assembly is None or is_for_judge(case) or case.record is None or not case.assembly.messages:
        return None
    choice, condition = case.assembly.choice, find_condition(case)
    mode, task = choice.mode or (condition and condition.mode), choice.task or (condition and condition.task)
    if mode:
        prompt = case.workspace.prompts.get(mode)
    else:
        prompt = case.workspace.tasks.get(task or "")
    if prompt and prompt.syntax != "builder":
        return prompt
    return None


def is_albert(prompt: Prompt) -> bool:
    """Return whether a prompt is a mode of an Albert configuration."""
    return prompt.settings.get("dialect") == albert_modes.NAME


def is_first_case(case: RuleContext) -> bool:
    """Return whether to report here what is true of the template for any record and adapter."""
    is_first_record = case.record is not None and case.record.place.index in (None, 0)
    if case.assembly:
        choice = case.assembly.choice
    else:
        choice = None
    return is_first_record and choice is not None and (choice.condition is not None or choice.adapter is None)


def list_uses(case: RuleContext, prompt: Prompt, states: Collection[str] = ()) -> Iterator[VariableUse]:
    """Yield each name in the prompt's own templates that is in one of the `states` (none given: in any), once.

    A name in two of the states counts as one: the times of both, and `only_asked` if it is so in both.
    """
    files = (prompt.place.file, prompt.system_place.file)
    by_name: dict[str, VariableUse] = {}
    for use in case.assembly.uses if case.assembly else ():
        if use.place.file not in files or (states and use.state not in states):
            continue
        earlier = by_name.get(use.name)
        if earlier is None:
            by_name[use.name] = use
        else:
            total = max(earlier.total, use.total)
            times = min(earlier.times + use.times, total)
            only_asked = earlier.only_asked and use.only_asked
            by_name[use.name] = replace(earlier, times=times, total=total, only_asked=only_asked)
    yield from by_name.values()


def find_variables(case: RuleContext, prompt: Prompt) -> dict[str, Location]:
    """Return the variables that the prompt's own templates name, with the line where each first appears."""
    places: dict[str, Location] = {}
    for use in list_uses(case, prompt):
        places.setdefault(get_variable(use.name), locate(use))
    return places


def get_variable(path: str) -> str:
    """Return the variable of a path: `docs` of `docs[0].title`."""
    return path.partition(".")[0].partition("[")[0]


def split_path(path: str) -> tuple[str, str]:
    """Return `chunks[*].title` as (chunks, title); ("", "") for a path that is no field of a list's items."""
    name, marker, field = path.rpartition("[*].")
    if marker:
        return (name, field)
    return ("", "")


def is_of_other_program(case: RuleContext, name: str) -> bool:
    """Return whether a list of chunks is filled by the other version of the Albert program only.

    alb-legacy-chunks and alb-collection-name report these.
    """
    if albert_modes.is_current(case.workspace):
        return name in albert_modes.CHUNKS
    return name.endswith(albert_modes.COLLECTION)


def locate(use: VariableUse) -> Location:
    """Return the place of a use in its template."""
    return Location(file=use.place.file, line=use.place.line, role="user")
