"""How soon a search finds, and Compare's count says, something on many records.

Run: python benchmarks/find_and_compare.py [RECORDS] [FOLDER]        100000 and a new folder where nothing is said
The workload is that of check_speed.py (records of some 13.7 KB, six conditions). Each line is a process of its own that
works as a page does, after one look that warms what a session has warm: the seconds until the first answer (the next
hit; the first records of a list or of the count), until the last, and the processor time of all its processes.
Promised on two idle cores: the next hit in 1 s, the first records of a list and of a count in 2 s. On a busy machine
look at the processor time: half of it is what two idle cores take at most.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

RARE, ABSENT, COMMON = "You are a research paper assistant.", "zqzq", "the"  # in 1 of 100 prompts, in none, in all
STEPS = (
    *(("next", condition, text) for condition in ("c2", "c4") for text in (COMMON, RARE, ABSENT)),
    ("fields", "", ABSENT),
    ("list", "c2", RARE),
    ("list", "c2", COMMON),
    ("count", "c1", "c2"),
    ("count", "c2", "c4"),
)


def main() -> None:
    if len(sys.argv) > 3:
        step(Path(sys.argv[1]), *sys.argv[2:])
        return
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with TemporaryDirectory() as made:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(made) / "work"
        os.environ.setdefault("READBACK_CACHE", f"{made}/cache")
        if not folder.exists():
            from check_speed import write

            write(folder, records)
        subprocess.run([sys.executable, __file__, str(folder), "warm", "c2", COMMON], check=True)  # makes the index
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; seconds: first, last, of processor time")
        for each in STEPS:
            subprocess.run([sys.executable, __file__, str(folder), *each], check=True)
        print(f"load {os.getloadavg()[0]:.1f}")


def step(folder: Path, what: str, condition: str, text: str) -> None:
    """One line of the answer; nothing for `warm`."""
    from readback import workspace
    from readback.compare import record_differences, search
    from readback.compare.search_expression import Query
    from readback.compare.side import Side
    from readback.records import raw_lines
    from readback.records.dataset import open_dataset
    from readback.types import Selection

    opened = workspace.open(folder)
    data, chosen, query = open_dataset(opened.root, opened.dataset), Selection(condition=condition), Query(text)
    search.find_next(opened, chosen, Query(COMMON), 0)
    raw_lines.find_first(data, ABSENT, 0, min(1_000, len(data)))
    works: dict[str, Callable[[], Iterator[Any]]] = {
        "warm": lambda: iter(()),
        "next": lambda: iter([search.find_next(opened, chosen, query, 10)]),
        "fields": lambda: iter([raw_lines.find_first(data, text, 11, len(data))]),
        "list": lambda: search.iterate_results(opened, [chosen], query),
        "count": lambda: record_differences.iterate_counts(opened, Side(chosen), Side(Selection(condition=text))),
    }
    before, began, first = _spent(), time.monotonic(), 0.0
    for _ in works[what]():
        first = first or time.monotonic() - began
    last = time.monotonic() - began
    time.sleep(0.3)  # until the end of the children was seen, too
    spent = _spent() - before
    if what != "warm":
        print(f"{what:<6} {condition:<3} {text[:20]:<20} {first:7.2f} {last:7.2f} {spent:7.2f}", flush=True)


def _spent() -> float:
    """Processor time of this process, of those it has started, and of what these have seen the end of (Linux)."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("ascii", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15])) if int(fields[1]) == os.getpid() else 0
    return own.ru_utime + own.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
