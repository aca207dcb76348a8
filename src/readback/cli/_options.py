"""Options that several commands have: how much is said, how many processes work at once, and who writes."""

from __future__ import annotations

import argparse
import getpass

from readback.cli import UsageError
from readback.words import t


def loudness(parser: argparse.ArgumentParser, quiet: str, verbose: str = "") -> None:
    """-q and, where there is more to say, -v; each with what it does for this command."""
    parser.set_defaults(verbose=False)
    either = parser.add_mutually_exclusive_group()
    either.add_argument("-q", "--quiet", action="store_true", help=quiet)
    if verbose:
        either.add_argument("-v", "--verbose", action="store_true", help=verbose)


def quiet(parser: argparse.ArgumentParser) -> None:
    """-q of a command whose answer is the same with it."""
    parser.add_argument("-q", "--quiet", action="store_true", help=t("cli.options.help_quiet"))


def jobs(parser: argparse.ArgumentParser, goes_with: str = "") -> None:
    """-j; `goes_with` is the option without which one process works."""
    said = t("cli.options.help_jobs_with", option=goes_with) if goes_with else t("cli.options.help_jobs")
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help=said)


def fail_on(parser: argparse.ArgumentParser) -> None:
    """--fail-on: from which severity on a finding is exit code 1."""
    severities = ("error", "warning", "info", "never")
    parser.add_argument("--fail-on", choices=severities, default="error", help=t("cli.options.help_fail_on"))


def author(parser: argparse.ArgumentParser) -> None:
    """--as and --key of what is saved in a review."""
    parser.add_argument("--as", dest="author", metavar="NAME", help=t("cli.options.help_as"))
    parser.add_argument("--key", metavar="ID", help=t("cli.options.help_key"))


def account() -> str:
    """The name of the account, for where --as names nobody. Raises UsageError."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError(t("cli.options.no_account")) from None


def workers(args: argparse.Namespace, goes_with: str = "") -> int | None:
    """How many processes are asked for; None: one on every core. Raises UsageError."""
    asked: int | None = args.jobs
    if asked is not None and asked < 1:
        raise UsageError(t("cli.options.no_jobs", n=asked))
    if asked is not None and goes_with and not getattr(args, goes_with):
        raise UsageError(t("cli.options.jobs_alone", option=f"--{goes_with}"))
    return asked
