"""What it costs to get from a score file to the numbers of the first chart, beside pyarrow and numpy doing only that.

Run: python benchmarks/scores_million.py [--scores 1000000] [--order item] [--quoted cells|notes]

The baseline reads all columns of the same file as text with pyarrow's CSV reader; numpy turns items, conditions,
criteria, judges and scores into codes and floats, and counts and averages by condition. It checks nothing and keeps
no lines. `--quoted cells` writes every cell in quotes, `--quoted notes` a note of three lines too. `strict` is the
same with pyarrow making the codes and floats too, in place of numpy. Memory is the growth of a child's highest
resident size, beyond what 30,000 rows take; the arrays are those of the table, without the names. Every figure is of
one run on one machine: compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

CONDITIONS = ("closed book", "open book", "rag baseline", "rag trained", "hybrid", "instruction")
COLUMNS = ("item", "condition", "criterion", "score", "judge")
TINY = 30_000  # enough for pyarrow to be used, whose code and threads take some forty megabytes once
FURTHER = 0.5  # seconds a further chart may take


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=int, default=1_000_000)
    parser.add_argument("--order", choices=("item", "condition"), default="item", help="what changes last in the file")
    parser.add_argument("--quoted", choices=("no", "cells", "notes"), default="no", help="what is in quotes")
    parser.add_argument("--child", choices=tuple(CHILDREN), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(CHILDREN[asked.child](asked.file)))
        return
    with TemporaryDirectory() as folder:
        os.environ["READBACK_CACHE"] = str(Path(folder) / "cache")
        path, tiny = Path(folder) / "scores.csv", Path(folder) / "tiny.csv"
        write(path, asked.scores, asked.order, asked.quoted)
        write(tiny, TINY, asked.order, asked.quoted)
        print(json.dumps(measured(path, tiny), indent=2))


def write(path: Path, scores: int, order: str, quoted: str) -> None:
    """One relevance score for each item under each of the six conditions."""
    random.seed(1)
    items = range(scores // len(CONDITIONS) + 1)
    pairs = (
        ((i, c) for i in items for c in CONDITIONS) if order == "item" else ((i, c) for c in CONDITIONS for i in items)
    )
    with path.open("w", encoding="utf-8") as out:
        names = (*COLUMNS, "note") if quoted == "notes" else COLUMNS
        row = ",".join(f'"{{{name}}}"' if quoted != "no" else f"{{{name}}}" for name in names) + "\n"
        out.write(row.format_map({name: name for name in names}))
        for number, (item, condition) in zip(range(scores), pairs, strict=False):
            score = random.choice((-1, 0, 1, 2))
            cells = {"item": f"q{item:07d}", "condition": condition, "criterion": "relevance", "score": score}
            rationale = f'The answer is ""correct"",\n\nas document {number % 50} says.'
            out.write(row.format_map({**cells, "judge": "judge-a", "note": rationale}))


def measured(path: Path, tiny: Path) -> dict[str, object]:
    """Seconds, bytes and ratios, by name."""
    ours, base, strict = (child(name, path) for name in CHILDREN)
    memory = ours["memory"] - child("ours", tiny)["memory"]
    assert ours["means"] == base["means"] == strict["means"]
    return {
        "scores": ours["scores"],
        "file_mb": round(path.stat().st_size / 1e6, 1),
        "seconds": round(ours["seconds"], 2),
        "of_them_loading": round(ours["loading"], 2),
        "baseline_seconds": round(base["seconds"], 2),
        "strict_baseline_seconds": round(strict["seconds"], 2),
        "times_the_baseline": round(ours["seconds"] / base["seconds"], 2),
        "times_the_strict_baseline": round(ours["seconds"] / strict["seconds"], 2),
        "further_chart_seconds": {name: round(seconds, 3) for name, seconds in ours["further"].items()},
        "every_further_chart_in_time": max(ours["further"].values()) < FURTHER,
        "arrays_mb": round(ours["arrays"] / 1e6, 1),
        "names_mb": round(ours["names"] / 1e6, 1),
        "memory_mb": round(memory / 1e6, 1),
        "memory_per_arrays": round(memory / ours["arrays"], 2),
    }


def child(name: str, path: Path) -> dict[str, Any]:
    """What a process of its own answers, with its highest resident size in bytes."""
    command = [sys.executable, __file__, "--child", name, "--file", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout
    answer: dict[str, Any] = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"the child ended with {status}")
    return {**answer, "memory": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)}


def ours(path: Path) -> dict[str, Any]:
    """The file loaded, and the numbers of the first chart; then those of others."""
    import numpy as np
    import pyarrow.compute
    import pyarrow.csv  # noqa: F401 - imported by both sides before the clock starts
    import scipy.special  # noqa: F401

    from readback.scores import loading, summary
    from readback.scores.join import ARRAYS
    from readback.types import ScoreSource, Workspace

    source = ScoreSource(path.name, condition=("condition",))
    start = time.perf_counter()
    table = loading.load(Workspace(root=path.parent, name="million", scores=(source,)))
    loading_seconds = time.perf_counter() - start
    rows = summary.rows(table)
    seconds = time.perf_counter() - start
    further = {}
    for name, asked in (("by a factor", {"by": "condition"}), ("one criterion", {"criterion": "relevance"})):
        start = time.perf_counter()
        summary.rows(table, **asked)
        further[name] = time.perf_counter() - start
    c = table.columns
    return {
        "seconds": seconds,
        "loading": loading_seconds,
        "further": further,
        "scores": len(c),
        "means": {row.condition[0][1]: round(row.mean or 0, 9) for row in rows},
        "arrays": sum(np.asarray(getattr(c, name)).nbytes for name in ARRAYS) + len(c.state),
        "names": sum(map(sys.getsizeof, c.items)),
    }


def numpy_baseline(path: Path) -> dict[str, Any]:
    """pyarrow reads texts; numpy makes codes and floats of them."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    start = time.perf_counter()
    table = csv.read_csv(
        path,
        parse_options=csv.ParseOptions(newlines_in_values=_quoted(path)),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys((*COLUMNS, "note"), pa.string())),
    )
    codes = {name: np.unique(table[name].to_numpy(), return_inverse=True) for name in COLUMNS if name != "score"}
    return aggregated(start, codes["condition"], table["score"].to_numpy().astype(np.float64))


def strict_baseline(path: Path) -> dict[str, Any]:
    """pyarrow makes the codes and floats, numpy only counts and averages."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    start = time.perf_counter()
    table = csv.read_csv(
        path,
        parse_options=csv.ParseOptions(newlines_in_values=_quoted(path)),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys((*COLUMNS, "note"), pa.string())),
    )
    codes = {name: table[name].combine_chunks().dictionary_encode() for name in COLUMNS if name != "score"}
    found = codes["condition"]
    scores = pc.cast(table["score"], pa.float64()).to_numpy()
    return aggregated(start, (found.dictionary.to_pylist(), found.indices.to_numpy()), scores)


def _quoted(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(1) == b'"'


def aggregated(start: float, conditions: tuple[Any, Any], scores: Any) -> dict[str, Any]:
    """Counts and means by condition."""
    import numpy as np

    names, codes = conditions
    counts = np.bincount(codes, minlength=len(names))
    means = np.bincount(codes, scores, minlength=len(names)) / counts
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "means": {str(n): round(float(m), 9) for n, m in zip(names, means, strict=True)}}


CHILDREN = {"ours": ours, "numpy": numpy_baseline, "strict": strict_baseline}

if __name__ == "__main__":
    main()
