"""The command `readback serve`: the pages' server takes the place of this process."""

from __future__ import annotations

import argparse
import os
import sys

from readback.cli import UsageError
from readback.readers import hub_cache
from readback.ui.common import server
from readback.words import t


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", nargs="?", help=t("cli.serve.help_workspace"))
    parser.add_argument("--host", default="127.0.0.1", help=t("cli.serve.help_host"))
    parser.add_argument("--port", type=int, help=t("cli.serve.help_port"))
    parser.add_argument("--base-path", default="", metavar="PATH", help=t("cli.serve.help_base_path"))


def run(args: argparse.Namespace) -> int:
    if args.workspace and not os.path.lexists(args.workspace):
        if not hub_cache.is_repository(args.workspace):
            raise UsageError(t("cli.serve.no_path", path=args.workspace))
        try:
            hub_cache.find(args.workspace)
        except hub_cache.NotCached as missing:
            raise UsageError(t("cli.serve.no_path_or_hub", path=args.workspace, why=missing)) from None
    argv = server.command(args.workspace, args.host, args.port, args.base_path)
    sys.stdout.flush()
    os.execv(argv[0], argv)  # noqa: S606 - the server takes this process's place, and its signals
