"""What it costs to index a dataset, to open it again and to reach a record, beside pandas reading the same file.

Run: python benchmarks/dataset_index.py [--records 100000] [--characters 1000] [--lines]
`wc` is the processor time of `wc -l`, which only counts line ends; `lines` that of the index of lines, with the hash of
every block, as it is written to the cache (the least of five, of processes that keep nothing from before); `ours` that
of the index of records, which reads each one. `--lines`: so many lines of one byte that are no records, and no pandas.
Every figure is of one run on one machine: compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

PANDAS = "import pandas, sys; pandas.read_json(sys.argv[1], lines=True)"
OURS = """
import sys
from pathlib import Path
from readback.records.dataset import open_dataset
from readback.types import DatasetSource
path = Path(sys.argv[1])
open_dataset(path.parent, DatasetSource(path.name))
"""
LINES = """
import sys
from pathlib import Path
import numpy
from readback.readers.files import line_index
line_index.load_index(Path(sys.argv[1]))
"""
NOTHING = {
    PANDAS: "import pandas",
    OURS: "import readback.records.dataset, readback.readers.jsonl",
    LINES: "import numpy\nfrom readback.readers.files import line_index",
}
PICKS = 2_000
REOPENED = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--characters", type=int, default=1_000, help="of text in one record")
    parser.add_argument("--lines", action="store_true", help="lines of one byte")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        os.environ["READBACK_CACHE"] = str(Path(folder) / "cache")
        path = Path(folder) / "data.jsonl"
        if asked.lines:
            path.write_bytes(b"1\n" * asked.records)
            print(json.dumps(beside_wc(path), indent=2))
            return
        write(path, asked.records, asked.characters)
        print(json.dumps({**measured(path), **beside_wc(path)}, indent=2))


def write(path: Path, records: int, characters: int) -> None:
    """Records as retrieval studies have them: an id, a question, contexts, nested metadata, a few numbers."""
    random.seed(1)
    words = ["retrieval", "évaluation", "context", "of", "the", "a\nnew", "model", '"quoted"', "answer", "[1]"]
    text = " ".join(random.choices(words, k=characters))[: characters // 4]
    with path.open("w", encoding="utf-8") as out:
        for number in range(records):
            contexts = [text[at:] + text[:at] for at in random.sample(range(len(text)), 4)]
            row = {
                "task_id": f"{number:08x}",
                "instruction": f"What is {number}?",
                "rag": {"contexts": contexts, "scores": [random.random() for _ in contexts]},
                "metadata": {"page": number, "require_citations": True},
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def measured(path: Path) -> dict[str, object]:
    """Seconds, bytes and ratios, by name."""
    size = path.stat().st_size
    pandas_seconds, pandas_memory = run(PANDAS, path)
    seconds, memory = run(OURS, path)
    # imported late: the children above must not share what this process has read
    from readback.records.dataset import open_dataset
    from readback.types import DatasetSource

    source = DatasetSource(path.name)
    reopen = []
    for _ in range(REOPENED):
        start = time.perf_counter()
        data = open_dataset(path.parent, source)
        reopen.append(time.perf_counter() - start)
    picks = [random.randrange(len(data)) for _ in range(PICKS)]
    return {
        "file_mb": round(size / 1e6, 1),
        "records": len(data),
        "index_seconds": round(seconds, 2),
        "index_mb_per_second": round(size / 1e6 / seconds, 1),
        "index_memory_mb": round(memory / 1e6, 1),
        "reopen_ms_p50": round(median(reopen) * 1e3, 2),
        "record_us_p50": round(median(timed(data.record, at) for at in picks) * 1e6, 1),
        "find_us_p50": round(median(timed(data.find, data.ids(at, at + 1)[0]) for at in picks) * 1e6, 1),
        "pandas_seconds": round(pandas_seconds, 2),
        "pandas_memory_mb": round(pandas_memory / 1e6, 1),
        "pandas_seconds_per_index_second": round(pandas_seconds / seconds, 2),
        "pandas_memory_per_index_memory": round(pandas_memory / memory, 1) if memory > 0 else None,
        "pandas_seconds_per_reopen": round(pandas_seconds / median(reopen)),
    }


def beside_wc(path: Path) -> dict[str, object]:
    """Processor seconds of `wc -l`, of the index of lines and of that of records; and the load."""
    cache = os.environ["READBACK_CACHE"]

    def least(code: str, times: int) -> float:
        begun = min(processor([sys.executable, "-c", NOTHING[code]]) for _ in range(times))
        found = []
        for _ in range(times):
            shutil.rmtree(cache, ignore_errors=True)
            found.append(processor([sys.executable, "-c", code, str(path)]))
        return min(found) - begun

    wc, lines, ours = min(processor(["wc", "-l", str(path)]) for _ in range(5)), least(LINES, 5), least(OURS, 1)
    return {
        "wc_seconds": round(wc, 4),
        "lines_seconds": round(lines, 3),
        "ours_seconds": round(ours, 2),
        "wc_per_lines": round(wc / lines, 3),
        "wc_per_ours": round(wc / ours, 4),
        "load": os.getloadavg()[0],
    }


def processor(command: list[str]) -> float:
    """Processor seconds of a child."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return usage.ru_utime + usage.ru_stime


def run(code: str, path: Path) -> tuple[float, int]:
    """Seconds and peak memory of a child that runs `code`, both beyond those of its imports alone."""
    empty_seconds, empty_memory = child(NOTHING[code], path)
    seconds, memory = child(code, path)
    return seconds - empty_seconds, memory - empty_memory


def child(code: str, path: Path) -> tuple[float, int]:
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", code, str(path)])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"the child ended with {status}")
    return time.perf_counter() - start, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def timed(function: object, *arguments: object) -> float:
    start = time.perf_counter()
    function(*arguments)  # type: ignore[operator]
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
