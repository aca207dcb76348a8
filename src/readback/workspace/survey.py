"""Every file below a folder and what it is, within a budget that a foreign or hostile folder cannot exhaust."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from readback.readers.paths import DEPTH, listing, resolve, show
from readback.types import NOWHERE, Diagnostic, Location
from readback.workspace.recognise import OTHER, Found, recognise

PARSED = 64 << 20  # bytes of configurations, some half a minute of work; a review's own take a second or two
DEEPER = 16  # folders below the root that are searched where nothing is found in the usual ones
STOPPED = 4 << 20  # bytes that one counts for whose reading had to be stopped


@dataclass(frozen=True, slots=True)
class Survey:
    """What lies below `root`, the shallowest first and by name within a folder."""

    root: Path
    found: tuple[Found, ...]
    files: tuple[Path, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)  # by file: why one that looked like a kind is of none
    depth: int = DEPTH

    def all(self, *what: str) -> tuple[Found, ...]:
        return tuple(f for f in self.found if f.what in what)

    def of(self, path: Path) -> Found | None:
        return next((f for f in self.found if f.path == path), None)


def survey(root: Path, depth: int = DEPTH) -> Survey:
    """What each file at most `depth` folders below `root` is. A link that leads out of the folder is not followed."""
    listed = listing(root, depth)
    diagnostics = list(listed.diagnostics)
    reasons: dict[str, str] = {}
    found = tuple(_each(root, listed.files, diagnostics, reasons))
    if depth == DEPTH and listed.deeper and not found:
        return survey(root, DEEPER)
    return Survey(root, found, listed.files, tuple(diagnostics), reasons, depth)


def _each(
    root: Path, files: tuple[Path, ...], diagnostics: list[Diagnostic], reasons: dict[str, str]
) -> Iterator[Found]:
    left = PARSED
    for path in files:
        if left < 0:
            values = {"what": "configurations read to find out what the files are", "limit": f"{PARSED >> 20} MiB"}
            diagnostics.append(Diagnostic("dat-limit", values, NOWHERE, show(root, path)))
            return
        safe = resolve(root, show(root, path))
        if isinstance(safe, Diagnostic):
            diagnostics.append(replace(safe, severity="info"))  # nobody named it; it only lies there
            continue
        what = recognise(path, root)
        left -= _cost(path, what)
        if what.what != OTHER:
            yield what
        else:
            diagnostics.extend(_of_unused(what))
            if what.reason:
                reasons[show(root, path)] = what.reason
            if what.detail:
                name = show(root, path)
                said = {"path": name, "reason": what.detail, "known": [], "endings": []}
                diagnostics.append(Diagnostic("dat-not-recognised", said, Location(file=name), name, "info"))


def _of_unused(found: Found) -> Iterator[Diagnostic]:
    """Yield what is wrong with a file that looked like one of ours and is none.

    Nobody named it, so that it could not be read is less than an error, and how it writes its values is no finding.
    """
    if found.parsed is not None and found.parsed.value is not None:
        return
    for diagnostic in found.diagnostics:
        yield replace(diagnostic, severity=diagnostic.severity or "warning")


def _cost(path: Path, what: Found) -> int:
    """The work that a file took, in bytes that were parsed: a number that no busy machine changes."""
    if any(diagnostic.code == "dat-limit" for diagnostic in what.diagnostics):
        return STOPPED
    try:
        return path.stat().st_size if what.parsed else 0
    except OSError:
        return 0
