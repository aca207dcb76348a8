"""Open the datasets whose paths come in, and answer a line of JSON for each: records by number, codes of notes.

A program of its own: what a damaged file does to a library may end the process that reads it. Reading runs as it does
in a bounded child, without a new process for every file.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from readback import sandbox
from readback.records.dataset import open_dataset
from readback.types import DatasetSource

if __name__ == "__main__":
    sandbox.enter(sandbox.Limits(seconds=10))
    for line in sys.stdin:
        sandbox.beat()
        path = Path(line.strip())
        data = open_dataset(path.parent, DatasetSource(path.name))
        rows = {one.place.line: dict(one.fields) for one in data.records()}
        said = {
            "rows": rows,
            "notes": [diagnostic.code for diagnostic in data.diagnostics],
            "counts": asdict(data.counts),
        }
        print(json.dumps(said), flush=True)
