"""What it costs to export the messages of every record, beside a bare loop of Jinja and JSON that does no more.

Run: python benchmarks/export_records.py [--records 100000] [--characters 300]
Figures are of processor time, of this process and all below it, so that other work on the machine counts little: on
`cores` of them an export takes `seconds` / cores. The second run has a quarter of the records: the memory of the
process that exports must be about the same. Every figure is of one run on one machine: compare the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

TEMPLATE = "Question: {{ question }}\n\nAnswer:"
CORES = 2
NAIVE = """
import json, sys
from jinja2 import Environment
template = Environment().from_string(sys.argv[2])
with open(sys.argv[1] + "/data.jsonl", encoding="utf-8") as rows, open(sys.argv[3], "w", encoding="utf-8") as out:
    for index, line in enumerate(rows):
        row = json.loads(line)
        message = {"role": "user", "content": template.render(**row)}
        said = {"index": index, "record": row["id"], "messages": [message]}
        out.write(json.dumps(said, ensure_ascii=False) + chr(10))
"""
OURS = """
import sys
from readback.cli import main
sys.exit(main(["export", sys.argv[1], "--as", sys.argv[2], "-o", sys.argv[3], "-q"]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--characters", type=int, default=300, help="of text in one record")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        os.environ["READBACK_CACHE"] = str(Path(folder) / "cache")
        whole, part = Path(folder) / "whole", Path(folder) / "part"
        write(whole, asked.records, asked.characters)
        write(part, asked.records // 4, asked.characters)
        print(json.dumps(measured(whole, part, asked.records), indent=2))


def write(folder: Path, records: int, characters: int) -> None:
    """A workspace with one mode, and records of one question each."""
    random.seed(1)
    folder.mkdir()
    words = ["retrieval", "évaluation", "context", "of", "the", "new", "model", '"quoted"', "answer", "[1]", "tide"]
    with (folder / "data.jsonl").open("w", encoding="utf-8") as out:
        for number in range(records):
            text = " ".join(random.choices(words, k=characters // 3))[:characters]
            out.write(json.dumps({"id": f"r{number}", "question": text}, ensure_ascii=False) + "\n")
    file = {"dataset": "data.jsonl", "modes": [{"mode": "ask", "template": TEMPLATE}]}
    (folder / "readback.yml").write_text(json.dumps(file), "utf-8")


def measured(whole: Path, part: Path, records: int) -> dict[str, object]:
    """Seconds of processor time, bytes and ratios, by name."""
    out = whole.parent / "out"
    child(OURS, part, "messages-jsonl", out)
    _, little = child(OURS, part, "messages-jsonl", out)
    first, _ = child(OURS, whole, "messages-jsonl", out)
    naive, _ = child(NAIVE, whole, TEMPLATE, out)
    seconds, much = child(OURS, whole, "messages-jsonl", out)
    assert sum(1 for _ in out.open("rb")) == records
    parquet, _ = child(OURS, whole, "parquet", out)
    return {
        "records": records,
        "seconds_with_indexing": round(first, 2),
        "seconds": round(seconds, 2),
        "seconds_parquet": round(parquet, 2),
        f"records_per_second_on_{CORES}_cores": round(records / seconds * CORES),
        "memory_of_one_process_mb": round(much / 1e6, 1),
        "memory_with_a_quarter_of_the_records_mb": round(little / 1e6, 1),
        "naive_seconds": round(naive, 2),
        "seconds_per_naive_second": round(seconds / naive, 1),
    }


def child(code: str, folder: Path, *words: object) -> tuple[float, int]:
    """Seconds of processor time of a process and all below it, and the most memory that one of them had, in bytes."""
    process = subprocess.Popen([sys.executable, "-c", code, str(folder), *map(str, words)])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"the child ended with {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main()
