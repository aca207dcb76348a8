"""The command `readback serve`: the pages' server takes the place of this process."""

from __future__ import annotations

import argparse
import os
import sys

from readback.cli import UsageError, _brought
from readback.cli._sentence import fill
from readback.readers import by_address, hub_cache
from readback.ui.common import server

TITLE = "Start the pages for a browser on this machine, or for a team behind a proxy."
ABOUT = "The address is printed when the port is known to be free. The exit code is that of the server; 2 is wrong use."

LAST_PORT = 65_535


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "workspaces",
        metavar="WORKSPACE",
        nargs="*",
        help="workspaces to choose from, the first one shown first (default: the built-in demos)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    parser.add_argument(
        "--port", type=int, help="the port (default: the first from 8501 on that is free; 0: any that is free)"
    )
    parser.add_argument("--base-path", default="", metavar="PATH", help="the path under which a proxy shows the pages")


def run(args: argparse.Namespace) -> int:
    if not args.workspaces and "://" in os.environ.get("READBACK_WORKSPACE", ""):
        raise UsageError(
            "READBACK_WORKSPACE names folders, with ':' between them; give an address to the command: "
            "readback serve store://place/folder"
        )
    if args.port is not None and not 0 <= args.port <= LAST_PORT:
        raise UsageError(
            fill(
                "--port {port}: a port is a number from 1 to {last} (0: any that is free)",
                port=args.port,
                last=LAST_PORT,
            )
        )
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
        raise UsageError(
            fill(
                ("{path}: serve shows folders and files; unpack a zip file first, or send it on the page Open"),
                path=given,
            )
        )
    if os.path.lexists(given):
        return given
    if not hub_cache.is_repository(given):
        raise UsageError(fill("{path}: there is no such file or folder", path=given))
    try:
        hub_cache.find(given)
    except hub_cache.NotCached as missing:
        raise UsageError(fill("{path}: there is no such file or folder, and {why}", path=given, why=missing)) from None
    return given
