"""Report what is true of every record at the first one: that no record has a variable, say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from readback.checks import rules
from readback.checks.rules import Fault
from readback.checks.summary import selection_key
from readback.records.dataset import Dataset
from readback.records.fields.field_names import MOST
from readback.types import Finding

Key = tuple[str | None, ...]


@dataclass(slots=True)
class Once:
    """Pass findings on, those of a rule with `get_once_key(finding, is_nowhere)` once for each key in each mode,
    condition or judge; a finding whose key is None is passed on for every record. `is_nowhere(name)` is whether no
    record, of several, has the field that a name is read from. Where that is `guessed`, a rule with
    `weigh_guess(finding)` returns the severity of such a finding.
    """

    data: Dataset
    guessed: bool = False  # nobody says that these templates are filled from these records: they lie in one folder
    rules: Mapping[str, Callable[..., Key | None]] = field(default_factory=lambda: _list_rules())
    reported: set[Key] = field(default_factory=set)
    records: Counter[str] = field(default_factory=Counter)  # by code, records with no other finding of it

    def take(self, findings: Iterable[Finding | Fault]) -> Iterator[Finding | Fault]:
        """Yield the findings that are not reported yet."""
        for finding in findings:
            key = self._get_key(finding)
            if isinstance(finding, Fault) or key is None:
                yield finding
            elif key not in self.reported:
                self.reported.add(key)
                yield self._generalise(finding)

    def take_general(self, findings: Iterable[Finding | Fault]) -> Iterator[Finding | Fault]:
        """Yield those of one record's findings that are true of every record and not reported yet."""
        return self.take(finding for finding in findings if self._get_key(finding) is not None)

    def count(self, findings: Iterable[Finding]) -> None:
        """Remember a record whose findings of a code are true of all records: it says nothing of a share."""
        is_general: dict[str, bool] = {}
        for finding in findings:
            if finding.code in self.rules:
                has_key = self._get_key(finding) is not None
                is_general[finding.code] = is_general.get(finding.code, True) and has_key
        self.records.update(code for code, general in is_general.items() if general)

    def is_nowhere(self, name: str) -> bool:
        """Return whether no record, of several, has the field that a name is read from."""
        counts, source = self.data.field_counts, self.data.source
        root = name.partition(".")[0]
        if source:
            field_name = source.fields.get(root, root)
        else:
            field_name = root
        return len(self.data) > 1 and len(counts) < MOST and field_name not in counts

    def _generalise(self, finding: Finding) -> Finding:
        """Return the finding as one about all records."""
        values = dict(finding.values)
        if "records" in values:
            values["records"] = len(self.data)
        rule = rules.RULES()[finding.code]
        severity = finding.severity
        if self.guessed and hasattr(rule.logic, "weigh_guess"):
            severity = rule.logic.weigh_guess(finding)
        return replace(finding, severity=severity, values=values, message=rules.fill(rule.sentence, values))

    def _get_key(self, finding: Finding | Fault) -> Key | None:
        if isinstance(finding, Fault):
            return None
        get_once_key = self.rules.get(finding.code)
        if get_once_key:
            key = get_once_key(finding, self.is_nowhere)
        else:
            key = None
        if key is None:
            return None
        place = finding.place
        return (finding.code, place.file, *selection_key(place), finding.severity, *key)


def _list_rules() -> dict[str, Callable[..., Key | None]]:
    """Return the function `get_once_key` of each rule that has it, by code."""
    logic = {code: rule.logic for code, rule in rules.RULES().items()}
    return {code: module.get_once_key for code, module in logic.items() if hasattr(module, "get_once_key")}
