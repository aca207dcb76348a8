"""Keep notes, decisions and sign-offs (not built yet)."""

from __future__ import annotations

import argparse

from readback.commands import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rest", nargs=argparse.REMAINDER)


def run(args: argparse.Namespace) -> int:
    raise UsageError("review is not built yet")
