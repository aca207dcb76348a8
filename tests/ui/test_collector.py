"""What outlived a slow collection is not looked at each time, and yet freed when it is garbage."""

from __future__ import annotations

import gc
import subprocess
import sys

TRY = """
import gc, weakref
from readback.ui.common import collector

now = [0.0]
collector.SLOW = 0.0  # whatever the machine
gc.callbacks.append(collector.Collector(lambda: now[0]))

class Ring:
    pass

ring = Ring()
ring.me, ring.many = ring, [[] for _ in range(600_000)]
gone = weakref.ref(ring)

gc.collect()
assert gc.get_freeze_count() > 600_000
del ring
gc.collect()
assert gone() is not None  # garbage, and set aside
now[0] = collector.AGAIN + 1
gc.collect()
assert gone() is None
"""


def test_what_outlived_a_slow_collection_is_set_aside_until_all_is_looked_at_again() -> None:
    before = gc.get_freeze_count()
    done = subprocess.run([sys.executable, "-c", TRY], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert gc.get_freeze_count() <= before  # nothing of it is done to a process that only imports Readback
