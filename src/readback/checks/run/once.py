"""What is true of every record is said at the first one: that no record has a variable, say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from readback.checks import rules
from readback.checks.rules import Fault
from readback.checks.summary import selection_key
from readback.records.dataset import Dataset
from readback.records.field_names import MOST
from readback.types import Finding


@dataclass(slots=True)
class Once:
    """Pass findings on, those of a rule with `get_once_key(finding, is_nowhere)` once for each key in each mode,
    condition or judge; a finding whose key is None is passed on for every record. `is_nowhere(name)` is whether no
    record, of several, has the field that a name is read from. Where that is `guessed`, a rule with
    `weigh_guess(finding)` returns the severity of such a finding.
    """

    data: Dataset
    guessed: bool = False  # nobody says that these templates are filled from these records: they lie in one folder
    rules: Mapping[str, Callable[..., tuple[str | None, ...] | None]] = field(default_factory=lambda: _rules())
    said: set[tuple[str | None, ...]] = field(default_factory=set)
    records: Counter[str] = field(default_factory=Counter)  # by code, those where nothing else of it was told

    def take(self, found: Iterable[Finding | Fault]) -> Iterator[Finding | Fault]:
        for one in found:
            about = self._about(one)
            if isinstance(one, Fault) or about is None:
                yield one
            elif about not in self.said:
                self.said.add(about)
                values = {**one.values, **({"records": len(self.data)} if "records" in one.values else {})}
                rule = rules.RULES()[one.code]
                severity = one.severity
                if self.guessed and hasattr(rule.logic, "weigh_guess"):
                    severity = rule.logic.weigh_guess(one)
                message = rules.fill(rule.sentence, values)
                yield replace(one, severity=severity, values=values, message=message)

    def of_all(self, found: Iterable[Finding | Fault]) -> Iterator[Finding | Fault]:
        """What is true of every record, from what was found in one."""
        return self.take(one for one in found if self._about(one) is not None)

    def count(self, told: Iterable[Finding]) -> None:
        """Remember where what was told of a record is true of all, so that nobody counts that record for a share."""
        ours = [one for one in told if one.code in self.rules]
        if ours:
            about = {(one.code, self._about(one) is not None) for one in ours}
            self.records.update(code for code, of_all in about if of_all and (code, False) not in about)

    def _about(self, one: Finding | Fault) -> tuple[str | None, ...] | None:
        if isinstance(one, Fault) or (about := self.rules.get(one.code)) is None:
            return None
        said = about(one, self.is_nowhere)
        return None if said is None else (one.code, one.place.file, *selection_key(one.place), one.severity, *said)

    def is_nowhere(self, name: str) -> bool:
        """Whether no record, of several, has the field that a name is read from."""
        known, source = self.data.field_counts, self.data.source
        root = name.partition(".")[0]
        field_name = source.fields.get(root, root) if source else root
        return len(self.data) > 1 and len(known) < MOST and field_name not in known


def _rules() -> dict[str, Callable[..., tuple[str | None, ...] | None]]:
    """What the rules that have it answer to `get_once_key`, by code."""
    return {
        code: rule.logic.get_once_key for code, rule in rules.RULES().items() if hasattr(rule.logic, "get_once_key")
    }
