"""The law of keys: two findings of one run that differ never share one."""

from __future__ import annotations

from collections.abc import Iterable

from readback.types import Finding, Location


def shared_keys(found: Iterable[Finding]) -> list[str]:
    """The keys under which two findings of a run say different things, or the same of different places."""
    said: dict[str, tuple[str, str, Location]] = {}
    return [one.key for one in found if said.setdefault(one.key, content := _content(one)) != content]


def _content(one: Finding) -> tuple[str, str, Location]:
    return one.code, one.message, one.place
