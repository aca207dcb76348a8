"""Write the lines of an export as a Parquet table: their keys are its columns, null where a line has none.

Columns: `index` (int64), `record`, `condition` and, where they were chosen, `mode`, `task` and `judge`, then `prompt`
(text); `messages` (a list of {role, content}), `text`, `fingerprint`, `error` ({code, message}), `masked` and `wording`
({readback: a list of adapters}).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, BinaryIO

from readback.exporting.lines import OPTIONAL_KEYS
from readback.exporting.rows import Batch
from readback.types import Selection

GROUP_SIZE = 8 << 20  # characters of lines in one row group, which is in memory as a whole


class ParquetRows:
    """Write lines of JSON to a stream as row groups; `close` writes the end, without which it is no Parquet."""

    def __init__(self, out: BinaryIO, selections: Sequence[Selection]) -> None:
        import pyarrow as pa  # type: ignore[import-untyped]
        from pyarrow import parquet

        text = pa.string()
        optional = [
            (name, text)
            for name in OPTIONAL_KEYS
            if any(getattr(selection, name) is not None for selection in selections)
        ]
        message = pa.struct([("role", text), ("content", text)])
        self._schema = pa.schema(
            [
                ("index", pa.int64()),
                ("record", text),
                ("condition", text),
                *optional,
                ("prompt", text),
                ("messages", pa.list_(message)),
                ("text", text),
                ("fingerprint", text),
                ("error", pa.struct([("code", text), ("message", text)])),
                ("masked", pa.bool_()),
                ("wording", pa.struct([("readback", pa.list_(text))])),
            ]
        )
        self._writer = parquet.ParquetWriter(out, self._schema, write_page_checksum=True)
        self._rows: list[dict[str, Any]] = []
        self._size = 0

    def write(self, batch: Batch) -> None:
        """Write lines; lone surrogates, which a line that failed may quote, are spelled out for UTF-8."""
        for number, line in enumerate(batch.lines):
            row = json.loads(line)
            self._rows.append(_escape_surrogates(row) if number in batch.failed else row)
            self._size += len(line)
            if self._size > GROUP_SIZE:
                self._flush()

    def close(self) -> None:
        """Write what is left, and the end."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
        self._rows, self._size = [], 0


def _escape_surrogates(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _escape_surrogates(item) for name, item in value.items()}
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return value
