"""The rows of an export as a Parquet table: the keys of a line are its columns, null where a line has none.

Columns: `index` (int64), `record`, `condition` and, where they were chosen, `mode`, `task` and `judge` (text);
`messages` (a list of {role, content}), `fingerprint`, `error` ({code, message}), `masked` and `wording` ({readback: a
list of adapters}).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, BinaryIO

from readback.exporting.lines import CHOSEN
from readback.exporting.rows import Batch
from readback.types import Selection

GROUP = 8 << 20  # characters of lines in one row group, which is what is held in memory


class ParquetRows:
    """Writes lines of JSON to a stream as row groups; `close` writes the end, without which it is no Parquet."""

    def __init__(self, out: BinaryIO, choices: Sequence[Selection]) -> None:
        import pyarrow as pa  # type: ignore[import-untyped]
        from pyarrow import parquet

        text = pa.string()
        chosen = [(name, text) for name in CHOSEN if any(getattr(choice, name) is not None for choice in choices)]
        message = pa.struct([("role", text), ("content", text)])
        self._schema = pa.schema(
            [
                ("index", pa.int64()),
                ("record", text),
                ("condition", text),
                *chosen,
                ("messages", pa.list_(message)),
                ("fingerprint", text),
                ("error", pa.struct([("code", text), ("message", text)])),
                ("masked", pa.bool_()),
                ("wording", pa.struct([("readback", pa.list_(text))])),
            ]
        )
        self._made = parquet.ParquetWriter(out, self._schema, write_page_checksum=True)
        self._rows: list[dict[str, Any]] = []
        self._size = 0

    def take(self, batch: Batch) -> None:
        """The next lines; one that failed may quote what UTF-8 cannot hold, and its lone surrogates are spelled out."""
        for number, line in enumerate(batch.lines):
            row = json.loads(line)
            self._rows.append(_spelled(row) if number in batch.failed else row)
            self._size += len(line)
            if self._size > GROUP:
                self._flush()

    def close(self) -> None:
        """Write what is left, and the end."""
        self._flush()
        self._made.close()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._rows:
            self._made.write_table(pa.Table.from_pylist(self._rows, self._schema))
        self._rows, self._size = [], 0


def _spelled(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _spelled(one) for name, one in value.items()}
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
