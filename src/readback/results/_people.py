"""Which judges are people and which are programs, where a column of a score file says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SAID = {
    **dict.fromkeys(("human", "person", "people", "expert", "annotator", "crowd", "crowdworker", "manual"), True),
    **dict.fromkeys(("llm", "model", "machine", "ai", "automatic", "auto", "program", "metric", "computed"), False),
}


@dataclass(slots=True)
class People:
    """What rows say of each judge; one of whom they say both is left to its name."""

    said: dict[str, set[bool]] = field(default_factory=dict)

    def see(self, judge: str, kind: str) -> None:
        """One row: the judge's name and the word for what it is."""
        if judge and (found := SAID.get(kind.strip().lower())) is not None:
            self.said.setdefault(judge, set()).add(found)

    def known(self) -> Mapping[str, bool]:
        """Judges by name: whether it is a person."""
        return {judge: next(iter(found)) for judge, found in self.said.items() if len(found) == 1}
