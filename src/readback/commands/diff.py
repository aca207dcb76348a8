"""Show what differs between two prompts (not built yet)."""

from __future__ import annotations

import argparse

from readback.commands import UsageError, _workspace


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser)
    parser.add_argument("--a", required=True, metavar="KEY=VALUE,…", help="condition, mode, task, adapter, record, …")
    parser.add_argument("--b", required=True, metavar="KEY=VALUE,…", help="what it does not say is as in the other")


def run(args: argparse.Namespace) -> int:
    raise UsageError("diff is not built yet")
