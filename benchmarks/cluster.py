"""How much faster a Dask cluster of two workers checks than one of one, and that a killed worker changes nothing.

Run: python benchmarks/cluster.py [--records 10000] [--rounds 3] [--tokens] [--folder FOLDER]
The workload is that of check_speed.py; with `--tokens` the tokens of all prompts are counted exactly. Scheduler and
workers are processes of this machine, each worker with one thread, and so with one bounded child at a time. In each
round, one after another, whole processes of `readback check` that keep nothing from before:
  here    without a cluster, one child
  one     a cluster of one worker
  two     a cluster of two workers
  killed  two workers, one of them killed with SIGKILL after half the time that two took
The workers have indexed the records before they are timed, and the asking process takes their index. The findings of
all are held against each other, byte for byte. Two workers need two free processors: the load of the machine is printed
beside each round.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from check_speed import machine, write

WAYS = {"here": 0, "one": 1, "two": 2, "killed": 2}  # workers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", action="store_true")
    parser.add_argument("--folder", type=Path, help="of an earlier run of check_speed.write")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # scheduler and workers end with it
    with TemporaryDirectory() as base:
        folder = asked.folder or write(Path(base) / "work", asked.records, asked.tokens).parent
        rounds = [one_round(folder, Path(base)) for _ in range(asked.rounds)]
    took = {way: statistics.median(each[way] for each in rounds) for way in WAYS}
    print(f"\n{machine()}; medians of {asked.rounds} rounds, {asked.records:,} records; all findings are the same")
    for way, seconds in took.items():
        print(f"{way:8}{seconds:8.2f} s")
    each = [one["one"] / one["two"] for one in rounds]
    print(f"two workers are {took['one'] / took['two']:.2f} times as fast as one (rounds: {each})")
    one, two = (took[way] / took["killed"] for way in ("one", "two"))
    print(f"one of two killed at half the work: {one:.2f} times as fast as one worker, {two:.2f} times as fast as two")


def one_round(folder: Path, base: Path) -> dict[str, float]:
    """Seconds of each way."""
    took, answers = dict[str, float](), dict[str, bytes]()
    for way, workers in WAYS.items():
        with cluster(workers, base) as (address, processes):
            check(folder, address, base, sample=True)  # each worker indexes the records, and starts what it needs
            kill = (took["two"] / 2, processes[0]) if way == "killed" else None
            load = os.getloadavg()[0]
            took[way], answers[way] = check(folder, address, base, kill)
            print(f"{way:8}{took[way]:8.2f} s, load {load:.1f}", flush=True)
    assert len(set(answers.values())) == 1, "the findings are not the same"
    return took


@contextmanager
def cluster(workers: int, base: Path) -> Iterator[tuple[str | None, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler with so many workers, and their processes; None without any."""
    if not workers:
        yield None, []
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    env = {**os.environ, "READBACK_CACHE": str(base / "cache of workers")}
    with TemporaryDirectory(ignore_cleanup_errors=True) as home, ExitStack() as stack:

        def start(program: str, *words: str) -> subprocess.Popen[bytes]:
            code = f"from distributed.cli.dask_{program} import main; main()"
            made = subprocess.Popen(
                [sys.executable, "-c", code, *words, "--no-dashboard"], env=env, stderr=subprocess.DEVNULL
            )
            stack.callback(made.wait)
            stack.callback(made.kill)
            return made

        start("scheduler", "--host", "127.0.0.1", "--port", str(port))
        asked = (address, "--no-nanny", "--nthreads", "1", "--local-directory", home)
        processes = [start("worker", *asked) for _ in range(workers)]
        from distributed import Client

        with Client(address, timeout=120, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)
        yield address, processes


def check(
    folder: Path,
    address: str | None,
    base: Path,
    kill: tuple[float, subprocess.Popen[bytes]] | None = None,
    sample: bool = False,
) -> tuple[float, bytes]:
    """Seconds and findings of a check; after so many seconds a process of a worker is killed."""
    command = [sys.executable, "-m", "readback.cli", "check", str(folder), "--quiet", "--format", "jsonl"]
    command += ["--fail-on", "never", *(("--cluster", address) if address else ("--jobs", "1"))]
    with TemporaryDirectory(dir=base) as cache:
        began = time.perf_counter()
        env = {**os.environ, "READBACK_CACHE": cache}
        with subprocess.Popen(command + ["--sample"] * sample, env=env, stdout=subprocess.PIPE) as process:
            said: bytes | None = None
            if kill:
                with suppress(subprocess.TimeoutExpired):
                    said = process.communicate(timeout=kill[0])[0]
                kill[1].send_signal(signal.SIGKILL)
                assert said is None, "it was done before the worker was killed"
            said = said or process.communicate()[0]
        assert process.returncode == 0
        return time.perf_counter() - began, said


if __name__ == "__main__":
    main()
