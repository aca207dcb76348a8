"""What to say of an id that no record has: which ids there are, and whether they are only lines."""

from __future__ import annotations

from readback.readers.yaml_file import nearest
from readback.records.dataset import Dataset

SHOWN = 5  # ids that show what they look like
COMPARED = 10_000  # ids among which the nearest is looked for


def no_record(asked: str, data: Dataset) -> str:
    """`no record 't1' among 3: …`, with ids that there are; without a field of ids the records are called by lines."""
    said = f"no record '{asked}' among {len(data)}"
    first = data.ids(0, SHOWN)
    if not first:
        return said
    there = ", ".join(f"'{one}'" for one in first)
    there += f" … '{data.ids(len(data) - 1)[0]}'" if len(data) > SHOWN else ""
    if data.id_field is None:
        return f"{said}: no field names the records, so their ids are their lines: {there}"
    near = nearest(asked, data.ids(0, COMPARED))
    return f"{said}{f'; did you mean {near!r}?' if near else ''}; the ids of {data.id_field} are {there}"
