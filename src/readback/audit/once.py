"""What is true of every record is said at the first one: that no record has a variable, say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from readback import rules
from readback.audit.summary import selection_key
from readback.records.dataset import Dataset
from readback.records.field_names import MOST
from readback.rules import Fault
from readback.types import Finding


@dataclass(slots=True)
class Once:
    """Passes findings on, and those of a rule with `once(finding, nowhere)` once in each mode, condition or judge for
    what it answers: what the finding is about, or None where it is told at every record. `nowhere(name)` is whether no
    record, of several, has the field that a name is read from.
    """

    data: Dataset
    said: set[tuple[str | None, ...]] = field(default_factory=set)

    def take(self, found: Iterable[Finding | Fault]) -> Iterator[Finding | Fault]:
        for one in found:
            about = None if isinstance(one, Fault) else self._about(one)
            if isinstance(one, Fault) or about is None:
                yield one
            elif about not in self.said:
                self.said.add(about)
                values = {**one.values, **({"records": len(self.data)} if "records" in one.values else {})}
                yield replace(one, values=values, message=rules.fill(rules.RULES()[one.code].SENTENCE, values))

    def _about(self, one: Finding) -> tuple[str | None, ...] | None:
        about = getattr(rules.RULES().get(one.code), "once", None)
        said = about(one, self._nowhere) if about else None
        return None if said is None else (one.code, one.place.file, *selection_key(one.place), one.severity, *said)

    def _nowhere(self, name: str) -> bool:
        known, source = self.data.field_counts, self.data.source
        root = name.partition(".")[0]
        field_name = source.fields.get(root, root) if source else root
        return len(self.data) > 1 and len(known) < MOST and field_name not in known
