"""How many cases a test runs: all of them with READBACK_LONG=1 (make test-long), a part of them in every other run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")
LONG = os.environ.get("READBACK_LONG") == "1"


def many(whole: int, least: int = 1) -> int:
    """`whole` in a long run, a hundredth of it (at least so many) in any other."""
    return whole if LONG else max(least, whole // 100)


def some(whole: int) -> int:
    """`whole` in a long run, a fifth of it (at least ten) in any other: random input that is tried at every change."""
    return whole if LONG else max(10, whole // 5)


def part(cases: Sequence[Case], first: int) -> Sequence[Case]:
    """All of the cases in a long run, the first few of them in any other."""
    return cases if LONG else cases[:first]
