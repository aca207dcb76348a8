"""How long `readback check` takes where templates make the messages, beside two scripts that do the same.

Run: python benchmarks/check_templates.py [--records 10000] [--rounds 3]
The workload: records of about 13.7 KB (those of check_speed.py) under three conditions with a Jinja template each; one
prompt in a hundred holds the system text of another model.
  naive     pandas, each template compiled anew for each row, a pattern with re.IGNORECASE, one process
  loop      json, each template compiled once, the same pattern, one process
  readback  `readback check`, every rule that applies, whole process, nothing stored before; one process and two
The ways take turns and must find the same leaks. Memory is the peak of any process of the check (VmHWM). Every figure
is of one machine: compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import check_speed

SYSTEMS = check_speed.SYSTEMS
TEMPLATES = {
    "closed": "Question: {{ instruction }}\n\nAnswer:",
    "numbered": "{% for context in rag.contexts %}{{ context }}\n\n{% endfor %}Question: {{ instruction }}\nAnswer:",
    "stored": "{{ rag.prompt }}",
}
LEAK = "fmt-system-text-in-user"


def write(folder: Path, records: int) -> None:
    """Write the workspace with so many records."""
    check_speed.write(folder, records)
    modes = []
    for name, template in TEMPLATES.items():
        (folder / f"{name}.jinja").write_text(template, "utf-8")
        modes.append({"mode": name, "system": SYSTEMS[1], "template_file": f"{name}.jinja"})
    workspace = {
        "name": "Three templates",
        "dataset": {"path": "data.jsonl", "id": "task_id"},
        "models": {"tuned": {"type": "instruct", "training": {"system": SYSTEMS[0]}}},
        "modes": modes,
        "conditions": [{"name": name, "mode": name, "model": "tuned"} for name in TEMPLATES],
    }
    (folder / "readback.yml").write_text(json.dumps(workspace), "utf-8")


def find_naively(file: Path) -> int:
    """Return the number of leaks, with a template that is compiled for each row."""
    import jinja2
    import pandas

    pattern = re.compile("|".join(map(re.escape, (*SYSTEMS, check_speed.PHRASE))), re.IGNORECASE)
    rows = []
    for _, row in pandas.read_json(file, lines=True).iterrows():
        record = row.to_dict()
        for name, template in TEMPLATES.items():
            text = jinja2.Template(template).render(**record)
            leak = bool(pattern.search(text))
            rows.append({"id": record["task_id"], "condition": name, "text": text, "leak": leak})
    return int(pandas.DataFrame(rows).leak.sum())


def find_in_a_loop(file: Path) -> int:
    """Return the number of leaks, with templates that are compiled once."""
    import jinja2

    pattern = re.compile("|".join(map(re.escape, (*SYSTEMS, check_speed.PHRASE))), re.IGNORECASE)
    templates = [jinja2.Template(template) for template in TEMPLATES.values()]
    leaks = 0
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            for template in templates:
                leaks += bool(pattern.search(template.render(**record)))
    return leaks


def check(folder: Path, processes: int) -> int:
    """Return the number of leaks that a check of nothing stored finds."""
    command = [sys.executable, "-m", "readback.cli", "check", str(folder), "--quiet", "--format", "jsonl"]
    command += ["--fail-on", "never", "--jobs", str(processes)]
    with TemporaryDirectory() as cache:
        done = subprocess.run(command, env={**os.environ, "READBACK_CACHE": cache}, capture_output=True, check=True)
    codes = Counter(json.loads(line)["code"] for line in done.stdout.splitlines())
    return codes[LEAK]


WAYS = ("naive", "loop", "readback on one process", "readback on two processes")


def run_way(way: str, folder: Path) -> int:
    """Return the number of leaks that one way finds."""
    if way == "naive":
        return find_naively(folder / "data.jsonl")
    if way == "loop":
        return find_in_a_loop(folder / "data.jsonl")
    return check(folder, 2 if "two" in way else 1)


def measure(way: str, folder: Path) -> tuple[float, int]:
    """Return the seconds of a whole process, and the leaks that it found."""
    start = time.perf_counter()
    if way.startswith("readback"):
        leaks = run_way(way, folder)
    else:
        command = [sys.executable, __file__, "--way", way, str(folder)]
        leaks = int(subprocess.run(command, capture_output=True, check=True).stdout)
    return time.perf_counter() - start, leaks


def main() -> None:
    """Print a table of the ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", nargs=2, metavar=("WAY", "FOLDER"), help="used by the script itself")
    options = parser.parse_args()
    if options.way:
        way, folder = options.way
        print(run_way(way, Path(folder)))
        return
    with TemporaryDirectory() as base:
        folder = Path(base) / "work"
        write(folder, options.records)
        rounds: list[dict[str, Any]] = [{way: measure(way, folder) for way in WAYS} for _ in range(options.rounds)]
    leaks = {way: rounds[0][way][1] for way in WAYS}
    seconds = {way: statistics.median(each[way][0] for each in rounds) for way in WAYS}
    print(f"{options.records:,} records, three templates, {options.rounds} rounds; leaks found: {leaks}\n")
    print("| way | seconds | naive takes so many times as long | it takes so many times as long as the loop |")
    print("|---|---|---|---|")
    for way in WAYS:
        naive, loop = seconds["naive"] / seconds[way], seconds[way] / seconds["loop"]
        print(f"| {way} | {seconds[way]:.2f} | {naive:.1f} | {loop:.1f} |")


if __name__ == "__main__":
    main()
