"""Write the sentence for an id that no record has."""

from __future__ import annotations

from readback.readers.yaml.yaml_file import find_nearest
from readback.records.dataset import Dataset

SHOWN = 5  # ids listed as examples
COMPARED = 10_000  # ids among which the nearest one is searched


def format_missing_record(record_id: str, data: Dataset) -> str:
    """Return `no record 't1' among 3: …` with ids that exist, and the nearest one if it may be a typo.

    Without an id field the ids of records are their lines, which the sentence says.
    """
    sentence = f"no record '{record_id}' among {len(data)}"
    first = data.ids(0, SHOWN)
    if not first:
        return sentence
    examples = ", ".join(f"'{example}'" for example in first)
    if len(data) > SHOWN:
        examples += f" … '{data.ids(len(data) - 1)[0]}'"
    if data.id_field is None:
        return f"{sentence}: no field names the records, so their ids are their lines: {examples}"
    near = find_nearest(record_id, data.ids(0, COMPARED))
    if near:
        sentence += f"; did you mean {near!r}?"
    return f"{sentence}; the ids of {data.id_field} are {examples}"
