"""Print what a server sends to the model (not built yet)."""

from __future__ import annotations

import argparse
from pathlib import Path

from readback.commands import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--modelfile", type=Path, metavar="F")
    source.add_argument("--chat-template", type=Path, metavar="F")
    source.add_argument("--wire-format", metavar="NAME")
    source.add_argument("--batch", type=Path, metavar="FILE.jsonl", help="one case a line")
    parser.add_argument("--messages", type=Path, metavar="FILE")
    parser.add_argument("--today", metavar="DATE")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    raise UsageError("wire is not built yet")
