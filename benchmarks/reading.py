"""What reading costs beside named baselines: an index against `wc -l`, a record's JSON against the json module,
and `study.assemble` at random.

Run: python benchmarks/reading.py [--records 100000] [--calls 2000]
Every figure is of one run on one machine: compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from dataset_index import OURS, run

WIDE = 13_700  # bytes of a wide line
SHARE = 0.25  # of the records are written as wide lines
READBACK = """\
dataset: {path: data.jsonl, id: task_id}
prompts: ["builtin:prompt-formats"]
models: {plain: {type: base}, tuned: {type: instruction_only, training: {system: You are an assistant.}}}
conditions: [{name: closed, mode: instruction, model: tuned}, {name: open, mode: rag, model: plain}]
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--calls", type=int, default=2_000)
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["READBACK_CACHE"] = str(folder / "cache")
        found: dict[str, Any] = {"records": asked.records}
        wide, single = folder / "wide.jsonl", folder / "single.jsonl"
        write(wide, max(1, int(asked.records * SHARE / 10)), WIDE)
        single.write_bytes(b"1\n" * (asked.records * 10))
        for path in (wide, single):
            found[f"index_per_wc_{path.stem}"], found[f"index_memory_mb_{path.stem}"] = index(path)
        found |= decoded(wide)
        found |= assembled(folder, asked.records, asked.calls)
        print(json.dumps(found, indent=2))


def write(path: Path, records: int, size: int) -> None:
    random.seed(1)
    words = ["retrieval", "évaluation", "context", "of", "the", "a\nnew", "model", '"quoted"', "answer", "[1]"]
    text = " ".join(random.choices(words, k=size))[: size * 2 // 3]
    with path.open("w", encoding="utf-8") as out:
        for number in range(records):
            cut = random.randrange(len(text) or 1)
            row = {
                "task_id": f"task-{number:08d}",
                "instruction": f"What is {number}?",
                "rag": {"prompt": f"Question: What is {number}?\nAnswer:", "contexts": [text[cut:], text[:cut]]},
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def index(path: Path) -> tuple[float, float]:
    """The speed of the index against `wc -l`, the file in memory; and its peak memory beyond imports, in MB."""
    counted = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(["wc", "-l", str(path)], check=True, stdout=subprocess.DEVNULL)
        counted.append(time.perf_counter() - start)
    seconds, memory = run(OURS, path)
    return round(median(counted) / seconds, 5), round(memory / 1e6, 1)


def decoded(path: Path) -> dict[str, float]:
    """Seconds of json.loads for each second of ours, over the same lines."""
    from readback.readers import jsonl

    raws = path.read_bytes().splitlines()
    ours = best(lambda: [jsonl.parse(raw, {}) for raw in raws])
    theirs = best(lambda: [json.loads(raw) for raw in raws])
    return {"json_loads_per_parse": round(theirs / ours, 2)}


def best(work: Callable[[], object]) -> float:
    found = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def assembled(folder: Path, records: int, calls: int) -> dict[str, float]:
    """Milliseconds of `study.assemble` for a random record: built-in formats, and a Jinja template, which a bounded
    child renders.
    """
    import readback

    found = {}
    for name in ("built_in", "jinja"):
        place = folder / name
        place.mkdir()
        write(place / "data.jsonl", records, 100)
        if name == "built_in":
            (place / "readback.yml").write_text(READBACK)
        else:
            (place / "user.jinja").write_text("{% for c in rag.contexts %}{{ c }}\n{% endfor %}{{ instruction }}\n")
        study = readback.open(place)
        choices = [{"condition": one} for one in study.conditions] or [{"mode": one} for one in study.modes]
        for choice in choices:
            study.assemble(record=0, **choice)
        times = []
        for _ in range(calls):
            choice, record = random.choice(choices), random.randrange(records)
            start = time.perf_counter()
            study.assemble(record=record, **choice)
            times.append(time.perf_counter() - start)
        times.sort()
        found[f"assemble_ms_p50_{name}"] = round(times[calls // 2] * 1e3, 2)
        found[f"assemble_ms_p99_{name}"] = round(times[calls * 99 // 100] * 1e3, 2)
    return found


if __name__ == "__main__":
    main()
