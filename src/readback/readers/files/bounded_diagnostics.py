"""Notes in bounded number: the first of each code are kept, all are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from readback.types import Diagnostic, Location

MANY = "dat-many-faults"  # says of which code more were found than are listed
ENCODING = "dat-encoding"  # true of a whole file: listed once, with the number of its lines
KEPT = 1_000  # of one code
LONGEST = 500  # characters of one value inside a diagnostic


def many_of(code: str) -> str:
    """Return the code by which the finding that a code has more findings than are listed can be selected."""
    return f"{MANY} {code}"


def about(diagnostic: Diagnostic) -> str:
    """Return the code that a diagnostic is about: for "more than are listed" the code of those, else its own."""
    if diagnostic.code == MANY:
        return str(diagnostic.values["code"])
    return diagnostic.code


class BoundedDiagnostics:
    """The diagnostics of one reading."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.counts: Counter[str] = Counter()

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic: keep it among the first of its code, else only count it."""
        if diagnostic.code == ENCODING and self._merge_encoding(diagnostic):
            return
        self.counts[diagnostic.code] += 1
        if self.counts[diagnostic.code] <= KEPT:
            short = {name: v[:LONGEST] if isinstance(v, str) else v for name, v in diagnostic.values.items()}
            self.diagnostics.append(replace(diagnostic, values=short, flagged=diagnostic.flagged[:LONGEST]))

    def _merge_encoding(self, diagnostic: Diagnostic) -> bool:
        """Take a further line of a file in another encoding into the finding of its first; whether there is one."""
        for at, earlier in enumerate(self.diagnostics):
            if earlier.code == ENCODING and earlier.place.file == diagnostic.place.file:
                new = diagnostic.values
                values = {
                    **earlier.values,
                    "count": earlier.values["count"] + new["count"],
                    "lines": (earlier.values.get("lines") or 1) + (new.get("lines") or 1),
                    "looks": earlier.values["looks"] or new["looks"],
                }
                self.diagnostics[at] = replace(earlier, values=values)
                return True
        return False

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add several diagnostics."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def list_limits(self, file: str) -> Iterator[Diagnostic]:
        """One diagnostic for each code of which more were found in the file than are kept, in the order of the codes.

        They are not kept: that is for whoever asks last.
        """
        for code, count in sorted(self.counts.items()):
            if count > KEPT:
                values = {"code": code, "count": count, "told": KEPT, "rest": count - KEPT}
                yield Diagnostic(MANY, values, Location(file=file), code)

    def list_all(self, file: str) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of the file, and one for each code that has more than are kept."""
        return (*self.diagnostics, *self.list_limits(file))

    def take(self, others: BoundedDiagnostics) -> None:
        """Take in what another one holds, and what it only counted."""
        self.extend(others.diagnostics)
        self.counts.update(others.counts - Counter(diagnostic.code for diagnostic in others.diagnostics))


def bounded(diagnostics: Iterable[Diagnostic], file: str) -> tuple[Diagnostic, ...]:
    """Return the first diagnostics of each code, and one for each code of which the file has more."""
    collected = BoundedDiagnostics()
    collected.extend(diagnostics)
    return collected.list_all(file)


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Convert a diagnostic to JSON values."""
    place = {name: value for name, value in asdict(diagnostic.place).items() if value is not None}
    return {
        "code": diagnostic.code,
        "values": dict(diagnostic.values),
        "place": place,
        "flagged": diagnostic.flagged,
        "severity": diagnostic.severity,
    }


def from_json(value: Mapping[str, Any]) -> Diagnostic:
    """Restore the diagnostic that `as_json` converted."""
    return Diagnostic(value["code"], value["values"], Location(**value["place"]), value["flagged"], value["severity"])
