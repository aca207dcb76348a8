"""The command `readback serve`: the pages' server takes the place of this process."""

from __future__ import annotations

import argparse
import os
import sys

from readback.cli import UsageError
from readback.readers import hub_cache
from readback.ui.common import server


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", nargs="?", help="opened at the start; the demos without it")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, help="default: the first from 8501 that nobody uses")
    parser.add_argument("--base-path", default="", metavar="PATH", help="the path under which a proxy shows the pages")


def run(args: argparse.Namespace) -> int:
    if args.workspace and not os.path.lexists(args.workspace):
        if not hub_cache.is_repository(args.workspace):
            raise UsageError(f"{args.workspace}: there is no such file or folder")
        try:
            hub_cache.find(args.workspace)
        except hub_cache.NotCached as missing:
            raise UsageError(f"{args.workspace}: there is no such file or folder, and {missing}") from None
    argv = server.command(args.workspace, args.host, args.port, args.base_path)
    sys.stdout.flush()
    os.execv(argv[0], argv)  # noqa: S606 - the server takes this process's place, and its signals
