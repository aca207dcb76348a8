"""Say how far judges agree (not built yet)."""

from __future__ import annotations

import argparse

from readback.commands import UsageError, _workspace


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser)
    parser.add_argument("--criterion", metavar="K")


def run(args: argparse.Namespace) -> int:
    raise UsageError("agreement is not built yet")
