"""The command `readback serve`: the pages' server takes the place of this process."""

from __future__ import annotations

import argparse
import os
import sys

from readback.cli import UsageError, _brought
from readback.readers import by_address, hub_cache
from readback.ui.common import server
from readback.words import t

LAST_PORT = 65_535


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspaces", metavar="WORKSPACE", nargs="*", help=t("cli.serve.help_workspace"))
    parser.add_argument("--host", default="127.0.0.1", help=t("cli.serve.help_host"))
    parser.add_argument("--port", type=int, help=t("cli.serve.help_port"))
    parser.add_argument("--base-path", default="", metavar="PATH", help=t("cli.serve.help_base_path"))


def run(args: argparse.Namespace) -> int:
    if not args.workspaces and "://" in os.environ.get("READBACK_WORKSPACE", ""):
        raise UsageError(t("cli.serve.no_address"))
    if args.port is not None and not 0 <= args.port <= LAST_PORT:
        raise UsageError(t("cli.serve.no_port", port=args.port, last=LAST_PORT))
    argv = server.command([_looked_at(given) for given in args.workspaces], args.host, args.port, args.base_path)
    sys.stdout.flush()
    os.execv(argv[0], argv)  # noqa: S606 - the server takes this process's place, and its signals


def _looked_at(given: str) -> str:
    """A path or a repository as it is given, and of an address the path of its copy. Raises UsageError where nothing is
    to be found there, nor in the local Hugging Face cache.
    """
    if by_address.is_address(given):
        try:
            return str(by_address.fetch(given))
        except by_address.Refused as refused:
            raise UsageError(f"{by_address.shown(given)}: {refused}") from None
    if _brought.is_brought(given):
        raise UsageError(t("cli.serve.no_folder", path=given))
    if os.path.lexists(given):
        return given
    if not hub_cache.is_repository(given):
        raise UsageError(t("cli.serve.no_path", path=given))
    try:
        hub_cache.find(given)
    except hub_cache.NotCached as missing:
        raise UsageError(t("cli.serve.no_path_or_hub", path=given, why=missing)) from None
    return given
