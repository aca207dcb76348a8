"""Run `readback serve`: the pages' server takes the place of this process."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack

from readback.cli import UsageError
from readback.cli.common import temporary_workspace
from readback.cli.common.parser import Command
from readback.cli.common.terminal import fill
from readback.readers import hub_cache
from readback.readers.files import by_address
from readback.ui.common import server

TITLE = "Start the pages for a browser on this machine, or for a team behind a proxy."
ABOUT = "The address is printed when the port is known to be free. The exit code is that of the server; 2 is wrong use."

LAST_PORT = 65_535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback serve`."""
    parser.add_argument(
        "workspaces",
        metavar="WORKSPACE",
        nargs="*",
        help=("folders, files and zip files to choose from, the first one shown first (default: the built-in demos)"),
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    parser.add_argument(
        "--port", type=int, help="the port (default: the first from 8501 on that is free; 0: any that is free)"
    )
    parser.add_argument("--base-path", default="", metavar="PATH", help="the path under which a proxy shows the pages")


def run(args: argparse.Namespace) -> int:
    """Replace this process by the server. Raises UsageError."""
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
    paths = [_find_workspace(path) for path in args.workspaces] or [
        _find_workspace(path) if temporary_workspace.needs_storing(path) else path  # a folder may come later
        for path in filter(None, os.environ.get("READBACK_WORKSPACE", "").split(os.pathsep))
    ]
    argv = server.command(paths, args.host, args.port, args.base_path)
    sys.stdout.flush()
    os.execv(argv[0], argv)  # noqa: S606 - the server takes this process's place, and its signals


COMMANDS = {"serve": Command(TITLE, ABOUT, add_arguments, run)}


def _find_workspace(path: str) -> str:
    """Return a path or a repository unchanged, and for an address or a zip file the path of its copy.

    Raises UsageError where there is nothing at that place, nor in the local Hugging Face cache.
    """
    if by_address.is_address(path):
        try:
            return str(by_address.fetch(path))
        except by_address.Refused as refused:
            raise UsageError(f"{by_address.redact_address(path)}: {refused}") from None
    with ExitStack() as stack:
        path = temporary_workspace.unpack(path, "serve", stack)
    if os.path.lexists(path):
        return path
    if not hub_cache.is_repository(path):
        raise UsageError(fill("{path}: there is no such file or folder", path=path))
    try:
        hub_cache.find(path)
    except hub_cache.NotCached as missing:
        raise UsageError(fill("{path}: there is no such file or folder, and {why}", path=path, why=missing)) from None
    return path
