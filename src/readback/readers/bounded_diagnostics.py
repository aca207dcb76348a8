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
    """What the finding that there are more of a code than are listed goes by where findings are chosen by code."""
    return f"{MANY} {code}"


def about(diagnostic: Diagnostic) -> str:
    """The code that a diagnostic speaks of: its own, but for the one that says of which code not all are listed."""
    return str(diagnostic.values["code"]) if diagnostic.code == MANY else diagnostic.code


class BoundedDiagnostics:
    """The diagnostics of one reading."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.counts: Counter[str] = Counter()

    def add(self, diagnostic: Diagnostic) -> None:
        if diagnostic.code == ENCODING and self._merge_encoding(diagnostic):
            return
        self.counts[diagnostic.code] += 1
        if self.counts[diagnostic.code] <= KEPT:
            short = {name: v[:LONGEST] if isinstance(v, str) else v for name, v in diagnostic.values.items()}
            self.diagnostics.append(replace(diagnostic, values=short, flagged=diagnostic.flagged[:LONGEST]))

    def _merge_encoding(self, diagnostic: Diagnostic) -> bool:
        """Take a further line of a file in another encoding into the finding of its first; whether there is one."""
        for at, kept in enumerate(self.diagnostics):
            if kept.code == ENCODING and kept.place.file == diagnostic.place.file:
                new = diagnostic.values
                values = {
                    **kept.values,
                    "count": kept.values["count"] + new["count"],
                    "lines": (kept.values.get("lines") or 1) + (new.get("lines") or 1),
                    "looks": kept.values["looks"] or new["looks"],
                }
                self.diagnostics[at] = replace(kept, values=values)
                return True
        return False

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
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
        """What is kept of the file, and of which codes there are more."""
        return (*self.diagnostics, *self.list_limits(file))

    def take(self, others: BoundedDiagnostics) -> None:
        """Take in what another one holds, and what it only counted."""
        self.extend(others.diagnostics)
        self.counts.update(others.counts - Counter(diagnostic.code for diagnostic in others.diagnostics))


def bounded(diagnostics: Iterable[Diagnostic], file: str) -> tuple[Diagnostic, ...]:
    """The first of each code, and of which codes the file has more."""
    found = BoundedDiagnostics()
    found.extend(diagnostics)
    return found.list_all(file)


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as JSON values."""
    place = {name: value for name, value in asdict(diagnostic.place).items() if value is not None}
    return {
        "code": diagnostic.code,
        "values": dict(diagnostic.values),
        "place": place,
        "flagged": diagnostic.flagged,
        "severity": diagnostic.severity,
    }


def from_json(value: Mapping[str, Any]) -> Diagnostic:
    """The diagnostic that `as_json` wrote."""
    return Diagnostic(value["code"], value["values"], Location(**value["place"]), value["flagged"], value["severity"])
