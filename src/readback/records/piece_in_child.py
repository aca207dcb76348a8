"""The child's half of reading a large file of JSON lines in pieces: what an index keeps of one in which nothing is odd.

Where every line holds one plain object, all that a piece tells of itself is counts, places and ids, which whoever asked
adds to what it knows. A piece with any other line is left to whoever reads lines one after another.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.readers.lines import BUFFER, Ends, content, lines
from readback.readers.plain_json import Plain
from readback.readers.row import Row
from readback.records.field_names import FieldNames
from readback.records.private_fields import private_paths
from readback.records.reading_state import packed
from readback.records.record_ids import is_nested, own_id, tried
from readback.records.training_census import Census
from readback.types import DatasetSource, Location

WORK = "readback.records.piece_in_child:read"
BEAT = 1_000  # lines after which the time for the next ones begins


def payload(path: str, source: DatasetSource, start: int, end: int) -> dict[str, Any]:
    """What `read` takes, as JSON: the lines of a file that begin at a byte and end before another one."""
    return {"path": path, "source": {**asdict(source), "place": None}, "start": start, "end": end}


def read(work: Mapping[str, Any]) -> Iterator[dict[str, Any] | None]:
    """One value: {"end" [the byte behind the last line], "starts", "ends" [of the records, packed], "ids" {field: [all
    ids as one text, how long each is, packed; -1 of a record without one]}, "names", "census" [their states], "crlf"
    [how many lines end in CR LF, the first of them, counted from 1]}. It is None where any line is not plain, where so
    much is in them that not all was told apart, or where the file cannot be read any more.
    """
    try:
        yield _read(work)
    except OSError:
        yield None


def _read(work: Mapping[str, Any]) -> dict[str, Any] | None:
    source = DatasetSource(**{**work["source"], "place": Location()})
    private = private_paths(source)
    quick, crlf = Plain(), Ends()
    names, census = FieldNames(source, private), Census(private=bool(private))
    fields = [(field, is_nested(field)) for field in tried(source.id, private)]
    ids = {field: (list[str](), array("q")) for field, _ in fields}
    starts, ends = array("q"), array("q")
    with Path(work["path"]).open("rb", BUFFER) as stream:
        stream.seek(work["start"])
        for line in lines(stream, offset=work["start"]):
            raw = content(line.data) if line.data is not None and line.whole else b""
            value = quick.read(raw)
            if value is None or line.end > work["end"]:
                return None
            row = Row(value, line.number, line.number, line.offset, line.offset + len(raw), raw)
            for field, nested in fields:
                text = own_id(row, field, nested)
                texts, lengths = ids[field]
                texts.append(text or "")
                lengths.append(-1 if text is None else len(text))
            names.see(value)
            census.see(value)
            crlf.see(line)
            starts.append(row.offset)
            ends.append(row.end)
            if line.end == work["end"]:
                break
            if not line.number % BEAT:
                sandbox.beat()
    if names.full or census.full or not ends:
        return None
    sandbox.beat()
    return {
        "end": work["end"],
        "starts": packed(starts),
        "ends": packed(ends),
        "ids": {field: ["".join(texts), packed(lengths)] for field, (texts, lengths) in ids.items() if any(texts)},
        "names": names.state(),
        "census": census.state(),
        "crlf": [crlf.count, crlf.first],
    }
