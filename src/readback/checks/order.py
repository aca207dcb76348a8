"""The order in which the findings about one record are shown: marked ones as they are in the text, then the rest."""

from __future__ import annotations

from readback.types import Finding

ROLES = ("system", "user", "assistant", None)


def in_text(one: Finding) -> tuple[bool, int, int]:
    """A key for `sorted`."""
    at = one.place
    return at.start is None, ROLES.index(at.role) if at.role in ROLES else len(ROLES), at.start or 0
