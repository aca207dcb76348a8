"""How `readback check` and the Findings page do with about a million findings.

    python benchmarks/many_findings.py [records]        200000 where nothing is said

Every record has a finding under each of five modes, and one more of another rule. Measured are seconds and peak memory
of the command's main process for JSON, and again for each other form where the answer was kept; then seconds, processor
seconds and peak memory of the process of the pages, by Streamlit's own test runner: the first view of *Findings* once
the check is done, filters by rule, severity and mode, words that are in no finding, in one and in all, and the last
places. Every count is held against the other: what the page says, what JSON says, what JSON lines list.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT / "tests" / "support"))
COMMAND = (sys.executable, "-m", "readback.cli", "check")
RECORDS = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
MODES = ("plain", "terse", "formal", "cited", "long")
SYSTEM = "You answer in one short sentence and never guess."
WORDS = ("retrieval", "generation", "evidence", "passage", "citation", "method", "accuracy", "baseline", "question")
PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "many"
        write(folder, RECORDS)
        os.environ |= {"READBACK_CACHE": f"{home}/cache", "READBACK_WORKSPACE": str(folder)}
        print(f"{RECORDS:,} records, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
        for form in ("json", "jsonl", "text"):
            _command(folder, form, Path(home) / form)
        counts = json.loads((Path(home) / "json").read_text("utf-8"))["counts"]
        with (Path(home) / "jsonl").open(encoding="utf-8") as lines:
            listed = Counter(json.loads(line)["code"] for line in lines)
        assert counts == listed, (counts, listed)
        print(
            f"{sum(counts.values()):,} findings; text has {len((Path(home) / 'text').read_text().splitlines())} lines"
        )
        _pages(counts)


def _command(folder: Path, form: str, out: Path) -> None:
    began, peak = time.monotonic(), 0
    with out.open("wb") as file:
        process = subprocess.Popen([*COMMAND, str(folder), "--format", form], stdout=file)
        while process.poll() is None:
            peak = max(peak, _peak(process.pid))
            time.sleep(0.1)
    print(f"check --format {form}: {time.monotonic() - began:.1f} s, main process {peak} MB")


def _pages(counts: dict[str, int]) -> None:
    from looking import clicked, page, words

    def timed(what: str, step: Callable[[], object]) -> None:
        began, spent = time.monotonic(), time.process_time()
        step()
        seconds, mine = time.monotonic() - began, time.process_time() - spent
        print(f"page, {what}: {seconds:.2f} s, {mine:.2f} s of its processor, peak {_peak(os.getpid())} MB")

    test = page("findings")  # of a sample
    print(f"page, a sample: peak {_peak(os.getpid())} MB")
    timed("check of all, from what was kept", lambda: clicked(test, "check_all"))
    for code, n in counts.items():
        assert f"{n:,} places" in words(test), (code, n)
    timed("again", test.run)
    for key, value in (("severity", "error"), ("severity", ""), ("arm", "cited"), ("arm", "")):
        timed(f"{key} {value or 'all'}", lambda key=key, value=value: test.selectbox(key=key).set_value(value).run())  # type: ignore[misc]
    assert f" of {sum(counts.values()):,} findings that match" in words(test)
    for said in ("nothing says this", f"record r{RECORDS - 1}", "cites [17]", "template", ""):
        timed(f"search {said!r}", lambda said=said: test.text_input(key="search").set_value(said).run())  # type: ignore[misc]
        assert not test.exception
    for code in counts:
        test.query_params["code"] = code
        timed(f"rule {code}", test.run)
        test.query_params["at"] = str(10 * RECORDS)
        timed(f"last places of {code}", test.run)
        del test.query_params["at"]


def _peak(process: int) -> int:
    """Peak memory of a process so far, in MB; 0 where it has ended."""
    try:
        return int(PEAK.search(Path(f"/proc/{process}/status").read_text("ascii"))[1]) >> 10  # type: ignore[index]
    except (OSError, TypeError):
        return 0


def write(folder: Path, records: int) -> None:
    """A workspace of so many records: the question of each has a mark that nothing fills, and cites what it has not."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = random.Random(20261125)
    with (folder / "data.jsonl").open("w", encoding="utf-8") as file:
        for number in range(records):
            asked = f"Fill {{{{ name }}}}: why {' '.join(drawn.choices(WORDS, k=30))} {number}?"
            row = {"id": f"r{number}", "question": asked, "contexts": ["One source.", "Another."],
                   "answer": f"Because of it [{3 + number % 40}]."}  # fmt: skip
            file.write(json.dumps(row) + "\n")
    made = {
        "name": "Very many findings",
        "dataset": {"path": "data.jsonl", "id": "id", "fields": {"reference": "answer"}},
        "modes": [{"mode": mode, "system": SYSTEM, "template": f"{mode}: {{{{ question }}}}"} for mode in MODES],
    }
    (folder / "readback.yml").write_text(json.dumps(made), "utf-8")


if __name__ == "__main__":
    main()
