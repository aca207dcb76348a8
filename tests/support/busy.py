"""A machine that has other things to do: processes that keep every core busy while a block lasts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def busy(each: int = 1) -> Iterator[None]:
    """Beside `each` processes on every core that never wait."""
    command = [sys.executable, "-I", "-c", "while True: pass"]
    others = [subprocess.Popen(command) for _ in range(each * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
