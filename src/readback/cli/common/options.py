"""Add the options that several commands have, and read them: output, jobs, severity, author."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Collection

from readback.cli import UsageError
from readback.cli.common.terminal import fill


def add_format(parser: argparse.ArgumentParser, formats: Collection[str] = ("text", "json")) -> None:
    """Add --format."""
    parser.add_argument(
        "--format", choices=tuple(formats), default="text", help="output for people (text), or for programs"
    )


def add_loudness(parser: argparse.ArgumentParser, quiet: str, verbose: str = "") -> None:
    """Add -q and, where `verbose` is given, -v; both texts say what the option does for this command."""
    parser.set_defaults(verbose=False)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("-q", "--quiet", action="store_true", help=quiet)
    if verbose:
        group.add_argument("-v", "--verbose", action="store_true", help=verbose)


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add -q to a command whose answer does not change with it."""
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress on standard error")


def add_jobs(parser: argparse.ArgumentParser, needs: str = "") -> None:
    """Add -j; `needs` is the option without which one process does all the work."""
    text = "number of processes that work at the same time (default: one for each core)"
    if needs:
        text = fill("with {option}: ", option=needs) + text
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help=text)


def add_fail_on(parser: argparse.ArgumentParser) -> None:
    """Add --fail-on: the severity from which on a finding makes the exit code 1."""
    severities = ("error", "warning", "info", "never")
    parser.add_argument(
        "--fail-on",
        choices=severities,
        default="error",
        help="exit with 1 when there is a finding of this severity or a higher one",
    )


def add_author(parser: argparse.ArgumentParser) -> None:
    """Add --as and --key of what is saved in a review."""
    parser.add_argument(
        "--as", dest="author", metavar="NAME", help="the name of the author (default: the name of the account)"
    )
    parser.add_argument(
        "--key", metavar="ID", help="an id for this change; a change with the same id is saved only once"
    )


def read_author(args: argparse.Namespace) -> str:
    """Return the name of --as, else that of the account. Raises UsageError."""
    if args.author:
        return str(args.author)
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("this account has no name; give one with --as NAME") from None


def read_jobs(args: argparse.Namespace, needs: str = "") -> int | None:
    """Return how many processes are to work; None is one on every core. Raises UsageError."""
    jobs: int | None = args.jobs
    if jobs is not None and jobs < 1:
        raise UsageError(fill("--jobs {n}: give 1 or more", n=jobs))
    if jobs is not None and needs and not getattr(args, needs):
        raise UsageError(fill("--jobs needs {option}; without it one process does all the work", option=f"--{needs}"))
    return jobs
