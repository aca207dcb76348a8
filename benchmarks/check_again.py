"""How long `readback check` takes when something like it was checked before: what is kept, and what is worked out anew.

Run: python benchmarks/check_again.py [--records 10000] [--folder FOLDER]
The workload is that of check_speed.py; a folder of an earlier run may be given, it is written to. In this order, each a
whole process that works on two processors:
  first      nothing is kept
  unchanged  asked again
  appended   1 % more records
  condition  one condition of six has another mode, so that other messages are sent
  adapter    one has an adapter that adds a sentence to the system text; the mode is as it was in `condition`
  user       one has an adapter that adds a sentence to what the user says, so that each record has a finding
  byte       one byte in the middle of the records is another
  killed     nothing is kept; the process is killed with SIGKILL after half the time of the first
  resumed    asked again after that
After each, the findings are held against those of a process that keeps nothing (`--sure`, which takes as long again).
Seconds on the clock, and processor seconds of all processes together: where something else has the processors, too,
only the latter say something.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from check_speed import WORKSPACE, machine, record, write

ADAPTERS = {
    "adapter": '{name: gateway, tasks: {generation: {system: "Keep the answer under sixty words."}}}',
    "user": '{name: outlet, tasks: {generation: {user: "Keep the answer under sixty words."}}}',
}
WORDS = ("The tide turns.", "Nobody saw the pilot come aboard before the fog lifted.", "It was measured twice.")


def check(folder: Path, cache: str, kill: float | None = None) -> tuple[float, float, bytes]:
    """Seconds, processor seconds, and the findings of a check; of one that is killed after so many seconds, none."""
    command = [sys.executable, "-m", "readback.cli", "check", str(folder), "--quiet", "--format", "jsonl"]
    before, began = used(), time.perf_counter()
    with subprocess.Popen(
        [*command, "--fail-on", "never", "--jobs", "2"],
        env={**os.environ, "READBACK_CACHE": cache},
        stdout=subprocess.PIPE,
    ) as process:
        try:
            said, _ = process.communicate(timeout=kill)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            said, _ = process.communicate()
    return time.perf_counter() - began, used() - before, said


def used() -> float:
    times = os.times()
    return times.children_user + times.children_system


def another_mode(folder: Path) -> None:
    text = (folder / "readback.yml").read_text("utf-8")
    assert text.count('"mode": "hybrid"') == 1
    (folder / "readback.yml").write_text(text.replace('"mode": "hybrid"', '"mode": "standard"'), "utf-8")


def with_adapter(folder: Path, name: str) -> str:
    """The configuration in which a condition has this adapter."""
    text = (folder / "readback.yml").read_text("utf-8")
    found = '"name": "c6",'
    assert text.count(found) == 1
    return text.replace(found, f'{found} "adapter": "{name}",')


def another_byte(folder: Path) -> None:
    with (folder / "data.jsonl").open("r+b") as file:
        file.seek((folder / "data.jsonl").stat().st_size // 2)
        file.readline()
        at = file.tell() + file.readline().index(b'"instruction": "') + len(b'"instruction": "')
        file.seek(at)
        file.write(b"Z")


def more(folder: Path, number: int, count: int) -> None:
    chance = random.Random(number)
    sentences = [*WORDS, *(f"The gauge at {path.stem} was read again." for path in modules())]
    with (folder / "data.jsonl").open("a", encoding="utf-8") as out:
        for at in range(number, number + count):
            out.write(json.dumps(record(chance, sentences, at), ensure_ascii=False) + "\n")


def modules() -> list[Path]:
    return sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:80]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--sure", action="store_true", help="hold each answer against one that is worked out afresh")
    asked = parser.parse_args()
    with TemporaryDirectory() as base:
        folder = asked.folder or write(Path(base) / "work", asked.records).parent
        # each condition has lines of its own, so that the places of others stay what they are
        for step, adapter in ADAPTERS.items():
            (folder / f"{step}.yml").write_text(adapter, "utf-8")
        workspace = {**WORKSPACE, "adapters": [f"{step}.yml" for step in ADAPTERS]}
        (folder / "readback.yml").write_text(json.dumps(workspace, indent=1), "utf-8")
        caches = [f"{base}/first", f"{base}/killed"]
        first: dict[str, Any] = {}
        print(f"{asked.records:,} records, {machine()}")
        print(f"{'':12}{'seconds':>9}{'of first':>10}{'processor':>11}{'of first':>10}")

        def row(name: str, cache: str, kill: float | None = None) -> None:
            seconds, spent, said = check(folder, cache, kill)
            first.setdefault("seconds", seconds)
            first.setdefault("spent", spent)
            parts = f"{seconds / first['seconds']:9.1%} {spent:10.2f} {spent / first['spent']:9.1%}"
            print(f"{name:12}{seconds:9.2f} {parts}", flush=True)
            if asked.sure and kill is None:
                with TemporaryDirectory() as fresh:
                    assert said == check(folder, fresh)[2], f"{name}: not what is found afresh"

        row("first", caches[0])
        row("unchanged", caches[0])
        more(folder, asked.records, asked.records // 100)
        row("appended", caches[0])
        another_mode(folder)
        row("condition", caches[0])
        before = (folder / "readback.yml").read_text("utf-8")
        for step, name in (("adapter", "gateway"), ("user", "outlet")):
            (folder / "readback.yml").write_text(with_adapter(folder, name), "utf-8")
            row(step, caches[0])
            (folder / "readback.yml").write_text(before, "utf-8")
        another_byte(folder)
        row("byte", caches[0])
        row("killed", caches[1], first["seconds"] / 2)
        row("resumed", caches[1])


if __name__ == "__main__":
    main()
