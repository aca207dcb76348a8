"""Options that several commands have: how much is said, how many processes work at once, and who writes."""

from __future__ import annotations

import argparse
import getpass

from readback.cli import UsageError
from readback.cli._sentence import fill


def loudness(parser: argparse.ArgumentParser, quiet: str, verbose: str = "") -> None:
    """-q and, where there is more to say, -v; each with what it does for this command."""
    parser.set_defaults(verbose=False)
    either = parser.add_mutually_exclusive_group()
    either.add_argument("-q", "--quiet", action="store_true", help=quiet)
    if verbose:
        either.add_argument("-v", "--verbose", action="store_true", help=verbose)


def quiet(parser: argparse.ArgumentParser) -> None:
    """-q of a command whose answer is the same with it."""
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress on standard error")


def jobs(parser: argparse.ArgumentParser, goes_with: str = "") -> None:
    """-j; `goes_with` is the option without which one process works."""
    said = (
        fill(
            "with {option}: number of processes that work at the same time (default: one for each core)",
            option=goes_with,
        )
        if goes_with
        else "number of processes that work at the same time (default: one for each core)"
    )
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help=said)


def fail_on(parser: argparse.ArgumentParser) -> None:
    """--fail-on: from which severity on a finding is exit code 1."""
    severities = ("error", "warning", "info", "never")
    parser.add_argument(
        "--fail-on",
        choices=severities,
        default="error",
        help="exit with 1 when there is a finding of this severity or a higher one",
    )


def author(parser: argparse.ArgumentParser) -> None:
    """--as and --key of what is saved in a review."""
    parser.add_argument(
        "--as", dest="author", metavar="NAME", help="the name of the author (default: the name of the account)"
    )
    parser.add_argument(
        "--key", metavar="ID", help="an id for this change; a change with the same id is saved only once"
    )


def account() -> str:
    """The name of the account, for where --as names nobody. Raises UsageError."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("this account has no name; give one with --as NAME") from None


def workers(args: argparse.Namespace, goes_with: str = "") -> int | None:
    """How many processes are asked for; None: one on every core. Raises UsageError."""
    asked: int | None = args.jobs
    if asked is not None and asked < 1:
        raise UsageError(fill("--jobs {n}: give 1 or more", n=asked))
    if asked is not None and goes_with and not getattr(args, goes_with):
        raise UsageError(
            fill("--jobs needs {option}; without it one process does all the work", option=f"--{goes_with}")
        )
    return asked
