"""Write the whole review as one HTML file (not built yet)."""

from __future__ import annotations

import argparse
from pathlib import Path

from readback.commands import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", required=True)


def run(args: argparse.Namespace) -> int:
    raise UsageError("report is not built yet")
