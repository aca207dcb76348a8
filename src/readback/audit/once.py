"""What is true of every record is said at the first one: that no record has a variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from readback import rules
from readback.audit.summary import selection_key
from readback.records.dataset import Dataset
from readback.records.field_names import MOST
from readback.rules import Fault
from readback.types import Finding

CODE = "alb-variable-no-data"


@dataclass(slots=True)
class Once:
    """Passes findings on, and those about a variable that is in no record once in each mode or condition (and once more
    where another field is offered for it).
    """

    data: Dataset
    said: set[tuple[str | None, ...]] = field(default_factory=set)

    def take(self, found: Iterable[Finding | Fault]) -> Iterator[Finding | Fault]:
        for one in found:
            if isinstance(one, Fault) or one.code != CODE or not self._nowhere(str(one.values["variable"])):
                yield one
                continue
            about = (*selection_key(one.place), str(one.values["variable"]), str(one.values["nearest"]), one.severity)
            if about not in self.said:
                self.said.add(about)
                values = {**one.values, "records": len(self.data)}
                yield replace(one, values=values, message=rules.fill(rules.RULES()[CODE].SENTENCE, values))

    def _nowhere(self, variable: str) -> bool:
        """Whether no record, of several, has the field that a variable is read from."""
        known, source = self.data.field_counts, self.data.source
        root = variable.partition(".")[0]
        name = source.fields.get(root, root) if source else root
        return len(self.data) > 1 and len(known) < MOST and name not in known
