"""How many cases a large count runs: a hundredth in every run, all of them with READBACK_LONG=1 (make test-long)."""

from __future__ import annotations

import os


def many(whole: int) -> int:
    """`whole` in a long run, a hundredth of it (at least one) in any other."""
    return whole if os.environ.get("READBACK_LONG") == "1" else max(1, whole // 100)
