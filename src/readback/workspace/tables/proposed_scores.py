"""Tables that are probably scores and were not confirmed: what is proposed, and what a confirmed one is read as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from readback.workspace.tables import judge_tables, score_tables

KEYS = (judge_tables.KEY, score_tables.KEY)


@dataclass(frozen=True, slots=True)
class Proposed:
    """A table and the columns that look like scores; `key` says whether each is a judge or a criterion."""

    key: str
    file: str
    columns: tuple[str, ...]

    @property
    def line(self) -> str:
        """FILE=COLUMN,COLUMN, as the address and the command line have it."""
        return f"{self.file}={','.join(self.columns)}"


def list_proposed(alternatives: Mapping[str, tuple[str, ...]]) -> tuple[Proposed, ...]:
    """List the tables that a workspace (or a draft of one) proposes."""
    return tuple(table for key in KEYS for line in alternatives.get(key, ()) for table in _parse_line(key, line))


def list_confirmed(chosen: Mapping[str, str]) -> tuple[Proposed, ...]:
    """List the tables that whoever opens a workspace has read as scores."""
    return tuple(table for key in KEYS for line in chosen.get(key, "").split("\n") for table in _parse_line(key, line))


def _parse_line(key: str, line: str) -> list[Proposed]:
    return [Proposed(key, file, names) for file, names in judge_tables.parse_choice(line).items()]
