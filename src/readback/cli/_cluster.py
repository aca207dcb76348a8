"""The workers of the cluster that --cluster names, or a sentence that says why they cannot work."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from readback.checks.run import cluster
from readback.cli import UsageError, _lines
from readback.cli._sentence import fill
from readback.types import Workspace

SENTENCES_CHECK = {
    "cluster_no_address": ("--cluster {address}: give the address of a Dask scheduler, tcp://host:8786 for example"),
    "cluster_no_extra": "--cluster needs Dask, which is not installed: pip install 'readback[cluster]'",
    "cluster_unreachable": (
        "--cluster {address}: no Dask scheduler answers ({error}); check host and port, "
        "or start one with: dask scheduler"
    ),
    "cluster_no_workers": (
        "--cluster {address}: the cluster has no worker; start one on each machine with: dask worker {address}"
    ),
    "cluster_no_readback": (
        "worker {worker} has no Readback, or another version; install there what is installed here"
    ),
    "cluster_no_readback_scheduler": (
        "the scheduler of the cluster has no Readback, or another version; install there what is installed here"
    ),
    "cluster_other_version": (
        "worker {worker} has another version of {what}: {theirs}, and {ours} here; install the same on both"
    ),
    "cluster_unseen": (
        "worker {worker} does not see {file}; put the workspace where all machines see it under the same path"
    ),
    "cluster_other_bytes": (
        "worker {worker} sees other bytes in {file} than this machine; share one folder, "
        "and wait until the file is written"
    ),
    "cluster_unfetched": "worker {worker} has no copy of {address}: {error}",
    "cluster_failed": "worker {worker} cannot work: {error}",
    "cluster_lost": "the cluster did not answer ({error})",
}


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
    said = fill("{why}. This machine checks those records itself, so the answer is the same", why=_why(why, values))
    print(_lines.safe(f"readback: {said}"), file=sys.stderr)


def _why(why: str, values: Mapping[str, Any]) -> str:
    return fill(SENTENCES_CHECK[f"cluster_{why}"], **values)
