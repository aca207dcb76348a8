"""How much memory the largest process of `readback check` takes, for more and more records.

Run: python benchmarks/check_memory.py [--records 10000 100000 300000] [--format json]
The workload is that of check_speed.py (300,000 records take 4 GB of disk). Each is checked twice, with nothing kept and
asked again, by a whole process on two processors. Told are of the main process and of the largest other one the peak of
all memory (VmHWM, mapped files among it) and of the memory of its own (RssAnon, as 50 looks a second found it). Linux.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from check_speed import write

PROC = Path("/proc")
WAIT = 0.02  # seconds between two looks
TOLD = ("VmHWM", "RssAnon")


def peaks(folder: Path, cache: Path, form: str) -> dict[bool, dict[str, float]]:
    """MB of the main process (True) and of the largest other one (False)."""
    command = [sys.executable, "-m", "readback.cli", "check", str(folder), "--quiet", "--format", form, "--jobs", "2"]
    found: dict[bool, dict[str, float]] = {each: defaultdict(float) for each in (True, False)}
    with (cache / "answer").open("wb") as out:
        process = subprocess.Popen(
            [*command, "--fail-on", "never"], env={**os.environ, "READBACK_CACHE": str(cache)}, stdout=out
        )
        while process.poll() is None:
            for pid in below(process.pid):
                with suppress(OSError):  # it has ended meanwhile
                    for name, size in re.findall(
                        r"^(\w+):\s+(\d+) kB$", (PROC / str(pid) / "status").read_text(), re.M
                    ):
                        one = found[pid == process.pid]
                        one[name] = max(one[name], int(size) / 1024)
            time.sleep(WAIT)
    assert process.returncode == 0, "the check failed"
    return found


def below(root: int) -> Iterator[int]:
    """A process and those that it started, and these."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        with suppress(OSError):
            for task in (PROC / str(pid) / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000, 100_000, 300_000])
    parser.add_argument("--format", default="json")
    asked = parser.parse_args()
    for records in asked.records:
        with TemporaryDirectory() as base:
            folder = write(Path(base) / "work", records).parent
            cache = Path(base) / "cache"
            cache.mkdir()
            for what in ("first", "again"):
                found = peaks(folder, cache, asked.format)
                said = (f"{name} {found[main][name]:.1f}" for main in (True, False) for name in TOLD)
                print(f"{records:>9,} {what}: main {' '.join(said)}", flush=True)


if __name__ == "__main__":
    main()
