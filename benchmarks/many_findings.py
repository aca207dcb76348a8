"""How `readback check` and the Findings page do with about a million findings.

    python benchmarks/many_findings.py [records]        200000 where nothing is said

Every record has a finding under each of five modes, and one more of another rule. Measured are seconds and peak memory
of the command's main process for text, JSON and JSON lines, then of the process of the pages: the first view of
*Findings* after the check, filters by rule, severity, mode and words, and the last page. Nothing is kept from before.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
RECORDS = 200_000
MODES = ("plain", "terse", "formal", "cited", "long")
SYSTEM = "You answer in one short sentence and never guess."
WORDS = ("retrieval", "generation", "evidence", "passage", "citation", "method", "accuracy", "baseline", "question")


def write(folder: Path, records: int) -> None:
    """A workspace of so many records: the question of each has a mark that nothing fills, and cites what it has not."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = random.Random(20261125)
    with (folder / "data.jsonl").open("w", encoding="utf-8") as file:
        for number in range(records):
            asked = f"Fill {{{{ name }}}}: why {' '.join(drawn.choices(WORDS, k=30))} {number}?"
            row = {"id": f"r{number}", "question": asked, "contexts": ["One source.", "Another."],
                   "answer": f"Because of it [{3 + number % 40}]."}  # fmt: skip
            file.write(json.dumps(row) + "\n")
    made = {
        "name": "Very many findings",
        "dataset": {"path": "data.jsonl", "id": "id", "fields": {"reference": "answer"}},
        "modes": [{"mode": mode, "system": SYSTEM, "template": f"{mode}: {{{{ question }}}}"} for mode in MODES],
    }
    (folder / "readback.yml").write_text(json.dumps(made), "utf-8")
