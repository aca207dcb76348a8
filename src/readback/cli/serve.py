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
    parser.add_argument("workspaces", metavar="WORKSPACE", nargs="*", help=t("cli.serve.help_workspace"))
    parser.add_argument("--host", default="127.0.0.1", help=t("cli.serve.help_host"))
    parser.add_argument("--port", type=int, help=t("cli.serve.help_port"))
    parser.add_argument("--base-path", default="", metavar="PATH", help=t("cli.serve.help_base_path"))


def run(args: argparse.Namespace) -> int:
    for given in args.workspaces:
        _look(given)
    argv = server.command(args.workspaces, args.host, args.port, args.base_path)
    sys.stdout.flush()
    os.execv(argv[0], argv)  # noqa: S606 - the server takes this process's place, and its signals


def _look(given: str) -> None:
    """Raise UsageError where nothing is to be found at a path, nor in the local Hugging Face cache."""
    if os.path.lexists(given):
        return
    if not hub_cache.is_repository(given):
        raise UsageError(t("cli.serve.no_path", path=given))
    try:
        hub_cache.find(given)
    except hub_cache.NotCached as missing:
        raise UsageError(t("cli.serve.no_path_or_hub", path=given, why=missing)) from None
