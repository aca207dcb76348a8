"""Fields of the records that no template reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from readback.prompts import albert, generation
from readback.records.dataset import Dataset
from readback.sources import albert_names
from readback.sources.few_shot import SETTING
from readback.tasks import GENERATION
from readback.types import Record, Workspace

LOOKED_AT = 50  # records at the start whose lists of objects are looked into


@dataclass(frozen=True, slots=True)
class UnusedField:
    """A field that nothing reads, and how many records have it; None for a field of a list's items."""

    name: str
    records: int | None = None


def unused(opened: Workspace, data: Dataset, read: Iterable[str]) -> tuple[UnusedField, ...]:
    """The fields at the top level and one level below (`rag.prompt`, `chunks[*].url`) that no name in `read` reaches.

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
    return tuple(one for one in (*top, *below, *inside) if _is_unused(one.name, names))


def _sent_unread(opened: Workspace) -> Iterator[str]:
    """Fields that reach what is sent although no template reads them: what steers the search, a system prompt that
    comes with the record, earlier turns, examples.
    """
    if any(prompt.settings.get("dialect") == "albert" for prompt in opened.prompts.values()):
        yield from (*albert_names.META, albert.SYSTEM_ARGUMENT)
    if GENERATION in opened.tasks:
        yield from (generation.HISTORY_FIELD, *_examples(opened))


def _examples(opened: Workspace) -> Iterator[str]:
    """The record's examples, where a configuration puts them before the question."""
    if any(config.settings.get(SETTING) for config in opened.configs):
        yield generation.EXAMPLES_FIELD


def _own(name: str, data: Dataset) -> str:
    """The field of the file that a name stands for: what is mapped to it, else itself."""
    mapped: Mapping[str, str] = data.source.fields if data.source else {}
    root = name.partition(".")[0].partition("[")[0]
    return mapped.get(root, root) + name[len(root) :]


def _items(records: Sequence[Record], top: Sequence[str]) -> Iterator[str]:
    """The fields of the objects in lists: `chunks[*].url`."""
    found: dict[str, None] = {}
    for record in records:
        for name in top:
            value = record.fields.get(name)
            for item in value if isinstance(value, list) else ():
                if isinstance(item, Mapping):
                    found |= dict.fromkeys(f"{name}[*].{key}" for key in item)
    yield from found


def _is_unused(field: str, names: set[str]) -> bool:
    """Whether nothing reads a field; one inside another counts only where the other is read in parts."""
    holder = field.rpartition(".")[0].removesuffix("[*]")
    if not holder:
        return not any(_within(name, field) for name in names)
    if any(_within(name, field) for name in names):
        return False
    parts = {name for name in names if _within(name, holder)}
    whole = {holder, f"{holder}[*]"} & parts if not parts - {holder, f"{holder}[*]"} else set()
    return bool(parts) and not whole


def _within(name: str, field: str) -> bool:
    return name == field or name.startswith((f"{field}.", f"{field}["))
