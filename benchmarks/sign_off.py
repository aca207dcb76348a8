"""What a sign-off costs beside a check of the same records, and how soon a page says that nothing has changed.

Run: python benchmarks/sign_off.py [--records 10000] [--times 3]
The demo of six conditions, its dataset repeated to N records. Baseline: `check` of all records under all conditions,
with findings on the same two processes. A sign-off is one check more at most: it checks too, for the findings are its
evidence; what it adds is the fingerprints of every text.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from readback import workspace
from readback.checks.run import engine
from readback.review import signing
from readback.review.leaves import leaves
from readback.review.subject import Subject

sys.path.insert(0, str(Path(__file__).parent))
from first_content import DEMO, repeated


def main() -> None:
    """Measure both in turn, print medians and their ratio."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--records", type=int, default=10_000)
    asked.add_argument("--times", type=int, default=3)
    told = asked.parse_args()
    with tempfile.TemporaryDirectory() as made:
        opened = workspace.open(repeated(DEMO, told.records, Path(made)))
        leaves(opened)  # the index is made once
        work: dict[str, Callable[[], object]] = {
            "check": lambda: engine.check(opened),
            "fingerprints": lambda: leaves(opened),
            "sign-off": lambda: signing.keep(opened, Subject("study")),
        }
        spent: dict[str, list[float]] = {name: [] for name in work}
        for _ in range(told.times):
            for name, one in work.items():
                began = time.perf_counter()
                one()
                spent[name].append(time.perf_counter() - began)
    least = statistics.median(spent["check"])
    print(f"{told.records:,} records × {len(opened.conditions)} conditions, median of {told.times}")
    for name, found in spent.items():
        print(f"{name:<13} {statistics.median(found):6.1f} s  ({statistics.median(found) / least:.2f} times the check)")


if __name__ == "__main__":
    main()
