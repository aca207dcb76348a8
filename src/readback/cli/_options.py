"""Options that several commands have: how much is said, and how many processes work at once."""

from __future__ import annotations

import argparse
import sys

from readback.cli import UsageError


def loudness(parser: argparse.ArgumentParser, quiet: str, verbose: str = "") -> None:
    """-q and, where there is more to say, -v; each with what it does for this command."""
    parser.set_defaults(verbose=False)
    either = parser.add_mutually_exclusive_group()
    either.add_argument("-q", "--quiet", action="store_true", help=quiet)
    if verbose:
        either.add_argument("-v", "--verbose", action="store_true", help=verbose)


def jobs(parser: argparse.ArgumentParser, goes_with: str = "") -> None:
    """-j; `goes_with` is the option without which one process works."""
    alone = f" with {goes_with}" if goes_with else ""
    said = f"processes that work at once{alone} (default: one on every core)"
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help=said)


def workers(args: argparse.Namespace, goes_with: str = "") -> int | None:
    """How many processes are asked for; None: one on every core. Raises UsageError."""
    asked: int | None = args.jobs
    if asked is not None and asked < 1:
        raise UsageError(f"--jobs {asked}: at least one process has to work")
    if asked is not None and goes_with and not getattr(args, goes_with):
        raise UsageError(f"--jobs goes with --{goes_with}: without it one process works")
    return asked


class Progress:
    """How far it is, on a terminal's standard error."""

    def __init__(self, quiet: bool) -> None:
        self.shown = sys.stderr.isatty() and not quiet

    def __call__(self, done: int, total: int) -> bool:
        if self.shown and total:
            print(f"\r\033[K{done} of {total} records", end="", file=sys.stderr, flush=True)
        return True

    def end(self) -> None:
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
