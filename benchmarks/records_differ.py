"""What it costs to find the records where two conditions differ, beside rendering both row by row with plain Jinja.

Run: python benchmarks/records_differ.py [--records 20000] [--characters 4000]
The second run has a quarter of the records: memory must be about the same. Every figure is of one run on one machine:
compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

BLOCK = "Context:\n{% for c in chunks %}[{{ loop.index }}] {{ c.title }}: {{ c.text }}\n{% endfor %}\n"
ASKED = "Question: {{ question }}\n\n"
TEMPLATES = {"question first": f"{ASKED}{BLOCK}Answer:", "question last": f"{BLOCK}{ASKED}Answer:"}
PAUSE = 0.2  # seconds between two looks at the memory of all processes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--characters", type=int, default=4_000, help="of text in one record")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        os.environ["READBACK_CACHE"] = str(Path(folder) / "cache")
        whole, part = Path(folder) / "whole", Path(folder) / "part"
        write(whole, asked.records, asked.characters)
        write(part, asked.records // 4, asked.characters)
        print(json.dumps(measured(whole, part), indent=2))


def write(folder: Path, records: int, characters: int) -> None:
    """A workspace of two conditions whose layouts differ, and records of five chunks."""
    random.seed(1)
    folder.mkdir()
    words = ["retrieval", "évaluation", "context", "of", "the", "new", "model", '"quoted"', "answer", "[1]", "tide"]
    texts = [" ".join(random.choices(words, k=characters // 30))[: characters // 5] for _ in range(200)]
    with (folder / "data.jsonl").open("w", encoding="utf-8") as out:
        for number in range(records):
            chunks = [{"title": f"Page {n}", "text": random.choice(texts)} for n in range(5)]
            row = {"id": f"r{number}", "question": f"What is {number}?", "chunks": chunks}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    modes = [{"mode": name, "system": "You answer.", "template": text} for name, text in TEMPLATES.items()]
    conditions = [{"name": name, "mode": name} for name in TEMPLATES]
    file = {"dataset": "data.jsonl", "modes": modes, "conditions": conditions}
    (folder / "readback.yml").write_text(json.dumps(file), "utf-8")


def measured(whole: Path, part: Path) -> dict[str, object]:
    """Seconds, bytes and ratios, by name."""
    from readback import workspace
    from readback.compare.over_records import over_records
    from readback.types import Selection

    a, b = (Selection(condition=name) for name in TEMPLATES)
    opened, smaller = workspace.open(whole), workspace.open(part)
    told: list[float] = []
    little, _ = highest(lambda: over_records(smaller, a, b))
    start = time.perf_counter()
    over_records(opened, a, b, lambda *_: told.append(time.perf_counter()))
    first = time.perf_counter() - start
    much, seconds = highest(lambda: over_records(opened, a, b))
    found = over_records(smaller, a, b)
    assert found.differing == found.total == len(found.differ)
    naive_seconds = naive(whole)
    return {
        "records": len((whole / "data.jsonl").read_bytes().split(b"\n")) - 1,
        "file_mb": round((whole / "data.jsonl").stat().st_size / 1e6, 1),
        "seconds_with_indexing": round(first, 2),
        "seconds": round(seconds, 2),
        "longest_pause_of_progress_seconds": round(max(y - x for x, y in pairwise(told)), 2),
        "memory_of_all_processes_mb": round(much / 1e6),
        "memory_with_a_quarter_of_the_records_mb": round(little / 1e6),
        "naive_seconds": round(naive_seconds, 2),
        "naive_seconds_per_second": round(naive_seconds / seconds, 1),
    }


def naive(folder: Path) -> float:
    """Seconds for reading, compiling and rendering both templates row by row, and comparing the texts."""
    from jinja2 import Template

    start = time.perf_counter()
    differing = 0
    for line in (folder / "data.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        one, other = (Template(text).render(**row) for text in TEMPLATES.values())
        differing += one != other
    assert differing
    return time.perf_counter() - start


def highest(work: Callable[[], object]) -> tuple[int, float]:
    """The most memory that this process and those below it had at once while it worked, and the seconds it took."""
    most, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(PAUSE):
            most[0] = max(most[0], resident())

    watching = threading.Thread(target=watch)
    watching.start()
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    done.set()
    watching.join()
    return most[0], seconds


def resident() -> int:
    """Bytes that this process and all below it share fairly; pages of several count once (Linux)."""
    parents = {int(path.name): parent(path) for path in Path("/proc").glob("[0-9]*")}
    mine = {os.getpid()}
    while more := {pid for pid, above in parents.items() if above in mine} - mine:
        mine |= more
    return sum(map(share, mine))


def parent(path: Path) -> int:
    try:
        return int((path / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def share(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


if __name__ == "__main__":
    main()
