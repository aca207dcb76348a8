"""The key of a logged request: what it is about."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """What a request is about.

    `condition` is a mode where there are no conditions, and empty for a judge that is asked about the record's own
    answer; `judge` is empty for a request to the model that answers.
    """

    condition: str
    judge: str
    record: str
