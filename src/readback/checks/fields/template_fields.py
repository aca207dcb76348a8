"""Find fields of the records that no template reads, and templates that no record fills."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from readback.checks.variables import Variables
from readback.prompts import albert, generation
from readback.prompts.selections import resolve_selection
from readback.records.dataset import Dataset
from readback.sources import albert_names
from readback.sources.few_shot import SETTING
from readback.sources.templates.template_language import find_unfilled_marks
from readback.tasks import GENERATION
from readback.types import Assembly, Diagnostic, Location, Prompt, Record, Selection, Workspace
from readback.workspace.templates import plain_templates

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
    if needed:
        return tuple(absent)
    return ()


def _reads_anything(variables: Variables, choice: Selection) -> bool:
    return any(reader == choice for reader, _ in variables.counts)


def _find_marks(opened: Workspace, prompt: Prompt) -> tuple[str, ...]:
    """Return what looks like a place for a field in a template that reads no name at all.

    Whoever states that a file is plain text means its marks as text.
    """
    stated = plain_templates.parse_languages(opened.chosen.get(plain_templates.SYNTAX))
    if prompt.syntax in REFUSING or prompt.mode in stated:
        return ()
    if prompt.syntax == "text":
        guessed = (
            diagnostic
            for diagnostic in opened.diagnostics
            if diagnostic.code == GUESSED and diagnostic.place.mode == prompt.mode
        )
        if not any(not diagnostic.values.get("why") for diagnostic in guessed):
            return ()
    return find_unfilled_marks(prompt.template or "")


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
    if len(every) > LISTED:
        more = f" and {len(every) - LISTED} more"
    else:
        more = ""
    return ", ".join(every[:LISTED]) + more


def _place(choice: Selection, prompt: Prompt) -> Location:
    at = prompt.place
    return Location(
        file=at.file, line=at.line, mode=choice.mode, task=choice.task, condition=choice.condition, role="user"
    )


LOOKED_AT = 50  # records at the start whose lists of objects are looked into


@dataclass(frozen=True, slots=True)
class UnusedField:
    """A field that nothing reads, and how many records have it; None for a field of a list's items."""

    name: str
    records: int | None = None


def unused(opened: Workspace, data: Dataset, read: Iterable[str]) -> tuple[UnusedField, ...]:
    """List the fields at the top level and one below (`rag.prompt`, `chunks[*].url`) that no name in `read` reaches.

    A field whose holder is not read either is not listed by itself. Empty where no template reads anything.
    """
    names = {_own(name, data) for name in read}
    if not names or data.source is None:
        return ()
    names |= set(_sent_unread(opened))
    top = [UnusedField(name, data.field_counts.get(name)) for name in data.fields if name != data.id_field]
    below = [
        UnusedField(name, n)
        for name, n in data.field_counts.items()
        if name.count(".") == 1 and name not in data.fields
    ]
    inside = [UnusedField(name) for name in _items(tuple(data.records(0, LOOKED_AT)), data.fields)]
    return tuple(unused_field for unused_field in (*top, *below, *inside) if _is_unused(unused_field.name, names))


def _sent_unread(opened: Workspace) -> Iterator[str]:
    """Fields that reach what is sent although no template reads them: what steers the search, a system prompt that
    comes with the record, earlier turns, examples.
    """
    if any(prompt.settings.get("dialect") == "albert" for prompt in opened.prompts.values()):
        yield from (*albert_names.META, albert.SYSTEM_ARGUMENT)
    if GENERATION in opened.tasks:
        yield from (generation.HISTORY_FIELD, *_examples(opened))


def _examples(opened: Workspace) -> Iterator[str]:
    """Yield the field of the record's examples, where a configuration puts them before the question."""
    if any(config.settings.get(SETTING) for config in opened.configs):
        yield generation.EXAMPLES_FIELD


def _own(name: str, data: Dataset) -> str:
    """Return the field of the file that a name stands for: what is mapped to it, else the name."""
    mapped: Mapping[str, str] = data.source.fields if data.source else {}
    root = name.partition(".")[0].partition("[")[0]
    return mapped.get(root, root) + name[len(root) :]


def _items(records: Sequence[Record], top: Sequence[str]) -> Iterator[str]:
    """Yield the fields of the objects in lists: `chunks[*].url`."""
    paths: dict[str, None] = {}
    for record in records:
        for name in top:
            value = record.fields.get(name)
            for item in value if isinstance(value, list) else ():
                if isinstance(item, Mapping):
                    paths |= dict.fromkeys(f"{name}[*].{key}" for key in item)
    yield from paths


def _is_unused(field: str, names: set[str]) -> bool:
    """Whether nothing reads a field; one inside another counts only where the other is read in parts."""
    holder = field.rpartition(".")[0].removesuffix("[*]")
    if not holder:
        return not any(_within(name, field) for name in names)
    if any(_within(name, field) for name in names):
        return False
    parts = {name for name in names if _within(name, holder)}
    if not parts - {holder, f"{holder}[*]"}:
        whole = {holder, f"{holder}[*]"} & parts
    else:
        whole = set()
    return bool(parts) and not whole


def _within(name: str, field: str) -> bool:
    return name == field or name.startswith((f"{field}.", f"{field}["))
