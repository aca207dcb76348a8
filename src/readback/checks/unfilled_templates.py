"""Find templates that no record fills: where the header row or the names are others, every message is empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from readback.checks.variables import Variables
from readback.prompts.selections import resolve_selection
from readback.records.dataset import Dataset
from readback.sources.template_language import left_as_they_are
from readback.types import Assembly, Diagnostic, Location, Prompt, Selection, Workspace
from readback.workspace import plain_templates

CODE = "asm-no-field-filled"
GUESSED = "asm-mark-not-filled"  # of a plain file whose language nobody stated
LISTED = 8  # names and fields that the sentence has room for
REFUSING = frozenset({"format", "percent", "dollar"})  # they send nothing where a name is absent, which is an error
NOT_TAKEN = frozenset({"untaken"})


def find_unfilled_templates(
    opened: Workspace,
    data: Dataset,
    variables: Variables,
    firsts: Mapping[Selection, Assembly],
    is_nowhere: Callable[[str], bool] | None = None,
) -> Iterator[Diagnostic]:
    """Yield one diagnostic for each mode, task or condition whose messages hold nothing of any record although their
    template has places for it. `firsts` are the assemblies of the first record. `is_nowhere` says of a name whether no
    record of the file has it: where only some records were looked at, they do not tell.

    A name that a template only asks about, or has something else for, is optional: a template of such names alone is
    no fault. Neither is one whose messages have a text of the record by another way (its turns, a question that the
    program adds).
    """
    if opened.dataset is None or data.source is None:
        return  # a record that Readback made up lacks what it lacks
    variables.count()
    for choice, assembly in firsts.items():
        own = resolve_selection(opened, choice)
        if choice.judge or (choice.adapter and not choice.condition) or isinstance(own, Diagnostic):
            continue
        if not assembly.messages or _has_value(assembly) or own.prompt.syntax == "builder":
            continue
        records = variables.looked_at[choice]
        names = _find_absent(variables, choice, records)
        marks = () if names or _reads_anything(variables, choice) else _find_marks(opened, own.prompt)
        if not names and not marks:
            continue
        if is_nowhere and not all(map(is_nowhere, names)):
            continue
        values = {
            "names": _list_some(names or marks),
            "count": len(names or marks),
            "records": len(data),
            "fields": _list_some(data.fields),
            "file": data.file,
        }
        yield Diagnostic(CODE, values, _place(choice, own.prompt), "")


def _find_absent(variables: Variables, choice: Selection, records: int) -> tuple[str, ...]:
    """Return the names that no record has where none of the names of a choice has a value in any record."""
    absent: list[str] = []
    needed = False
    for (reader, name), count in variables.counts.items():
        if reader != choice:
            continue
        states = {state for state, times in count.records.items() if times} - NOT_TAKEN
        if not states <= {"missing", "needed"}:
            return ()
        if count.records["missing"]:
            absent.append(name)
        needed = needed or count.records["needed"] == records > 0
    return tuple(absent) if needed else ()


def _reads_anything(variables: Variables, choice: Selection) -> bool:
    return any(reader == choice for reader, _ in variables.counts)


def _find_marks(opened: Workspace, prompt: Prompt) -> tuple[str, ...]:
    """Return what looks like a place for a field in a template that reads no name at all.

    Whoever states that a file is plain text means its marks as text.
    """
    stated = plain_templates.said(opened.chosen.get(plain_templates.SYNTAX))
    if prompt.syntax in REFUSING or prompt.mode in stated:
        return ()
    if prompt.syntax == "text":
        guessed = (one for one in opened.diagnostics if one.code == GUESSED and one.place.mode == prompt.mode)
        if not any(not one.values.get("why") for one in guessed):
            return ()
    return left_as_they_are(prompt.template or "")


def _has_value(assembly: Assembly) -> bool:
    """Whether some text of the record is in the messages."""
    return any(
        segment.origin == "variable" and segment.text.strip()
        for message in assembly.messages
        for segment in message.segments
    )


def _list_some(names: Iterable[str]) -> str:
    """Return the first names in one line; one with blanks around it in quotes, for else nobody sees them."""
    every = [name if name == name.strip() and name else f"'{name}'" for name in names]
    more = f" and {len(every) - LISTED} more" if len(every) > LISTED else ""
    return ", ".join(every[:LISTED]) + more


def _place(choice: Selection, prompt: Prompt) -> Location:
    at = prompt.place
    return Location(
        file=at.file, line=at.line, mode=choice.mode, task=choice.task, condition=choice.condition, role="user"
    )
