"""The workers of the cluster that --cluster names, or a sentence that says why they cannot work."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from readback.checks import cluster
from readback.cli import UsageError, _lines
from readback.types import Workspace
from readback.words import t


def hasten(address: str | None) -> None:
    """A cluster will be asked for, if there is an address: what it needs is loaded meanwhile."""
    if address is not None:
        cluster.hasten()


@contextmanager
def workers(address: str | None, opened: Workspace) -> Iterator[cluster.Cluster | None]:
    """The cluster at an address; None without one. Raises UsageError where it cannot work."""
    if address is None:
        yield None
        return
    try:
        with cluster.connected(address, opened, _say) as found:
            yield found
    except cluster.Unusable as unusable:
        raise UsageError(_lines.safe(_why(unusable.why, unusable.values))) from None


def _say(why: str, values: Mapping[str, Any]) -> None:
    """On standard error: what the cluster does not do, this machine does."""
    said = t("cli.check.cluster_here", why=_why(why, values))
    print(_lines.safe(f"readback: {said}"), file=sys.stderr)


def _why(why: str, values: Mapping[str, Any]) -> str:
    return t(f"cli.check.cluster_{why}", **values)
