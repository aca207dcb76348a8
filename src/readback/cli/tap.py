"""Run `readback tap`: start a program, and keep the exact bodies of the requests that it sends to models."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from readback.cli import UsageError
from readback.cli.common import options
from readback.cli.common.parser import Command
from readback.cli.common.terminal import fill

if TYPE_CHECKING:
    from readback.tap.server import Tap

TITLE = "Run a program, and keep the exact requests that it sends to its models."
ABOUT = (
    "readback tap -- promptfoo eval                     replies are a fixed text; nothing leaves this machine\n"
    "readback tap --to https://api.openai.com -- COMMAND    requests and replies are passed on as they come\n"
    "\n"
    "The program gets the address of a server on this machine as OPENAI_BASE_URL, OPENAI_API_BASE,\n"
    "OLLAMA_HOST, OLLAMA_BASE_URL and ANTHROPIC_BASE_URL, and a key that is none where it has none. A program\n"
    "that takes its address as an argument gets it where the command says {tap}:\n"
    "  readback tap -- lm_eval --model local-chat-completions --model_args\n"
    "  base_url={tap}/v1/chat/completions,model=m …\n"
    "\n"
    "FILE has a line for each request, with its body byte for byte; headers and keys are never stored, and only\n"
    "you may read it. Beside a project, its requests are held against what the project assembles.\n"
    "\n"
    "Not intercepted: addresses that are written in the program or its configuration; Azure, Vertex, Bedrock\n"
    "and Gemini; realtime connections; a program inside a container or on another machine.\n"
    "\n"
    "exit codes: that of the program; 2 wrong use, or the program could not be started"
)
CANNED = "This is the reply of readback tap."
FILE = "tap.jsonl"
UNREACHED = (
    "no request came; a program that was told another address (in its configuration, or as an argument) does not "
    "ask here: write {{tap}} in its place, or use the address that READBACK_TAP has"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback tap`."""
    add = parser.add_argument
    add("command", metavar="COMMAND", nargs="+", help="the program and its words, after --")
    add(
        "-o",
        "--output",
        default=FILE,
        metavar="FILE",
        help=f"the new file for the requests (default: {FILE})",
    )
    add("--reply", default=CANNED, metavar="TEXT", help="the text of every reply")
    add("--to", metavar="URL", help="pass requests on to this server instead of replying")
    options.add_loudness(parser, "no counts at the end, only errors")


def run(args: argparse.Namespace) -> int:
    """Run the program; return its exit code."""
    from readback.tap.program import run_program
    from readback.tap.request_file import RequestFile
    from readback.tap.server import Tap, TapServer
    from readback.tap.upstream import parse_upstream

    try:
        if args.to is not None:
            upstream = parse_upstream(args.to)
        else:
            upstream = None
    except ValueError as error:
        raise UsageError(f"--to: {error}") from None
    path = Path(args.output)
    try:
        requests = RequestFile(path)
    except FileExistsError:
        sentence = "{file} is there already, and requests are kept in a new file; name another one with -o"
        raise UsageError(fill(sentence, file=path)) from None
    except OSError as error:
        raise UsageError(fill("{file} cannot be written: {why}", file=path, why=error.strerror)) from None
    tap = Tap(requests, args.reply, upstream)
    try:
        server = TapServer(tap)
        try:
            code = run_program(args.command, server.address)
        finally:
            server.close()
    except OSError as error:
        if not requests.count:
            path.unlink(missing_ok=True)
        why = error.strerror or str(error)
        raise UsageError(fill("{name} cannot be run: {why}", name=args.command[0], why=why)) from None
    finally:
        requests.close()
    if not args.quiet or not requests.count:
        print("\n".join(_format_account(tap, path)), file=sys.stderr)
    return code


def _format_account(tap: Tap, path: Path) -> Iterator[str]:
    """Yield what came, what was not understood, and what failed."""
    count = tap.requests.count
    yield fill("readback tap: {n:,} {n:request|requests} in {file}", n=count, file=path)
    for route, number in sorted(tap.kept_paths.items()):
        yield fill("  {n:,} to {path}", n=number, path=route)
    for route, number in sorted(tap.other_paths.items()):
        yield fill("  {n:,} to {path}, which is not kept: no messages are read there", n=number, path=route)
    for reason, number in sorted(tap.failures.items()):
        yield fill("  {n:,} failed: {why}", n=number, why=reason)
    if not count:
        yield f"  {fill(UNREACHED)}"


COMMANDS = {"tap": Command(TITLE, ABOUT, add_arguments, run)}
